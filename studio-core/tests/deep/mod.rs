//! A llama of twelve layers in Q4_0: deep enough for several dispatches, and nothing worth computing.

use gguf_file::{BlockFormat, Gguf, GgufBuilder, ReadAt, Value};
use studio_core::emit::cpu::{self, FunctionPlan};
use studio_core::options::{CpuOptions, ExportOptions, Form, GraphKind, Kernels};
use studio_core::{family, graph};

const WIDTH: u64 = 64;
const FEED_FORWARD: u64 = 96;
const VOCABULARY: u64 = 40;

/// The GGUF.
pub(crate) fn deep() -> Vec<u8> {
    let mut gguf = GgufBuilder::new();
    let numbers = [
        ("context_length", 64),
        ("embedding_length", WIDTH as u32),
        ("block_count", 12),
        ("feed_forward_length", FEED_FORWARD as u32),
        ("attention.head_count", 4),
        ("attention.head_count_kv", 2),
    ];
    gguf.set("general.architecture", "llama").unwrap();
    for (key, number) in numbers {
        gguf.set(format!("llama.{key}"), Value::U32(number)).unwrap();
    }
    gguf.set("llama.attention.layer_norm_rms_epsilon", Value::F32(1e-5)).unwrap();
    let mut matrix = |name: String, inputs: u64, outputs: u64| {
        let bytes = inputs * outputs / 32 * 18;
        gguf.tensor(name, &[inputs, outputs], BlockFormat::Q4_0, vec![0; bytes as usize]).unwrap();
    };
    matrix("token_embd.weight".to_owned(), WIDTH, VOCABULARY);
    for layer in 0..12 {
        for (part, inputs, outputs) in [
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", WIDTH, WIDTH / 2),
            ("attn_v", WIDTH, WIDTH / 2),
            ("attn_output", WIDTH, WIDTH),
            ("ffn_gate", WIDTH, FEED_FORWARD),
            ("ffn_up", WIDTH, FEED_FORWARD),
            ("ffn_down", FEED_FORWARD, WIDTH),
        ] {
            matrix(format!("blk.{layer}.{part}.weight"), inputs, outputs);
        }
    }
    let norms =
        (0..12).flat_map(|layer| ["attn_norm", "ffn_norm"].map(|part| format!("blk.{layer}.{part}.weight")));
    for name in norms.chain(["output_norm.weight".to_owned()]) {
        gguf.tensor(name, &[WIDTH], BlockFormat::F32, vec![0; WIDTH as usize * 4]).unwrap();
    }
    gguf.write_to(Vec::new()).unwrap()
}

/// Gives the graph and the plans of its functions.
pub(crate) fn with_plans<T>(model: &[u8], read: impl FnOnce(&graph::Graph, &[FunctionPlan]) -> T) -> T {
    let source = model.to_vec();
    let gguf = Gguf::open(&source).unwrap();
    let sources: [&dyn ReadAt; 1] = [&source];
    let cpu_options = CpuOptions::of(Kernels::Portable);
    let options = ExportOptions {
        graphs: vec![GraphKind::Kv],
        context: 32,
        chunk: 8,
        ..ExportOptions::of(Form::Cpu(cpu_options))
    };
    let graph = family::build(&gguf, &sources, &options).unwrap();
    let checked = graph::check(&graph).unwrap();
    let plan = |function| cpu::plan(&checked, function, &cpu_options).unwrap();
    let plans: Vec<FunctionPlan> = graph.functions().iter().map(plan).collect();
    read(&graph, &plans)
}
