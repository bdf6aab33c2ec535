//! The tiny models: for each architecture what its models in the wild have, on small and odd sizes.

use super::recipe::{Recipe, Sizes};
use super::weights::Values;
use gguf_file::Value;

/// Three heads that share one key head; heads are the width's third.
const GROUPED: Sizes = Sizes { layers: 2, width: 96, heads: 3, kv_heads: 1, head_dim: 32, hidden: 160 };
/// Heads wider than their share.
const WIDE_HEADS: Sizes = Sizes { head_dim: 40, ..GROUPED };
/// As many key heads as query heads.
const UNGROUPED: Sizes = Sizes { kv_heads: 3, ..GROUPED };

/// All of them.
pub fn all() -> Vec<Recipe> {
    let mut all = vec![];
    all.extend(llama());
    all.extend([smollm3(), qwen2(), qwen3()]);
    all.extend(gemmas());
    all.extend(phi3());
    all.push(granite());
    all.extend(olmo2());
    all.extend(stablelm());
    all.extend([starcoder2(), gpt2()]);
    all.extend([qwen2moe(), qwen3moe(), olmoe()]);
    all.extend(encoders());
    all
}

fn llama_like(architecture: &'static str, variant: &'static str, sizes: Sizes) -> Recipe {
    Recipe::new(architecture, variant, sizes).output_norm().rms_norms().attention().gated()
}

fn llama() -> Vec<Recipe> {
    let factors = |recipe: Recipe| {
        let pairs = recipe.sizes.head_dim / 2;
        recipe.tensor("rope_freqs.weight", &[pairs], Values::Factors)
    };
    let wide = Sizes { width: 256, heads: 5, kv_heads: 5, head_dim: 16, hidden: 256, layers: 2 };
    let [_, queries, keys] = Recipe::new("llama", "", GROUPED).lengths();
    let qkv = [("attn_q", queries), ("attn_k", keys), ("attn_v", keys)];
    vec![
        factors(llama_like("llama", "Llama 3", WIDE_HEADS)).float("rope.freq_base", 500_000.0),
        llama_like("llama", "rows of 256", wide).untied(),
        llama_like("llama", "linear scaling, biases", GROUPED)
            .untied()
            .biases(&qkv)
            .key("rope.scaling.type", Value::from("linear"))
            .float("rope.scaling.factor", 4.0),
        llama_like("llama", "YaRN", GROUPED)
            .key("rope.scaling.type", Value::from("yarn"))
            .float("rope.scaling.factor", 4.0)
            .number("rope.scaling.original_context_length", 64),
        Recipe::new("llama", "experts (Mixtral)", GROUPED)
            .output_norm()
            .rms_norms()
            .attention()
            .untied()
            .experts(4, 2, 160),
    ]
}

fn smollm3() -> Recipe {
    llama_like("smollm3", "", Sizes { layers: 4, ..GROUPED }).float("rope.freq_base", 50_000.0)
}

fn qwen2() -> Recipe {
    let recipe = llama_like("qwen2", "", GROUPED);
    let [_, queries, keys] = recipe.lengths();
    recipe
        .biases(&[("attn_q", queries), ("attn_k", keys), ("attn_v", keys)])
        .float("rope.freq_base", 1_000_000.0)
}

fn qwen3() -> Recipe {
    llama_like("qwen3", "", WIDE_HEADS).head_norms().float("rope.freq_base", 1_000_000.0)
}

fn gemmas() -> Vec<Recipe> {
    let three = Sizes { layers: 3, ..WIDE_HEADS };
    let gemma3 = |variant| llama_like("gemma3", variant, three).post_norms().head_norms().gelu();
    vec![
        llama_like("gemma", "", WIDE_HEADS).gelu(),
        llama_like("gemma2", "", three).post_norms().gelu().number("attention.sliding_window", 7),
        gemma3("window of some layers")
            .number("attention.sliding_window", 7)
            .key("attention.sliding_window_pattern", Value::from(vec![true, false, true]))
            .float("rope.freq_base", 1_000_000.0)
            .key("rope.scaling.type", Value::from("linear"))
            .float("rope.scaling.factor", 8.0),
        gemma3("window of most layers")
            .number("attention.sliding_window", 7)
            .number("attention.sliding_window_pattern", 3)
            .float("rope.freq_base", 1_000_000.0),
    ]
}

fn phi3() -> Vec<Recipe> {
    let phi3 = |variant, original_context| {
        let Sizes { width, hidden, head_dim, .. } = GROUPED;
        Recipe::new("phi3", variant, GROUPED)
            .output_norm()
            .rms_norms()
            .attention_in_one()
            .untied()
            .each("ffn_up.weight", &[width, 2 * hidden], Values::Matrix(1.0))
            .each("ffn_down.weight", &[hidden, width], Values::Matrix(1.0))
            .tensor("rope_factors_long.weight", &[head_dim / 2], Values::Factors)
            .tensor("rope_factors_short.weight", &[head_dim / 2], Values::Factors)
            .float("rope.scaling.attn_factor", 1.19)
            .number("rope.scaling.original_context_length", original_context)
    };
    vec![phi3("LongRoPE, long context", 16), phi3("LongRoPE, short context", 4096)]
}

fn granite() -> Recipe {
    llama_like("granite", "", GROUPED)
        .float("attention.scale", 0.015_625)
        .float("embedding_scale", 12.0)
        .float("residual_scale", 0.22)
        .float("logit_scale", 8.0)
}

fn olmo2() -> Vec<Recipe> {
    let olmo2 = |variant, sizes| {
        Recipe::new("olmo2", variant, sizes)
            .output_norm()
            .float("attention.layer_norm_rms_epsilon", 1e-6)
            .attention()
            .projection_norms()
            .gated()
            .post_norms()
            .untied()
    };
    let olmo3 = Sizes { layers: 4, ..GROUPED };
    vec![
        olmo2("", UNGROUPED),
        olmo2("OLMo 3: windows, YaRN", olmo3)
            .number("attention.sliding_window", 7)
            .key("rope.scaling.type", Value::from("yarn"))
            .float("rope.scaling.factor", 8.0)
            .float("rope.scaling.attn_factor", 1.2)
            .number("rope.scaling.original_context_length", 64),
    ]
}

fn stablelm() -> Vec<Recipe> {
    let Sizes { width, heads, kv_heads, head_dim, .. } = GROUPED;
    let [_, queries, keys] = Recipe::new("stablelm", "", GROUPED).lengths();
    let small = Recipe::new("stablelm", "1.6B", GROUPED)
        .output_norm()
        .layer_norms()
        .attention()
        .biases(&[("attn_q", queries), ("attn_k", keys), ("attn_v", keys)])
        .gated()
        .untied()
        .number("rope.dimension_count", 8);
    let large = Recipe::new("stablelm", "12B: parallel, heads normed", GROUPED)
        .output_norm()
        .float("attention.layer_norm_epsilon", 1e-5)
        .tensor("output_norm.bias", &[width], Values::Biases)
        .each("attn_norm.weight", &[width], Values::Gains)
        .each("attn_norm.bias", &[width], Values::Biases)
        .each("attn_q_norm.weight", &[head_dim, heads], Values::Gains)
        .each("attn_k_norm.weight", &[head_dim, kv_heads], Values::Gains)
        .attention()
        .gated()
        .untied()
        .number("rope.dimension_count", 12);
    vec![small, large]
}

fn starcoder2() -> Recipe {
    let recipe =
        Recipe::new("starcoder2", "", GROUPED).output_norm().layer_norms().attention().plain().gelu();
    let [width, queries, keys] = recipe.lengths();
    let hidden = recipe.sizes.hidden;
    let attention = [("attn_q", queries), ("attn_k", keys), ("attn_v", keys), ("attn_output", width)];
    recipe.biases(&attention).biases(&[("ffn_up", hidden), ("ffn_down", width)])
}

fn gpt2() -> Recipe {
    let recipe =
        Recipe::new("gpt2", "", UNGROUPED).output_norm().layer_norms().attention_in_one().plain().gelu();
    let [width, queries, keys] = recipe.lengths();
    let hidden = recipe.sizes.hidden;
    recipe
        .tensor("position_embd.weight", &[width, 256], Values::Matrix(2.0))
        .biases(&[("attn_qkv", queries + 2 * keys), ("attn_output", width)])
        .biases(&[("ffn_up", hidden), ("ffn_down", width)])
}

fn qwen2moe() -> Recipe {
    let recipe = Recipe::new("qwen2moe", "", GROUPED).output_norm().rms_norms().attention().untied();
    let [width, queries, keys] = recipe.lengths();
    recipe
        .biases(&[("attn_q", queries), ("attn_k", keys), ("attn_v", keys)])
        .number("expert_feed_forward_length", 64)
        .number("expert_shared_feed_forward_length", 96)
        .experts(6, 2, 64)
        .each("ffn_gate_inp_shexp.weight", &[width], Values::Matrix(1.0))
        .each("ffn_gate_shexp.weight", &[width, 96], Values::Matrix(1.0))
        .each("ffn_up_shexp.weight", &[width, 96], Values::Matrix(1.0))
        .each("ffn_down_shexp.weight", &[96, width], Values::Matrix(1.0))
}

fn qwen3moe() -> Recipe {
    Recipe::new("qwen3moe", "", WIDE_HEADS)
        .output_norm()
        .rms_norms()
        .attention()
        .head_norms()
        .number("expert_feed_forward_length", 64)
        .experts(7, 3, 64)
}

fn olmoe() -> Recipe {
    let recipe =
        Recipe::new("olmoe", "", UNGROUPED).output_norm().rms_norms().attention().projection_norms().untied();
    let hidden = recipe.sizes.hidden;
    recipe.experts(5, 2, hidden)
}

fn encoders() -> Vec<Recipe> {
    const MEAN: u64 = 1;
    const FIRST: u64 = 2;
    let bert = |variant, pooling| {
        let recipe = Recipe::encoder("bert", variant, UNGROUPED, pooling).attention().plain().gelu();
        let [width, queries, keys] = recipe.lengths();
        let hidden = recipe.sizes.hidden;
        let attention = [("attn_q", queries), ("attn_k", keys), ("attn_v", keys), ("attn_output", width)];
        recipe
            .tensor("position_embd.weight", &[width, 256], Values::Matrix(2.0))
            .biases(&attention)
            .biases(&[("ffn_up", hidden), ("ffn_down", width)])
    };
    vec![
        bert("the mean of all positions", MEAN),
        bert("the first position", FIRST),
        Recipe::encoder("nomic-bert", "", UNGROUPED, MEAN).attention_in_one().gated(),
    ]
}
