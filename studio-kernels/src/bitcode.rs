//! The entry points as LLVM bitcode, made by `build.rs` from this crate's own source.

use crate::KernelSet;

/// The architectures that there can be bitcode for, by the names of Rust's target architectures.
pub const ARCHITECTURES: [&str; 3] = ["x86_64", "aarch64", "arm"];

include!(concat!(env!("OUT_DIR"), "/bitcode_files.rs"));

/// The entry points for `set` on `arch`, one of [`ARCHITECTURES`]; `None` where there are none, or where the
/// compiler that built this crate had no `core` for the architecture.
pub fn bitcode(set: KernelSet, arch: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(name, of, _)| *name == set.name() && *of == arch).map(|(_, _, bytes)| *bytes)
}
