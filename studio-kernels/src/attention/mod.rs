//! Attention over a cache of keys and values.
//!
//! A *batch* ([`batch`]) of queries that share a kv head looks at up to 256 positions at a time: first all scores
//! ([`products::scores`]; keys lie in tiles of 16 positions, so that one vector has the scores of sixteen), then the
//! softmax numerators, then the mixed values ([`products::mix`]), whose sums stay in registers over all positions. One
//! token ([`decode`]) is a batch for each kv head and split of positions; a chunk of tokens ([`chunk`]) is a batch for
//! each kv head and few rows.

mod append;
mod batch;
mod chunk;
mod decode;
mod element;
mod entry;
mod products;
mod rope;
mod shape;
mod splits;

pub(crate) use append::{New, append};
pub(crate) use batch::Batch;
pub(crate) use chunk::{Tokens, attend_chunk};
pub(crate) use decode::{Token, attend};
pub(crate) use element::F16;
pub(crate) use entry::attention_entries;
pub(crate) use rope::Rope;
pub(crate) use shape::{Scoring, Shape};
pub(crate) use splits::max_splits;
