//! The tokenizer bench: what is to be encoded, and its tokens.

use crate::messages::{Problem, TokenAnswer, TokenQuestion};
use std::sync::Arc;
use studio_core::tokenizer::{TokenPiece, TokenType};
use studio_protocol::ChatMessage;

/// What is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Input {
    /// A text.
    #[default]
    Text,
    /// A conversation.
    Chat,
}

/// A turn of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// What tells it from others.
    pub key: u64,
    /// Who speaks.
    pub role: String,
    /// What is said.
    pub content: String,
}

/// The form's fields as they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchForm {
    /// What is encoded.
    pub input: Input,
    /// The text.
    pub text: String,
    /// Whether the tokens are added that the model wants before and after a text.
    pub add_special: bool,
    /// Whether control tokens written in the text become those tokens.
    pub parse_special: bool,
    /// The conversation.
    pub turns: Vec<Turn>,
    /// Whether the assistant's answer begins.
    pub answer: bool,
    /// The place of the first token that is shown.
    pub first: u64,
    last_key: u64,
}

impl Default for BenchForm {
    fn default() -> Self {
        let turn = |key, role: &str, content: &str| Turn { key, role: role.into(), content: content.into() };
        Self {
            input: Input::Text,
            text: "The quick brown fox jumps over 13 lazy dogs. Für Wörter, 数字 und 🙂.".to_owned(),
            add_special: false,
            parse_special: true,
            turns: vec![
                turn(1, "system", "You are a helpful assistant."),
                turn(2, "user", "What is the capital of France?"),
            ],
            answer: true,
            first: 0,
            last_key: 2,
        }
    }
}

impl BenchForm {
    /// What the form asks for. A conversation is asked for only of a model with a chat template.
    pub fn question(&self, has_chat_template: bool) -> TokenQuestion {
        match self.input {
            Input::Chat if has_chat_template => TokenQuestion::Chat {
                messages: self
                    .turns
                    .iter()
                    .map(|turn| ChatMessage { role: turn.role.clone(), content: turn.content.clone() })
                    .collect(),
                answer: self.answer,
            },
            Input::Chat | Input::Text => TokenQuestion::Text {
                text: self.text.clone(),
                add_special: self.add_special,
                parse_special: self.parse_special,
            },
        }
    }

    /// Adds a turn of whoever is to speak next, and gives its key.
    pub fn add_turn(&mut self) -> u64 {
        let role = match self.turns.last().map(|turn| turn.role.as_str()) {
            Some("user") => "assistant",
            _ => "user",
        };
        self.last_key += 1;
        self.turns.push(Turn { key: self.last_key, role: role.to_owned(), content: String::new() });
        self.last_key
    }

    /// Takes a turn out.
    pub fn remove_turn(&mut self, key: u64) {
        self.turns.retain(|turn| turn.key != key);
    }

    /// The turn with this key.
    pub fn turn(&self, key: u64) -> Option<&Turn> {
        self.turns.iter().find(|turn| turn.key == key)
    }

    /// The turn with this key, to be changed.
    pub fn turn_mut(&mut self, key: u64) -> Option<&mut Turn> {
        self.turns.iter_mut().find(|turn| turn.key == key)
    }
}

/// The tokens. The worker has one question at a time: while a person types faster than it answers, what is asked next
/// is what stands there then.
#[derive(Debug, Clone, Default)]
pub struct TokensState {
    /// What the worker said last.
    pub answer: Option<Result<Arc<TokenAnswer>, Problem>>,
    asked: Option<u64>,
    again: bool,
}

impl TokensState {
    /// Something changed. Whether to ask now, under this number.
    pub fn ask(&mut self, tokens_id: u64) -> bool {
        self.again = self.asked.is_some();
        if !self.again {
            self.asked = Some(tokens_id);
        }
        !self.again
    }

    /// Takes an answer, unless it is to a question about another model. Whether to ask again.
    pub fn take(&mut self, tokens_id: u64, result: Result<Box<TokenAnswer>, Problem>) -> bool {
        if self.asked != Some(tokens_id) {
            return false;
        }
        self.asked = None;
        self.answer = Some(result.map(|answer| Arc::new(*answer)));
        std::mem::take(&mut self.again)
    }

    /// Whether an answer is awaited.
    pub fn is_waiting(&self) -> bool {
        self.asked.is_some()
    }
}

/// A token's text as it is shown: what has no shape is given one, bytes that are no text are hexadecimal.
pub fn shown(piece: &TokenPiece) -> String {
    let Some(text) = &piece.text else { return format!("⟨{}⟩", piece.bytes) };
    if text.is_empty() {
        return "∅".to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => shown.push_str("↵\n"),
            '\r' => shown.push('␍'),
            '\t' => shown.push_str("⇥\t"),
            char if char.is_control() || is_invisible(char) => {
                shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(char)));
            }
            char => shown.push(char),
        }
    }
    shown
}

/// Characters without a shape or a width, and those that turn the direction of what follows.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// What a token is for, in words.
pub fn kind(ty: TokenType) -> &'static str {
    match ty {
        TokenType::Normal => "text",
        TokenType::Unknown => "unknown",
        TokenType::Control => "control",
        TokenType::UserDefined => "user-defined",
        TokenType::Unused => "unused",
        TokenType::Byte => "byte",
        TokenType::Undefined => "undefined",
    }
}

/// Bytes in pairs of digits, `e2 82 ac`.
pub fn spaced(hex: &str) -> String {
    hex.as_bytes().chunks(2).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Box<TokenAnswer> {
        Box::new(TokenAnswer {
            rendered: None,
            counts: Default::default(),
            first: 0,
            pieces: Vec::new(),
            vocabulary_size: 1,
        })
    }

    #[test]
    fn who_types_faster_than_the_worker_answers_is_asked_once_more_at_the_end() {
        let mut tokens = TokensState::default();
        assert!(tokens.ask(1));
        assert!(!tokens.ask(2) && !tokens.ask(3));
        assert!(tokens.take(1, Ok(answer())), "the text changed meanwhile");
        assert!(tokens.ask(4));
        assert!(!tokens.take(4, Ok(answer())));
        assert!(!tokens.take(9, Err(Problem::new("of another model"))));
        assert!(tokens.answer.unwrap().is_ok());
    }

    #[test]
    fn a_model_without_a_template_is_asked_for_the_text() {
        let form = BenchForm { input: Input::Chat, ..BenchForm::default() };
        assert!(matches!(form.question(false), TokenQuestion::Text { .. }));
        assert!(matches!(form.question(true), TokenQuestion::Chat { messages, .. } if messages.len() == 2));
    }

    #[test]
    fn turns_alternate_and_keep_their_keys() {
        let mut form = BenchForm::default();
        let third = form.add_turn();
        form.remove_turn(1);
        let fourth = form.add_turn();
        let roles: Vec<_> = form.turns.iter().map(|turn| (turn.key, turn.role.as_str())).collect();
        assert_eq!(roles, [(2, "user"), (third, "assistant"), (fourth, "user")]);
    }

    #[test]
    fn what_has_no_shape_is_given_one() {
        let piece = |text: Option<&str>, bytes: &str| TokenPiece {
            id: 1,
            ty: TokenType::Normal,
            text: text.map(str::to_owned),
            bytes: bytes.to_owned(),
        };
        assert_eq!(shown(&piece(Some(" a\n"), "20610a")), " a↵\n");
        assert_eq!(shown(&piece(None, "f09f")), "⟨f09f⟩");
        assert_eq!(shown(&piece(Some("\u{200d}"), "e2808d")), "⟨U+200D⟩");
        assert_eq!(spaced("e282ac"), "e2 82 ac");
    }
}
