//! The names that llama.cpp's converters give tensors.

pub(super) const TOKEN_EMBEDDING: &str = "token_embd.weight";
pub(super) const OUTPUT_NORM: &str = "output_norm.weight";
pub(super) const OUTPUT: &str = "output.weight";
pub(super) const ROPE_FACTORS: &str = "rope_freqs.weight";

/// The tensors of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayerPart {
    AttentionNorm,
    Query,
    Key,
    Value,
    AttentionOutput,
    FeedForwardNorm,
    Gate,
    Up,
    Down,
}

impl LayerPart {
    fn stem(self) -> &'static str {
        match self {
            LayerPart::AttentionNorm => "attn_norm",
            LayerPart::Query => "attn_q",
            LayerPart::Key => "attn_k",
            LayerPart::Value => "attn_v",
            LayerPart::AttentionOutput => "attn_output",
            LayerPart::FeedForwardNorm => "ffn_norm",
            LayerPart::Gate => "ffn_gate",
            LayerPart::Up => "ffn_up",
            LayerPart::Down => "ffn_down",
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
