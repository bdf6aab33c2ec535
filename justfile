# Every task of the project. `./dev TASK` runs one on a machine that has no `just` yet.

set positional-arguments

_list:
    @just --list --unsorted

# Install what is missing, build, start the hub with its local runner and print the page's URL.
studio *args: (build)
    @cargo run --quiet --release --package studio-hub -- serve "$@"

# Install what is missing and build the page and the binary `studio`.
build: (setup "studio")
    @cargo run --quiet --package xtask -- page
    @cargo build --quiet --release --package studio-hub

# Install what tests need and run all of them, the browser ones included.
test *what:
    @cargo run --quiet --package xtask -- test "$@"

# Format, lints and the house rules.
lint:
    @cargo run --quiet --package xtask -- test lint

# Benchmarks against a peer, as ratios: `bench export`, `bench graph`, `bench instructions`, `bench transfer`, `bench decode`, `bench prefill`.
bench *what:
    @cargo run --quiet --package xtask -- bench "$@"

# Put tools, models and browsers into the cache folder: `setup studio`, `test`, `reference` (llama.cpp), `quantised` (models),
# `eager` (the binary `studio` with llama.cpp in it), `arm64` (compilers for kernels and agents of phones and boards).
setup *what:
    @cargo run --quiet --package xtask -- setup "$@"

# Build `runner-agent` for phones and boards into the cache folder: `agent arm64`; `agent arm64 eager` has llama.cpp in it.
agent *what:
    @cargo run --quiet --package xtask -- agent "$@"

# Rewrite the snapshots that tests compare with.
bless:
    UPDATE_EXPECT=1 cargo test
