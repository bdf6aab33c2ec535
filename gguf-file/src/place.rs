//! Where an error is: the file, the field and its byte offset.

use std::fmt;

/// Where in which file an error was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The index among the sources that were opened together; `None` where there is only one.
    pub shard: Option<usize>,
    /// The field.
    pub field: Field,
    /// The field's byte offset from the start of its file. `None` for what no file holds: a key that isn't
    /// there, or a value that is about to be written.
    pub offset: Option<u64>,
}

impl Place {
    /// A field of what is in no file yet.
    pub(crate) fn of(field: Field) -> Self {
        Place { shard: None, field, offset: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(shard) = self.shard {
            write!(f, "file {}, ", shard.saturating_add(1))?;
        }
        write!(f, "{}", self.field)?;
        match self.offset {
            Some(offset) => write!(f, " at byte {offset}"),
            None => Ok(()),
        }
    }
}

/// A field of a GGUF file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Field {
    /// The first four bytes.
    Magic,
    /// The format's version.
    Version,
    /// The number of tensors.
    TensorCount,
    /// The number of key-value pairs.
    MetadataCount,
    /// The key of a pair whose name isn't known yet, counted from 0.
    Key {
        /// Which pair.
        index: u64,
    },
    /// A part of the value of a key.
    Value {
        /// The key.
        key: String,
        /// Which part.
        part: ValuePart,
    },
    /// The name of a tensor whose name isn't known yet, counted from 0.
    TensorName {
        /// Which tensor.
        index: u64,
    },
    /// A part of a tensor's entry in the table, or its data.
    Tensor {
        /// The tensor's name.
        name: String,
        /// Which part.
        part: TensorPart,
    },
    /// The files of a split model taken together.
    Split,
}

/// A part of a metadata value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuePart {
    /// The number that says which type follows.
    Type,
    /// The type of an array's elements.
    ElementType,
    /// The number of an array's elements.
    Count,
    /// The length of a string.
    Length,
    /// The value itself.
    Content,
}

/// A part of a tensor's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorPart {
    /// The name, once it is known.
    Name,
    /// How many dimensions.
    DimensionCount,
    /// All dimensions together.
    Dimensions,
    /// One dimension, counted from 0.
    Dimension(u32),
    /// The block format's number.
    Format,
    /// The offset from the start of the data.
    Offset,
    /// The bytes.
    Data,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Magic => write!(f, "magic"),
            Field::Version => write!(f, "version"),
            Field::TensorCount => write!(f, "tensor count"),
            Field::MetadataCount => write!(f, "metadata count"),
            Field::Key { index } => write!(f, "key of metadata entry {index}"),
            Field::Value { key, part } => match part {
                ValuePart::Type => write!(f, "metadata {key:?}, value type"),
                ValuePart::ElementType => write!(f, "metadata {key:?}, element type"),
                ValuePart::Count => write!(f, "metadata {key:?}, element count"),
                ValuePart::Length => write!(f, "metadata {key:?}, string length"),
                ValuePart::Content => write!(f, "metadata {key:?}"),
            },
            Field::TensorName { index } => write!(f, "name of tensor {index}"),
            Field::Tensor { name, part } => match part {
                TensorPart::Name => write!(f, "tensor {name:?}"),
                TensorPart::DimensionCount => write!(f, "tensor {name:?}, dimension count"),
                TensorPart::Dimensions => write!(f, "tensor {name:?}, dimensions"),
                TensorPart::Dimension(index) => write!(f, "tensor {name:?}, dimension {index}"),
                TensorPart::Format => write!(f, "tensor {name:?}, format"),
                TensorPart::Offset => write!(f, "tensor {name:?}, offset"),
                TensorPart::Data => write!(f, "tensor {name:?}, data"),
            },
            Field::Split => write!(f, "split model"),
        }
    }
}
