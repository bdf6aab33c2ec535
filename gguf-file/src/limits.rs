//! What a file may ask for. Each limit is far above what real models use and low enough that a hostile
//! header cannot exhaust the memory of a browser tab.

/// Bytes before the tensor data: counts, metadata and tensor table together.
pub const MAX_HEADER_BYTES: u64 = 128 << 20;
/// Key-value pairs in one file.
pub const MAX_METADATA_ENTRIES: u64 = 1 << 16;
/// Bytes in a metadata key (the format's own limit).
pub const MAX_KEY_BYTES: u64 = 65_535;
/// Bytes in a string value: chat templates and whole tokenizer files are stored in one.
pub const MAX_STRING_BYTES: u64 = 64 << 20;
/// Elements in one metadata array.
pub const MAX_ARRAY_ELEMENTS: u64 = 1 << 24;
/// How deeply metadata arrays may be nested; 1 is an array of scalars.
pub const MAX_ARRAY_DEPTH: u32 = 4;
/// Tensors in one file.
pub const MAX_TENSORS: u64 = 1 << 20;
/// Bytes in a tensor's name.
pub const MAX_TENSOR_NAME_BYTES: u64 = 1024;
/// Dimensions of a tensor (ggml's `GGML_MAX_DIMS`).
pub const MAX_DIMENSIONS: u32 = 4;
/// The largest `general.alignment`.
pub const MAX_ALIGNMENT: u32 = 1 << 20;
/// Files that make up one split model (`split.count` is a `u16`).
pub const MAX_SPLIT_FILES: usize = 65_535;
