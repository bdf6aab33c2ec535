//! Hyperparameters: the numbers of a model, by the keys that llama.cpp's converters write.

use super::BuildError;
use gguf_file::{Metadata, Value};

/// Heads wider than any model's, which a hostile file could use to make the rope table huge.
const MAX_HEAD_DIM: u64 = 4096;

/// The numbers of a decoder-only transformer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hyper {
    pub(super) layer_count: u64,
    pub(super) embedding_length: u64,
    /// A multiple of `kv_head_count`.
    pub(super) head_count: u64,
    pub(super) kv_head_count: u64,
    /// Even.
    pub(super) head_dim: u64,
    /// How many of a head's dimensions are rotated; even.
    pub(super) rope_dimension_count: u64,
}

impl Hyper {
    /// Reads what `architecture`'s keys say and refuses what makes no model.
    pub(super) fn read(keys: &Keys<'_>) -> Result<Self, BuildError> {
        let embedding_length = keys.positive("embedding_length")?;
        let head_count = keys.uniform("attention.head_count")?;
        let kv_head_count = match keys.present("attention.head_count_kv") {
            true => keys.uniform("attention.head_count_kv")?,
            false => head_count,
        };
        if !head_count.is_multiple_of(kv_head_count) {
            let reason = format!("attention.head_count, {head_count}, must be a multiple of it");
            return Err(keys.bad("attention.head_count_kv", kv_head_count, reason));
        }
        let head_dim = head_dim(keys, embedding_length, head_count)?;
        let rope_dimension_count = keys.opt_positive("rope.dimension_count")?.unwrap_or(head_dim);
        if rope_dimension_count > head_dim || !rope_dimension_count.is_multiple_of(2) {
            let reason = format!("it must be even and at most the head's size, {head_dim}");
            return Err(keys.bad("rope.dimension_count", rope_dimension_count, reason));
        }
        Ok(Self {
            layer_count: keys.positive("block_count")?,
            embedding_length,
            head_count,
            kv_head_count,
            head_dim,
            rope_dimension_count,
        })
    }
}

fn head_dim(keys: &Keys<'_>, embedding_length: u64, head_count: u64) -> Result<u64, BuildError> {
    let head_dim = match keys.opt_positive("attention.key_length")? {
        Some(key_length) => key_length,
        None if embedding_length.is_multiple_of(head_count) => embedding_length / head_count,
        None => {
            let reason = format!("embedding_length, {embedding_length}, must be a multiple of it");
            return Err(keys.bad("attention.head_count", head_count, reason));
        }
    };
    if head_dim > MAX_HEAD_DIM || !head_dim.is_multiple_of(2) {
        let reason = format!("it makes heads of {head_dim}; they must be even and at most {MAX_HEAD_DIM}");
        return Err(keys.bad("attention.key_length", head_dim, reason));
    }
    if let Some(value_length) = keys.opt_positive("attention.value_length")?
        && value_length != head_dim
    {
        return Err(
            keys.unsupported("attention.value_length", "a value head of another size than the key head")
        );
    }
    Ok(head_dim)
}

/// The keys of one architecture.
#[derive(Clone, Copy)]
pub(super) struct Keys<'m> {
    pub(super) metadata: &'m Metadata,
    pub(super) architecture: &'m str,
}

impl<'m> Keys<'m> {
    /// The whole key.
    pub(super) fn key(&self, suffix: &str) -> String {
        format!("{}.{suffix}", self.architecture)
    }

    pub(super) fn present(&self, suffix: &str) -> bool {
        self.metadata.get(&self.key(suffix)).is_some()
    }

    /// The error for a value that makes no model.
    pub(super) fn bad(&self, suffix: &str, value: impl ToString, reason: impl Into<String>) -> BuildError {
        BuildError::BadHyperparameter {
            key: self.key(suffix),
            value: value.to_string(),
            reason: reason.into(),
        }
    }

    /// The error for a value that asks for what can't be done.
    pub(super) fn unsupported(&self, suffix: &str, feature: &'static str) -> BuildError {
        let key = self.key(suffix);
        let value = self.metadata.get(&key).map(shown).unwrap_or_default();
        BuildError::Unsupported { key, value, feature }
    }

    pub(super) fn positive(&self, suffix: &str) -> Result<u64, BuildError> {
        self.checked_positive(suffix, u64::from(self.metadata.u32(&self.key(suffix))?))
    }

    pub(super) fn opt_positive(&self, suffix: &str) -> Result<Option<u64>, BuildError> {
        let value = self.metadata.opt_u32(&self.key(suffix))?;
        value.map(|value| self.checked_positive(suffix, u64::from(value))).transpose()
    }

    fn checked_positive(&self, suffix: &str, value: u64) -> Result<u64, BuildError> {
        if value == 0 { Err(self.bad(suffix, value, "it must be positive")) } else { Ok(value) }
    }

    /// A number that may be given once for each layer, as long as it is the same for all.
    pub(super) fn uniform(&self, suffix: &str) -> Result<u64, BuildError> {
        let key = self.key(suffix);
        if !matches!(self.metadata.get(&key), Some(Value::Array(_))) {
            return self.positive(suffix);
        }
        let by_layer = self.metadata.u32s(&key)?;
        match by_layer.split_first() {
            None => Err(self.bad(suffix, "an empty array", "it needs a number for each layer")),
            Some((first, rest)) if rest.iter().all(|other| other == first) => {
                self.checked_positive(suffix, u64::from(*first))
            }
            Some(_) => Err(self.unsupported(suffix, "a number that differs between layers")),
        }
    }

    /// A number that may be missing, whatever it is.
    pub(super) fn opt_f32(&self, suffix: &str) -> Result<Option<f32>, BuildError> {
        Ok(self.metadata.opt_f32(&self.key(suffix))?)
    }

    /// A word that may be missing.
    pub(super) fn opt_str(&self, suffix: &str) -> Result<Option<&'m str>, BuildError> {
        Ok(self.metadata.opt_str(&self.key(suffix))?)
    }

    /// A number that is 0 or missing where there is nothing of the kind.
    pub(super) fn nonzero_f32(&self, suffix: &str) -> Result<Option<f32>, BuildError> {
        match self.opt_f32(suffix)? {
            None | Some(0.0) => Ok(None),
            Some(value) if value.is_finite() => Ok(Some(value)),
            Some(value) => Err(self.bad(suffix, value, "it must be finite")),
        }
    }

    /// The error if a key says that there is something that can't be done; a number other than 0, or a truth.
    pub(super) fn refuse(&self, suffix: &str, feature: &'static str) -> Result<(), BuildError> {
        let value = self.metadata.get(&self.key(suffix));
        let there = value.is_some_and(|value| {
            value.as_integer().is_some_and(|number| number != 0) || value.as_bool() == Some(true)
        });
        if there { Err(self.unsupported(suffix, feature)) } else { Ok(()) }
    }

    pub(super) fn positive_f32(&self, suffix: &str, default: Option<f32>) -> Result<f32, BuildError> {
        let key = self.key(suffix);
        let value = match (self.metadata.opt_f32(&key)?, default) {
            (Some(value), _) | (None, Some(value)) => value,
            (None, None) => self.metadata.f32(&key)?,
        };
        if value.is_finite() && value > 0.0 {
            return Ok(value);
        }
        Err(self.bad(suffix, value, "it must be positive and finite"))
    }
}

/// A value in few words.
fn shown(value: &Value) -> String {
    if let Some(number) = value.as_integer() {
        return number.to_string();
    }
    if let Some(number) = value.as_float() {
        return number.to_string();
    }
    match (value.as_str(), value.as_bool(), value.as_array()) {
        (Some(text), _, _) => format!("{text:?}"),
        (_, Some(truth), _) => truth.to_string(),
        (_, _, Some(array)) => format!("an array of {}", array.len()),
        (None, None, None) => "not a number".to_owned(),
    }
}
