#![doc = include_str!("../README.md")]
#![deny(missing_docs)]
#![warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation, clippy::indexing_slicing)]

#[expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "decoders work on fixed-size arrays with numbers of known range"
)]
mod block;
mod builder;
mod builder_check;
mod cursor;
mod endian;
mod error;
mod file;
#[cfg(not(target_family = "wasm"))]
mod file_source;
pub mod limits;
mod metadata;
mod partial;
mod place;
mod source;
pub mod split;
mod table;
mod tensor;
mod value;
mod value_read;
mod value_write;
mod writer;

pub use block::{BlockFormat, DecodeError};
pub use builder::GgufBuilder;
pub use endian::Endian;
pub use error::{Error, ErrorKind};
pub use file::Gguf;
#[cfg(not(target_family = "wasm"))]
pub use file_source::FileSource;
pub use metadata::Metadata;
pub use partial::{CutTensor, Partial};
pub use place::{Field, Place, TensorPart, ValuePart};
pub use source::{ReadAt, ReadError};
pub use tensor::TensorInfo;
pub use value::{Value, ValueArray, ValueType};
pub use writer::TensorWriter;
