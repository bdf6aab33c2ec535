//! Model families: from a GGUF to a graph.
//!
//! A family (`llama.rs`) reads hyperparameters and names tensors; what it fills in is a [`Decoder`], plain data that
//! says what the model is made of. `contract.rs` makes the functions of the graph from that and from the blocks in
//! `block/`, which are the same for every family.

mod block;
mod card;
mod contract;
mod decoder;
mod error;
mod hyper;
mod llama;
mod names;
mod request;
mod tensors;

pub use card::{ModelCard, describe};
pub use error::BuildError;

use crate::graph::{Graph, GraphBuilder};
use crate::options::{ExportOptions, GraphKind};
use block::rope;
use decoder::Decoder;
use gguf_file::{Gguf, ReadAt};

/// The key that names a GGUF's architecture.
const ARCHITECTURE: &str = "general.architecture";

/// A kind of model that can be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Llama and what shares its architecture: SmolLM2, TinyLlama, Mistral 7B.
    Llama,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 1] = [Family::Llama];

    /// `general.architecture`
    pub fn architecture(self) -> &'static str {
        match self {
            Family::Llama => "llama",
        }
    }

    fn decoder(self, gguf: &Gguf, options: &ExportOptions) -> Result<Decoder, BuildError> {
        match self {
            Family::Llama => llama::decoder(gguf, options),
        }
    }
}

/// The family of a model, by its `general.architecture`.
pub fn detect(gguf: &Gguf) -> Result<Family, BuildError> {
    let architecture = gguf.metadata().str(ARCHITECTURE)?;
    let known = Family::ALL.into_iter().find(|family| family.architecture() == architecture);
    known.ok_or_else(|| BuildError::UnknownArchitecture { architecture: architecture.to_owned() })
}

/// The graph of a model, with the functions that `options` ask for.
///
/// `sources` are those that `gguf` was opened from. Of tensors, only the rope factors are read, where there are any:
/// the graph has a table made from them. Equal arguments give equal graphs.
pub fn build(gguf: &Gguf, sources: &[&dyn ReadAt], options: &ExportOptions) -> Result<Graph, BuildError> {
    request::check(options)?;
    let family = detect(gguf)?;
    let decoder = family.decoder(gguf, options)?;
    let rope = rope::table(&decoder, gguf, sources, options)?;
    let mut builder = GraphBuilder::new(family.architecture());
    for kind in &options.graphs {
        match kind {
            GraphKind::Redecode => contract::redecode(&mut builder, &decoder, &rope, options)?,
            GraphKind::Kv => {
                contract::prefill(&mut builder, &decoder, &rope, options)?;
                contract::decode(&mut builder, &decoder, &rope, options)?;
            }
        }
    }
    Ok(builder.finish())
}
