//! How a model turns queries and keys by their positions: which angles, from the metadata.

use super::BuildError;
use super::hyper::Keys;
use super::names;
use crate::options::{ExportOptions, GraphKind};
use gguf_file::Gguf;

/// A way of turning.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rope {
    /// The name of the table's parameter.
    pub(super) name: &'static str,
    /// What frequencies are powers of.
    pub(super) base: f32,
    /// How many of a head's numbers are turned; even.
    pub(super) rotated: u64,
    /// What positions are multiplied by.
    pub(super) frequency_scale: f32,
    /// The context before it was extended by YaRN, which leaves high frequencies as they are.
    pub(super) yarn: Option<u64>,
    /// What turned numbers are multiplied by.
    pub(super) magnitude: f32,
    /// The tensor of what each frequency is divided by.
    pub(super) factors: Option<String>,
}

/// Which of a head's numbers are turned together, as the GGUF stores them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Neighbours (ggml's `NORM`).
    Interleaved,
    /// Those half of the turned ones apart (ggml's `NEOX`).
    Halves,
}

impl Rope {
    /// What the metadata says, `rotated` being how many of a head's numbers are turned. Without factors.
    pub(super) fn read(keys: &Keys<'_>, rotated: u64) -> Result<Self, BuildError> {
        let factor = match keys.opt_f32("rope.scaling.factor")? {
            None => keys.opt_f32("rope.scale_linear")?,
            given => given,
        };
        // 0 says that there is none.
        let factor = factor.filter(|&factor| factor != 0.0).unwrap_or(1.0);
        // A factor may be so small that frequencies, which are divided by it, are infinite.
        if !factor.is_finite() || factor <= 0.0 || !factor.recip().is_finite() {
            return Err(keys.bad(
                "rope.scaling.factor",
                factor,
                "it and its reciprocal must be positive and finite",
            ));
        }
        let mut magnitude = keys.positive_f32("rope.scaling.attn_factor", Some(1.0))?;
        let (mut frequency_scale, mut yarn) = (1.0 / factor, None);
        // Without a type, a factor is that of linear scaling.
        match keys.opt_str("rope.scaling.type")? {
            None | Some("linear" | "longrope") => {}
            Some("none") => frequency_scale = 1.0,
            Some("yarn") => {
                yarn = Some(original_context(keys)?);
                magnitude *= if factor > 1.0 { 1.0 + 0.1 * libm::logf(factor) } else { 1.0 };
            }
            Some(_) => return Err(keys.unsupported("rope.scaling.type", "this scaling of rope")),
        }
        let base = keys.positive_f32("rope.freq_base", Some(10_000.0))?;
        Ok(Self { name: names::ROPE, base, rotated, frequency_scale, yarn, magnitude, factors: None })
    }

    /// Frequencies divided by the model's own factors, if it has such: one set for all contexts (Llama 3), or one for
    /// contexts up to the one it was first trained for and another for longer ones (LongRoPE).
    pub(super) fn with_factors(
        self,
        keys: &Keys<'_>,
        gguf: &Gguf,
        options: &ExportOptions,
    ) -> Result<Self, BuildError> {
        let there = |name: &&str| gguf.tensor(name).is_some();
        if let Some(name) = Some(names::ROPE_FACTORS).filter(there) {
            return Ok(Self { factors: Some(name.to_owned()), ..self });
        }
        let long = longest_context(options) > original_context(keys)?;
        let name = if long { names::ROPE_FACTORS_LONG } else { names::ROPE_FACTORS_SHORT };
        let factors = Some(name).filter(there).map(str::to_owned);
        // LongRoPE is its factors: without them the model would turn by angles that it never saw.
        if factors.is_none() && keys.opt_str("rope.scaling.type")? == Some("longrope") {
            return Err(BuildError::MissingTensor { name: name.to_owned() });
        }
        Ok(Self { factors, ..self })
    }

    /// Radians by position for pair number `pair` of a head, and what its numbers are multiplied by. Pairs past the
    /// turned numbers stand still.
    pub(super) fn frequency(&self, pair: u64, factors: &[f32]) -> (f64, f64) {
        if 2 * pair >= self.rotated {
            return (0.0, 1.0);
        }
        let factor = factors.get(pair as usize).map_or(1.0, |&factor| f64::from(factor));
        let (base, rotated) = (f64::from(self.base), self.rotated as f64);
        let extrapolated = libm::pow(base, -((2 * pair) as f64) / rotated) / factor;
        let interpolated = extrapolated * f64::from(self.frequency_scale);
        let frequency = match self.yarn {
            None => interpolated,
            Some(context) => {
                let kept = yarn_ramp(pair as f64, context as f64, rotated, base);
                interpolated * (1.0 - kept) + extrapolated * kept
            }
        };
        (frequency, f64::from(self.magnitude))
    }
}

/// How much of a frequency YaRN leaves as it was: all where it turns often within the original context, nothing where
/// it turns less than once.
fn yarn_ramp(pair: f64, context: f64, rotated: f64, base: f64) -> f64 {
    const FAST: f64 = 32.0;
    const SLOW: f64 = 1.0;
    let pair_of_turns = |turns: f64| {
        rotated * libm::log(context / (turns * 2.0 * std::f64::consts::PI)) / (2.0 * libm::log(base))
    };
    let low = libm::floor(pair_of_turns(FAST)).max(0.0);
    let high = libm::ceil(pair_of_turns(SLOW)).min(rotated - 1.0);
    1.0 - ((pair - low) / (high - low).max(0.001)).clamp(0.0, 1.0)
}

/// The context that the model was trained for before it was extended.
fn original_context(keys: &Keys<'_>) -> Result<u64, BuildError> {
    match keys.opt_positive("rope.scaling.original_context_length")? {
        Some(context) => Ok(context),
        None => keys.positive("context_length"),
    }
}

/// The most positions that any function can have in use.
fn longest_context(options: &ExportOptions) -> u64 {
    let positions = options.graphs.iter().map(|kind| match kind {
        GraphKind::Redecode | GraphKind::Embed => u64::from(options.seq),
        GraphKind::Kv => u64::from(options.context),
    });
    positions.max().unwrap_or(0)
}
