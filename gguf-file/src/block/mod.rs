//! Block formats: how ggml lays numbers out in tensors, and their decoding to `f32`.
//!
//! A tensor's data is a sequence of blocks, each a fixed number of bytes for a fixed number of elements; a
//! row is a whole number of blocks. `format.rs` is the table of all formats, each other file one format or a
//! family of them.

mod codebook;
mod decode;
mod float;
mod format;
mod fp4;
mod half_float;
mod iq1;
mod iq2;
mod iq3;
mod iq4;
mod k_scales;
mod q1_0;
mod q2_0;
mod q2_k;
mod q3_k;
mod q4_0;
mod q4_1;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;
mod scale;
mod split;
mod ternary;

pub use decode::DecodeError;
pub use format::BlockFormat;
