//! A GGUF model as a typed graph, printed as StableHLO with an external parameter archive.
//!
//! Data flows one way: `gguf_file::Gguf` → [`family`] → [`graph`] → a check → [`emit`] → text, and one plan of
//! parameters in [`params`] from which both the MLIR's globals and the archive are written. [`export`] ties
//! them into a bundle's files. No files, sockets, threads or clocks here: the same code runs natively and in
//! the page.

pub mod chat;
pub mod compare;
pub mod emit;
pub mod export;
pub mod family;
pub mod graph;
pub mod manifest;
pub mod options;
pub mod params;
pub mod part_hash;
pub mod reference;
pub mod statistics;
pub mod tiles;
pub mod tokenizer;
pub mod view;
