//! Parameters: one plan, from which the MLIR's globals and the archive are written.
