//! Parameters: one plan, from which the MLIR's globals and the archive are written.
//!
//! [`plan::Plan`] checks what the graph asks for against the GGUF; [`irpa::layout`] or [`safetensors::layout`] give
//! every entry its place; [`stream::ArchiveStream`] makes the bytes, converting tensor by tensor. [`dump`] lists what
//! is in a parameter file of any format.

pub mod archive;
mod convert;
pub mod dump;
pub mod element;
pub mod index;
pub mod irpa;
pub mod plan;
pub mod safetensors;
pub mod stream;
pub mod tiles;
mod transpose;
mod window;

pub use convert::Budget;
