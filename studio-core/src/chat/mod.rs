//! Chat templates: a conversation rendered as the model expects it.
//!
//! A GGUF carries its template as Jinja source. It is run as Hugging Face's `apply_chat_template` runs it: the
//! same white-space options, the same globals, Python's methods on strings and Python's spelling of values.
//! A template comes from a file, so that its steps and its output are limited.

mod environment;
mod error;
mod prompt;
mod python;
mod time;

#[cfg(test)]
mod tests;

pub use error::ChatError;
pub use prompt::ChatPrompt;

use gguf_file::Metadata;
use minijinja::{Environment, Value, context};

const TEMPLATE: &str = "tokenizer.chat_template";

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Who speaks: `system`, `user`, `assistant`, or what else the template knows.
    pub role: String,
    /// What is said.
    pub content: String,
}

impl ChatMessage {
    /// What `role` says.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        ChatMessage { role: role.into(), content: content.into() }
    }
}

/// What a template needs to know besides the messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChatOptions<'a> {
    /// End with the start of the assistant's answer.
    pub add_generation_prompt: bool,
    /// The text of the token that starts a text, empty if there is none.
    pub bos_token: &'a str,
    /// The text of the token that ends a text, empty if there is none.
    pub eos_token: &'a str,
    /// What time it is, in seconds since 1970 began (UTC), for templates that write the day into the prompt. Where it
    /// isn't given, those do without that can.
    pub now: Option<u64>,
}

/// A model's chat template, parsed.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    source: String,
}

impl ChatTemplate {
    /// The template in a file's metadata; `None` if it has none. Fails if the template is not one that can be
    /// parsed.
    pub fn from_metadata(metadata: &Metadata) -> Result<Option<Self>, ChatError> {
        metadata.opt_str(TEMPLATE)?.map(ChatTemplate::new).transpose()
    }

    /// Parses a template.
    pub fn new(source: &str) -> Result<Self, ChatError> {
        let environment = environment::with_template(source)?;
        Ok(ChatTemplate { environment, source: source.to_owned() })
    }

    /// The template's Jinja source.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Renders a conversation. The result holds control tokens as text and, where the template writes it, the
    /// BOS token: encode it with `parse_special` and without `add_special` if it starts with that.
    ///
    /// Fails if the template refuses the conversation, asks for what isn't there (the date, if it isn't given), takes too many
    /// steps or writes too much.
    pub fn render(&self, messages: &[ChatMessage], options: ChatOptions<'_>) -> Result<String, ChatError> {
        let ChatOptions { add_generation_prompt, bos_token, eos_token, now } = options;
        let messages: Vec<Value> = messages
            .iter()
            .map(|ChatMessage { role, content }| Value::from_pairs([("role", role), ("content", content)]))
            .collect();
        let context = context! {
            messages, add_generation_prompt, bos_token, eos_token,
            tools => (), documents => (),
        };
        let context = match now {
            Some(now) => context! { strftime_now => environment::strftime(now), ..context },
            None => context,
        };
        let template = self.environment.get_template(environment::NAME).map_err(ChatError::from_render)?;
        let output = template.render(context).map_err(ChatError::from_render)?;
        environment::check_len(output)
    }
}
