//! Printers: from a checked graph to text. `mlir.rs` knows MLIR's syntax, each folder one form.

pub mod cpu;
mod globals;
mod mlir;
pub mod stablehlo;
