//! What a bench gives: `studio bench --json` prints it.

use crate::EagerInfo;
use serde::{Deserialize, Serialize};
use studio_core::options::Form;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Rounds.
    pub repeat: u32,
    /// llama.cpp, if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// The bundle's form, and what only that form has to choose.
    #[serde(flatten)]
    pub form: Option<Form>,
    /// The type of most weights.
    pub weights: String,
    /// Whether llama.cpp's attention was its fused kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flash_attention: Option<bool>,
    /// Worker threads.
    pub threads: u32,
    /// Prompt tokens a second, the median.
    pub prefill_tps: Option<f64>,
    /// Decoded tokens a second, logits computed and the most likely one chosen, the median.
    pub decode_tps: Option<f64>,
    /// Milliseconds from the prompt to its first token, the median.
    pub ttft_ms: Option<f64>,
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
    pub(super) fn of(values: &[f64]) -> Option<Self> {
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

/// Compiled runs against the eager ones of as many threads.
pub(super) fn ratios(runs: &[BenchRun]) -> Vec<Ratio> {
    let of = |engine: &str, threads: u32| -> Vec<&BenchRun> {
        runs.iter().filter(|run| run.engine == engine && run.threads == threads).collect()
    };
    let ratio = |compiled: &BenchRun| {
        let eager = of("eager", compiled.threads);
        let best = |figure: fn(&BenchRun) -> Option<f64>| {
            eager.iter().filter_map(|run| figure(run)).max_by(f64::total_cmp)
        };
        let against = |figure: fn(&BenchRun) -> Option<f64>| Some(figure(compiled)? / best(figure)?);
        let least = eager.iter().map(|run| run.peak_rss_bytes).min();
        Ratio {
            threads: compiled.threads,
            prefill: against(|run| run.prefill_tps),
            decode: against(|run| run.decode_tps),
            peak_rss: least.map(|least| compiled.peak_rss_bytes as f64 / least as f64),
            weight_bytes: against(|run| Some(run.weight_bytes as f64)),
        }
    };
    runs.iter().filter(|run| run.engine == "compiled").map(ratio).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(Figure::of(&[3.0, 1.0, 2.0]), Some(Figure { median: 2.0, min: 1.0, max: 3.0 }));
        assert_eq!(Figure::of(&[4.0, 1.0, 2.0, 3.0]).unwrap().median, 2.5);
        assert_eq!(Figure::of(&[]), None);
        assert_eq!(Figure { median: 10.0, min: 9.0, max: 12.0 }.spread(), 0.2);
    }

    #[test]
    fn the_better_eager_run_is_compared_with() {
        let run = |engine: &str, threads, decode, rss| BenchRun {
            engine: engine.to_owned(),
            form: None,
            weights: String::new(),
            flash_attention: None,
            threads,
            prefill_tps: None,
            decode_tps: Some(decode),
            ttft_ms: None,
            rounds: RunRounds { prefill_tps: None, decode_tps: Figure::of(&[decode]) },
            load_ms: 0.0,
            peak_rss_bytes: rss,
            weight_bytes: 100,
            streamed_bytes_per_token: 100,
            bandwidth_share: None,
        };
        let runs = [run("compiled", 1, 30.0, 80), run("eager", 1, 10.0, 100), run("eager", 1, 20.0, 160)];
        let ratios_of_both = ratios(&runs);
        let ratio = &ratios_of_both[0];
        assert_eq!((ratio.decode, ratio.prefill, ratio.peak_rss), (Some(1.5), None, Some(0.8)));
        let alone = ratios(&[run("compiled", 2, 30.0, 80), run("eager", 1, 10.0, 100)]);
        assert_eq!((alone[0].decode, alone[0].peak_rss), (None, None));
    }
}
