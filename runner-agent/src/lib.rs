//! Compiles, runs, measures and compares exported models: jobs in, events out.
//!
//! A hub's own runner is a [`Worker`]; another machine's is the same one behind [`join::join`], which dials out to the
//! hub. Both call [`compile()`], [`run()`], [`bench::bench`] and [`verify::verify`], as the command line does. These work in child processes with limits, so that a crash, a hang
//! or a leak in the compiler or in compiled code never takes the caller down. The child of [`run()`] is the
//! caller's own program, started with the arguments of an [`EngineCommand`], where it calls [`engine_main`].

pub mod bench;
mod bundle;
mod cache;
mod compile;
mod eager;
pub mod engine;
mod failure;
pub mod gpu;
pub mod hub;
pub mod join;
mod log;
mod machine;
mod proc;
mod requirements;
mod run;
mod sample;
mod session;
mod source;
pub mod targets;
mod text;
mod tools;
pub mod verify;
mod weights;
mod worker;

pub use bundle::{BundleError, BundleFiles, read_manifest};
pub use compile::{CompileJob, Compiled, check as check_compile, compile};
pub use eager::{EagerSettings, eager_info};
pub use engine::engine_main;
pub use failure::Failure;
/// The most worker threads that a run may have.
pub use iree_runtime::MAX_WORKERS as MAX_THREADS;
pub use machine::{cpu_features, describe, memory_bytes};
pub use run::{EngineCommand, RunJob, run};
pub use source::Source;
pub use tools::{Compiler, IREE_VERSION, Tools, ToolsError};
pub use worker::{COMPILE_MEMORY_LIMIT_BYTES, Fetching, Supply, Worker};
