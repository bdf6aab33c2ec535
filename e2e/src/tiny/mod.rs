//! Tiny models with random weights, one or more for each architecture, as GGUF files that llama.cpp loads.
//!
//! A model is written twice: with `F32` weights, and with blocks of many formats; of the latter there is a third file
//! with the same numbers as `F32`, so that llama.cpp rounds nothing.

mod cases;
mod random;
mod recipe;
mod vocabulary;
mod weights;

pub use cases::all;
pub use recipe::{Recipe, Stored};
pub use vocabulary::SIZE as VOCABULARY;

use random::Random;

/// Token ids that a test feeds a model: the same for all.
pub fn tokens(count: usize) -> Vec<u32> {
    let mut random = Random::new("tokens");
    (0..count).map(|_| (random.bits() % VOCABULARY as u64) as u32).collect()
}
