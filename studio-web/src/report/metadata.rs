//! Metadata entries as rows: of a long value the beginning.

use crate::messages::MetadataRow;
use gguf_file::{Metadata, Value, ValueArray};
use std::fmt::Display;

/// The most characters of a string that are shown.
const MAX_TEXT: usize = 4_000;
/// The most elements of an array that are shown.
const MAX_ELEMENTS: usize = 24;
/// The most characters of a string in an array that are shown.
const MAX_ELEMENT_TEXT: usize = 40;

/// A row for each entry, in the file's order.
pub(super) fn rows(metadata: &Metadata) -> Vec<MetadataRow> {
    metadata
        .iter()
        .map(|(key, value)| MetadataRow { key: key.to_owned(), kind: kind(value), value: shown(value) })
        .collect()
}

fn kind(value: &Value) -> String {
    match value {
        Value::Array(array) => format!("{}[{}]", array.element_type(), array.len()),
        _ => value.value_type().to_string(),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::U8(v) => v.to_string(),
        Value::I8(v) => v.to_string(),
        Value::U16(v) => v.to_string(),
        Value::I16(v) => v.to_string(),
        Value::U32(v) => v.to_string(),
        Value::I32(v) => v.to_string(),
        Value::F32(v) => v.to_string(),
        Value::Bool(v) => v.to_string(),
        Value::String(text) => beginning(text, MAX_TEXT),
        Value::Bytes(bytes) => beginning(&bytes.escape_ascii().to_string(), MAX_TEXT),
        Value::Array(array) => elements(array),
        Value::U64(v) => v.to_string(),
        Value::I64(v) => v.to_string(),
        Value::F64(v) => v.to_string(),
    }
}

fn elements(array: &ValueArray) -> String {
    match array {
        ValueArray::U8(v) => list(v, ToString::to_string),
        ValueArray::I8(v) => list(v, ToString::to_string),
        ValueArray::U16(v) => list(v, ToString::to_string),
        ValueArray::I16(v) => list(v, ToString::to_string),
        ValueArray::U32(v) => list(v, ToString::to_string),
        ValueArray::I32(v) => list(v, ToString::to_string),
        ValueArray::F32(v) => list(v, ToString::to_string),
        ValueArray::Bool(v) => list(v, ToString::to_string),
        ValueArray::Strings(v) => list(v, |text| quoted(text)),
        ValueArray::Bytes(v) => list(v, |bytes| quoted(bytes.escape_ascii())),
        ValueArray::Arrays(v) => list(v, |array| format!("[{}]", elements(array))),
        ValueArray::U64(v) => list(v, ToString::to_string),
        ValueArray::I64(v) => list(v, ToString::to_string),
        ValueArray::F64(v) => list(v, ToString::to_string),
    }
}

fn quoted(text: impl Display) -> String {
    format!("“{}”", beginning(&text.to_string(), MAX_ELEMENT_TEXT))
}

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    let mut text = items.iter().take(MAX_ELEMENTS).map(show).collect::<Vec<_>>().join(", ");
    if items.len() > MAX_ELEMENTS {
        text.push_str(", …");
    }
    text
}

fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: impl Into<Value>) -> (String, String) {
        let mut metadata = Metadata::new();
        metadata.insert("key", value).unwrap();
        let row = rows(&metadata).remove(0);
        (row.kind, row.value)
    }

    #[test]
    fn long_values_show_their_beginning() {
        let (kind, value) = row(vec![7_u32; 50_000]);
        assert_eq!(kind, "u32[50000]");
        assert!(value.starts_with("7, 7, ") && value.ends_with(", …") && value.len() < 100);
        let (_, value) = row("é".repeat(5_000).as_str());
        assert_eq!(value.chars().count(), MAX_TEXT + 1);
    }

    #[test]
    fn strings_in_arrays_are_quoted() {
        let (kind, value) = row(vec!["a".to_owned(), "b c".to_owned()]);
        assert_eq!((kind.as_str(), value.as_str()), ("string[2]", "“a”, “b c”"));
        assert_eq!(row(1e-5_f32), ("f32".to_owned(), "0.00001".to_owned()));
    }
}
