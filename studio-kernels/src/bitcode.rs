//! The entry points as LLVM bitcode, made by `build.rs` from this crate's own source.

use crate::KernelSet;

include!(concat!(env!("OUT_DIR"), "/bitcode_files.rs"));

/// The entry points for `set` on `arch`, which is `x86_64`, `aarch64` or `arm`; `None` where there are none, or where the
/// compiler that built this crate had no `core` for the architecture.
pub fn bitcode(set: KernelSet, arch: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(name, of, _)| *name == set.name() && *of == arch).map(|(_, _, bytes)| *bytes)
}
