//! The tensors of a GGUF as parameters: each is looked up and its dimensions checked.

use super::BuildError;
use super::decoder::Linear;
use super::names::LayerPart;
use crate::graph::{ElementType, ParamSource, ParamSpec, RowOrder, Storage};
use crate::options::{ExportOptions, Form, Weights};
use crate::tiles;
use gguf_file::{Gguf, TensorInfo};

/// The tensors of a GGUF.
pub(super) struct Tensors<'g> {
    pub(super) gguf: &'g Gguf,
    /// They say what matrices are stored as. Vectors are few and small: they stay `f32`.
    pub(super) options: &'g ExportOptions,
}

impl Tensors<'_> {
    /// The tensor's entry, if its dimensions (in ggml's order) are these and its numbers can be read.
    fn expect(&self, name: &str, dims: &[u64]) -> Result<&TensorInfo, BuildError> {
        let missing = || BuildError::MissingTensor { name: name.to_owned() };
        let tensor = self.gguf.tensor(name).ok_or_else(missing)?;
        // Trailing ones say nothing: some writers add them.
        let significant = |dims: &[u64]| {
            let ones = dims.iter().rev().take_while(|&&dim| dim == 1).count();
            dims[..dims.len() - ones].to_vec()
        };
        if significant(tensor.dims()) != significant(dims) {
            return Err(BuildError::TensorDims {
                name: name.to_owned(),
                expected: dims.to_vec(),
                found: tensor.dims().to_vec(),
            });
        }
        if !tensor.format().can_decode() {
            let (key, value) = (format!("tensor {name}"), tensor.format().name().to_owned());
            return Err(BuildError::Unsupported { key, value, feature: "decoding this format" });
        }
        Ok(tensor)
    }

    /// A vector of `length`, as `f32`.
    pub(super) fn vector(
        &self,
        name: &str,
        length: u64,
        row_order: RowOrder,
    ) -> Result<ParamSpec, BuildError> {
        self.expect(name, &[length])?;
        Ok(ParamSpec {
            name: name.to_owned(),
            shape: vec![length],
            element_type: ElementType::F32,
            source: ParamSource::Tensor { name: name.to_owned(), row_order, transpose: false },
            storage: Storage::Dense,
        })
    }

    /// A matrix of `rows` vectors of `columns` numbers each, as `[rows, columns]`.
    pub(super) fn rows(&self, name: &str, rows: u64, columns: u64) -> Result<ParamSpec, BuildError> {
        self.matrix(name, rows, columns, RowOrder::AsStored, false)
    }

    /// A matrix that takes `inputs` numbers to `outputs`, as `[inputs, outputs]`.
    pub(super) fn projection(
        &self,
        name: &str,
        inputs: u64,
        outputs: u64,
        row_order: RowOrder,
    ) -> Result<ParamSpec, BuildError> {
        self.matrix(name, outputs, inputs, row_order, true)
    }

    fn matrix(
        &self,
        name: &str,
        rows: u64,
        columns: u64,
        row_order: RowOrder,
        transpose: bool,
    ) -> Result<ParamSpec, BuildError> {
        let tensor = self.expect(name, &[columns, rows])?;
        let (element_type, storage) = match self.options.form {
            Form::Stablehlo => (self.element_type(), Storage::Dense),
            Form::Cpu(_) => (ElementType::F32, Storage::Tiles(tiles::choose(tensor, self.options.weights)?)),
        };
        Ok(ParamSpec {
            name: name.to_owned(),
            shape: if transpose { vec![columns, rows] } else { vec![rows, columns] },
            element_type,
            source: ParamSource::Tensor { name: name.to_owned(), row_order, transpose },
            storage,
        })
    }

    /// What the portable form's matrices are stored with.
    fn element_type(&self) -> ElementType {
        match self.options.weights {
            // The options are checked before: only the cpu form keeps weights.
            Weights::Keep | Weights::F32 => ElementType::F32,
            Weights::Bf16 => ElementType::Bf16,
            Weights::F16 => ElementType::F16,
        }
    }

    /// A layer's matrix, and its bias if the file has one.
    pub(super) fn linear(
        &self,
        layer: u64,
        part: LayerPart,
        [inputs, outputs]: [u64; 2],
        row_order: RowOrder,
    ) -> Result<Linear, BuildError> {
        let bias = part.bias(layer);
        Ok(Linear {
            weight: self.projection(&part.weight(layer), inputs, outputs, row_order)?,
            bias: match self.gguf.tensor(&bias) {
                Some(_) => Some(self.vector(&bias, outputs, row_order)?),
                None => None,
            },
        })
    }
}
