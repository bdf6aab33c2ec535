//! Printers: from a checked graph to text. `mlir.rs` knows MLIR's syntax, each other module one form.

mod mlir;
pub mod stablehlo;
