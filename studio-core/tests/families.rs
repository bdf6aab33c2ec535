//! What makes a GGUF no model that can be lowered, and the words for it.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking too")]

use expect_test::{Expect, expect};
use gguf_file::{BlockFormat, FileSource, Gguf, GgufBuilder, ReadAt, Value};
use std::io::Write;
use studio_core::family;
use studio_core::options::{ExportOptions, GraphKind};

const KV_LENGTH: u64 = 16;

/// A llama of 2 layers, as the converters write it, without data worth reading.
struct Tiny {
    metadata: Vec<(&'static str, Value)>,
    tensors: Vec<(String, Vec<u64>)>,
    /// A tensor that is stored as `F64`, if any.
    double: Option<&'static str>,
}

impl Tiny {
    fn new() -> Self {
        let metadata = vec![
            ("general.architecture", Value::from("llama")),
            ("llama.context_length", Value::U32(64)),
            ("llama.embedding_length", Value::U32(32)),
            ("llama.block_count", Value::U32(2)),
            ("llama.feed_forward_length", Value::U32(40)),
            ("llama.attention.head_count", Value::U32(4)),
            ("llama.attention.head_count_kv", Value::U32(2)),
            ("llama.attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
        ];
        let mut tensors =
            vec![("token_embd.weight".to_owned(), vec![32, 48]), ("output_norm.weight".to_owned(), vec![32])];
        for layer in 0..2 {
            for (part, dims) in [
                ("attn_norm", vec![32]),
                ("attn_q", vec![32, 32]),
                ("attn_k", vec![32, KV_LENGTH]),
                ("attn_v", vec![32, KV_LENGTH]),
                ("attn_output", vec![32, 32]),
                ("ffn_norm", vec![32]),
                ("ffn_gate", vec![32, 40]),
                ("ffn_up", vec![32, 40]),
                ("ffn_down", vec![40, 32]),
            ] {
                tensors.push((format!("blk.{layer}.{part}.weight"), dims));
            }
        }
        Self { metadata, tensors, double: None }
    }

    fn set(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.metadata.retain(|(known, _)| *known != key);
        self.metadata.push((key, value.into()));
        self
    }

    fn without(mut self, key: &str) -> Self {
        self.metadata.retain(|(known, _)| *known != key);
        self.tensors.retain(|(name, _)| name != key);
        self
    }

    fn tensor(mut self, name: &str, dims: &[u64]) -> Self {
        self.tensors.retain(|(known, _)| known != name);
        self.tensors.push((name.to_owned(), dims.to_vec()));
        self
    }

    /// The error of lowering it, and what its card says instead.
    fn error(&self, options: &ExportOptions) -> Option<String> {
        let mut builder = GgufBuilder::new();
        for (key, value) in &self.metadata {
            builder.set(*key, value.clone()).unwrap();
        }
        for (name, dims) in &self.tensors {
            let double = self.double == Some(name.as_str());
            let (format, element_bytes) = if double { (BlockFormat::F64, 8) } else { (BlockFormat::F32, 4) };
            let bytes = dims.iter().product::<u64>() * element_bytes;
            builder.tensor(name, dims, format, vec![0; bytes as usize]).unwrap();
        }
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&builder.write_to(Vec::new()).unwrap()).unwrap();
        let source = FileSource::open(file.path()).unwrap();
        let gguf = Gguf::open(&source).unwrap();
        let sources: [&dyn ReadAt; 1] = [&source];
        let error = family::build(&gguf, &sources, options).err().map(|error| error.to_string());
        // The card is made without options or data: it can only know what the file itself rules out.
        if let Some(unsupported) = family::describe(&gguf).unsupported {
            assert_eq!(Some(unsupported), error);
        }
        error
    }
}

fn small() -> ExportOptions {
    ExportOptions { seq: 8, context: 8, chunk: 4, ..ExportOptions::default() }
}

fn check(tiny: Tiny, expected: Expect) {
    expected.assert_eq(&tiny.error(&small()).unwrap_or_default());
}

fn check_option(options: ExportOptions, expected: Expect) {
    expected.assert_eq(&Tiny::new().error(&options).unwrap_or_default());
}

#[test]
fn a_complete_model_is_lowered() {
    check(Tiny::new(), expect![""]);
}

#[test]
fn unknown_architecture() {
    check(
        Tiny::new().set("general.architecture", "mamba"),
        expect![[
            r#"the architecture "mamba" is not supported; supported: llama, smollm3, qwen2, qwen3, gemma, gemma2, gemma3, phi3, granite, olmo2, stablelm, starcoder2, gpt2, qwen2moe, qwen3moe, olmoe, bert, nomic-bert"#
        ]],
    );
    check(
        Tiny::new().without("general.architecture"),
        expect![[r#"metadata "general.architecture": missing"#]],
    );
}

#[test]
fn hyperparameters() {
    check(Tiny::new().without("llama.block_count"), expect![[r#"metadata "llama.block_count": missing"#]]);
    check(
        Tiny::new().set("llama.block_count", Value::U32(0)),
        expect!["llama.block_count is 0: it must be positive"],
    );
    check(
        Tiny::new().set("llama.embedding_length", "wide"),
        expect![[
            r#"metadata "llama.embedding_length" at byte 320: a string instead of an integer that fits u32"#
        ]],
    );
    check(
        Tiny::new().set("llama.attention.head_count_kv", Value::U32(3)),
        expect!["llama.attention.head_count_kv is 3: attention.head_count, 4, must be a multiple of it"],
    );
    check(
        Tiny::new().set("llama.attention.head_count", Value::U32(6)),
        expect!["llama.attention.head_count is 6: embedding_length, 32, must be a multiple of it"],
    );
    check(
        Tiny::new().set("llama.attention.key_length", Value::U32(7)),
        expect!["llama.attention.key_length is 7: it makes heads of 7; they must be even and at most 4096"],
    );
    check(
        Tiny::new().set("llama.rope.dimension_count", Value::U32(10)),
        expect!["llama.rope.dimension_count is 10: it must be even and at most the head's size, 8"],
    );
    check(
        Tiny::new().set("llama.rope.freq_base", Value::F32(f32::NAN)),
        expect!["llama.rope.freq_base is NaN: it must be positive and finite"],
    );
    check(
        Tiny::new().set("llama.rope.scaling.factor", Value::F32(1e-40)),
        expect![
            "llama.rope.scaling.factor is 0.0000000000000000000000000000000000000001: it and its reciprocal must be positive and finite"
        ],
    );
    check(
        Tiny::new().set("llama.attention.layer_norm_rms_epsilon", Value::F32(0.0)),
        expect!["llama.attention.layer_norm_rms_epsilon is 0: it must be positive and finite"],
    );
}

#[test]
fn what_is_not_supported() {
    check(
        Tiny::new().set("llama.nextn_predict_layers", Value::U32(1)),
        expect!["llama.nextn_predict_layers is 1: predicting several tokens at once is not supported"],
    );
    check(
        Tiny::new().set("llama.attention.causal", false),
        expect!["llama.attention.causal is false: attention to later positions is not supported"],
    );
    check(
        Tiny::new().set("llama.rope.scaling.type", "dynamic"),
        expect![[r#"llama.rope.scaling.type is "dynamic": this scaling of rope is not supported"#]],
    );
    check(
        Tiny::new().set("llama.attention.value_length", Value::U32(16)),
        expect![
            "llama.attention.value_length is 16: a value head of another size than the key head is not supported"
        ],
    );
    check(
        Tiny::new().set("llama.feed_forward_length", vec![40_u32, 48]),
        expect![
            "llama.feed_forward_length is an array of 2: a number that differs between layers is not supported"
        ],
    );
}

#[test]
fn a_tensor_that_the_family_has_no_use_for_is_named() {
    check(
        Tiny::new().tensor("blk.1.attn_q_norm.weight", &[8]),
        expect![
            "tensor blk.1.attn_q_norm.weight: the architecture llama has no such tensor, so what the model does with it is unknown"
        ],
    );
}

#[test]
fn a_number_for_each_layer_is_fine_if_it_is_the_same() {
    check(Tiny::new().set("llama.feed_forward_length", vec![40_u32, 40]), expect![""]);
}

#[test]
fn tensors() {
    check(
        Tiny::new().without("token_embd.weight"),
        expect!["the file has no tensor token_embd.weight, which the architecture needs"],
    );
    check(
        Tiny::new().without("blk.1.ffn_up.weight"),
        expect!["the file has no tensor blk.1.ffn_up.weight, which the architecture needs"],
    );
    check(
        Tiny::new().set("llama.block_count", Value::U32(u32::MAX)),
        expect!["the file has no tensor blk.2.attn_q.weight, which the architecture needs"],
    );
    check(
        Tiny::new().tensor("blk.0.attn_k.weight", &[32, 32]),
        expect![
            "tensor blk.0.attn_k.weight has dimensions [32, 32], but the hyperparameters make it [32, 16] (fastest first)"
        ],
    );
    check(
        Tiny::new().tensor("blk.0.attn_norm.weight", &[1, 32]),
        expect![
            "tensor blk.0.attn_norm.weight has dimensions [1, 32], but the hyperparameters make it [32] (fastest first)"
        ],
    );
    check(
        Tiny::new().tensor("output.weight", &[32, 47]),
        expect![
            "tensor output.weight has dimensions [32, 47], but the hyperparameters make it [32, 48] (fastest first)"
        ],
    );
    check(
        Tiny::new().tensor("blk.1.attn_q.bias", &[31]),
        expect![
            "tensor blk.1.attn_q.bias has dimensions [31], but the hyperparameters make it [32] (fastest first)"
        ],
    );
}

#[test]
fn formats() {
    check(
        Tiny { double: Some("blk.1.ffn_down.weight"), ..Tiny::new() },
        expect!["tensor blk.1.ffn_down.weight is F64: decoding this format is not supported"],
    );
}

#[test]
fn rope_factors() {
    check(
        Tiny::new().tensor("rope_freqs.weight", &[3]),
        expect![
            "tensor rope_freqs.weight has dimensions [3], but the hyperparameters make it [4] (fastest first)"
        ],
    );
    // They are all zero.
    check(
        Tiny::new().tensor("rope_freqs.weight", &[4]),
        expect!["tensor rope_freqs.weight: rope factors must be positive and finite"],
    );
}

#[test]
fn options() {
    use GraphKind::{Kv, Redecode};
    check_option(
        ExportOptions { graphs: vec![], ..small() },
        expect!["option graphs is none: choose at least one"],
    );
    check_option(
        ExportOptions { graphs: vec![Kv, Redecode, Kv], ..small() },
        expect!["option graphs is kv,redecode,kv: choose each at most once"],
    );
    check_option(ExportOptions { seq: 0, ..small() }, expect!["option seq is 0: choose from 1 to 1048576"]);
    check_option(
        ExportOptions { chunk: 9, ..small() },
        expect!["option chunk is 9: a chunk has at most as many tokens as the context, 8"],
    );
    check_option(
        ExportOptions { context: u32::MAX, ..small() },
        expect!["option context is 4294967295: choose from 1 to 1048576"],
    );
    check_option(
        ExportOptions { function_name: "decode".to_owned(), ..small() },
        expect![[r#"option function_name is "decode": a kv function has that name"#]],
    );
    check_option(
        ExportOptions { function_name: "a\"b".to_owned(), ..small() },
        expect![[
            r#"option function_name is "a\"b": choose letters, digits and underscores, no digit first"#
        ]],
    );
    check_option(
        ExportOptions { function_name: "__init".to_owned(), ..small() },
        expect![[
            r#"option function_name is "__init": IREE keeps names with two underscores first, such as __init, for itself"#
        ]],
    );
    // What belongs to a graph that isn't asked for doesn't matter.
    check_option(
        ExportOptions { graphs: vec![Kv], seq: 0, function_name: String::new(), ..small() },
        expect![[
            r#"option function_name is "": only the redecode graph's name can be chosen; add redecode to the graphs, or leave it out"#
        ]],
    );
}

#[test]
fn a_head_that_would_make_a_huge_table_is_refused() {
    let tiny = Tiny::new()
        .set("llama.attention.head_count", Value::U32(1))
        .set("llama.attention.head_count_kv", Value::U32(1))
        .set("llama.attention.key_length", Value::U32(1 << 20));
    check(
        tiny,
        expect![
            "llama.attention.key_length is 1048576: it makes heads of 1048576; they must be even and at most 4096"
        ],
    );
}

#[test]
fn a_card_says_what_the_file_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lowering/untied.gguf");
    let source = FileSource::open(path).unwrap();
    let card = family::describe(&Gguf::open(&source).unwrap());
    expect![[r#"
        ModelCard {
            facts: ModelFacts {
                architecture: Some(
                    "llama",
                ),
                name: None,
                parameter_count: 20324,
                layer_count: Some(
                    2,
                ),
                embedding_length: Some(
                    32,
                ),
                feed_forward_length: Some(
                    40,
                ),
                head_count: Some(
                    4,
                ),
                kv_head_count: Some(
                    2,
                ),
                head_dim: Some(
                    12,
                ),
                vocabulary_size: Some(
                    48,
                ),
                context_length: Some(
                    64,
                ),
                sliding_window: None,
                expert_count: None,
                expert_used_count: None,
                rope_freq_base: Some(
                    500.0,
                ),
                rope_dimension_count: Some(
                    8,
                ),
                rope_scaling: None,
                rope_scaling_factor: None,
                original_context_length: None,
                tied_embedding: false,
                is_encoder: false,
            },
            unsupported: None,
            forms: [
                FormSupport {
                    form: "stablehlo",
                    unsupported: None,
                    contracts: [
                        ContractSupport {
                            contract: Kv,
                            unsupported: None,
                        },
                        ContractSupport {
                            contract: Redecode,
                            unsupported: None,
                        },
                        ContractSupport {
                            contract: Embed,
                            unsupported: Some(
                                "models that generate tokens don't have it",
                            ),
                        },
                    ],
                },
                FormSupport {
                    form: "cpu",
                    unsupported: Some(
                        "function prefill, scope \"layer 0 / attention\": there is no kernel for heads of 12 numbers: they must be a multiple of 8, at most 512; choose the stablehlo form",
                    ),
                    contracts: [
                        ContractSupport {
                            contract: Kv,
                            unsupported: Some(
                                "function prefill, scope \"layer 0 / attention\": there is no kernel for heads of 12 numbers: they must be a multiple of 8, at most 512; choose the stablehlo form",
                            ),
                        },
                        ContractSupport {
                            contract: Redecode,
                            unsupported: Some(
                                "function main, scope \"layer 0 / attention\": there is no kernel for heads of 12 numbers: they must be a multiple of 8, at most 512; choose the stablehlo form",
                            ),
                        },
                        ContractSupport {
                            contract: Embed,
                            unsupported: Some(
                                "models that generate tokens don't have it",
                            ),
                        },
                    ],
                },
            ],
        }
    "#]]
    .assert_debug_eq(&card);
}

/// What shares a table with another contract must not need the other.
#[test]
fn each_contract_can_be_had_by_itself() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lowering/tied.gguf");
    let source = FileSource::open(path).unwrap();
    for form in family::describe(&Gguf::open(&source).unwrap()).forms {
        for support in form.contracts.iter().filter(|support| support.contract != GraphKind::Embed) {
            assert_eq!(support.unsupported, None, "{} {:?}", form.form, support.contract);
        }
    }
}

/// The message for a llama whose architecture has another name, its keys too.
fn renamed(architecture: &'static str) -> String {
    let mut tiny = Tiny::new().set("general.architecture", architecture);
    for (key, _) in &mut tiny.metadata {
        if let Some(suffix) = key.strip_prefix("llama.") {
            *key = Box::leak(format!("{architecture}.{suffix}").into_boxed_str());
        }
    }
    tiny.error(&small()).unwrap()
}

#[test]
fn an_unknown_architecture_is_told_what_it_is_like() {
    let mut like_llama = renamed("nova");
    like_llama.truncate(like_llama.find("; supported").unwrap());
    expect![[r#"the architecture "nova" is not supported (nearest: llama, its tensors and hyperparameters are those of that family, what is done with them may differ)"#]].assert_eq(&like_llama);
    let mut like_qwen = renamed("qwen35");
    like_qwen.truncate(like_qwen.find("; supported").unwrap());
    expect![[r#"the architecture "qwen35" is not supported (nearest: llama, its tensors and hyperparameters are those of that family, what is done with them may differ)"#]].assert_eq(&like_qwen);
    let mut by_name = Tiny::new().set("general.architecture", "gemma4").error(&small()).unwrap();
    by_name.truncate(by_name.find("; supported").unwrap());
    expect![[r#"the architecture "gemma4" is not supported (nearest: gemma, by its name)"#]]
        .assert_eq(&by_name);
}

#[test]
fn a_model_that_is_not_supported_has_a_card_all_the_same() {
    let mut builder = GgufBuilder::new();
    builder.set("general.architecture", "mamba").unwrap().set("mamba.block_count", Value::U32(24)).unwrap();
    builder.tensor("token_embd.weight", &[2, 3], BlockFormat::F32, vec![0; 24]).unwrap();
    let file = builder.write_to(Vec::new()).unwrap();
    let card = family::describe(&Gguf::open(&file.as_slice()).unwrap());
    let facts = &card.facts;
    assert_eq!((facts.layer_count, facts.vocabulary_size, facts.parameter_count), (Some(24), Some(3), 6));
    expect![[r#"the architecture "mamba" is not supported; supported: llama, smollm3, qwen2, qwen3, gemma, gemma2, gemma3, phi3, granite, olmo2, stablelm, starcoder2, gpt2, qwen2moe, qwen3moe, olmoe, bert, nomic-bert"#]]
        .assert_eq(&card.unsupported.unwrap());
}

/// LongRoPE is the factors that it divides frequencies by: without them another model would be made.
#[test]
fn longrope_without_its_factors_is_refused() {
    let tiny = || Tiny::new().set("llama.rope.scaling.type", "longrope");
    expect!["the file has no tensor rope_factors_short.weight, which the architecture needs"]
        .assert_eq(&tiny().error(&small()).unwrap());
    let long = tiny().set("llama.rope.scaling.original_context_length", Value::U32(1));
    expect!["the file has no tensor rope_factors_long.weight, which the architecture needs"]
        .assert_eq(&long.error(&small()).unwrap());
}
