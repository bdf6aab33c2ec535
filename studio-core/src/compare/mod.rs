//! Two models side by side: what their headers say differently, and by how much the numbers of their tensors differ.
//!
//! [`headers`] reads nothing but the headers. [`Differ`] goes through one tensor of both in steps, so that a page can
//! show progress and stop; memory doesn't grow with the tensor.

mod metadata;
mod sums;
mod values;

pub use metadata::{MetadataDifference, MetadataValue};
pub use values::{CompareError, Differ, Difference, Side, difference};

use gguf_file::{Endian, Gguf, TensorInfo};
use serde::{Deserialize, Serialize};

/// What the headers of two models say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeaderComparison {
    /// The first model in figures.
    pub first: ModelFigures,
    /// The second.
    pub second: ModelFigures,
    /// Entries of the metadata that both have, equal.
    pub equal_entries: u64,
    /// Entries that differ or that only one has: the first model's order, then those that only the second has.
    pub metadata: Vec<MetadataDifference>,
    /// All tensors: the first model's order, then those that only the second has.
    pub tensors: Vec<TensorPair>,
}

/// A model in figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFigures {
    /// The format's version.
    pub version: u32,
    /// `little` or `big`.
    pub endian: String,
    /// What offsets of tensors are multiples of, in bytes.
    pub alignment: u64,
    /// Values in all tensors.
    pub parameters: u64,
    /// Bytes of all tensors.
    pub tensor_bytes: u64,
    /// Block formats by their share of the bytes, largest first.
    pub formats: Vec<FormatFigures>,
}

/// How much of a model a block format makes up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatFigures {
    /// ggml's name.
    #[serde(rename = "type")]
    pub format: String,
    /// Tensors in it.
    pub tensors: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A tensor of one name in both models, or in one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorPair {
    /// Its name.
    pub name: String,
    /// What it is in the first model, where that has it.
    pub first: Option<TensorFigures>,
    /// And in the second.
    pub second: Option<TensorFigures>,
}

/// A tensor in figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorFigures {
    /// The block format, by ggml's name.
    #[serde(rename = "type")]
    pub format: String,
    /// Dimensions in ggml's order: the first is contiguous.
    pub dims: Vec<u64>,
    /// Its length.
    pub bytes: u64,
}

/// How the two of a pair differ in their headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairKind {
    /// Only the first model has it.
    OnlyFirst,
    /// Only the second model has it.
    OnlySecond,
    /// Their dimensions differ, so that their numbers can't be compared.
    Shape,
    /// Their formats differ.
    Type,
    /// They are alike.
    Alike,
}

impl TensorPair {
    /// How the two differ in their headers.
    pub fn kind(&self) -> PairKind {
        match (&self.first, &self.second) {
            (_, None) => PairKind::OnlyFirst,
            (None, Some(_)) => PairKind::OnlySecond,
            (Some(first), Some(second)) if first.dims != second.dims => PairKind::Shape,
            (Some(first), Some(second)) if first.format != second.format => PairKind::Type,
            (Some(_), Some(_)) => PairKind::Alike,
        }
    }

    /// Whether the numbers of the two can be compared.
    pub fn is_comparable(&self) -> bool {
        matches!(self.kind(), PairKind::Type | PairKind::Alike)
    }
}

/// Compares what two headers say.
pub fn headers(first: &Gguf, second: &Gguf) -> HeaderComparison {
    let (equal_entries, metadata) = metadata::differences(first.metadata(), second.metadata());
    let pair = |name: &str| TensorPair {
        name: name.to_owned(),
        first: first.tensor(name).map(tensor_figures),
        second: second.tensor(name).map(tensor_figures),
    };
    let names = first.tensors().iter().map(TensorInfo::name);
    let others = second.tensors().iter().map(TensorInfo::name).filter(|name| first.tensor(name).is_none());
    HeaderComparison {
        first: model_figures(first),
        second: model_figures(second),
        equal_entries,
        metadata,
        tensors: names.chain(others).map(pair).collect(),
    }
}

fn tensor_figures(tensor: &TensorInfo) -> TensorFigures {
    TensorFigures {
        format: tensor.format().name().to_owned(),
        dims: tensor.dims().to_vec(),
        bytes: tensor.size_bytes(),
    }
}

fn model_figures(gguf: &Gguf) -> ModelFigures {
    let mut formats: Vec<FormatFigures> = Vec::new();
    for tensor in gguf.tensors() {
        let format = tensor.format().name();
        let index = formats.iter().position(|share| share.format == format).unwrap_or_else(|| {
            formats.push(FormatFigures { format: format.to_owned(), tensors: 0, bytes: 0 });
            formats.len() - 1
        });
        if let Some(share) = formats.get_mut(index) {
            share.tensors += 1;
            share.bytes = share.bytes.saturating_add(tensor.size_bytes());
        }
    }
    formats.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.format.cmp(&b.format)));
    let sum = |of: fn(&TensorInfo) -> u64| {
        gguf.tensors().iter().map(of).fold(0_u64, |sum, of| sum.saturating_add(of))
    };
    ModelFigures {
        version: gguf.version(),
        endian: match gguf.endian() {
            Endian::Little => "little".to_owned(),
            Endian::Big => "big".to_owned(),
        },
        alignment: gguf.alignment(),
        parameters: sum(TensorInfo::elements),
        tensor_bytes: sum(TensorInfo::size_bytes),
        formats,
    }
}
