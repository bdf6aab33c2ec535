//! What can be wrong with a file, and where: every error names the field and, when there is one, its byte
//! offset.

use std::fmt;

use crate::place::Place;
use crate::source::ReadError;
use crate::value::ValueType;

/// Something about a GGUF that cannot be believed, with its place.
#[derive(Debug)]
pub struct Error(Box<(Place, ErrorKind)>);

impl Error {
    pub(crate) fn new(place: Place, kind: ErrorKind) -> Self {
        Error(Box::new((place, kind)))
    }

    /// Where.
    pub fn place(&self) -> &Place {
        &self.0.0
    }

    /// What.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.1
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.kind())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self.kind())
    }
}

/// What is wrong with a field.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source failed.
    #[error("cannot be read: {0}")]
    Read(#[source] ReadError),
    /// The file ends inside the field.
    #[error("the file ends here: {needed} bytes are needed and {left} are left")]
    Truncated {
        /// Bytes that the field takes.
        needed: u64,
        /// Bytes left in the file.
        left: u64,
    },
    /// The magic is another one.
    #[error("not a GGUF file: it starts with \"{}\" instead of \"GGUF\"", .found.escape_ascii())]
    NotGguf {
        /// The first four bytes.
        found: [u8; 4],
    },
    /// A version that isn't read here.
    #[error("version {version} is not supported, only 2 and 3 are")]
    UnsupportedVersion {
        /// The version.
        version: u32,
    },
    /// A count that the rest of the file could not hold.
    #[error("{count} is impossible: {}{left} bytes are left in the file", at_least(*.each_bytes))]
    CountExceedsFile {
        /// The count.
        count: u64,
        /// The least that one takes.
        each_bytes: u64,
        /// Bytes left in the file.
        left: u64,
    },
    /// More than this library takes from any file; see [`crate::limits`].
    #[error("{value} is more than the limit of {limit}")]
    OverLimit {
        /// What the file says.
        value: u64,
        /// What is allowed.
        limit: u64,
    },
    /// The header is larger than [`crate::limits::MAX_HEADER_BYTES`].
    #[error("the header goes on past {limit} bytes")]
    HeaderTooLarge {
        /// What is allowed.
        limit: u64,
    },
    /// An empty key or name.
    #[error("empty")]
    Empty,
    /// A key or name that isn't UTF-8, or text that was asked for and isn't.
    #[error("not UTF-8 from its byte {valid_up_to} on")]
    NotUtf8 {
        /// How many bytes are fine.
        valid_up_to: usize,
    },
    /// A key or tensor name that was there before.
    #[error("there twice, first at byte {first_offset}")]
    Duplicate {
        /// Where the first one is.
        first_offset: u64,
    },
    /// A key or tensor that is about to be written twice.
    #[error("there twice")]
    DuplicateEntry,
    /// A value type that doesn't exist.
    #[error("{number} is not a value type, they go from 0 to 12")]
    UnknownValueType {
        /// What the file says.
        number: u32,
    },
    /// Arrays of arrays of arrays…
    #[error("arrays are nested more than {limit} deep")]
    NestedTooDeep {
        /// What is allowed.
        limit: u32,
    },
    /// A bool that is neither 0 nor 1.
    #[error("{byte} is not a bool, which is 0 or 1")]
    BadBool {
        /// What the file says.
        byte: u8,
    },
    /// A key that was asked for and isn't there.
    #[error("missing")]
    MissingKey,
    /// A value of another type than was asked for.
    #[error("{found} instead of {expected}")]
    WrongType {
        /// What was asked for.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// An alignment that is no power of two, or too large.
    #[error("{value} is not an alignment: it must be a power of two up to {limit}")]
    BadAlignment {
        /// What the file says.
        value: u32,
        /// The largest one allowed.
        limit: u32,
    },
    /// Too many dimensions, or none.
    #[error("{count} dimensions: there must be 1 to 4")]
    DimensionCount {
        /// What the file says.
        count: u32,
    },
    /// A dimension of 0.
    #[error("zero, and every dimension must be at least 1")]
    ZeroDimension,
    /// More elements or bytes than can be counted.
    #[error("the tensor's size overflows")]
    SizeOverflow,
    /// A format that ggml doesn't know.
    #[error("{number} is not a ggml type known here (they go from 0 to {last})")]
    UnknownFormat {
        /// What the file says.
        number: u32,
        /// The highest known number.
        last: u32,
    },
    /// A format that ggml no longer knows.
    #[error("{number} was {name}, which ggml removed: the model has to be quantised anew from its original")]
    RemovedFormat {
        /// What the file says.
        number: u32,
        /// What it was called.
        name: &'static str,
    },
    /// A row that isn't a whole number of blocks.
    #[error("{elements} is not a multiple of {block_elements}, the elements of a {format} block")]
    PartialBlock {
        /// Elements in a row.
        elements: u64,
        /// Elements in a block.
        block_elements: u64,
        /// The format.
        format: &'static str,
    },
    /// An offset that the alignment forbids.
    #[error("{offset} is not a multiple of the alignment, {alignment}")]
    Misaligned {
        /// What the file says.
        offset: u64,
        /// The file's alignment.
        alignment: u64,
    },
    /// Data past the end of the file.
    #[error("the data is {size_bytes} bytes at byte {start} and the file ends at byte {file_bytes}")]
    PastEnd {
        /// Where the data starts in its file.
        start: u64,
        /// How long it is.
        size_bytes: u64,
        /// How long the file is.
        file_bytes: u64,
    },
    /// Data that two tensors claim.
    #[error(
        "the data from byte {start} on overlaps that of tensor {other:?}, which ends at byte {other_end}"
    )]
    Overlap {
        /// Where the data starts in its file.
        start: u64,
        /// The tensor before it.
        other: String,
        /// Where that one ends.
        other_end: u64,
    },
    /// A part of a split model that was opened alone.
    #[error("this is part {} of a model in {count} files: open all of them together", .number.saturating_add(1))]
    LonePart {
        /// Which part, from 0.
        number: u64,
        /// How many there are.
        count: u64,
    },
    /// No files at all.
    #[error("no file was given")]
    NoParts,
    /// Not as many files as the model has parts.
    #[error("the model is in {count} files and {given} were given")]
    PartCount {
        /// What the files say.
        count: u64,
        /// How many there are.
        given: usize,
    },
    /// A part that doesn't exist in this model, or is there twice.
    #[error("there is no part {} of {count}, or it was given twice", .number.saturating_add(1))]
    BadPart {
        /// Which part, from 0.
        number: u64,
        /// How many there are.
        count: u64,
    },
    /// Parts whose byte order or version differ.
    #[error("not that of the other files")]
    PartsDiffer,
    /// Not as many tensors in the parts as the model has.
    #[error("the model has {expected} tensors and the files hold {found}")]
    SplitTensorCount {
        /// What the files say.
        expected: u64,
        /// What they hold.
        found: u64,
    },
    /// More data than tensors were declared.
    #[error("all tensors have their data already")]
    NoTensorLeft,
    /// Bytes given for a tensor that aren't as many as its dimensions and format need.
    #[error("{given} bytes were given and the tensor takes {size_bytes}")]
    DataLength {
        /// Bytes given.
        given: u64,
        /// Bytes needed.
        size_bytes: u64,
    },
    /// The destination failed.
    #[error("cannot be written: {0}")]
    Write(#[source] std::io::Error),
}

/// The reason why a count of things larger than a byte is impossible.
fn at_least(each_bytes: u64) -> String {
    if each_bytes == 1 { String::new() } else { format!("each takes at least {each_bytes} bytes and ") }
}

impl ErrorKind {
    pub(crate) fn wrong_type(expected: &'static str, found: ValueType) -> Self {
        ErrorKind::WrongType { expected, found: found.to_string() }
    }
}

const _: () =
    assert!(size_of::<Error>() == size_of::<usize>(), "errors travel in every Result: keep them thin");
