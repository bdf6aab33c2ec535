//! A bundle's reference page as the browser shows it: `REFERENCE.md` as HTML, with a list of its sections.

use super::words::escape;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// The page. Whatever the Markdown says, nothing of it becomes markup of its own: HTML in it is shown as it stands.
pub(super) fn page(markdown: &str, bundle: &str) -> String {
    let mut title = String::new();
    let mut sections: Vec<String> = Vec::new();
    let mut heading: Option<(HeadingLevel, String)> = None;
    let mut events = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                heading = Some((level, String::new()));
                let id =
                    (level == HeadingLevel::H2).then(|| CowStr::from(format!("section-{}", sections.len())));
                events.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::End(TagEnd::Heading(level)) => {
                match heading.take() {
                    Some((HeadingLevel::H1, text)) if title.is_empty() => title = text,
                    Some((HeadingLevel::H2, text)) => sections.push(text),
                    _ => {}
                }
                events.push(Event::End(TagEnd::Heading(level)));
            }
            Event::Start(Tag::Table(columns)) => {
                let section = sections.last().map_or("", String::as_str);
                let frame = format!(
                    "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: {}\">",
                    escape(section)
                );
                events.extend([Event::Html(frame.into()), Event::Start(Tag::Table(columns))]);
            }
            Event::End(TagEnd::Table) => {
                events.extend([Event::End(TagEnd::Table), Event::Html("</div>".into())]);
            }
            Event::Html(text) | Event::InlineHtml(text) => events.push(Event::Text(text)),
            event => {
                if let (Some((_, words)), Event::Text(text) | Event::Code(text)) = (&mut heading, &event) {
                    words.push_str(text);
                }
                events.push(event);
            }
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    let item = |(index, section): (usize, &String)| {
        format!("<li><a href=\"#section-{index}\">{}</a></li>", escape(section))
    };
    let list: String = sections.iter().enumerate().map(item).collect();
    let title = escape(&title);
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} · Lowering Studio</title><script src=\"/theme.js\"></script>\
         <link rel=\"icon\" href=\"/favicon.svg\"><link rel=\"stylesheet\" href=\"/studio.css\">\
         <link rel=\"stylesheet\" href=\"/reference.css\">\
         <body class=\"reference\"><nav aria-label=\"Sections\"><ol>{list}</ol>\
         <p><a href=\"/bundles/{bundle}.md\" download=\"REFERENCE.md\" data-testid=\"reference-markdown\">As Markdown</a></p></nav>\
         <main>{body}</main></body></html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn sections_are_listed_and_tables_framed() {
        let html = page(
            "# A `model`\n\n## Files\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n## Functions\n\n### `f`\n",
            "00",
        );
        assert!(html.contains("<title>A model · Lowering Studio</title>"), "{html}");
        assert!(
            html.contains(
                "<li><a href=\"#section-0\">Files</a></li><li><a href=\"#section-1\">Functions</a></li>"
            ),
            "{html}"
        );
        assert!(html.contains("<h2 id=\"section-1\">Functions</h2>"), "{html}");
        assert!(
            html.contains("aria-label=\"Table: Files\"><table>") && html.contains("</table>\n</div>"),
            "{html}"
        );
    }

    #[test]
    fn nothing_in_the_text_becomes_markup() {
        let html =
            page("# <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n| <b>a |\n| --- |\n", "00");
        assert!(!html.contains("<script>a") && !html.contains("<img") && !html.contains("<b>"), "{html}");
        assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
    }
}
