//! Token ids back to text, as they come.

use super::Tokenizer;

/// Turns tokens into text one at a time. A character whose bytes are spread over several tokens is held back
/// until it is whole. All text put together is what the tokens' bytes give with invalid UTF-8 replaced.
#[derive(Clone, Debug)]
pub struct Detokenizer<'t> {
    tokenizer: &'t Tokenizer,
    show_special: bool,
    /// The start of a character; at most three bytes.
    pending: Vec<u8>,
}

impl<'t> Detokenizer<'t> {
    pub(super) fn new(tokenizer: &'t Tokenizer) -> Self {
        Detokenizer { tokenizer, show_special: false, pending: Vec::new() }
    }

    /// Whether control tokens such as `<|im_end|>` are written out; they give no text otherwise.
    #[must_use]
    pub fn show_special(mut self, show: bool) -> Self {
        self.show_special = show;
        self
    }

    /// Takes the next token and gives the text that is certain now. An id outside the vocabulary gives none.
    #[must_use]
    pub fn push(&mut self, id: u32) -> String {
        if !self.show_special && self.tokenizer.is_markup(id) {
            return String::new();
        }
        self.pending.extend_from_slice(self.tokenizer.token_bytes(id).unwrap_or_default());
        let keep = unfinished_len(&self.pending);
        let certain: Vec<u8> = self.pending.drain(..self.pending.len() - keep).collect();
        into_text(certain)
    }

    /// Gives what was held back, and starts afresh.
    #[must_use]
    pub fn finish(&mut self) -> String {
        into_text(std::mem::take(&mut self.pending))
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// How many bytes at the end are the start of a character that more bytes could complete.
fn unfinished_len(bytes: &[u8]) -> usize {
    let Some(last) = bytes.utf8_chunks().last() else { return 0 };
    match std::str::from_utf8(last.invalid()) {
        Err(error) if error.error_len().is_none() => last.invalid().len(),
        Err(_) | Ok(_) => 0,
    }
}
