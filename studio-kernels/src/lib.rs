//! Matrix, attention and vocabulary kernels over weights that stay quantised.
//!
//! The same source is built twice: natively, for tests and benches, and by `build.rs` as LLVM bitcode, one for each
//! instruction set, which travels inside a module and is linked by `iree-compile` (`--cfg studio_bitcode`).
//!
//! Four words carry the design. A *format* ([`format`]) says how sixteen rows of a matrix lie in a *tile*; an
//! *instruction set* ([`isa`]) is a handful of vector operations; a *dot* multiplies a tile with one or several
//! vectors of activations and is written once over both; a *team* ([`team`]) of workgroups shares the tiles of a
//! matrix out among its members.
#![no_std]
#![cfg_attr(studio_bitcode, no_builtins)]
#![expect(
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    reason = "kernels work on raw memory throughout; each function states what its caller must guarantee"
)]
#![cfg_attr(
    not(any(studio_bitcode, feature = "native")),
    expect(dead_code, unused_imports, unused_macros, reason = "kernels are for modules and for tests")
)]
#![expect(
    clippy::needless_range_loop,
    clippy::too_many_arguments,
    reason = "vectors side by side are arrays with an index in common; entry points take what the ABI passes"
)]

pub mod abi;
mod argmax;
mod attention;
#[cfg(feature = "bitcode")]
mod bitcode;
#[cfg(any(studio_bitcode, feature = "native"))]
pub mod entry;
pub mod format;
mod half;
mod isa;
mod math;
mod matrix;
#[cfg(all(not(studio_bitcode), feature = "native"))]
pub mod native;
mod route;
mod set;
pub mod team;

#[cfg(feature = "bitcode")]
pub use bitcode::{ARCHITECTURES, bitcode};
pub use format::{TILE_ROWS, TileFormat};
#[cfg(not(studio_bitcode))]
pub use format::{pack_tile, unpack_row};
pub use set::KernelSet;
