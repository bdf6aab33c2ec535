//! [`Metadata`]: key-value pairs in the order of the file, each key once, with getters whose errors name the
//! key.

use std::collections::HashMap;

use crate::error::{Error, ErrorKind};
use crate::place::{Field, Place, ValuePart};
use crate::value::{Value, ValueArray};

/// The metadata of a file, or for one.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// No two have the same key.
    entries: Vec<Entry>,
    /// From each key to its place in `entries`.
    index: HashMap<String, usize>,
    /// Which of several sources the entries came from.
    shard: Option<usize>,
}

#[derive(Clone, Debug)]
struct Entry {
    key: String,
    value: Value,
    /// Where the pair starts in its file; `None` if it was never in one.
    offset: Option<u64>,
}

impl PartialEq for Metadata {
    /// Same keys and values in the same order, wherever they came from.
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Metadata {
    /// No entries.
    pub fn new() -> Self {
        Metadata::default()
    }

    pub(crate) fn of_shard(shard: Option<usize>) -> Self {
        Metadata { shard, ..Metadata::default() }
    }

    /// The index of the source that the entries came from, if there were several.
    pub(crate) fn shard(&self) -> Option<usize> {
        self.shard
    }

    /// Adds a pair at the end. A key that is there already is refused.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Result<(), Error> {
        self.insert_at(None, key.into(), value.into())
    }

    pub(crate) fn insert_at(&mut self, offset: Option<u64>, key: String, value: Value) -> Result<(), Error> {
        if let Some(first) = self.entry(&key) {
            let kind = match first.offset {
                Some(first_offset) => ErrorKind::Duplicate { first_offset },
                None => ErrorKind::DuplicateEntry,
            };
            return Err(self.error_at(&key, offset, kind));
        }
        self.index.insert(key.clone(), self.entries.len());
        self.entries.push(Entry { key, value, offset });
        Ok(())
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All pairs, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.entries.iter().map(|entry| (entry.key.as_str(), &entry.value))
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Where the pair of `key` starts in its file.
    pub fn offset(&self, key: &str) -> Option<u64> {
        self.entry(key)?.offset
    }

    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.get(*self.index.get(key)?)
    }

    fn error_at(&self, key: &str, offset: Option<u64>, kind: ErrorKind) -> Error {
        let field = Field::Value { key: key.to_owned(), part: ValuePart::Content };
        Error::new(Place { shard: self.shard, field, offset }, kind)
    }

    /// An error about the value of `key`, placed where the file has it.
    pub(crate) fn error(&self, key: &str, kind: ErrorKind) -> Error {
        self.error_at(key, self.offset(key), kind)
    }

    fn optional<'a, T>(
        &'a self,
        key: &str,
        expected: &'static str,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match convert(value) {
            Some(converted) => Ok(Some(converted)),
            None => Err(self.error(key, ErrorKind::WrongType { expected, found: describe(value) })),
        }
    }

    fn required<T>(&self, key: &str, found: Option<T>) -> Result<T, Error> {
        found.ok_or_else(|| self.error(key, ErrorKind::MissingKey))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
fn rounded(float: f64) -> f32 {
    float as f32
}

/// A value in few words, for an error.
fn describe(value: &Value) -> String {
    match value {
        Value::Array(array) => format!("an array of {} {}", array.len(), array.element_type()),
        Value::Bytes(_) => "a string that is not UTF-8".to_owned(),
        Value::String(_) => "a string".to_owned(),
        Value::Bool(v) => format!("the bool {v}"),
        Value::F32(v) => format!("the f32 {v}"),
        Value::F64(v) => format!("the f64 {v}"),
        Value::U8(_)
        | Value::I8(_)
        | Value::U16(_)
        | Value::I16(_)
        | Value::U32(_)
        | Value::I32(_)
        | Value::U64(_)
        | Value::I64(_) => {
            format!("the {} {}", value.value_type(), value.as_integer().unwrap_or_default())
        }
    }
}

macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident / $opt_name:ident -> $ty:ty, $expected:literal, $convert:expr;)*) => {
        /// Typed getters: `x(key)` fails when the key is missing, `opt_x(key)` gives `None` then. Both fail, naming
        /// the key and where it is, when the value is of another type. Integers of any width and sign are taken
        /// if the value fits.
        impl Metadata {
            $(
                $(#[$doc])*
                pub fn $name(&self, key: &str) -> Result<$ty, Error> {
                    let found = self.$opt_name(key)?;
                    self.required(key, found)
                }

                #[doc = concat!("As [`Metadata::", stringify!($name), "`], with `None` if the key is not there.")]
                pub fn $opt_name(&self, key: &str) -> Result<Option<$ty>, Error> {
                    self.optional(key, $expected, $convert)
                }
            )*
        }
    };
}

getters! {
    /// An integer that fits `u32`.
    u32 / opt_u32 -> u32, "an integer that fits u32", |v| v.as_integer()?.try_into().ok();
    /// An integer that fits `u64`.
    u64 / opt_u64 -> u64, "an integer that fits u64", |v| v.as_integer()?.try_into().ok();
    /// An integer that fits `i32`.
    i32 / opt_i32 -> i32, "an integer that fits i32", |v| v.as_integer()?.try_into().ok();
    /// An integer that fits `i64`.
    i64 / opt_i64 -> i64, "an integer that fits i64", |v| v.as_integer()?.try_into().ok();
    /// A float; an `f64` is rounded.
    f32 / opt_f32 -> f32, "a float", |v| v.as_float().map(rounded);
    /// A float.
    f64 / opt_f64 -> f64, "a float", Value::as_float;
    /// A bool.
    bool / opt_bool -> bool, "a bool", Value::as_bool;
    /// A string.
    str / opt_str -> &str, "a string of UTF-8", Value::as_str;
    /// An array of any type.
    array / opt_array -> &ValueArray, "an array", Value::as_array;
    /// An array of strings.
    strings / opt_strings -> &[String], "an array of strings of UTF-8", |v| match v.as_array()? {
        ValueArray::Strings(strings) => Some(strings.as_slice()),
        _ => None,
    };
    /// An array of integers that all fit `u32`.
    u32s / opt_u32s -> Vec<u32>, "an array of integers that fit u32", |v| v.as_array()?.to_integers();
    /// An array of integers that all fit `i32`.
    i32s / opt_i32s -> Vec<i32>, "an array of integers that fit i32", |v| v.as_array()?.to_integers();
    /// An array of `f32`.
    f32s / opt_f32s -> Vec<f32>, "an array of f32", |v| match v.as_array()? {
        ValueArray::F32(floats) => Some(floats.clone()),
        _ => None,
    };
    /// An array of bools.
    bools / opt_bools -> Vec<bool>, "an array of bools", |v| match v.as_array()? {
        ValueArray::Bool(bools) => Some(bools.clone()),
        _ => None,
    };
}
