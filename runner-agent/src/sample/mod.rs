//! Choosing the next token by its logits. Pure: logits and tokens in, a token out.
//!
//! The steps and their order are llama.cpp's (`common_sampler` with its default chain), so that equal settings mean
//! the same in both engines. Only the draws differ: they are this program's own, and equal for equal seeds.

mod greedy;
mod sampler;

pub(crate) use greedy::argmax;
pub(crate) use sampler::Sampler;
