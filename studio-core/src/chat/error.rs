//! Why a conversation can't be rendered.

use std::error::Error as _;
use std::fmt;

use minijinja::ErrorKind;

/// Why a chat template could not be read or a conversation not be rendered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// `tokenizer.chat_template` is not a string.
    #[error(transparent)]
    Metadata(#[from] gguf_file::Error),
    /// The template is longer than any that is meant to be one.
    #[error("tokenizer.chat_template: {bytes} bytes are too long for a template; the limit is {limit}")]
    TemplateTooLong {
        /// The template's length.
        bytes: usize,
        /// The longest allowed.
        limit: usize,
    },
    /// The template isn't Jinja as we know it.
    #[error("tokenizer.chat_template: the template can't be parsed: {0}")]
    Parse(#[source] minijinja::Error),
    /// The template called `raise_exception`: it doesn't take such a conversation.
    #[error("the model's chat template refuses this conversation: {message}")]
    Refused {
        /// The template's own words.
        message: String,
    },
    /// The template calls `strftime_now`, and nobody said what time it is.
    #[error("the model's chat template asks for today's date (strftime_now), which was not given")]
    NeedsDate,
    /// The template ran for too long or wrote too much.
    #[error("the model's chat template was stopped: it takes too many steps or writes too much")]
    LimitReached,
    /// What the template wrote can't be encoded.
    #[error(transparent)]
    Tokenizer(#[from] crate::tokenizer::TokenizerError),
    /// The template failed otherwise.
    #[error("the model's chat template failed: {0}")]
    Render(#[source] minijinja::Error),
}

impl ChatError {
    pub(super) fn from_render(error: minijinja::Error) -> Self {
        let mut source = error.source();
        while let Some(cause) = source {
            if let Some(Refusal(message)) = cause.downcast_ref() {
                return ChatError::Refused { message: message.clone() };
            }
            source = cause.source();
        }
        match error.kind() {
            ErrorKind::OutOfFuel => ChatError::LimitReached,
            ErrorKind::UnknownFunction
                if error.detail().is_some_and(|detail| detail.contains("strftime_now")) =>
            {
                ChatError::NeedsDate
            }
            _ => ChatError::Render(error),
        }
    }
}

/// What a template said with `raise_exception`, carried through minijinja's errors.
#[derive(Debug)]
pub(super) struct Refusal(pub(super) String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}
