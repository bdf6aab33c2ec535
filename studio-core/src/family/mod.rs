//! Model families: from a GGUF to a graph.
//!
//! A family is a file in `architecture/`. It says what a model is made of with the words of `model.rs` and `layer.rs`,
//! which read hyperparameters and name tensors; what it gives is a [`Decoder`], plain data. `contract.rs` makes the
//! functions of the graph from that and from the blocks in `block/`, which are the same for every family.

mod architecture;
mod block;
mod card;
mod contract;
mod decoder;
mod error;
mod hyper;
mod layer;
mod model;
mod names;
mod request;
mod rope;
mod tensors;

pub use card::{ModelCard, describe};
pub use error::BuildError;

use crate::graph::{Graph, GraphBuilder, ParamSpec};
use crate::options::{ExportOptions, GraphKind};
use architecture::Architecture;
use block::rope::table;
use decoder::Decoder;
use gguf_file::{Gguf, ReadAt};
use model::Model;

/// The key that names a GGUF's architecture.
const ARCHITECTURE: &str = "general.architecture";

/// A kind of model that can be exported.
#[derive(Clone, Copy)]
pub struct Family(&'static Architecture);

impl Family {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Family> {
        architecture::ALL.iter().map(Family)
    }

    /// `general.architecture`
    pub fn architecture(self) -> &'static str {
        self.0.name
    }

    /// What the model is made of, every tensor of the file accounted for.
    fn decoder(self, gguf: &Gguf, options: &ExportOptions) -> Result<Decoder, BuildError> {
        let model = Model::open(gguf, options, self.architecture())?;
        let decoder = (self.0.describe)(&model)?;
        model.refuse_unused()?;
        Ok(decoder)
    }
}

/// The family of a model, by its `general.architecture`.
pub fn detect(gguf: &Gguf) -> Result<Family, BuildError> {
    let architecture = gguf.metadata().str(ARCHITECTURE)?;
    let known = Family::all().find(|family| family.architecture() == architecture);
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
    let table = |rope| table(rope, decoder.hyper.head_dim, gguf, sources, options);
    let ropes: Vec<ParamSpec> = decoder.ropes.iter().map(table).collect::<Result<_, _>>()?;
    let mut builder = GraphBuilder::new(family.architecture());
    for kind in &options.graphs {
        match kind {
            GraphKind::Redecode => contract::redecode(&mut builder, &decoder, &ropes, options)?,
            GraphKind::Kv => {
                contract::prefill(&mut builder, &decoder, &ropes, options)?;
                contract::decode(&mut builder, &decoder, &ropes, options)?;
            }
        }
    }
    Ok(builder.finish())
}
