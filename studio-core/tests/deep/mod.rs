//! Small models in Q4_0 with nothing worth computing; one is deep enough for several dispatches.

use gguf_file::{BlockFormat, Gguf, GgufBuilder, ReadAt, Value};
use studio_core::emit::cpu::{self, FunctionPlan};
use studio_core::options::{CpuOptions, ExportOptions, Form, GraphKind, Kernels};
use studio_core::{family, graph};

pub(crate) const WIDTH: u64 = 64;
const FEED_FORWARD: u64 = 96;
const VOCABULARY: u64 = 40;

/// A GGUF that is made tensor by tensor, all zero.
pub(crate) struct Model {
    architecture: &'static str,
    gguf: GgufBuilder,
}

impl Model {
    /// One of so many layers, with the sizes above and an embedding in Q4_0 that is the output matrix too.
    pub(crate) fn new(architecture: &'static str, layers: u32) -> Self {
        let mut gguf = GgufBuilder::new();
        gguf.set("general.architecture", architecture).unwrap();
        let mut model = Self { architecture, gguf }
            .number("context_length", 64)
            .number("embedding_length", WIDTH as u32)
            .number("block_count", layers)
            .number("feed_forward_length", FEED_FORWARD as u32)
            .number("attention.head_count", 4)
            .number("attention.head_count_kv", 2)
            .float("attention.layer_norm_rms_epsilon", 1e-5);
        model.blocks("token_embd.weight", &[WIDTH, VOCABULARY]);
        model.floats("output_norm.weight", &[WIDTH]);
        model
    }

    pub(crate) fn number(mut self, key: &str, number: u32) -> Self {
        self.gguf.set(format!("{}.{key}", self.architecture), Value::U32(number)).unwrap();
        self
    }

    pub(crate) fn float(mut self, key: &str, number: f32) -> Self {
        self.gguf.set(format!("{}.{key}", self.architecture), Value::F32(number)).unwrap();
        self
    }

    /// A tensor in Q4_0.
    pub(crate) fn blocks(&mut self, name: &str, dims: &[u64]) {
        let bytes = dims.iter().product::<u64>() / 32 * 18;
        self.gguf.tensor(name, dims, BlockFormat::Q4_0, vec![0; bytes as usize]).unwrap();
    }

    /// A tensor in F32.
    pub(crate) fn floats(&mut self, name: &str, dims: &[u64]) {
        let bytes = dims.iter().product::<u64>() * 4;
        self.gguf.tensor(name, dims, BlockFormat::F32, vec![0; bytes as usize]).unwrap();
    }

    /// The norms and matrices of a layer's attention.
    pub(crate) fn attention(&mut self, layer: u32) {
        for (part, inputs, outputs) in [
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", WIDTH, WIDTH / 2),
            ("attn_v", WIDTH, WIDTH / 2),
            ("attn_output", WIDTH, WIDTH),
        ] {
            self.blocks(&format!("blk.{layer}.{part}.weight"), &[inputs, outputs]);
        }
        for part in ["attn_norm", "ffn_norm"] {
            self.floats(&format!("blk.{layer}.{part}.weight"), &[WIDTH]);
        }
    }

    /// The matrices of a layer's gated feed-forward.
    pub(crate) fn gated(&mut self, layer: u32) {
        for (part, inputs, outputs) in [
            ("ffn_gate", WIDTH, FEED_FORWARD),
            ("ffn_up", WIDTH, FEED_FORWARD),
            ("ffn_down", FEED_FORWARD, WIDTH),
        ] {
            self.blocks(&format!("blk.{layer}.{part}.weight"), &[inputs, outputs]);
        }
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        self.gguf.write_to(Vec::new()).unwrap()
    }
}

/// A llama of twelve layers.
pub(crate) fn deep() -> Vec<u8> {
    let mut model = Model::new("llama", 12);
    for layer in 0..12 {
        model.attention(layer);
        model.gated(layer);
    }
    model.bytes()
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
