//! The options of an export as flags.

use super::outcome::WrongUsage;
use clap::{Args, ValueEnum};
use gguf_file::Gguf;
use studio_core::{
    family,
    options::{self, CpuOptions, ExportOptions, GraphKind},
};

/// The form of the graph's text.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// Calls of kernels for processors, which travel in the text.
    Cpu,
    /// Portable: nothing but StableHLO and parameter globals.
    Stablehlo,
}

/// What the weights are stored as.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Weights {
    /// What they are in the GGUF; only the cpu form can.
    Keep,
    Bf16,
    F16,
    F32,
}

/// An instruction set that kernels are written for.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kernels {
    /// x86-64 with AVX-512 and its dot products of bytes.
    Avx512vnni,
    /// x86-64 with AVX2, FMA and F16C.
    Avx2,
    /// 64-bit ARM with NEON's matrix products of bytes (ARMv8.6): phones since 2022, servers.
    I8mm,
    /// 64-bit ARM with NEON's dot products of bytes: phones since 2018, boards, servers.
    Dotprod,
    /// Every processor.
    Portable,
}

/// What a vector is turned into before it is multiplied with a quantised matrix.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Activations {
    /// Bytes with a scale for each 32.
    I8,
    /// Nothing: slower, closer to the original.
    F32,
}

/// What keys and values are kept in.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum CacheElement {
    F16,
    F32,
}

/// A contract that the module fulfils.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Graph {
    /// The whole sequence again for each token: `tensor<1xSEQxi32> -> tensor<SEQxi32>`.
    Redecode,
    /// Prefill and decode over a cache.
    Kv,
    /// A text's tokens to its vector: `tensor<1xSEQxi32>, i32 -> tensor<1xDxf32>`.
    Embed,
}

/// What a person chooses of an export.
#[derive(Debug, Clone, Args)]
pub(super) struct ExportArgs {
    /// The form of the graph's text [default: cpu, or stablehlo for models that give a text's vector].
    #[arg(long, value_enum)]
    form: Option<Form>,
    /// What the weights are stored as [default: keep, or bf16 with --form stablehlo].
    #[arg(long, value_enum)]
    weights: Option<Weights>,
    /// With --form cpu: the instruction set of the kernels [default: the best that this machine has].
    #[arg(long, value_enum)]
    kernels: Option<Kernels>,
    /// With --form cpu: what a vector is turned into before it is multiplied with a quantised matrix [default: i8].
    #[arg(long, value_enum)]
    activations: Option<Activations>,
    /// With --form cpu: what keys and values are kept in [default: f16].
    #[arg(long, value_enum)]
    cache: Option<CacheElement>,
    /// The contracts that the module fulfils [default: kv, or redecode,kv with --form stablehlo, or
    /// embed for models that give a text's vector].
    #[arg(long, value_enum, value_delimiter = ',')]
    graphs: Option<Vec<Graph>>,
    /// Tokens in the sequence of the redecode or embed graph [default: 128, or 256 for embed].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seq: Option<u32>,
    /// Positions in the kv graphs' cache [default: 2048, or as many as the model was trained for, if that is fewer]. More
    /// than those are taken with a warning, unless the model has learned each position.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    context: Option<u32>,
    /// Tokens that one call of `prefill` takes [default: 512, or 64 with --form stablehlo; at most the context].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    chunk: Option<u32>,
    /// The redecode function's name; for exports with that graph.
    #[arg(long, value_name = "NAME", default_value_t = ExportOptions::default().function_name)]
    function_name: String,
    /// With --form stablehlo: write the parameters as `.safetensors`, too.
    #[arg(long)]
    safetensors: bool,
}

/// Forms, weights and sizes to try, one by one; where there are none, the usual.
#[derive(Debug, Clone, Args)]
pub(super) struct GridArgs {
    /// Forms to try.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FORM,…", default_values_t = [Form::Cpu, Form::Stablehlo])]
    forms: Vec<Form>,
    /// Types of weights to try: keep is the cpu form's, the others are both forms'.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "TYPE,…", default_values_t = [Weights::Keep, Weights::Bf16])]
    weights: Vec<Weights>,
    /// Numbers of tokens that one call of prefill takes [default: the form's usual one].
    #[arg(long, value_delimiter = ',', value_name = "N,…")]
    chunks: Vec<u32>,
    /// Numbers of positions in the cache.
    #[arg(long, value_delimiter = ',', value_name = "N,…", default_values_t = [ExportOptions::default().context])]
    contexts: Vec<u32>,
}

impl GridArgs {
    /// Every combination that there is.
    pub(super) fn combinations(&self) -> anyhow::Result<Vec<ExportOptions>> {
        let chunks: Vec<Option<u32>> = match &self.chunks[..] {
            [] => vec![None],
            some => some.iter().copied().map(Some).collect(),
        };
        let mut all = Vec::new();
        for &form in &self.forms {
            // The portable form has no quantised weights, and the cpu form's own are what it is for.
            let is_a_choice = |weights: &&Weights| match form {
                Form::Cpu => true,
                Form::Stablehlo => !matches!(weights, Weights::Keep),
            };
            for &weights in self.weights.iter().filter(is_a_choice) {
                for &chunk in &chunks {
                    for &context in &self.contexts {
                        let args = ExportArgs {
                            form: Some(form),
                            weights: Some(weights),
                            kernels: None,
                            activations: None,
                            cache: None,
                            graphs: Some(vec![Graph::Kv]),
                            seq: None,
                            context: Some(context),
                            chunk,
                            function_name: ExportOptions::default().function_name,
                            safetensors: false,
                        };
                        all.push(args.options(None)?);
                    }
                }
            }
        }
        Ok(all)
    }
}

/// What is usual for a model on this machine: the cpu form with the best kernels that it runs, where the model has such
/// a form.
pub(super) fn for_this_machine(gguf: &Gguf) -> ExportOptions {
    usual(gguf, "cpu")
}

/// What to take where nobody chose anything, for a target.
pub(super) fn for_target(gguf: &Gguf, target: &str) -> ExportOptions {
    if !runner_agent::targets::is_vulkan(target) {
        return for_this_machine(gguf);
    }
    // Not every graphics processor has other numbers in its memory.
    ExportOptions { weights: options::Weights::F32, ..usual(gguf, "stablehlo") }
}

/// What is usual for a model in a form, by its name; encoders have but one.
pub(super) fn usual(gguf: &Gguf, form: &str) -> ExportOptions {
    let options = match (is_encoder(gguf), form) {
        (true, _) => ExportOptions::embedding(),
        (false, "stablehlo") => ExportOptions::of(options::Form::Stablehlo),
        (false, _) => ExportOptions::of(options::Form::Cpu(CpuOptions::of(best_kernels()))),
    };
    options.within(family::facts(gguf).context_length)
}

/// Whether the model gives a text's vector and generates no tokens.
fn is_encoder(gguf: &Gguf) -> bool {
    family::detect(gguf).is_ok_and(family::Family::is_encoder)
}

fn best_kernels() -> options::Kernels {
    let features = runner_agent::cpu_features();
    options::Kernels::best(|feature| features.contains(&feature))
}

/// What was chosen, in a line: `cpu form, avx2 kernels, weights kept as they are, kv, context 2048`.
pub(super) fn words(options: &ExportOptions) -> String {
    let form = match options.form {
        options::Form::Stablehlo => "stablehlo form".to_owned(),
        options::Form::Cpu(cpu) => format!("cpu form, {} kernels", cpu.kernels.name()),
    };
    let weights = match options.weights {
        options::Weights::Keep => "weights kept as they are",
        options::Weights::Bf16 => "weights bf16",
        options::Weights::F16 => "weights f16",
        options::Weights::F32 => "weights f32",
    };
    let graphs = options.graphs.iter().map(|graph| match graph {
        GraphKind::Kv => format!("kv with a context of {}", options.context),
        GraphKind::Redecode | GraphKind::Embed => format!("{} of {} tokens", graph.name(), options.seq),
    });
    format!("{form}, {weights}, {}", graphs.collect::<Vec<_>>().join(", "))
}

impl ExportArgs {
    /// The options that were given and have no part in such an export.
    pub(super) fn without_effect(&self, options: &ExportOptions) -> Vec<&'static str> {
        let kv = options.graphs.contains(&GraphKind::Kv);
        let whole = options.graphs.iter().any(|graph| *graph != GraphKind::Kv);
        let given = [
            ("--seq", self.seq.is_some() && !whole),
            ("--context", self.context.is_some() && !kv),
            ("--chunk", self.chunk.is_some() && !kv),
        ];
        given.into_iter().filter(|(_, idle)| *idle).map(|(flag, _)| flag).collect()
    }

    /// As the exporter takes them, with what is usual for the model where nothing was chosen; for one that generates tokens,
    /// of any length, where it isn't known.
    pub(super) fn options(&self, model: Option<&Gguf>) -> Result<ExportOptions, WrongUsage> {
        let usual = match (model.is_some_and(is_encoder), self.form) {
            (false, form) => ExportOptions::of(self.form(form.unwrap_or(Form::Cpu))?),
            (true, form) => {
                let form = self.form(form.unwrap_or(Form::Stablehlo))?;
                ExportOptions { form, weights: ExportOptions::of(form).weights, ..ExportOptions::embedding() }
            }
        };
        let usual = usual.within(model.and_then(|gguf| family::facts(gguf).context_length));
        let graphs = self.graphs()?.unwrap_or(usual.graphs);
        let context = self.context.unwrap_or(usual.context);
        Ok(ExportOptions {
            form: usual.form,
            weights: match self.weights {
                None => usual.weights,
                Some(Weights::Keep) => options::Weights::Keep,
                Some(Weights::Bf16) => options::Weights::Bf16,
                Some(Weights::F16) => options::Weights::F16,
                Some(Weights::F32) => options::Weights::F32,
            },
            graphs,
            seq: self.seq.unwrap_or(usual.seq),
            context,
            chunk: self.chunk.unwrap_or(usual.chunk.min(context)),
            function_name: self.function_name.clone(),
            safetensors: self.safetensors,
        })
    }

    fn form(&self, form: Form) -> Result<options::Form, WrongUsage> {
        let given = [
            ("--kernels", self.kernels.is_some()),
            ("--activations", self.activations.is_some()),
            ("--cache", self.cache.is_some()),
        ];
        match form {
            Form::Stablehlo => match given.into_iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(WrongUsage(format!("{flag} is for --form cpu only"))),
                None => Ok(options::Form::Stablehlo),
            },
            Form::Cpu => Ok(options::Form::Cpu(CpuOptions {
                kernels: match self.kernels {
                    None => best_kernels(),
                    Some(Kernels::Avx512vnni) => options::Kernels::Avx512Vnni,
                    Some(Kernels::Avx2) => options::Kernels::Avx2,
                    Some(Kernels::I8mm) => options::Kernels::I8mm,
                    Some(Kernels::Dotprod) => options::Kernels::Dotprod,
                    Some(Kernels::Portable) => options::Kernels::Portable,
                },
                activations: match self.activations {
                    None | Some(Activations::I8) => options::Activations::I8,
                    Some(Activations::F32) => options::Activations::F32,
                },
                cache: match self.cache {
                    None | Some(CacheElement::F16) => options::CacheElement::F16,
                    Some(CacheElement::F32) => options::CacheElement::F32,
                },
            })),
        }
    }

    fn graphs(&self) -> Result<Option<Vec<GraphKind>>, WrongUsage> {
        let Some(given) = &self.graphs else { return Ok(None) };
        let mut graphs = Vec::new();
        for graph in given {
            let graph = match graph {
                Graph::Redecode => GraphKind::Redecode,
                Graph::Kv => GraphKind::Kv,
                Graph::Embed => GraphKind::Embed,
            };
            if graphs.contains(&graph) {
                return Err(WrongUsage("--graphs names a graph twice".to_owned()));
            }
            graphs.push(graph);
        }
        Ok(Some(graphs))
    }
}
