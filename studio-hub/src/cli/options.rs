//! The options of an export as flags.

use super::outcome::WrongUsage;
use clap::{Args, ValueEnum};
use studio_core::options::{self, ExportOptions, GraphKind};

/// The form of the graph's text.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// Portable: nothing but StableHLO and parameter globals.
    Stablehlo,
}

/// The element type of the weights.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Weights {
    Bf16,
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
}

/// What a person chooses of an export.
#[derive(Debug, Clone, Args)]
pub(super) struct ExportArgs {
    /// The form of the graph's text.
    #[arg(long, value_enum, default_value_t = Form::Stablehlo)]
    form: Form,
    /// The element type that weights are stored with.
    #[arg(long, value_enum, default_value_t = Weights::Bf16)]
    weights: Weights,
    /// The contracts that the module fulfils.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "redecode,kv")]
    graphs: Vec<Graph>,
    /// Tokens in the redecode graph's sequence.
    #[arg(long, value_name = "N", default_value_t = ExportOptions::default().seq)]
    seq: u32,
    /// Positions in the kv graphs' cache.
    #[arg(long, value_name = "N", default_value_t = ExportOptions::default().context)]
    context: u32,
    /// Tokens that one call of `prefill` takes.
    #[arg(long, value_name = "N", default_value_t = ExportOptions::default().chunk)]
    chunk: u32,
    /// The redecode function's name.
    #[arg(long, value_name = "NAME", default_value_t = ExportOptions::default().function_name)]
    function_name: String,
    /// Write the parameters as `.safetensors`, too.
    #[arg(long)]
    safetensors: bool,
}

impl ExportArgs {
    /// As the exporter takes them.
    pub(super) fn options(&self) -> Result<ExportOptions, WrongUsage> {
        let mut graphs = Vec::new();
        for graph in &self.graphs {
            let graph = match graph {
                Graph::Redecode => GraphKind::Redecode,
                Graph::Kv => GraphKind::Kv,
            };
            if graphs.contains(&graph) {
                return Err(WrongUsage("--graphs names a graph twice".to_owned()));
            }
            graphs.push(graph);
        }
        Ok(ExportOptions {
            form: match self.form {
                Form::Stablehlo => options::Form::Stablehlo,
            },
            weights: match self.weights {
                Weights::Bf16 => options::Weights::Bf16,
                Weights::F16 => options::Weights::F16,
                Weights::F32 => options::Weights::F32,
            },
            graphs,
            seq: self.seq,
            context: self.context,
            chunk: self.chunk,
            function_name: self.function_name.clone(),
            safetensors: self.safetensors,
        })
    }
}
