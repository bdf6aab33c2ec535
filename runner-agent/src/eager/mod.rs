//! llama.cpp as the other engine: what it is, and whether it may be compared with.
//!
//! It is built in with the feature `eager`. Without it everything here is still there and says so.

#[cfg(feature = "eager")]
mod decoder;
mod system;

#[cfg(feature = "eager")]
pub(crate) use decoder::EagerDecoder;
pub(crate) use system::check_fair;
pub use system::eager_info;

use serde::{Deserialize, Serialize};

/// How llama.cpp runs a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EagerSettings {
    /// Positions in its cache.
    pub context: u32,
    /// Whether attention is its fused kernel.
    pub flash_attention: bool,
    /// Whether its cache is in f32, for comparing logits, and not in f16 as people run it.
    pub exact_cache: bool,
}
