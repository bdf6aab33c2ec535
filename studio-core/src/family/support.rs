//! What can be done with a model, told from its header alone and before any work: in which forms it can be exported, and
//! which family an unknown one is like.

use super::block::rope::table_without_factors;
use super::{BuildError, Family, Nearest, detect, functions};
use crate::emit::cpu;
use crate::graph::{Graph, check};
use crate::options::{CpuOptions, ExportOptions, Form, GraphKind, Kernels};
use gguf_file::Gguf;
use serde::{Deserialize, Serialize};

/// Whether a model can be exported in a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormSupport {
    /// `stablehlo` or `cpu`.
    pub form: String,
    /// Why it can't be, in words; `None` if it can.
    pub unsupported: Option<String>,
}

/// Every form.
pub(super) fn forms(gguf: &Gguf) -> Vec<FormSupport> {
    let cpu = CpuOptions::of(Kernels::Portable);
    let reason = |result: Result<(), String>| result.err();
    vec![
        FormSupport { form: "stablehlo".to_owned(), unsupported: reason(portable(gguf)) },
        FormSupport { form: "cpu".to_owned(), unsupported: reason(kernels(gguf, cpu)) },
    ]
}

/// The least that can be asked for: what is too much for a model is no fault of it. Every function is there, and
/// `prefill` has more tokens than `decode`.
fn least(form: Form, encoder: bool) -> ExportOptions {
    let graphs = match encoder {
        true => vec![GraphKind::Embed],
        false => vec![GraphKind::Redecode, GraphKind::Kv],
    };
    ExportOptions { graphs, seq: 2, context: 2, chunk: 2, ..ExportOptions::of(form) }
}

fn portable(gguf: &Gguf) -> Result<(), String> {
    graph(gguf, Form::Stablehlo).map(|_| ()).map_err(|error| error.to_string())
}

fn kernels(gguf: &Gguf, options: CpuOptions) -> Result<(), String> {
    let graph = graph(gguf, Form::Cpu(options)).map_err(|error| error.to_string())?;
    let checked = check(&graph).map_err(|error| error.to_string())?;
    cpu::supports(&checked, &options).map_err(|error| error.to_string())
}

/// The graph as it would be if rope's frequencies had no factors, which are read from the file's data.
fn graph(gguf: &Gguf, form: Form) -> Result<Graph, BuildError> {
    let family = detect(gguf)?;
    let options = least(form, family.is_encoder());
    let parts = family.parts(gguf, &options)?;
    let (ropes, head_dim) = parts.ropes();
    let table = |rope| table_without_factors(rope, head_dim, &options);
    let tables = ropes.iter().map(table).collect::<Result<Vec<_>, _>>()?;
    functions(family, &parts, &tables, &options)
}

/// The family that a model of an unknown architecture is like: one that could read it under its own name, else the one
/// whose name begins in the same way.
pub(super) fn nearest(gguf: &Gguf, architecture: &str) -> Option<Nearest> {
    let reads = |family: &Family| {
        let options = least(Form::Stablehlo, family.is_encoder());
        family.parts_by_keys_of(architecture, gguf, &options).is_ok()
    };
    if let Some(family) = Family::all().find(reads) {
        return Some(Nearest { architecture: family.architecture(), same_tensors: true });
    }
    /// Shorter beginnings say nothing.
    const LETTERS: usize = 3;
    let shared = |family: &Family| {
        let both = family.architecture().bytes().zip(architecture.bytes());
        both.take_while(|(known, given)| known.eq_ignore_ascii_case(given)).count()
    };
    // The first of equals, which is the most common: `max_by_key` takes the last.
    let best = Family::all().fold(None, |best: Option<Family>, family| match best {
        Some(known) if shared(&known) >= shared(&family) => Some(known),
        _ => Some(family),
    })?;
    (shared(&best) >= LETTERS).then(|| Nearest { architecture: best.architecture(), same_tensors: false })
}
