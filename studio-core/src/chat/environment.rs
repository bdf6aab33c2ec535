//! The Jinja environment that chat templates are written for.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Value};
use minijinja_contrib::pycompat;

use super::error::Refusal;
use super::time::Moment;
use super::{ChatError, python};

/// The template's name in messages.
pub(super) const NAME: &str = "chat_template";

const TEMPLATE_BYTES: usize = 1 << 20;
const OUTPUT_BYTES: usize = 64 << 20;
/// Instructions of minijinja's machine and bytes written, far above what a long conversation takes.
const FUEL: u64 = 10_000_000;

/// An environment holding `source` as its only template.
pub(super) fn with_template(source: &str) -> Result<Environment<'static>, ChatError> {
    if source.len() > TEMPLATE_BYTES {
        return Err(ChatError::TemplateTooLong { bytes: source.len(), limit: TEMPLATE_BYTES });
    }
    let mut environment = Environment::new();
    let syntax =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(false).build();
    environment.set_syntax(syntax.map_err(ChatError::Parse)?);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(pycompat::unknown_method_callback);
    environment.set_formatter(python::format);
    environment.add_filter("tojson", python::to_json);
    environment.add_test("iterable", python::is_iterable);
    environment.add_function("raise_exception", raise_exception);
    environment.add_template_owned(NAME, source.to_owned()).map_err(ChatError::Parse)?;
    Ok(environment)
}

/// Refuses output that no context could hold.
pub(super) fn check_len(output: String) -> Result<String, ChatError> {
    if output.len() > OUTPUT_BYTES { Err(ChatError::LimitReached) } else { Ok(output) }
}

/// The function `strftime_now` at that time.
pub(super) fn strftime(now: u64) -> Value {
    Value::from_function(move |format: &str| Moment::from_unix(now).format(format))
}

fn raise_exception(message: &str) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, "raise_exception").with_source(Refusal(message.to_owned())))
}
