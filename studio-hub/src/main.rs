//! The binary `studio`: hub, page, embedded local runner and command line.

mod cli;
mod history;
mod jobs;
mod model;
mod server;
mod store;

fn main() -> std::process::ExitCode {
    cli::main()
}
