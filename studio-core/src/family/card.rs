//! What a GGUF says about its model, for people; also of models that can't be exported.

use super::support::{self, FormSupport};
use super::{ARCHITECTURE, Family, detect, names};
use gguf_file::{Gguf, Metadata, Value};
use serde::{Deserialize, Serialize};

/// What a GGUF says about its model. What it doesn't say is `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// `general.architecture`
    pub architecture: Option<String>,
    /// `general.name`
    pub name: Option<String>,
    /// Values in all tensors.
    pub parameter_count: u64,
    /// Transformer layers.
    pub layer_count: Option<u64>,
    /// Numbers in a hidden state.
    pub embedding_length: Option<u64>,
    /// Numbers in the feed-forward's hidden state.
    pub feed_forward_length: Option<u64>,
    /// Query heads.
    pub head_count: Option<u64>,
    /// Key and value heads.
    pub kv_head_count: Option<u64>,
    /// Numbers in a head.
    pub head_dim: Option<u64>,
    /// Rows of the embedding.
    pub vocabulary_size: Option<u64>,
    /// Positions that the model was trained for.
    pub context_length: Option<u64>,
    /// Positions back that layers with a window see.
    pub sliding_window: Option<u64>,
    /// Experts of a feed-forward.
    pub expert_count: Option<u64>,
    /// How many of them a position has.
    pub expert_used_count: Option<u64>,
    /// The base of rope's frequencies.
    pub rope_freq_base: Option<f32>,
    /// How many of a head's numbers rope turns.
    pub rope_dimension_count: Option<u64>,
    /// `linear`, `yarn`, `longrope`: how rope was stretched to a longer context.
    pub rope_scaling: Option<String>,
    /// By how much it was.
    pub rope_scaling_factor: Option<f32>,
    /// The context before that.
    pub original_context_length: Option<u64>,
    /// Whether the embedding is the output matrix too.
    pub tied_embedding: bool,
    /// Whether the model gives a text's vector and generates no tokens.
    pub is_encoder: bool,
}

/// What a GGUF says about its model, and what can be made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCard {
    /// What the file says.
    #[serde(flatten)]
    pub facts: ModelFacts,
    /// Why the model can't be exported at all, in words; `None` if it can.
    pub unsupported: Option<String>,
    /// The forms, and why the model can't be exported in one, where that is so.
    pub forms: Vec<FormSupport>,
}

/// Describes a model. Never fails: what is wrong with the model is said in [`ModelCard::unsupported`].
pub fn describe(gguf: &Gguf) -> ModelCard {
    let forms = support::forms(gguf);
    ModelCard {
        facts: facts(gguf),
        // The portable form can do whatever the other can.
        unsupported: forms
            .iter()
            .find(|form| form.form == "stablehlo")
            .and_then(|form| form.unsupported.clone()),
        forms,
    }
}

/// What a GGUF says about its model, without trying what can be made of it.
pub fn facts(gguf: &Gguf) -> ModelFacts {
    let metadata = gguf.metadata();
    let text = |key: &str| metadata.get(key).and_then(Value::as_str).map(str::to_owned);
    let architecture = text(ARCHITECTURE);
    let key = |suffix: &str| format!("{}.{suffix}", architecture.as_deref().unwrap_or_default());
    let number = |suffix: &str| first_integer(metadata, &key(suffix));
    let float = |suffix: &str| metadata.get(&key(suffix)).and_then(Value::as_float).map(|value| value as f32);
    let (embedding_length, head_count) = (number("embedding_length"), number("attention.head_count"));
    let divided = || embedding_length?.checked_div(head_count?);
    let embedding_rows = || gguf.tensor(names::TOKEN_EMBEDDING)?.dims().get(1).copied();
    ModelFacts {
        name: text("general.name"),
        parameter_count: gguf.tensors().iter().map(|tensor| tensor.elements()).fold(0, u64::saturating_add),
        layer_count: number("block_count"),
        embedding_length,
        feed_forward_length: number("feed_forward_length"),
        head_count,
        kv_head_count: number("attention.head_count_kv").or(head_count),
        head_dim: number("attention.key_length").or_else(divided),
        vocabulary_size: embedding_rows().or_else(|| number("vocab_size")),
        context_length: number("context_length"),
        sliding_window: number("attention.sliding_window"),
        expert_count: number("expert_count"),
        expert_used_count: number("expert_used_count"),
        rope_freq_base: float("rope.freq_base"),
        rope_dimension_count: number("rope.dimension_count"),
        rope_scaling: text(&key("rope.scaling.type")),
        rope_scaling_factor: float("rope.scaling.factor"),
        original_context_length: number("rope.scaling.original_context_length"),
        tied_embedding: gguf.tensor(names::OUTPUT).is_none(),
        is_encoder: detect(gguf).is_ok_and(Family::is_encoder),
        architecture,
    }
}

/// A number, or the first of an array that has one for each layer.
fn first_integer(metadata: &Metadata, key: &str) -> Option<u64> {
    let value = metadata.get(key)?;
    let number = match value.as_array() {
        Some(array) => i128::from(*array.to_integers::<i64>()?.first()?),
        None => value.as_integer()?,
    };
    u64::try_from(number).ok()
}
