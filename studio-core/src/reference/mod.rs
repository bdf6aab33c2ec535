//! `REFERENCE.md`: what a bundle holds and how to run it, made from the manifest and the plan, so that nothing in it
//! can differ from the files.

mod commands;
mod parameters;
mod results;

pub use results::update;

use crate::manifest::{FunctionEntry, KernelsEntry, Manifest, TensorEntry, file_name};
use crate::options::{Activations, GraphKind};
use crate::params::archive::Layout;
use crate::params::plan::Plan;

/// The page of a bundle that was just exported; `layout` is its archive's.
#[must_use]
pub fn page(manifest: &Manifest, plan: &Plan, layout: &Layout) -> String {
    let sections = [
        title(manifest),
        files(manifest),
        functions(manifest),
        kernels(manifest),
        tokens(manifest),
        commands::section(manifest),
        parameters::section(manifest, plan, layout),
    ];
    sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
}

fn title(manifest: &Manifest) -> String {
    let Manifest { model, source, exporter, contract_version, .. } = manifest;
    let name = plain(model.name.as_deref().unwrap_or(&source.name));
    format!(
        "# {name}\n\n\
         Made by {exporter} from `{}` ({} bytes, BLAKE3 `{}`).\n\n\
         Architecture `{}`, {} parameters, vocabulary of {}, trained for {} positions. Graph contracts are of version \
         {contract_version}.\n",
        source.name.replace('`', "'"),
        source.size_bytes,
        source.blake3,
        model.architecture.replace('`', "'"),
        model.parameter_count,
        model.vocabulary_size,
        model.context_length,
    )
}

fn files(manifest: &Manifest) -> String {
    let rows = manifest.files.iter().map(|file| {
        let what = match file.name.as_str() {
            file_name::MLIR if manifest.kernels.is_some() => {
                "the graph, as calls of kernels that it brings along, with external parameters"
            }
            file_name::MLIR => "the graph, as StableHLO with external parameters",
            file_name::IRPA => "the parameters, as IREE maps them",
            file_name::SAFETENSORS => "the same parameters, for other tools",
            file_name::TOKENIZER => "the tokenizer: the source's metadata without tensors",
            _ => "",
        };
        [code(&file.name), what.to_owned(), file.size_bytes.to_string(), code(&file.blake3)]
    });
    format!("## Files\n\n{}", table(["File", "What it is", "Bytes", "BLAKE3"], rows))
}

fn functions(manifest: &Manifest) -> String {
    let mut text = String::from("## Functions\n");
    for function in &manifest.functions {
        let FunctionEntry { name, graph, arguments, results } = function;
        let contract = match graph {
            GraphKind::Redecode => {
                "Contract `redecode`: the whole sequence again for each token. Result `i` is the most likely token after \
                 positions 0 to `i`; what stands after the positions that are asked about does not matter."
            }
            GraphKind::Embed => {
                "Contract `embed`: the first `count` tokens are the text's, special ones included; the result is its \
                 vector, of length 1."
            }
            GraphKind::Kv => {
                "Contract `kv`: the cache goes in, is updated in place and comes out; pass it to the next call. The \
                 positions before `position` must be in it."
            }
        };
        let rows = |entries: &[TensorEntry], role: &str| -> Vec<[String; 4]> {
            let note = |entry: &TensorEntry| if entry.consumed { "taken over by the call" } else { "" };
            let row = |entry: &TensorEntry| {
                [role.to_owned(), code(&entry.name), code(&entry.mlir_type), note(entry).to_owned()]
            };
            entries.iter().map(row).collect()
        };
        let rows = rows(arguments, "argument").into_iter().chain(rows(results, "result"));
        text += &format!("\n### `{name}`\n\n{contract}\n\n{}", table(["", "Name", "Type", ""], rows));
    }
    text
}

/// Nothing for a text without kernels.
fn kernels(manifest: &Manifest) -> String {
    let Some(KernelsEntry { set, cpu_features, activations, converted }) = &manifest.kernels else {
        return String::new();
    };
    let needs = if cpu_features.is_empty() { "nothing special".to_owned() } else { cpu_features.join(", ") };
    let activations = match activations {
        Activations::I8 => "bytes with a scale for each 32",
        Activations::F32 => "`f32`",
    };
    let exact = converted.iter().filter(|entry| entry.exact).count();
    let stored = match (exact, converted.len() - exact) {
        (0, 0) => "kept as they are in the source".to_owned(),
        (exact, rounded) => format!(
            "{exact} matrices are stored in another format with the same values, {rounded} are rounded; the table of \
             parameters says which"
        ),
    };
    format!(
        "## Kernels\n\n- Instruction set: `{}`; a processor needs {needs}. Nothing in the compiled module checks \
         that: running it elsewhere crashes.\n- Vectors multiplied with quantised matrices: {activations}\n- \
         Weights: {stored}\n",
        set.name()
    )
}

fn tokens(manifest: &Manifest) -> String {
    let Manifest { tokenizer, stop_ids, chat_template, .. } = manifest;
    let ids: Vec<String> = stop_ids.iter().map(u32::to_string).collect();
    let pre = tokenizer.pre.as_ref().map(|pre| format!(", pre-tokenizer `{pre}`")).unwrap_or_default();
    let ends = if ids.is_empty() { "none are known".to_owned() } else { ids.join(", ") };
    let template = if chat_template.is_some() { "in `manifest.json`" } else { "none" };
    format!(
        "## Tokens\n\n- Tokenizer: `{}`{pre}, in `{}`\n- Tokens that end a generation: {ends}\n- Chat template: \
         {template}\n",
        tokenizer.model, tokenizer.file,
    )
}

fn code(text: &str) -> String {
    format!("`{}`", one_line(text).replace('`', "'").replace('|', "\\|"))
}

/// Words of a file as Markdown that means just them.
fn plain(text: &str) -> String {
    one_line(text).chars().fold(String::new(), |mut text, c| {
        if "\\`*_[]<>#|&".contains(c) {
            text.push('\\');
        }
        text.push(c);
        text
    })
}

/// A line break would end a heading or a row, and could begin another section.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), " --- |".repeat(N));
    for row in rows {
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}
