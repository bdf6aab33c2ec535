//! The prompt form: what a run is asked to do.

use studio_protocol::{ChatMessage, Hash, Prompt, RunSpec, Sampling};

/// The most tokens that may be asked for at once.
const MOST_TOKENS: u32 = 65_536;

/// The form's fields as they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptForm {
    /// What to continue or to answer.
    pub text: String,
    /// What the model is told first; nothing where blank.
    pub system: String,
    /// Whether the chat template is used.
    pub chat: bool,
    /// The most tokens to generate.
    pub max_tokens: String,
    /// Worker threads; the runner chooses where blank.
    pub threads: String,
    /// Whether each dispatch is timed.
    pub profile: bool,
}

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `text`
    Text,
    /// `max_tokens`
    MaxTokens,
    /// `threads`
    Threads,
}

impl Default for PromptForm {
    fn default() -> Self {
        Self {
            text: String::new(),
            system: String::new(),
            chat: true,
            max_tokens: "128".to_owned(),
            threads: String::new(),
            profile: false,
        }
    }
}

impl PromptForm {
    /// The form that asked for this run.
    pub fn of(spec: &RunSpec) -> Self {
        let form = Self {
            max_tokens: spec.max_tokens.to_string(),
            threads: spec.threads.map(|threads| threads.to_string()).unwrap_or_default(),
            profile: spec.profile,
            ..Self::default()
        };
        match &spec.prompt {
            Prompt::Chat { messages } => {
                let said = |role: &str| {
                    let turn = messages.iter().find(|message| message.role == role);
                    turn.map(|message| message.content.clone()).unwrap_or_default()
                };
                Self { text: said("user"), system: said("system"), ..form }
            }
            Prompt::Text { text } => Self { text: text.clone(), chat: false, ..form },
            Prompt::Tokens { .. } => form,
        }
    }

    /// The run that the form asks for, or everything that is wrong with it.
    pub fn check(
        &self,
        bundle: Hash,
        module: Option<Hash>,
        has_chat_template: bool,
        cores: Option<u32>,
    ) -> Result<RunSpec, Vec<(Field, String)>> {
        let mut errors = Vec::new();
        if self.text.trim().is_empty() {
            errors.push((Field::Text, "Write a prompt first".to_owned()));
        }
        let max_tokens = within(&self.max_tokens, MOST_TOKENS)
            .unwrap_or_else(|words| {
                errors.push((Field::MaxTokens, words));
                None
            })
            .unwrap_or_else(|| {
                if self.max_tokens.trim().is_empty() {
                    errors.push((Field::MaxTokens, "A whole number".to_owned()));
                }
                1
            });
        let threads = within(&self.threads, cores.unwrap_or(1024)).unwrap_or_else(|words| {
            errors.push((Field::Threads, words));
            None
        });
        if !errors.is_empty() {
            return Err(errors);
        }
        let prompt = if self.chat && has_chat_template {
            let message = |role: &str, content: &str| ChatMessage {
                role: role.to_owned(),
                content: content.to_owned(),
            };
            let system = Some(self.system.trim()).filter(|text| !text.is_empty());
            let system = system.map(|text| message("system", text));
            Prompt::Chat { messages: system.into_iter().chain([message("user", &self.text)]).collect() }
        } else {
            Prompt::Text { text: self.text.clone() }
        };
        let sampling = Sampling::default();
        Ok(RunSpec {
            bundle,
            module,
            target: None,
            prompt,
            max_tokens,
            threads,
            sampling,
            profile: self.profile,
        })
    }
}

/// A number from 1 to a limit; nothing where blank.
fn within(text: &str, most: u32) -> Result<Option<u32>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<u32>() {
        Ok(value) if (1..=most).contains(&value) => Ok(Some(value)),
        Ok(_) => Err(format!("From 1 to {most}")),
        Err(_) => Err("A whole number".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLE: Hash = Hash::from_bytes([1; 32]);
    const MODULE: Option<Hash> = Some(Hash::from_bytes([2; 32]));

    fn form(text: &str) -> PromptForm {
        PromptForm { text: text.into(), ..PromptForm::default() }
    }

    #[test]
    fn a_chat_has_its_system_turn_only_when_there_is_one() {
        let mut form = form("Hi");
        let turns = |form: &PromptForm| match form.check(BUNDLE, MODULE, true, None).unwrap().prompt {
            Prompt::Chat { messages } => messages.into_iter().map(|message| message.role).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        assert_eq!(turns(&form), ["user"]);
        form.system = "  Be brief. ".into();
        assert_eq!(turns(&form), ["system", "user"]);
    }

    #[test]
    fn a_model_without_a_template_gets_the_text_as_it_is() {
        let spec = form(" Hi ").check(BUNDLE, MODULE, false, None).unwrap();
        assert_eq!(spec.prompt, Prompt::Text { text: " Hi ".into() });
        assert_eq!((spec.max_tokens, spec.threads), (128, None));
    }

    #[test]
    fn a_reloaded_page_shows_what_was_asked() {
        let mut form = form("Hi");
        form.system = "Be brief.".into();
        form.threads = "2".into();
        form.profile = true;
        assert_eq!(PromptForm::of(&form.check(BUNDLE, MODULE, true, None).unwrap()), form);
        form.chat = false;
        form.system.clear();
        assert_eq!(PromptForm::of(&form.check(BUNDLE, MODULE, true, None).unwrap()), form);
    }

    #[test]
    fn each_wrong_field_is_named() {
        let form = PromptForm { max_tokens: "0".into(), threads: "9".into(), ..form("  ") };
        let errors = form.check(BUNDLE, MODULE, true, Some(8)).unwrap_err();
        let fields: Vec<Field> = errors.iter().map(|(field, _)| *field).collect();
        assert_eq!(fields, [Field::Text, Field::MaxTokens, Field::Threads]);
        assert_eq!(errors[2].1, "From 1 to 8");
        let form = PromptForm { max_tokens: " ".into(), ..self::form("x") };
        assert_eq!(form.check(BUNDLE, MODULE, true, None).unwrap_err()[0].0, Field::MaxTokens);
    }
}
