//! Teacher forcing: what a module says after each token of a given text, for comparing it with a reference.

use super::{
    decoder::Decoder,
    open::{open_kv, open_redecode},
};
use crate::BundleFiles;
use studio_protocol::{ErrorCode, WireError};

/// Which functions of a module are driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// `decode`, token by token.
    Decode,
    /// `prefill`, chunk by chunk.
    Prefill,
    /// The redecode function, once.
    Redecode,
}

/// What a module said.
#[derive(Debug, Clone, PartialEq)]
pub struct Forced {
    /// The positions, ascending, that the other fields are about: every one with `Decode` and `Redecode`, the
    /// last one of each chunk with `Prefill`.
    pub positions: Vec<usize>,
    /// The most likely next token after each.
    pub next: Vec<u32>,
    /// The logits after each, one for each token of the vocabulary; none with `Redecode`, whose contract has
    /// only ids.
    pub logits: Vec<Vec<f32>>,
}

/// Runs a module over given tokens. Memory grows with their number times the vocabulary's size.
pub fn teacher_forced(
    bundle: &BundleFiles,
    module: &std::path::Path,
    tokens: &[u32],
    threads: Option<u32>,
    path: Path,
) -> Result<Forced, WireError> {
    if tokens.is_empty() {
        return Err(WireError::new(ErrorCode::BadPrompt, "there are no tokens"));
    }
    let step = match path {
        Path::Redecode => {
            let next = open_redecode(bundle, module, threads)?.all(tokens)?;
            return Ok(Forced { positions: (0..tokens.len()).collect(), next, logits: Vec::new() });
        }
        Path::Decode => 1,
        Path::Prefill => bundle.manifest().options.chunk as usize,
    };
    let mut decoder = open_kv(bundle, module, threads)?;
    if tokens.len() > decoder.context() as usize {
        let message = format!("{} tokens in a context of {}", tokens.len(), decoder.context());
        return Err(WireError::new(ErrorCode::BadPrompt, message));
    }
    let mut forced = Forced { positions: Vec::new(), next: Vec::new(), logits: Vec::new() };
    let mut position = 0;
    for part in tokens.chunks(step.max(1)) {
        let next = match (path, part) {
            (Path::Decode, [token]) => decoder.decode(*token)?,
            (Path::Decode | Path::Prefill | Path::Redecode, _) => decoder.prefill(part)?,
        };
        position += part.len();
        forced.positions.push(position - 1);
        forced.next.push(next);
        forced.logits.push(decoder.logits()?.ok_or_else(|| {
            WireError::new(ErrorCode::Runtime, "the functions give no logits")
                .hint("Export and compile the model again")
        })?);
    }
    Ok(forced)
}
