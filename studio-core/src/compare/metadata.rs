//! Metadata side by side.

use gguf_file::{Metadata, Value, ValueArray};
use serde::{Deserialize, Serialize};

/// The most characters of a text that are shown.
const CHARACTERS: usize = 120;
/// The most elements of an array that are shown.
const ELEMENTS: usize = 6;

/// An entry that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataDifference {
    /// Its key.
    pub key: String,
    /// Its value in the first model, where that has it.
    pub first: Option<MetadataValue>,
    /// And in the second.
    pub second: Option<MetadataValue>,
}

/// A value in words for people: of a long one the part where the two begin to differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataValue {
    /// `u32`, `string`, `string[49152]`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// The value, or a part of it between dots.
    pub value: String,
}

/// How many entries are equal, and those that aren't: the first's order, then what only the second has.
pub(super) fn differences(first: &Metadata, second: &Metadata) -> (u64, Vec<MetadataDifference>) {
    let (mut equal, mut differ) = (0, Vec::new());
    for (key, value) in first.iter() {
        let other = second.get(key);
        match other {
            Some(other) if same(value, other) => equal += 1,
            _ => differ.push(MetadataDifference {
                key: key.to_owned(),
                first: Some(shown(value, other)),
                second: other.map(|other| shown(other, Some(value))),
            }),
        }
    }
    for (key, value) in second.iter().filter(|(key, _)| first.get(key).is_none()) {
        let second = Some(shown(value, None));
        differ.push(MetadataDifference { key: key.to_owned(), first: None, second });
    }
    (equal, differ)
}

/// Whether two values are the same, bit for bit: NaN is itself, and 0 isn't −0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::F32(a), Value::F32(b)) => a.to_bits() == b.to_bits(),
        (Value::F64(a), Value::F64(b)) => a.to_bits() == b.to_bits(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && first_difference(a, b).is_none(),
        (a, b) => a == b,
    }
}

/// Where two arrays begin to differ; the shorter one's length where it is the other's beginning.
fn first_difference(a: &ValueArray, b: &ValueArray) -> Option<usize> {
    fn at<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> Option<usize> {
        let differs = a.iter().zip(b).position(|(a, b)| !same(a, b));
        differs.or_else(|| (a.len() != b.len()).then_some(a.len().min(b.len())))
    }
    macro_rules! by_kind {
        ($($kind:ident),*) => {
            match (a, b) {
                $((ValueArray::$kind(a), ValueArray::$kind(b)) => at(a, b, |a, b| a == b),)*
                (ValueArray::F32(a), ValueArray::F32(b)) => at(a, b, |a, b| a.to_bits() == b.to_bits()),
                (ValueArray::F64(a), ValueArray::F64(b)) => at(a, b, |a, b| a.to_bits() == b.to_bits()),
                (ValueArray::Arrays(a), ValueArray::Arrays(b)) => {
                    at(a, b, |a, b| a.len() == b.len() && first_difference(a, b).is_none())
                }
                _ => Some(0),
            }
        };
    }
    by_kind!(U8, I8, U16, I16, U32, I32, U64, I64, Bool, Strings, Bytes)
}

fn shown(value: &Value, other: Option<&Value>) -> MetadataValue {
    let value_of = |text: &str| {
        let from = other.and_then(Value::as_str).map_or(0, |other| common_characters(text, other));
        excerpt(text, from)
    };
    let (kind, value) = match value {
        Value::Array(array) => {
            let from = match other {
                Some(Value::Array(other)) => first_difference(array, other).unwrap_or(0),
                _ => 0,
            };
            (format!("{}[{}]", array.element_type(), array.len()), elements(array, from))
        }
        Value::String(text) => ("string".to_owned(), value_of(text)),
        Value::Bytes(bytes) => ("string".to_owned(), excerpt(&bytes.escape_ascii().to_string(), 0)),
        value => (value.value_type().to_string(), scalar(value)),
    };
    MetadataValue { kind, value }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::U8(value) => value.to_string(),
        Value::I8(value) => value.to_string(),
        Value::U16(value) => value.to_string(),
        Value::I16(value) => value.to_string(),
        Value::U32(value) => value.to_string(),
        Value::I32(value) => value.to_string(),
        Value::U64(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::F32(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::String(text) => excerpt(text, 0),
        Value::Bytes(bytes) => excerpt(&bytes.escape_ascii().to_string(), 0),
        Value::Array(array) => elements(array, 0),
    }
}

/// How many characters two texts have in common at their beginnings.
fn common_characters(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// A text from shortly before a character on.
fn excerpt(text: &str, from: usize) -> String {
    let start = if text.chars().nth(CHARACTERS).is_none() { 0 } else { from.saturating_sub(CHARACTERS / 4) };
    let mut shown: String = text.chars().skip(start).take(CHARACTERS).collect();
    if start > 0 {
        shown.insert(0, '…');
    }
    if text.chars().nth(start + CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}

/// The elements from one on, with its index where it isn't the first.
fn elements(array: &ValueArray, from: usize) -> String {
    fn list<T>(items: &[T], from: usize, show: impl Fn(&T) -> String) -> String {
        let text: Vec<String> = items.iter().skip(from).take(ELEMENTS).map(show).collect();
        let before = if from > 0 { format!("…, from {from} on: ") } else { String::new() };
        let after = if items.len() > from + ELEMENTS { ", …" } else { "" };
        format!("{before}{}{after}", text.join(", "))
    }
    match array {
        ValueArray::U8(items) => list(items, from, ToString::to_string),
        ValueArray::I8(items) => list(items, from, ToString::to_string),
        ValueArray::U16(items) => list(items, from, ToString::to_string),
        ValueArray::I16(items) => list(items, from, ToString::to_string),
        ValueArray::U32(items) => list(items, from, ToString::to_string),
        ValueArray::I32(items) => list(items, from, ToString::to_string),
        ValueArray::U64(items) => list(items, from, ToString::to_string),
        ValueArray::I64(items) => list(items, from, ToString::to_string),
        ValueArray::F32(items) => list(items, from, ToString::to_string),
        ValueArray::F64(items) => list(items, from, ToString::to_string),
        ValueArray::Bool(items) => list(items, from, ToString::to_string),
        ValueArray::Strings(items) => list(items, from, |text| format!("{:?}", excerpt(text, 0))),
        ValueArray::Bytes(items) => {
            list(items, from, |bytes| format!("\"{}\"", excerpt(&bytes.escape_ascii().to_string(), 0)))
        }
        ValueArray::Arrays(items) => list(items, from, |array| format!("[{}]", elements(array, 0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(entries: &[(&str, Value)]) -> Metadata {
        let mut metadata = Metadata::new();
        for (key, value) in entries {
            metadata.insert(*key, value.clone()).unwrap();
        }
        metadata
    }

    fn words(of: &Option<MetadataValue>) -> &str {
        of.as_ref().map_or("", |value| &value.value)
    }

    #[test]
    fn what_only_one_has_and_what_differs_is_told_and_nothing_else() {
        let nan = Value::F32(f32::NAN);
        let first =
            metadata(&[("a", 1_u32.into()), ("b", 2_u32.into()), ("n", nan.clone()), ("x", 3_u32.into())]);
        let second = metadata(&[("y", 4_u32.into()), ("n", nan), ("a", 1_u32.into()), ("b", 2_i32.into())]);
        let (equal, differ) = differences(&first, &second);
        assert_eq!(equal, 2);
        let keys: Vec<&str> = differ.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["b", "x", "y"]);
        let kinds = [&differ[0].first, &differ[0].second].map(|side| side.as_ref().unwrap().kind.clone());
        assert_eq!(kinds, ["u32", "i32"], "a value of another type is another value");
        assert!(differ[1].second.is_none() && differ[2].first.is_none());
    }

    #[test]
    fn long_values_are_shown_where_they_differ() {
        let (mut left, mut right) = (vec![7_u32; 5000], vec![7_u32; 5000]);
        (left[4000], right[4000]) = (1, 2);
        let long = |end: &str| Value::String("é".repeat(500) + end);
        let first = metadata(&[("array", left.into()), ("text", long("left"))]);
        let second = metadata(&[("array", right.into()), ("text", long("right"))]);
        let (_, differ) = differences(&first, &second);
        assert_eq!(words(&differ[0].first), "…, from 4000 on: 1, 7, 7, 7, 7, 7, …");
        assert_eq!(words(&differ[0].second), "…, from 4000 on: 2, 7, 7, 7, 7, 7, …");
        assert!(words(&differ[1].first).ends_with("éleft") && words(&differ[1].first).starts_with('…'));
    }

    #[test]
    fn an_array_that_is_longer_begins_to_differ_behind_the_other() {
        let first = metadata(&[("array", vec![1_u32, 2].into())]);
        let second = metadata(&[("array", vec![1_u32, 2, 3].into())]);
        let (equal, differ) = differences(&first, &second);
        assert_eq!((equal, words(&differ[0].second)), (0, "…, from 2 on: 3"));
    }
}
