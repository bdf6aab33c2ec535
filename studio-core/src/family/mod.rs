//! Model families: from a GGUF to a graph.
//!
//! A family is a file in `architecture/`. It says what a model is made of with the words of `model.rs` and `layer.rs`,
//! which read hyperparameters and name tensors; what it gives is a [`Decoder`] or an [`Encoder`], plain data. `contract.rs` and `embed.rs` make the
//! functions of the graph from that and from the blocks in `block/`, which are the same for every family.

mod architecture;
mod block;
mod card;
mod contract;
mod decoder;
mod embed;
mod encoder;
mod encoder_reader;
mod error;
mod hyper;
mod layer;
mod model;
mod names;
mod request;
mod rope;
mod support;
mod tensors;

pub use card::{ModelCard, ModelFacts, describe, facts};
pub use error::{BuildError, Nearest};
pub use support::{ContractSupport, FormSupport};

use crate::graph::{Graph, GraphBuilder, ParamSpec};
use crate::options::{ExportOptions, GraphKind};
use architecture::{Architecture, EncoderArchitecture};
use block::rope::table;
use decoder::Decoder;
use encoder::Encoder;
use gguf_file::{Gguf, ReadAt};
use model::Model;

/// The key that names a GGUF's architecture.
const ARCHITECTURE: &str = "general.architecture";

/// A kind of model that can be exported.
#[derive(Clone, Copy)]
pub struct Family(Kind);

#[derive(Clone, Copy)]
enum Kind {
    Decoder(&'static Architecture),
    Encoder(&'static EncoderArchitecture),
}

/// What a model is made of.
enum Parts {
    Decoder(Box<Decoder>),
    Encoder(Box<Encoder>),
}

impl Parts {
    /// The ways in which its layers turn queries and keys, and the numbers of a head.
    fn ropes(&self) -> (&[rope::Rope], u64) {
        match self {
            Parts::Decoder(decoder) => (&decoder.ropes, decoder.hyper.head_dim),
            Parts::Encoder(encoder) => (&encoder.ropes, encoder.hyper.head_dim),
        }
    }
}

impl Family {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Family> {
        let decoders = architecture::ALL.iter().map(Kind::Decoder);
        decoders.chain(architecture::ENCODERS.iter().map(Kind::Encoder)).map(Family)
    }

    /// `general.architecture`
    pub fn architecture(self) -> &'static str {
        match self.0 {
            Kind::Decoder(architecture) => architecture.name,
            Kind::Encoder(architecture) => architecture.name,
        }
    }

    /// Whether its models give a text's vector and generate no tokens.
    pub fn is_encoder(self) -> bool {
        matches!(self.0, Kind::Encoder(_))
    }

    /// What the model is made of, every tensor of the file accounted for.
    fn parts(self, gguf: &Gguf, options: &ExportOptions) -> Result<Parts, BuildError> {
        self.parts_by_keys_of(self.architecture(), gguf, options)
    }

    /// The same with the metadata keys of another architecture.
    fn parts_by_keys_of(
        self,
        architecture: &str,
        gguf: &Gguf,
        options: &ExportOptions,
    ) -> Result<Parts, BuildError> {
        let model = Model::open(gguf, options, architecture)?;
        let parts = match self.0 {
            Kind::Decoder(architecture) => {
                model.refuse_noncausal()?;
                Parts::Decoder(Box::new((architecture.describe)(&model)?))
            }
            Kind::Encoder(architecture) => Parts::Encoder(Box::new((architecture.describe)(&model)?)),
        };
        model.refuse_unused()?;
        Ok(parts)
    }
}

/// The family of a model, by its `general.architecture`.
pub fn detect(gguf: &Gguf) -> Result<Family, BuildError> {
    let architecture = gguf.metadata().str(ARCHITECTURE)?;
    let known = Family::all().find(|family| family.architecture() == architecture);
    known.ok_or_else(|| BuildError::UnknownArchitecture {
        architecture: architecture.to_owned(),
        nearest: support::nearest(gguf, architecture),
    })
}

/// The graph of a model, with the functions that `options` ask for.
///
/// `sources` are those that `gguf` was opened from. Of tensors, only the rope factors are read, where there are any:
/// the graph has a table made from them. Equal arguments give equal graphs.
pub fn build(gguf: &Gguf, sources: &[&dyn ReadAt], options: &ExportOptions) -> Result<Graph, BuildError> {
    let family = detect(gguf)?;
    // First of all: no other choice makes up for a contract that the model doesn't have.
    request::check_kind(options, family.is_encoder())?;
    request::check(options)?;
    let parts = family.parts(gguf, options)?;
    let (ropes, head_dim) = parts.ropes();
    let table = |rope| table(rope, head_dim, gguf, sources, options);
    let tables: Vec<ParamSpec> = ropes.iter().map(table).collect::<Result<_, _>>()?;
    functions(family, &parts, &tables, options)
}

/// The functions of a model whose rotations have these tables.
fn functions(
    family: Family,
    parts: &Parts,
    tables: &[ParamSpec],
    options: &ExportOptions,
) -> Result<Graph, BuildError> {
    let mut builder = GraphBuilder::new(family.architecture());
    match parts {
        Parts::Encoder(encoder) => embed::embed(&mut builder, encoder, tables, options)?,
        Parts::Decoder(decoder) => {
            for kind in &options.graphs {
                match kind {
                    GraphKind::Redecode => contract::redecode(&mut builder, decoder, tables, options)?,
                    GraphKind::Kv => {
                        contract::prefill(&mut builder, decoder, tables, options)?;
                        contract::decode(&mut builder, decoder, tables, options)?;
                    }
                    // Encoders' alone, which was checked.
                    GraphKind::Embed => {}
                }
            }
        }
    }
    Ok(builder.finish())
}
