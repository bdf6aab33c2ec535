//! The one plan from which the archive's layout, its bytes and the reference page's table are made.

use super::archive::Item;
use super::element::{mlir_name, size_bytes};
use super::stream::{StreamError, buffer};
use super::tiles::TileConversion;
use crate::graph::{ElementType, ParamSource, ParamSpec, RowOrder, Storage, TensorType};
use crate::tiles::{self, TileError};
use gguf_file::{BlockFormat, Endian, Gguf, ReadAt, TensorInfo};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// Everything that an archive will hold, checked against the GGUF.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    params: Vec<PlannedParam>,
}

/// One entry of the archive.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedParam {
    /// The key.
    pub name: String,
    /// Row-major dimensions.
    pub shape: Vec<u64>,
    /// The element type in the archive.
    pub element_type: ElementType,
    /// The entry's length.
    pub size_bytes: u64,
    /// How its bytes are made.
    pub conversion: Conversion,
}

/// How an entry's bytes are made.
#[derive(Debug, Clone, PartialEq)]
pub enum Conversion {
    /// From a tensor of the GGUF.
    Tensor(TensorConversion),
    /// From a matrix of the GGUF, as tiles.
    Tiles(TileConversion),
    /// From values computed at planning, row-major.
    Values(Arc<[f32]>),
}

/// A tensor of the GGUF, as what is made from it reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorSource {
    /// The tensor's name.
    pub tensor: String,
    /// Which of the model's files it is in.
    pub shard: usize,
    /// Where what is taken of it begins in that file.
    pub offset: u64,
    /// How it is stored there.
    pub format: BlockFormat,
    /// The byte order of its numbers.
    pub endian: Endian,
    /// Which rows of the tensor are taken, all if `None`.
    pub taken: Option<Range<u64>>,
    /// Rows that are taken of the tensor as a matrix; a vector has one, unless its values are reordered as rows are.
    pub rows: u64,
    /// Values of a row.
    pub columns: u64,
    /// The order in which rows are stored.
    pub row_order: RowOrder,
}

/// How a tensor of the GGUF becomes an entry of plain numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorConversion {
    /// The tensor.
    pub source: TensorSource,
    /// Whether rows become columns, after reordering.
    pub transpose: bool,
    /// The element type in the archive.
    pub element_type: ElementType,
}

/// Why a graph's parameters cannot be made from a GGUF.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Two parameters with one name.
    #[error("parameter {0}: the graph asks for it twice")]
    Duplicate(String),
    /// No such tensor.
    #[error("parameter {name}: the GGUF has no tensor {tensor}")]
    NoTensor {
        /// The parameter.
        name: String,
        /// The tensor it should be made from.
        tensor: String,
    },
    /// Another shape than the graph's.
    #[error(
        "tensor {tensor}: its dimensions are {dims:?} (contiguous first), which gives {found:?} row-major{}, but the \
         graph needs {expected:?}",
        if *transpose { " when transposed" } else { "" }
    )]
    Shape {
        /// The tensor.
        tensor: String,
        /// As the GGUF has them.
        dims: Vec<u64>,
        /// Whether the graph wants it transposed.
        transpose: bool,
        /// What they give.
        found: Vec<u64>,
        /// What the graph needs.
        expected: Vec<u64>,
    },
    /// Only matrices are transposed.
    #[error("tensor {tensor}: only a matrix can be transposed; its dimensions are {dims:?}")]
    Transpose {
        /// The tensor.
        tensor: String,
        /// As the GGUF has them.
        dims: Vec<u64>,
    },
    /// Rows that the tensor doesn't have, or that begin within a block.
    #[error("tensor {tensor}: its dimensions are {dims:?} (contiguous first); it can't be cut to {rows:?}")]
    Rows {
        /// The tensor.
        tensor: String,
        /// As the GGUF has them.
        dims: Vec<u64>,
        /// What was asked for.
        rows: Range<u64>,
    },
    /// Heads that do not make up the matrix.
    #[error(
        "tensor {tensor}: {head_count} heads of {head_dim} rows in pairs do not make up its {rows} rows; check the \
         model's attention.head_count, head_count_kv and key_length"
    )]
    Heads {
        /// The tensor.
        tensor: String,
        /// Its rows.
        rows: u64,
        /// Heads that the graph sees in it.
        head_count: u64,
        /// Rows of a head.
        head_dim: u64,
    },
    /// A format without a decoder.
    #[error(
        "tensor {tensor}: its format {format} cannot be decoded yet; requantise the model with llama-quantize"
    )]
    Format {
        /// The tensor.
        tensor: String,
        /// Its format.
        format: BlockFormat,
    },
    /// A matrix that there are no tiles for.
    #[error(transparent)]
    Tiles(#[from] TileError),
    /// Something else than a matrix.
    #[error("parameter {name}: only a matrix of the GGUF can be stored as tiles; its shape is {shape:?}")]
    NoMatrix {
        /// The parameter.
        name: String,
        /// Row-major dimensions.
        shape: Vec<u64>,
    },
    /// Weights are floats.
    #[error("parameter {name}: values cannot be stored as {}", mlir_name(*.element_type))]
    ElementType {
        /// The parameter.
        name: String,
        /// What the graph asks for.
        element_type: ElementType,
    },
    /// Values that do not fill their shape.
    #[error("parameter {name}: {found} values do not fill the shape {shape:?}")]
    Values {
        /// The parameter.
        name: String,
        /// How many there are.
        found: usize,
        /// Row-major dimensions.
        shape: Vec<u64>,
    },
    /// A shape whose size passes 64 bits.
    #[error("parameter {name}: the shape {shape:?} has too many elements")]
    TooLarge {
        /// The parameter.
        name: String,
        /// Row-major dimensions.
        shape: Vec<u64>,
    },
}

impl Plan {
    /// Plans the parameters in the order of the specs.
    pub fn new(specs: &[ParamSpec], gguf: &Gguf) -> Result<Self, PlanError> {
        let mut names = HashSet::new();
        let mut params = Vec::with_capacity(specs.len());
        for spec in specs {
            if !names.insert(&spec.name) {
                return Err(PlanError::Duplicate(spec.name.clone()));
            }
            params.push(plan_param(spec, gguf)?);
        }
        Ok(Self { params })
    }

    /// The entries, in the archive's order.
    #[must_use]
    pub fn params(&self) -> &[PlannedParam] {
        &self.params
    }

    /// The entries as a layout wants them.
    #[must_use]
    pub fn items(&self) -> Vec<Item<'_>> {
        self.params.iter().map(PlannedParam::item).collect()
    }
}

impl PlannedParam {
    fn item(&self) -> Item<'_> {
        let Self { name, shape, element_type, size_bytes, .. } = self;
        Item { name, shape, element_type: *element_type, size_bytes: *size_bytes }
    }
}

fn plan_param(spec: &ParamSpec, gguf: &Gguf) -> Result<PlannedParam, PlanError> {
    let ParamSpec { name, shape, element_type, source, storage } = spec;
    let element_type = *element_type;
    if matches!(element_type, ElementType::I32 | ElementType::I8 | ElementType::I1) {
        return Err(PlanError::ElementType { name: name.clone(), element_type });
    }
    let too_large = || PlanError::TooLarge { name: name.clone(), shape: shape.clone() };
    let elements =
        shape.iter().try_fold(1u64, |product, dim| product.checked_mul(*dim)).ok_or_else(too_large)?;
    let size_bytes = elements.checked_mul(size_bytes(element_type)).ok_or_else(too_large)?;
    let conversion = match source {
        ParamSource::Values(_) if *storage != Storage::Dense => {
            return Err(PlanError::NoMatrix { name: name.clone(), shape: shape.clone() });
        }
        ParamSource::Values(values) if values.len() as u64 == elements => {
            Conversion::Values(Arc::clone(values))
        }
        ParamSource::Values(values) => {
            return Err(PlanError::Values { name: name.clone(), found: values.len(), shape: shape.clone() });
        }
        ParamSource::Tensor { name: tensor, rows: taken, row_order, transpose } => {
            let no_tensor = || PlanError::NoTensor { name: name.clone(), tensor: tensor.clone() };
            let tensor = gguf.tensor(tensor).ok_or_else(no_tensor)?;
            let dims = dims_of_rows(tensor, taken.as_ref())?;
            check_shape(tensor, &dims, *transpose, shape)?;
            if !tensor.format().can_decode() {
                let (tensor, format) = (tensor.name().to_owned(), tensor.format());
                return Err(PlanError::Format { tensor, format });
            }
            let first = taken.as_ref().map_or(0, |rows| rows.start);
            let (rows, columns) = matrix(tensor, &dims, shape, *row_order)?;
            let source = TensorSource {
                tensor: tensor.name().to_owned(),
                shard: tensor.shard(),
                offset: tensor.offset() + offset_of_row(tensor, first),
                format: tensor.format(),
                endian: gguf.endian(),
                taken: taken.clone(),
                rows,
                columns,
                row_order: *row_order,
            };
            match storage {
                Storage::Tiles(format) => {
                    tiles::check(tensor, *format)?;
                    return plan_tiles(spec, TileConversion { source, format: *format });
                }
                Storage::Dense => {
                    Conversion::Tensor(TensorConversion { source, transpose: *transpose, element_type })
                }
            }
        }
    };
    Ok(PlannedParam { name: name.clone(), shape: shape.clone(), element_type, size_bytes, conversion })
}

/// The entry of a matrix that is stored as tiles.
fn plan_tiles(spec: &ParamSpec, conversion: TileConversion) -> Result<PlannedParam, PlanError> {
    if spec.matrix() != Some([conversion.source.rows, conversion.source.columns]) {
        return Err(PlanError::NoMatrix { name: spec.name.clone(), shape: spec.shape.clone() });
    }
    let TensorType { shape, element_type } = spec.archive_type();
    let size_bytes = match shape[..] {
        [bytes] if bytes < u64::MAX => bytes,
        _ => return Err(PlanError::TooLarge { name: spec.name.clone(), shape }),
    };
    let (name, conversion) = (spec.name.clone(), Conversion::Tiles(conversion));
    Ok(PlannedParam { name, shape, element_type, size_bytes, conversion })
}

/// Dimensions with the ones at the slow end left out, which say nothing.
fn significant(dims: &[u64]) -> &[u64] {
    let ones = dims.iter().rev().take_while(|dim| **dim == 1).count();
    &dims[..(dims.len() - ones).max(1).min(dims.len())]
}

/// The tensor's dimensions if it had only these rows, or these values where it is a vector; at least one.
fn dims_of_rows(tensor: &TensorInfo, rows: Option<&Range<u64>>) -> Result<Vec<u64>, PlanError> {
    let mut dims = significant(tensor.dims()).to_vec();
    let whole = dims.len() > 1 || tensor.format().block_elements() == 1;
    if dims.is_empty() {
        dims.push(1);
    }
    if let (Some(rows), Some(count)) = (rows, dims.last_mut()) {
        if rows.start >= rows.end || rows.end > *count || !whole {
            let (tensor, rows) = (tensor.name().to_owned(), rows.clone());
            return Err(PlanError::Rows { tensor, dims, rows });
        }
        *count = rows.end - rows.start;
    }
    Ok(dims)
}

/// Bytes of the tensor before its row `row`, or before that value where it is a vector. It has that row.
fn offset_of_row(tensor: &TensorInfo, row: u64) -> u64 {
    let row_elements: u64 = match significant(tensor.dims()) {
        [] | [_] => 1,
        [row @ .., _] => row.iter().product(),
    };
    row * row_elements / tensor.format().block_elements() * tensor.format().block_bytes()
}

fn check_shape(
    tensor: &TensorInfo,
    dims: &[u64],
    transpose: bool,
    expected: &[u64],
) -> Result<(), PlanError> {
    let mut found = match (dims, expected) {
        // Experts' matrices are stored one after the other, and so are the gains of heads.
        ([columns, rows @ ..], [_, _]) if !transpose && rows.len() > 1 => {
            vec![*columns, rows.iter().product()]
        }
        (_, [_]) => vec![dims.iter().product()],
        _ => dims.to_vec(),
    };
    if transpose {
        // A matrix of one row is a vector by its dimensions.
        found.resize(found.len().max(2), 1);
        if found.len() != 2 {
            return Err(PlanError::Transpose { tensor: tensor.name().to_owned(), dims: dims.to_vec() });
        }
    } else {
        if expected.len() <= tensor.dims().len() {
            found.resize(found.len().max(expected.len()), 1);
        }
        found.reverse();
    }
    if found == expected {
        return Ok(());
    }
    let (tensor, dims, expected) = (tensor.name().to_owned(), tensor.dims().to_vec(), expected.to_vec());
    Err(PlanError::Shape { tensor, dims, transpose, found, expected })
}

/// Rows and columns of the tensor as the conversion sees it.
fn matrix(
    tensor: &TensorInfo,
    dims: &[u64],
    shape: &[u64],
    row_order: RowOrder,
) -> Result<(u64, u64), PlanError> {
    let columns = dims.first().copied().unwrap_or(1);
    let rows: u64 = dims.iter().skip(1).product();
    let Some((head_count, head_dim)) = row_order.heads() else { return Ok((rows, columns)) };
    // A bias has one value for each row of its matrix.
    let (rows, columns) = if shape.len() == 1 { (rows * columns, 1) } else { (rows, columns) };
    let made_up = head_count.checked_mul(head_dim) == Some(rows);
    if made_up
        && head_dim.is_multiple_of(2)
        && head_dim > 0
        && columns.is_multiple_of(tensor.format().block_elements())
    {
        Ok((rows, columns))
    } else {
        Err(PlanError::Heads { tensor: tensor.name().to_owned(), rows, head_count, head_dim })
    }
}

impl TensorSource {
    /// Reads a part of the tensor, `offset` counting from its start, to the head of `bytes`.
    pub(crate) fn read<'b>(
        &self,
        offset: u64,
        length: u64,
        bytes: &'b mut Vec<u8>,
        sources: &[&dyn ReadAt],
    ) -> Result<&'b [u8], StreamError> {
        let given = sources.len();
        let Some(source) = sources.get(self.shard) else {
            return Err(StreamError::Source { tensor: self.tensor.clone(), shard: self.shard, given });
        };
        // Callers keep to the budget, so this fits.
        let bytes = buffer(bytes, length as usize);
        let offset = self.offset + offset;
        let failed = |source| StreamError::Read { tensor: self.tensor.clone(), offset, source };
        source.read_at(offset, bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// Bytes of a row.
    pub(crate) fn row_bytes(&self) -> u64 {
        self.columns / self.format.block_elements() * self.format.block_bytes()
    }

    /// The row of the source that stands at `row` after reordering.
    pub(crate) fn source_row(&self, row: u64) -> u64 {
        self.row_order.source_row(row)
    }
}
