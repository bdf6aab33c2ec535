//! Pages that are only words, for when there is nothing better to show.

use axum::response::Html;

/// A page with a heading and a paragraph. Text in backquotes is shown as code.
pub(crate) fn page(heading: &str, text: &str) -> Html<String> {
    let paragraph: String = escape(text)
        .split('`')
        .enumerate()
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() })
        .collect();
    let heading = escape(heading);
    Html(format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>{heading} · Lowering Studio</title><h1>{heading}</h1><p>{paragraph}</p></html>\n"
    ))
}

/// Text as HTML that says just that.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
