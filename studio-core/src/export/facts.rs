//! What the manifest says that is known before any file is made.

use crate::family;
use crate::graph::Graph;
use crate::manifest::{FunctionEntry, MemoryEntry, ModelEntry, TensorEntry, TokenizerEntry, file_name};
use crate::options::ExportOptions;
use crate::tokenizer::Tokenizer;
use gguf_file::{Gguf, Metadata, Value};
use std::collections::BTreeSet;

const TOKENIZER_MODEL: &str = "tokenizer.ggml.model";
const TOKENIZER_PRE: &str = "tokenizer.ggml.pre";
const CHAT_TEMPLATE: &str = "tokenizer.chat_template";
/// The keys of tokens that end a generation.
const END_KEYS: [&str; 3] =
    ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"];
/// What llama.cpp calls the tokenizer of a model that has none.
const NO_TOKENIZER: &str = "none";

#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) model: ModelEntry,
    pub(super) options: ExportOptions,
    pub(super) functions: Vec<FunctionEntry>,
    pub(super) cache: Option<TensorEntry>,
    pub(super) memory: MemoryEntry,
    pub(super) tokenizer: TokenizerEntry,
    pub(super) chat_template: Option<String>,
    pub(super) stop_ids: Vec<u32>,
    /// Why its text can't be made tokens here.
    pub(super) tokenizer_problem: Option<String>,
    /// What may go wrong although it can be done.
    pub(super) warnings: Vec<String>,
}

impl Facts {
    pub(super) fn new(gguf: &Gguf, graph: &Graph, options: &ExportOptions, memory: MemoryEntry) -> Self {
        let metadata = gguf.metadata();
        let text = |key| metadata.get(key).and_then(Value::as_str).map(str::to_owned);
        let card = family::facts(gguf);
        let (stop_ids, tokenizer_problem) = stop_ids(metadata);
        let warnings = options.longer_than(card.context_length).into_iter().collect();
        Self {
            model: ModelEntry {
                architecture: card.architecture.unwrap_or_default(),
                name: card.name,
                parameter_count: card.parameter_count,
                context_length: card.context_length.unwrap_or_default(),
                // A graph counts rows in 32 bits, so a larger vocabulary has failed before.
                vocabulary_size: card
                    .vocabulary_size
                    .and_then(|size| size.try_into().ok())
                    .unwrap_or_default(),
            },
            options: options.clone(),
            functions: graph.function_entries(),
            cache: graph.cache_entry(),
            memory,
            tokenizer: TokenizerEntry {
                file: file_name::TOKENIZER.to_owned(),
                model: text(TOKENIZER_MODEL).unwrap_or_else(|| NO_TOKENIZER.to_owned()),
                pre: text(TOKENIZER_PRE),
            },
            chat_template: text(CHAT_TEMPLATE),
            stop_ids,
            tokenizer_problem,
            warnings,
        }
    }
}

/// The tokens that end a generation, ascending: those that llama.cpp finds, or, for a tokenizer of a kind that we
/// don't have, those that the keys name, with the reason why we don't.
fn stop_ids(metadata: &Metadata) -> (Vec<u32>, Option<String>) {
    match Tokenizer::end_ids_of(metadata) {
        Ok(ids) => (ids, None),
        Err(unsupported) => {
            let named = |key| metadata.opt_u32(key).ok().flatten();
            let ids: BTreeSet<u32> = END_KEYS.into_iter().filter_map(named).collect();
            (ids.into_iter().collect(), Some(unsupported.to_string()))
        }
    }
}
