//! The tensors of a GGUF as parameters: each is looked up and its dimensions checked.

use super::BuildError;
use crate::graph::{ElementType, ParamSource, ParamSpec, RowOrder, Storage};
use crate::options::{ExportOptions, Form, Weights};
use crate::tiles;
use gguf_file::{Gguf, TensorInfo};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

/// The tensors of a GGUF, and which of them were asked for.
pub(super) struct Tensors<'g> {
    gguf: &'g Gguf,
    /// They say what matrices are stored as. Vectors are few and small: they stay `f32`.
    options: &'g ExportOptions,
    used: RefCell<HashSet<&'g str>>,
}

/// Some rows of a tensor that holds several matrices, or biases, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Part<'a> {
    /// What the part is called in the archive.
    pub(super) name: &'a str,
    /// Its rows.
    pub(super) rows: Range<u64>,
    /// Rows of the tensor.
    pub(super) of: u64,
}

impl<'g> Tensors<'g> {
    pub(super) fn new(gguf: &'g Gguf, options: &'g ExportOptions) -> Self {
        Self { gguf, options, used: RefCell::default() }
    }

    pub(super) fn gguf(&self) -> &'g Gguf {
        self.gguf
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.gguf.tensor(name).is_some()
    }

    /// Says that a tensor is read without being a parameter.
    pub(super) fn mark_used(&self, name: &str) {
        if let Some(tensor) = self.gguf.tensor(name) {
            self.used.borrow_mut().insert(tensor.name());
        }
    }

    /// The first tensor that was never asked for: the model has something that its family doesn't know of.
    pub(super) fn unused(&self) -> Option<&'g TensorInfo> {
        let used = self.used.borrow();
        self.gguf.tensors().iter().find(|tensor| !used.contains(tensor.name()))
    }

    /// The tensor's entry, if its dimensions (in ggml's order) are these and its numbers can be read.
    fn expect(&self, name: &str, dims: &[u64]) -> Result<&'g TensorInfo, BuildError> {
        let missing = || BuildError::MissingTensor { name: name.to_owned() };
        let tensor = self.gguf.tensor(name).ok_or_else(missing)?;
        self.used.borrow_mut().insert(tensor.name());
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
        Ok(vector(name, length, None, row_order))
    }

    /// A vector of `length` for each of several heads, one after the other, as `f32`.
    pub(super) fn vectors(
        &self,
        name: &str,
        length: u64,
        heads: u64,
        row_order: RowOrder,
    ) -> Result<ParamSpec, BuildError> {
        self.expect(name, &[length, heads])?;
        Ok(vector(name, length * heads, None, row_order))
    }

    /// A part of a vector, as `f32`.
    pub(super) fn part_of_vector(
        &self,
        name: &str,
        part: &Part<'_>,
        row_order: RowOrder,
    ) -> Result<ParamSpec, BuildError> {
        self.expect(name, &[part.of])?;
        Ok(vector(name, part.rows.end - part.rows.start, Some(part), row_order))
    }

    /// A matrix of `rows` vectors of `columns` numbers each, as `[rows, columns]`.
    pub(super) fn rows(&self, name: &str, rows: u64, columns: u64) -> Result<ParamSpec, BuildError> {
        let tensor = self.expect(name, &[columns, rows])?;
        self.matrix(tensor, [rows, columns], None, RowOrder::AsStored, false)
    }

    /// As many matrices of `rows` vectors of `columns` numbers each, as `[count · rows, columns]`.
    pub(super) fn matrices(
        &self,
        name: &str,
        count: u64,
        rows: u64,
        columns: u64,
    ) -> Result<ParamSpec, BuildError> {
        let tensor = self.expect(name, &[columns, rows, count])?;
        let all_rows = rows.checked_mul(count).ok_or(BuildError::TensorData {
            name: name.to_owned(),
            reason: "it has more rows than can be counted",
        })?;
        self.matrix(tensor, [all_rows, columns], None, RowOrder::AsStored, false)
    }

    /// A matrix that takes `inputs` numbers to `outputs`, as `[inputs, outputs]`.
    pub(super) fn projection(
        &self,
        name: &str,
        [inputs, outputs]: [u64; 2],
        row_order: RowOrder,
    ) -> Result<ParamSpec, BuildError> {
        let tensor = self.expect(name, &[inputs, outputs])?;
        self.matrix(tensor, [outputs, inputs], None, row_order, true)
    }

    /// A part of a matrix that takes `inputs` numbers to some, as `[inputs, outputs]`.
    pub(super) fn part_of_projection(
        &self,
        name: &str,
        inputs: u64,
        part: &Part<'_>,
        row_order: RowOrder,
    ) -> Result<ParamSpec, BuildError> {
        let tensor = self.expect(name, &[inputs, part.of])?;
        self.matrix(tensor, [part.rows.end - part.rows.start, inputs], Some(part), row_order, true)
    }

    fn matrix(
        &self,
        tensor: &TensorInfo,
        [rows, columns]: [u64; 2],
        part: Option<&Part<'_>>,
        row_order: RowOrder,
        transpose: bool,
    ) -> Result<ParamSpec, BuildError> {
        let (element_type, storage) = match self.options.form {
            Form::Stablehlo => (self.element_type(), Storage::Dense),
            Form::Cpu(_) => (ElementType::F32, Storage::Tiles(tiles::choose(tensor, self.options.weights)?)),
        };
        Ok(ParamSpec {
            name: param_name(tensor.name(), part),
            shape: if transpose { vec![columns, rows] } else { vec![rows, columns] },
            element_type,
            source: source(tensor.name(), part, row_order, transpose),
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
}

fn vector(tensor: &str, length: u64, part: Option<&Part<'_>>, row_order: RowOrder) -> ParamSpec {
    ParamSpec {
        name: param_name(tensor, part),
        shape: vec![length],
        element_type: ElementType::F32,
        source: source(tensor, part, row_order, false),
        storage: Storage::Dense,
    }
}

/// `blk.0.attn_q.weight`, or of a part `blk.0.attn_qkv.weight[q]`.
fn param_name(tensor: &str, part: Option<&Part<'_>>) -> String {
    match part {
        None => tensor.to_owned(),
        Some(part) => format!("{tensor}[{}]", part.name),
    }
}

fn source(tensor: &str, part: Option<&Part<'_>>, row_order: RowOrder, transpose: bool) -> ParamSource {
    ParamSource::Tensor {
        name: tensor.to_owned(),
        rows: part.map(|part| part.rows.clone()),
        row_order,
        transpose,
    }
}
