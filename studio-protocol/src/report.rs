//! What a bench and a verification give. `studio bench --json` and `studio verify --json` print these.

use crate::LatencyPercentiles;
use serde::{Deserialize, Serialize};

/// llama.cpp's account of itself. Every figure of its speed carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EagerInfo {
    /// What `llama_version` gives, and the package with its source.
    pub version: String,
    /// What `llama_print_system_info` gives.
    pub system_info: String,
    /// The instruction sets in that, by the names LLVM gives them, sorted.
    pub features: Vec<String>,
}

/// A bench's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// The model's name.
    pub model: String,
    /// The file that the bundle was exported from.
    pub source: String,
    /// The processor.
    pub cpu: String,
    /// Its instruction sets, by the names LLVM gives them.
    pub features: Vec<String>,
    /// Tokens that prefill took.
    pub prompt_tokens: u32,
    /// Tokens that decode made.
    pub gen_tokens: u32,
    /// Where decode began, if not after the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Rounds.
    pub repeat: u32,
    /// llama.cpp, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eager: Option<EagerInfo>,
    /// How fast as many bytes were read as the compiled module's decode reads for a token, once a round.
    pub bandwidth: Vec<Bandwidth>,
    /// What was measured of each engine.
    pub runs: Vec<BenchRun>,
    /// Compiled against eager.
    pub ratios: Vec<Ratio>,
}

/// How fast so many threads read the bytes of a token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bandwidth {
    /// The threads.
    pub threads: u32,
    /// Bytes a second, the median.
    pub bytes_per_second: f64,
    /// The same with its extremes.
    pub rounds: Figure,
}

/// An engine's figures with a number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchRun {
    /// `compiled` or `eager`.
    pub engine: String,
    /// The bundle's form: `stablehlo` or `cpu`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The cpu form's instruction set: `avx512vnni`, `avx2`, `i8mm`, `dotprod`, `portable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernels: Option<String>,
    /// What the cpu form turns a vector into before it is multiplied with quantised weights: `i8`, `f32`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activations: Option<String>,
    /// The element type of the cpu form's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// The type of most weights.
    pub weights: String,
    /// Whether llama.cpp's attention was its fused kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash_attention: Option<bool>,
    /// Worker threads; with a graphics processor the one that waits for it.
    pub threads: u32,
    /// The graphics processor that computed, by its driver's name; absent where the processor did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Prompt tokens a second, the median.
    pub prefill_tps: Option<f64>,
    /// Decoded tokens a second, logits computed and the most likely one chosen, the median.
    pub decode_tps: Option<f64>,
    /// Milliseconds from the prompt to its first token, the median.
    pub ttft_ms: Option<f64>,
    /// Percentiles of what a decoded token took, over the tokens of all rounds; absent where none was decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<LatencyPercentiles>,
    /// Joules that the machine's processors took for each decoded token, the median; absent where it doesn't tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode_joules: Option<f64>,
    /// The first two with their extremes.
    pub rounds: RunRounds,
    /// Milliseconds to open the model.
    pub load_ms: f64,
    /// The most memory that its process had resident.
    pub peak_rss_bytes: u64,
    /// Bytes of weights in its file.
    pub weight_bytes: u64,
    /// Bytes of weights that each decoded token reads.
    pub streamed_bytes_per_token: u64,
    /// The share of the bandwidth of as many threads at which decode reads weights.
    pub bandwidth_share: Option<f64>,
}

/// Figures of a run over its rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunRounds {
    /// Prompt tokens a second.
    pub prefill_tps: Option<Figure>,
    /// Decoded tokens a second.
    pub decode_tps: Option<Figure>,
}

/// A figure that was measured several times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The median.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// Compiled divided by the better of the eager runs, with a number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The threads.
    pub threads: u32,
    /// Of prompt tokens a second: more is better.
    pub prefill: Option<f64>,
    /// Of decoded tokens a second: more is better.
    pub decode: Option<f64>,
    /// Of the most resident memory: less is better.
    pub peak_rss: Option<f64>,
    /// Of the bytes of weights: less is better.
    pub weight_bytes: Option<f64>,
}

impl Figure {
    /// Of some values; `None` of none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let upper = *sorted.get(middle)?;
        let median =
            if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[middle - 1], upper) } else { upper };
        Some(Self { median, min: sorted[0], max: sorted[sorted.len() - 1] })
    }

    /// The distance of the farthest from the median, as a share of it.
    pub fn spread(&self) -> f64 {
        (self.max - self.median).max(self.median - self.min) / self.median
    }
}

/// A module against llama.cpp. The first fields are those of `decode`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifyReport {
    /// Whether `decode` and `prefill` are within the limits.
    pub passed: bool,
    /// `decode`, at every position.
    #[serde(flatten)]
    pub decode: Distances,
    /// `prefill`, at the last position of each chunk.
    pub prefill: Distances,
    /// llama.cpp as it is usually run (fused attention, cache in f16) against llama.cpp as it rounds least, where both
    /// engines round activations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eager_against_itself: Option<Distances>,
    /// What passes.
    pub limits: Limits,
    /// The model that llama.cpp ran.
    pub against: String,
    /// llama.cpp.
    pub eager: EagerInfo,
}

/// How far two functions are apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distances {
    /// How many positions were compared.
    pub positions: u32,
    /// The largest difference of two logits.
    pub max_abs_logit_diff: f64,
    /// The mean over positions of the Kullback-Leibler divergence from llama.cpp, in nats.
    pub mean_kl: f64,
    /// The share of positions with the same most likely token.
    pub top1_agreement: f64,
    /// The same among positions where llama.cpp's most likely token leads by more than the margin; 1 where there is
    /// no such position.
    pub top1_agreement_above_margin: f64,
    /// How many such positions there are.
    pub positions_above_margin: u32,
    /// The positions with the largest divergence, the largest first.
    pub worst: Vec<Position>,
}

/// A position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Which.
    pub position: u32,
    /// The token there.
    pub token: u32,
    /// The divergence, in nats.
    pub kl: f64,
    /// The largest difference of two logits.
    pub max_abs_logit_diff: f64,
    /// The module's most likely next token.
    pub compiled: u32,
    /// llama.cpp's.
    pub eager: u32,
    /// How far that one leads the second in llama.cpp's logits.
    pub eager_margin: f64,
}

/// What passes. Logits are natural logarithms, so that differences of them mean the same in every model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The mean over positions of the Kullback-Leibler divergence from llama.cpp, in nats.
    pub mean_kl: f64,
    /// The least share of positions with the same most likely token.
    pub top1_agreement: f64,
    /// Where llama.cpp's most likely token leads the second by more, both must name the same: two or three times the
    /// differences that rounding makes, so that a draw is no failure and any real fault is.
    pub margin: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(Figure::of(&[3.0, 1.0, 2.0]), Some(Figure { median: 2.0, min: 1.0, max: 3.0 }));
        assert_eq!(Figure::of(&[4.0, 1.0, 2.0, 3.0]).map(|figure| figure.median), Some(2.5));
        assert_eq!(Figure::of(&[]), None);
        assert_eq!(Figure { median: 10.0, min: 9.0, max: 12.0 }.spread(), 0.2);
    }
}
