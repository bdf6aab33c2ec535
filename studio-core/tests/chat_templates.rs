//! The chat templates of many models, as llama.cpp keeps them for its own tests, against Python's jinja2, which they
//! were written for.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cache;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use studio_core::chat::{ChatError, ChatMessage, ChatOptions, ChatTemplate};

/// What jinja2 says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Expected {
    /// The prompt.
    Text(String),
    /// The template's own refusal.
    Refused(String),
    /// The template goes through tools, of which there are none, or isn't Jinja. Then ours may do what it likes.
    Failed(serde::de::IgnoredAny),
}

/// 30 November 2026.
const NOW: u64 = 1_795_996_800;

#[test]
fn every_template_gives_what_jinja2_makes_of_it() {
    let folder = cache::folder().join("vocabularies/templates");
    let conversations = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chat/conversations.json");
    let expected = render(&folder, &conversations);
    assert!(expected.len() > 50, "{} templates in {}", expected.len(), folder.display());
    let conversations: Vec<Vec<BTreeMap<String, String>>> =
        serde_json::from_slice(&fs::read(conversations).unwrap()).unwrap();
    let mut rendered = 0;
    let mut differences = Vec::new();
    for (name, expected) in expected {
        let template = ChatTemplate::new(&fs::read_to_string(folder.join(&name)).unwrap());
        let cases =
            conversations.iter().flat_map(|conversation| [(conversation, false), (conversation, true)]);
        for ((conversation, add_generation_prompt), expected) in cases.zip(expected) {
            let messages: Vec<_> = conversation
                .iter()
                .map(|message| ChatMessage::new(&*message["role"], &*message["content"]))
                .collect();
            let options =
                ChatOptions { add_generation_prompt, bos_token: "<s>", eos_token: "</s>", now: Some(NOW) };
            let ours = template.as_ref().map(|template| template.render(&messages, options));
            rendered += usize::from(matches!(expected, Expected::Text(_)));
            let same = match (&ours, &expected) {
                (Ok(Ok(ours)), Expected::Text(text)) => ours == text,
                (Ok(Err(ChatError::Refused { message })), Expected::Refused(refusal)) => message == refusal,
                (_, Expected::Failed(_)) => true,
                _ => false,
            };
            if !same {
                differences.push(format!("{name}, {conversation:?}:\n  ours {ours:?}\n  want {expected:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert!(rendered > 500, "only {rendered} prompts were compared");
}

fn render(folder: &Path, conversations: &Path) -> BTreeMap<String, Vec<Expected>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chat/render_templates.py");
    let python = std::env::var_os("STUDIO_TEST_PYTHON")
        .map_or_else(|| cache::folder().join("python/bin/python"), PathBuf::from);
    let output = Command::new(python).arg(script).arg(folder).arg(conversations).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}
