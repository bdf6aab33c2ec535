//! The names that llama.cpp's converters give tensors.

pub(super) const TOKEN_EMBEDDING: &str = "token_embd.weight";
pub(super) const OUTPUT_NORM: &str = "output_norm.weight";
pub(super) const OUTPUT: &str = "output.weight";
pub(super) const OUTPUT_NORM_BIAS: &str = "output_norm.bias";
pub(super) const OUTPUT_BIAS: &str = "output.bias";
pub(super) const POSITIONS: &str = "position_embd.weight";
pub(super) const TOKEN_KINDS: &str = "token_types.weight";
pub(super) const TOKEN_NORM: &str = "token_embd_norm.weight";
pub(super) const TOKEN_NORM_BIAS: &str = "token_embd_norm.bias";
pub(super) const ROPE_FACTORS: &str = "rope_freqs.weight";
pub(super) const ROPE_FACTORS_LONG: &str = "rope_factors_long.weight";
pub(super) const ROPE_FACTORS_SHORT: &str = "rope_factors_short.weight";

/// The key of how many kinds of tokens an encoder tells apart.
pub(super) const TOKEN_KIND_COUNT: &str = "tokenizer.ggml.token_type_count";

/// The parameter that holds the rotations of all positions.
pub(super) const ROPE: &str = "rope";
/// That of layers that see only a window.
pub(super) const ROPE_LOCAL: &str = "rope_local";

/// The tensors of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayerPart {
    AttentionNorm,
    /// Queries, keys and values in one matrix.
    QueryKeyValue,
    Query,
    Key,
    Value,
    QueryNorm,
    KeyNorm,
    AttentionOutput,
    AttentionPostNorm,
    AttentionOutputNorm,
    FeedForwardNorm,
    Gate,
    Up,
    Down,
    FeedForwardPostNorm,
    LayerOutputNorm,
    Router,
    ExpertsGate,
    ExpertsUp,
    ExpertsDown,
    SharedRouter,
    SharedGate,
    SharedUp,
    SharedDown,
}

impl LayerPart {
    fn stem(self) -> &'static str {
        match self {
            LayerPart::AttentionNorm => "attn_norm",
            LayerPart::QueryKeyValue => "attn_qkv",
            LayerPart::Query => "attn_q",
            LayerPart::Key => "attn_k",
            LayerPart::Value => "attn_v",
            LayerPart::QueryNorm => "attn_q_norm",
            LayerPart::KeyNorm => "attn_k_norm",
            LayerPart::AttentionOutput => "attn_output",
            LayerPart::AttentionPostNorm => "post_attention_norm",
            LayerPart::AttentionOutputNorm => "attn_output_norm",
            LayerPart::FeedForwardNorm => "ffn_norm",
            LayerPart::Gate => "ffn_gate",
            LayerPart::Up => "ffn_up",
            LayerPart::Down => "ffn_down",
            LayerPart::FeedForwardPostNorm => "post_ffw_norm",
            LayerPart::LayerOutputNorm => "layer_output_norm",
            LayerPart::Router => "ffn_gate_inp",
            LayerPart::ExpertsGate => "ffn_gate_exps",
            LayerPart::ExpertsUp => "ffn_up_exps",
            LayerPart::ExpertsDown => "ffn_down_exps",
            LayerPart::SharedRouter => "ffn_gate_inp_shexp",
            LayerPart::SharedGate => "ffn_gate_shexp",
            LayerPart::SharedUp => "ffn_up_shexp",
            LayerPart::SharedDown => "ffn_down_shexp",
        }
    }

    /// `blk.3.attn_q.weight`
    pub(super) fn weight(self, layer: u64) -> String {
        format!("blk.{layer}.{}.weight", self.stem())
    }

    /// `blk.3.attn_q.bias`
    pub(super) fn bias(self, layer: u64) -> String {
        format!("blk.{layer}.{}.bias", self.stem())
    }
}
