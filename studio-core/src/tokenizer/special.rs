//! Which tokens start a text, end it, or end a generation: what llama.cpp reads from a file's keys and, where
//! these are silent, from the tokens' texts.

use std::collections::BTreeSet;

use gguf_file::Metadata;

use super::TokenizerError;
use super::vocabulary::{TokenType, Vocabulary};

const BOS: &str = "tokenizer.ggml.bos_token_id";
const EOS: &str = "tokenizer.ggml.eos_token_id";
const UNKNOWN: &str = "tokenizer.ggml.unknown_token_id";
/// Misspelt in the files, too.
const SEPARATOR: &str = "tokenizer.ggml.seperator_token_id";
const ADD_BOS: &str = "tokenizer.ggml.add_bos_token";
const ADD_EOS: &str = "tokenizer.ggml.add_eos_token";
/// What asks for both tokens around a text of a WordPiece vocabulary, in messages.
const WORDPIECE: &str = "tokenizer.ggml.model bert";

/// The special tokens that a kind of vocabulary has where the file names none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defaults {
    bos: Option<u32>,
    eos: Option<u32>,
    unknown: Option<u32>,
    add_bos: bool,
    /// The token that ends a text whatever the file says.
    separator: Option<u32>,
}

impl Defaults {
    /// GPT-2's; whether there is a BOS and whether it is added goes by the rule for words.
    pub(super) const fn gpt2(has_bos: bool, add_bos: bool) -> Self {
        let bos = if has_bos { Some(11) } else { None };
        Defaults { bos, eos: Some(11), unknown: None, add_bos, separator: None }
    }

    /// Llama's.
    pub(super) const LLAMA: Defaults =
        Defaults { bos: Some(1), eos: Some(2), unknown: Some(0), add_bos: true, separator: None };

    /// BERT's: `[CLS]` and `[SEP]` are around every text.
    pub(super) const BERT: Defaults =
        Defaults { bos: Some(101), eos: None, unknown: Some(100), add_bos: true, separator: Some(102) };
}

/// A role in fill-in-the-middle or dialogue: the key that names its token, and the texts it is known by where
/// the key is missing.
struct Role {
    key: &'static str,
    texts: &'static [&'static str],
    ends_generation: bool,
}

const ROLES: [Role; 8] = [
    Role {
        key: "tokenizer.ggml.eot_token_id",
        texts: &[
            "<|eot_id|>",
            "<|im_end|>",
            "<|end|>",
            "<end_of_turn>",
            "<|endoftext|>",
            "<|end_of_text|>",
            "<EOT>",
            "_<EOT>",
            "[EOT]",
            "<｜end▁of▁sentence｜>",
            "<end_of_utterance>",
        ],
        ends_generation: true,
    },
    Role { key: "tokenizer.ggml.eom_token_id", texts: &["<|eom_id|>"], ends_generation: true },
    Role {
        key: "tokenizer.ggml.fim_pre_token_id",
        texts: &[
            "<|fim_prefix|>",
            "<fim-prefix>",
            "<fim_prefix>",
            "<｜fim▁begin｜>",
            "<PRE>",
            "▁<PRE>",
            "<|code_prefix|>",
            "<|prefix|>",
        ],
        ends_generation: false,
    },
    Role {
        key: "tokenizer.ggml.fim_suf_token_id",
        texts: &[
            "<|fim_suffix|>",
            "<fim-suffix>",
            "<fim_suffix>",
            "<｜fim▁hole｜>",
            "<SUF>",
            "▁<SUF>",
            "<|code_suffix|>",
            "<|suffix|>",
        ],
        ends_generation: false,
    },
    Role {
        key: "tokenizer.ggml.fim_mid_token_id",
        texts: &[
            "<|fim_middle|>",
            "<fim-middle>",
            "<fim_middle>",
            "<｜fim▁end｜>",
            "<MID>",
            "▁<MID>",
            "<|code_middle|>",
            "<|middle|>",
        ],
        ends_generation: false,
    },
    Role {
        key: "tokenizer.ggml.fim_pad_token_id",
        texts: &["<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"],
        ends_generation: true,
    },
    Role {
        key: "tokenizer.ggml.fim_rep_token_id",
        texts: &["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"],
        ends_generation: true,
    },
    Role { key: "tokenizer.ggml.fim_sep_token_id", texts: &["<|file_sep|>"], ends_generation: true },
];

/// Texts that end a generation in whatever vocabulary they are.
const ENDS: [&str; 22] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
];

/// Control tokens that are shown as text.
const SHOWN: [&str; 4] = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"];

/// The special tokens of a vocabulary. Ids are in it.
#[derive(Debug)]
pub(super) struct SpecialTokens {
    pub(super) bos: Option<u32>,
    pub(super) eos: Option<u32>,
    /// Stands for what has no token.
    pub(super) unknown: Option<u32>,
    /// What goes before and after a text when special tokens are added.
    pub(super) before: Option<u32>,
    pub(super) after: Option<u32>,
    /// Ascending.
    pub(super) ends: Vec<u32>,
}

impl SpecialTokens {
    /// Reads the keys and looks through the texts. Tokens that are control tokens by their text get that type.
    pub(super) fn resolve(
        metadata: &Metadata,
        vocabulary: &mut Vocabulary<'_>,
        defaults: Defaults,
    ) -> Result<Self, TokenizerError> {
        let size = vocabulary.len();
        let id = |key, default: Option<u32>| {
            let default = default.filter(|&id| (id as usize) < size);
            Ok::<_, TokenizerError>(token_id(metadata, vocabulary, key)?.or(default))
        };
        let (bos, eos) = (id(BOS, defaults.bos)?, id(EOS, defaults.eos)?);
        let unknown = id(UNKNOWN, defaults.unknown)?;
        let (before, after) = match defaults.separator {
            Some(_) => (
                added(true, bos, WORDPIECE, BOS)?,
                added(true, id(SEPARATOR, defaults.separator)?, WORDPIECE, SEPARATOR)?,
            ),
            None => (
                added(metadata.opt_bool(ADD_BOS)?.unwrap_or(defaults.add_bos), bos, ADD_BOS, BOS)?,
                added(metadata.opt_bool(ADD_EOS)?.unwrap_or(false), eos, ADD_EOS, EOS)?,
            ),
        };

        let mut ends: BTreeSet<u32> = eos.into_iter().collect();
        for role in &ROLES {
            let named = token_id(metadata, vocabulary, role.key)?;
            let id = named.or_else(|| control_by_text(vocabulary, role.texts));
            ends.extend(id.filter(|_| role.ends_generation));
        }
        for text in ENDS {
            ends.extend(control_by_text(vocabulary, &[text]));
        }
        for text in SHOWN {
            if let Some(id) = vocabulary.id(text.as_bytes()) {
                vocabulary.set_type(id, TokenType::UserDefined);
            }
        }
        keep_text_tokens(vocabulary, &mut ends);
        Ok(SpecialTokens { bos, eos, unknown, before, after, ends: ends.into_iter().collect() })
    }
}

/// The id that `key` gives, if it is there.
fn token_id(
    metadata: &Metadata,
    vocabulary: &Vocabulary<'_>,
    key: &'static str,
) -> Result<Option<u32>, TokenizerError> {
    let vocabulary_size = vocabulary.len();
    match metadata.opt_u32(key)? {
        Some(id) if id as usize >= vocabulary_size => {
            Err(TokenizerError::SpecialTokenId { key, id, vocabulary_size })
        }
        id => Ok(id),
    }
}

fn added(
    wanted: bool,
    id: Option<u32>,
    switch: &'static str,
    key: &'static str,
) -> Result<Option<u32>, TokenizerError> {
    match id {
        None if wanted => Err(TokenizerError::NothingToAdd { switch, key }),
        id => Ok(id.filter(|_| wanted)),
    }
}

/// The token with the first of `texts` that the vocabulary has, from now on a control token.
fn control_by_text(vocabulary: &mut Vocabulary<'_>, texts: &[&str]) -> Option<u32> {
    let id = texts.iter().find_map(|text| vocabulary.id(text.as_bytes()))?;
    vocabulary.set_type(id, TokenType::Control);
    Some(id)
}

/// Two texts that end a generation in most vocabularies are ordinary in some, which are known by their other
/// ends: `<|end|>` where harmony's or Solar's markers are, and `</s>` beside Gemma 4's or PLaMo's.
fn keep_text_tokens(vocabulary: &mut Vocabulary<'_>, ends: &mut BTreeSet<u32>) {
    let end = |text: &str| vocabulary.id(text.as_bytes()).filter(|id| ends.contains(id));
    let calls = end("<|call|>").or(end("<|calls|>")).is_some();
    let closes = end("<|return|>").or(end("<|flush|>")).is_some();
    let end_of_part = end("<|end|>").filter(|_| calls && closes);
    let marked = end("<|tool_response>").or(end("<|plamo:eos|>")).is_some();
    let strike = end("</s>").filter(|_| marked);
    for (id, ty) in [(end_of_part, TokenType::UserDefined), (strike, TokenType::Normal)] {
        if let Some(id) = id {
            ends.remove(&id);
            vocabulary.set_type(id, ty);
        }
    }
}
