//! Tokenizers: text to token ids and back, as a GGUF's `tokenizer.ggml.*` keys describe it.
//!
//! Ids are llama.cpp's for the same file and text. Data flows one way: metadata → `vocabulary` (checked texts
//! and types) → `special` (which tokens start and end a text) → `added` (finds special tokens in text) → a
//! model, which encodes the text between them. A model is one file beside [`bpe`](self) and a variant of
//! `Model`; a rule for words is one file in `pre`.

mod added;
mod attributes;
mod bert_words;
mod bpe;
mod byte_chars;
mod detokenizer;
mod error;
mod listing;
mod pre;
mod special;
mod spm;
mod vocabulary;
mod wpm;

#[cfg(test)]
mod tests;

pub use detokenizer::Detokenizer;
pub use error::TokenizerError;
pub use listing::{TokenCounts, TokenPiece};
pub use vocabulary::TokenType;

use added::{AddedTokens, Fragment};
use bpe::Bpe;
use gguf_file::Metadata;
use pre::PreTokenizer;
use special::{Defaults, SpecialTokens};
use spm::Spm;
use vocabulary::{Alphabet, Vocabulary};
use wpm::Wpm;

const MODEL: &str = "tokenizer.ggml.model";
const PRE: &str = "tokenizer.ggml.pre";
const GPT2: &str = "gpt2";
const SUPPORTED_MODELS: &str = "gpt2, llama, bert";

/// A model's tokenizer.
#[derive(Debug)]
pub struct Tokenizer {
    model: Model,
    added: AddedTokens,
    special: SpecialTokens,
    token_bytes: Vec<Box<[u8]>>,
    types: Vec<TokenType>,
}

/// How ordinary text becomes tokens.
#[derive(Debug)]
enum Model {
    Bpe(Bpe),
    Spm(Spm),
    Wpm(Wpm),
}

impl Tokenizer {
    /// Builds the tokenizer that a file's metadata describes. Fails if its kind isn't supported or if its
    /// vocabulary contradicts itself; the error names the key.
    pub fn from_metadata(metadata: &Metadata) -> Result<Self, TokenizerError> {
        let mut vocabulary = Vocabulary::from_metadata(metadata)?;
        let (model, special, alphabet) = match metadata.str(MODEL)? {
            GPT2 => {
                let (pre, special) = byte_level(metadata, &mut vocabulary)?;
                let bpe = Bpe::from_metadata(metadata, &vocabulary, pre)?;
                (Model::Bpe(bpe), special, Alphabet::ByteLevel)
            }
            "llama" => {
                let special = SpecialTokens::resolve(metadata, &mut vocabulary, Defaults::LLAMA)?;
                let spm = Spm::from_metadata(metadata, &vocabulary, special.unknown)?;
                (Model::Spm(spm), special, Alphabet::EscapedSpaces)
            }
            "bert" => {
                let special = SpecialTokens::resolve(metadata, &mut vocabulary, Defaults::BERT)?;
                let wpm = Wpm::from_metadata(metadata, &vocabulary, special.unknown)?;
                (Model::Wpm(wpm), special, Alphabet::EscapedSpaces)
            }
            model => {
                let model = model.to_owned();
                return Err(TokenizerError::UnsupportedModel { model, supported: SUPPORTED_MODELS });
            }
        };
        let added = AddedTokens::new(&vocabulary, attributes::strip_rule(metadata)?)?;
        let token_bytes = vocabulary.iter().map(|(_, text, ty)| alphabet.bytes(text, ty).into()).collect();
        let types = vocabulary.types().to_vec();
        Ok(Tokenizer { model, added, special, token_bytes, types })
    }

    /// [`Tokenizer::end_ids`] of the tokenizer that [`Tokenizer::from_metadata`] would build, or why it would fail,
    /// without the tables that only encoding takes: those of byte-pair merges are a tenth of an export's time.
    pub fn end_ids_of(metadata: &Metadata) -> Result<Vec<u32>, TokenizerError> {
        if metadata.str(MODEL).ok() != Some(GPT2) {
            return Ok(Self::from_metadata(metadata)?.special.ends);
        }
        let mut vocabulary = Vocabulary::from_metadata(metadata)?;
        let (_, special) = byte_level(metadata, &mut vocabulary)?;
        Bpe::check(metadata)?;
        AddedTokens::new(&vocabulary, attributes::strip_rule(metadata)?)?;
        Ok(special.ends)
    }

    /// The token ids of `text`.
    ///
    /// With `add_special`, the tokens that the model wants before and after a text are added. With
    /// `parse_special`, control tokens written in the text (`<|im_start|>`) become those tokens; without, they
    /// are text like any other, as input from outside must be. What the vocabulary has no token for is left
    /// out or is the unknown token, as llama.cpp does.
    pub fn encode(
        &self,
        text: &str,
        add_special: bool,
        parse_special: bool,
    ) -> Result<Vec<u32>, TokenizerError> {
        if u32::try_from(text.len()).is_err() {
            return Err(TokenizerError::TextTooLong { bytes: text.len() });
        }
        let mut tokens = Vec::new();
        tokens.extend(self.special.before.filter(|_| add_special));
        let mut starts = true;
        for fragment in self.added.partition(text, parse_special) {
            match (fragment, &self.model) {
                (Fragment::Token(id), _) => tokens.push(id),
                (Fragment::Text(text), Model::Bpe(bpe)) => bpe.encode(text, &mut tokens),
                (Fragment::Text(text), Model::Spm(spm)) => spm.encode(text, starts, &mut tokens),
                (Fragment::Text(text), Model::Wpm(wpm)) => wpm.encode(text, &mut tokens),
            }
            starts = matches!(fragment, Fragment::Token(_));
        }
        tokens.extend(self.special.after.filter(|_| add_special));
        Ok(tokens)
    }

    /// How many tokens there are; ids are below it.
    pub fn vocabulary_size(&self) -> usize {
        self.token_bytes.len()
    }

    /// The bytes that a token adds to a text, not always UTF-8 by themselves; for control tokens their text.
    /// `None` if there is no such token.
    pub fn token_bytes(&self, id: u32) -> Option<&[u8]> {
        self.token_bytes.get(id as usize).map(Box::as_ref)
    }

    /// The token that starts a text.
    pub fn bos_id(&self) -> Option<u32> {
        self.special.bos
    }

    /// The token that ends a text.
    pub fn eos_id(&self) -> Option<u32> {
        self.special.eos
    }

    /// Whether a generation ends with this token.
    pub fn is_end(&self, id: u32) -> bool {
        self.special.ends.binary_search(&id).is_ok()
    }

    /// All tokens that end a generation, ascending.
    pub fn end_ids(&self) -> &[u32] {
        &self.special.ends
    }

    /// Turns tokens into text as they come.
    pub fn detokenizer(&self) -> Detokenizer<'_> {
        Detokenizer::new(self)
    }

    /// Whether the token is markup, which isn't shown as text.
    fn is_markup(&self, id: u32) -> bool {
        matches!(self.types.get(id as usize), Some(TokenType::Control | TokenType::Unknown))
    }
}

/// How a byte-level vocabulary splits text into words, and its special tokens.
fn byte_level(
    metadata: &Metadata,
    vocabulary: &mut Vocabulary<'_>,
) -> Result<(&'static PreTokenizer, SpecialTokens), TokenizerError> {
    let pre = pre::find(metadata.opt_str(PRE)?.ok_or(TokenizerError::MissingPre)?)?;
    let special = SpecialTokens::resolve(metadata, vocabulary, Defaults::gpt2(pre.has_bos, pre.add_bos))?;
    Ok((pre, special))
}
