//! Refuses options that no graph can fulfil.

use super::BuildError;
use crate::options::{ExportOptions, Form, GraphKind, Weights};

/// Positions are `i32`, and the tables that a graph holds grow with their number.
pub(super) const MAX_POSITIONS: u32 = 1 << 20;

/// Names of the kv functions.
pub(super) const PREFILL: &str = "prefill";
/// See [`PREFILL`].
pub(super) const DECODE: &str = "decode";
/// The name of the embed function.
pub(super) const EMBED: &str = "embed";

/// Checks what doesn't depend on the model.
pub(super) fn check(options: &ExportOptions) -> Result<(), BuildError> {
    check_graphs(&options.graphs)?;
    match options.form {
        Form::Stablehlo => check_portable(options)?,
        Form::Cpu(_) => check_cpu(options)?,
    }
    if options.graphs.contains(&GraphKind::Embed) {
        check_embed(options)?;
    }
    if options.graphs.contains(&GraphKind::Redecode) {
        check_count("seq", options.seq, MAX_POSITIONS)?;
        check_function_name(options)?;
    } else if options.function_name != ExportOptions::default().function_name {
        return Err(BuildError::Option {
            option: "function_name",
            value: format!("{:?}", options.function_name),
            reason:
                "only the redecode graph's name can be chosen; add redecode to the graphs, or leave it out"
                    .to_owned(),
        });
    }
    if options.graphs.contains(&GraphKind::Kv) {
        check_count("context", options.context, MAX_POSITIONS)?;
        check_chunk(options)?;
    }
    Ok(())
}

fn check_portable(options: &ExportOptions) -> Result<(), BuildError> {
    match options.weights {
        Weights::Keep => Err(BuildError::Option {
            option: "weights",
            value: "keep".to_owned(),
            reason: "only the cpu form keeps the weights of the GGUF; choose it, or bf16, f16 or f32"
                .to_owned(),
        }),
        Weights::Bf16 | Weights::F16 | Weights::F32 => Ok(()),
    }
}

fn check_cpu(options: &ExportOptions) -> Result<(), BuildError> {
    if options.safetensors {
        return Err(BuildError::Option {
            option: "safetensors",
            value: "true".to_owned(),
            reason:
                "the cpu form's weights are tiles, which other tools can't read; leave it out, or choose the \
                     stablehlo form"
                    .to_owned(),
        });
    }
    Ok(())
}

fn check_embed(options: &ExportOptions) -> Result<(), BuildError> {
    check_count("seq", options.seq, MAX_POSITIONS)?;
    match options.form {
        Form::Stablehlo => Ok(()),
        Form::Cpu(_) => Err(BuildError::Option {
            option: "form",
            value: "cpu".to_owned(),
            reason: "it has no kernels yet for models that give a text's vector; choose stablehlo".to_owned(),
        }),
    }
}

/// Refuses contracts that a model of this kind doesn't have.
pub(super) fn check_kind(options: &ExportOptions, encoder: bool) -> Result<(), BuildError> {
    if encoder && options.form == Form::Stablehlo && options.weights == Weights::Keep {
        return Err(BuildError::Option {
            option: "weights",
            value: "keep".to_owned(),
            reason:
                "models that give a text's vector have the stablehlo form only, which can't keep the GGUF's \
                     weights; choose bf16, f16 or f32"
                    .to_owned(),
        });
    }
    let other = |graph: &GraphKind| (*graph == GraphKind::Embed) != encoder;
    if !options.graphs.iter().any(other) {
        return Ok(());
    }
    let reason = match encoder {
        true => {
            "this model gives a text's vector and generates no tokens; choose embed alone, in the stablehlo form"
        }
        false => "this model generates tokens and gives no text's vector; choose redecode or kv",
    };
    Err(BuildError::Option { option: "graphs", value: names(&options.graphs), reason: reason.to_owned() })
}

/// Contracts by their names.
fn names(graphs: &[GraphKind]) -> String {
    match graphs {
        [] => "none".to_owned(),
        some => some.iter().map(|graph| graph.name()).collect::<Vec<_>>().join(","),
    }
}

fn check_graphs(graphs: &[GraphKind]) -> Result<(), BuildError> {
    let error = |reason: &str| BuildError::Option {
        option: "graphs",
        value: names(graphs),
        reason: reason.to_owned(),
    };
    if graphs.is_empty() {
        return Err(error("choose at least one"));
    }
    if graphs.iter().enumerate().any(|(index, graph)| graphs[..index].contains(graph)) {
        return Err(error("choose each at most once"));
    }
    Ok(())
}

fn check_chunk(options: &ExportOptions) -> Result<(), BuildError> {
    let ExportOptions { chunk, context, .. } = *options;
    if chunk <= context {
        return check_count("chunk", chunk, context);
    }
    let reason = format!("a chunk has at most as many tokens as the context, {context}");
    Err(BuildError::Option { option: "chunk", value: chunk.to_string(), reason })
}

fn check_count(option: &'static str, value: u32, limit: u32) -> Result<(), BuildError> {
    if (1..=limit).contains(&value) {
        return Ok(());
    }
    let reason = format!("choose from 1 to {limit}");
    Err(BuildError::Option { option, value: value.to_string(), reason })
}

/// The longest function name, in bytes.
const MAX_NAME_BYTES: usize = 128;

fn check_function_name(options: &ExportOptions) -> Result<(), BuildError> {
    let name = &options.function_name;
    let error = |reason: &str| BuildError::Option {
        option: "function_name",
        value: format!("{name:?}"),
        reason: reason.to_owned(),
    };
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    if !name.starts_with(letter) || !name.chars().all(|c| letter(c) || c.is_ascii_digit()) {
        return Err(error("choose letters, digits and underscores, no digit first"));
    }
    if name.starts_with("__") {
        return Err(error("IREE keeps names with two underscores first, such as __init, for itself"));
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(error("it is too long"));
    }
    if options.graphs.contains(&GraphKind::Kv) && [PREFILL, DECODE].contains(&name.as_str()) {
        return Err(error("a kv function has that name"));
    }
    Ok(())
}

/// What the cache's positions are a multiple of: kernels over other numbers of them are several times slower.
const CAPACITY_MULTIPLE: u64 = 64;

/// Positions that the kv functions' cache has room for: `context`, and behind them what the rest of a last chunk
/// overwrites, so that a chunk may start at any position of the context.
pub(super) fn capacity(options: &ExportOptions) -> u64 {
    (u64::from(options.context) + u64::from(options.chunk) - 1).next_multiple_of(CAPACITY_MULTIPLE)
}

/// The longest context whose capacity is at most so many positions.
pub(super) fn most_context(positions: u64, options: &ExportOptions) -> u64 {
    let whole = positions / CAPACITY_MULTIPLE * CAPACITY_MULTIPLE;
    (whole + 1).saturating_sub(u64::from(options.chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_context_is_taken_and_no_longer_one() {
        for (positions, chunk) in [(8192, 512), (8192, 1), (8200, 512), (64, 64), (524_288, 512)] {
            let options = ExportOptions { chunk, ..ExportOptions::default() };
            let most = u32::try_from(most_context(positions, &options)).unwrap();
            let of = |context| capacity(&ExportOptions { context, ..options.clone() });
            assert!(of(most) <= positions && of(most + 1) > positions, "{positions}, {chunk}: {most}");
        }
    }
}
