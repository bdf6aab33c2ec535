//! docs/protocol.md names everything that the types have.

use serde::de::DeserializeOwned;
use studio_protocol::{
    ClientMessage, ErrorCode, HubMessage, JobEvent, JobSpec, JobState, On, Outcome, Prompt, RunnerState,
    StopReason,
};

const DOCUMENT: &str = include_str!("../../docs/protocol.md");

/// The variants of a type by the names that JSON gives them: serde lists them when it meets an unknown one.
fn names<T: DeserializeOwned>(unknown: &str) -> Vec<String> {
    let Err(error) = serde_json::from_str::<T>(unknown) else { panic!("{unknown} was understood") };
    let error = error.to_string();
    let (_, list) = error.split_once("expected").unwrap_or_else(|| panic!("no list in: {error}"));
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_name_stands_in_the_document() {
    let mut all = Vec::new();
    for (names, at_least) in [
        (names::<ClientMessage>(r#"{"type":"?"}"#), 14),
        (names::<HubMessage>(r#"{"type":"?"}"#), 16),
        (names::<JobSpec>(r#"{"kind":"?"}"#), 2),
        (names::<Prompt>(r#"{"as":"?"}"#), 3),
        (names::<JobEvent>(r#"{"event":"?"}"#), 6),
        (names::<Outcome>(r#"{"result":"?"}"#), 4),
        (names::<On>(r#"{"?":1}"#), 3),
        (names::<JobState>(r#""?""#), 3),
        (names::<RunnerState>(r#""?""#), 3),
        (names::<StopReason>(r#""?""#), 3),
        (names::<ErrorCode>(r#""?""#), 14),
    ] {
        assert!(names.len() >= at_least, "{names:?}");
        all.extend(names);
    }
    let missing: Vec<_> = all
        .iter()
        .filter(|name| {
            !DOCUMENT.contains(&format!("`{name}`"))
                && !DOCUMENT.contains(&format!(r#":"{name}""#))
                && !DOCUMENT.contains(&format!(r#"{{"{name}":"#))
        })
        .collect();
    assert!(missing.is_empty(), "docs/protocol.md does not name {missing:?}");
}

#[test]
fn the_version_is_the_documents() {
    assert!(DOCUMENT.starts_with(&format!("# The protocol, version {}\n", studio_protocol::VERSION)));
}
