//! Getters: what they take, and what they say when the value is another.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking too")]

use gguf_file::{Gguf, GgufBuilder, Metadata, Value, ValueArray};

fn metadata() -> Metadata {
    let mut metadata = Metadata::new();
    metadata.insert("u8", 7_u8).unwrap();
    metadata.insert("negative", -7_i32).unwrap();
    metadata.insert("large", u64::MAX).unwrap();
    metadata.insert("f32", 0.5_f32).unwrap();
    metadata.insert("f64", 0.1_f64).unwrap();
    metadata.insert("bool", true).unwrap();
    metadata.insert("text", "llama").unwrap();
    metadata.insert("bytes", Value::Bytes(vec![0xff])).unwrap();
    metadata.insert("strings", vec!["a".to_owned(), "b".to_owned()]).unwrap();
    metadata.insert("byte strings", Value::Array(ValueArray::Bytes(vec![vec![0xff]]))).unwrap();
    metadata.insert("i16s", vec![1_i16, 2]).unwrap();
    metadata.insert("mixed", vec![-1_i64, 1 << 40]).unwrap();
    metadata.insert("f32s", vec![1.0_f32]).unwrap();
    metadata
}

#[test]
fn values_of_the_asked_kind() {
    let metadata = metadata();
    assert_eq!(metadata.u32("u8").unwrap(), 7);
    assert_eq!(metadata.i64("u8").unwrap(), 7);
    assert_eq!(metadata.i32("negative").unwrap(), -7);
    assert_eq!(metadata.u64("large").unwrap(), u64::MAX);
    assert_eq!(metadata.f32("f32").unwrap(), 0.5);
    assert_eq!(metadata.f32("f64").unwrap(), 0.1_f32);
    assert_eq!(metadata.f64("f64").unwrap(), 0.1);
    assert!(metadata.bool("bool").unwrap());
    assert_eq!(metadata.str("text").unwrap(), "llama");
    assert_eq!(metadata.strings("strings").unwrap(), ["a", "b"]);
    assert_eq!(metadata.u32s("i16s").unwrap(), [1, 2]);
    assert_eq!(metadata.i32s("i16s").unwrap(), [1, 2]);
    assert_eq!(metadata.f32s("f32s").unwrap(), [1.0]);
    assert_eq!(metadata.array("mixed").map(ValueArray::len).unwrap(), 2);
}

#[test]
fn a_missing_key_is_an_error_or_none() {
    let metadata = metadata();
    assert_eq!(metadata.u32("nothing").unwrap_err().to_string(), "metadata \"nothing\": missing");
    assert_eq!(metadata.opt_u32("nothing").unwrap(), None);
    assert_eq!(metadata.opt_strings("nothing").unwrap(), None);
}

#[test]
fn a_value_of_another_kind_is_named() {
    let metadata = metadata();
    let says = |error: gguf_file::Error| error.to_string();
    let expected = "metadata \"negative\": the i32 -7 instead of an integer that fits u32";
    assert_eq!(says(metadata.u32("negative").unwrap_err()), expected);
    let expected = "metadata \"large\": the u64 18446744073709551615 instead of an integer that fits i64";
    assert_eq!(says(metadata.opt_i64("large").unwrap_err()), expected);
    let expected = "metadata \"text\": a string instead of a float";
    assert_eq!(says(metadata.f32("text").unwrap_err()), expected);
    let expected = "metadata \"bytes\": a string that is not UTF-8 instead of a string of UTF-8";
    assert_eq!(says(metadata.str("bytes").unwrap_err()), expected);
    let expected = "metadata \"mixed\": an array of 2 i64 instead of an array of integers that fit u32";
    assert_eq!(says(metadata.u32s("mixed").unwrap_err()), expected);
    let expected = "metadata \"byte strings\": an array of 1 string instead of an array of strings of UTF-8";
    assert_eq!(says(metadata.strings("byte strings").unwrap_err()), expected);
    let expected = "metadata \"bool\": the bool true instead of an array";
    assert_eq!(says(metadata.array("bool").unwrap_err()), expected);
}

#[test]
fn an_error_about_a_value_from_a_file_says_where_it_is() {
    let mut builder = GgufBuilder::new();
    builder.set("first", 1_u8).unwrap().set("second", "text").unwrap();
    let bytes = builder.write_to(Vec::new()).unwrap();
    let gguf = Gguf::open(&bytes).unwrap();
    let expected = "metadata \"second\" at byte 42: a string instead of an integer that fits u32";
    assert_eq!(gguf.metadata().u32("second").unwrap_err().to_string(), expected);
}

#[test]
fn order_is_kept_and_keys_are_unique() {
    let mut metadata = metadata();
    let keys: Vec<&str> = metadata.iter().map(|(key, _)| key).take(3).collect();
    assert_eq!(keys, ["u8", "negative", "large"]);
    assert_eq!(metadata.insert("u8", 1_u8).unwrap_err().to_string(), "metadata \"u8\": there twice");
    assert_eq!(metadata.get("u8"), Some(&Value::U8(7)));
}
