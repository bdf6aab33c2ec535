//! How tokens are chosen, as flags.

use clap::Args;
use studio_protocol::Sampling;

/// How tokens are chosen. The steps are llama.cpp's.
#[derive(Debug, Args)]
pub(super) struct SamplingArgs {
    /// Draw tokens, the logits divided by this; 0 takes the most likely one each time.
    #[arg(long, value_name = "T", default_value_t = Sampling::default().temperature)]
    temperature: f32,
    /// Draw among so many most likely tokens; 0 for all.
    #[arg(long, value_name = "K", default_value_t = Sampling::default().top_k)]
    top_k: u32,
    /// Draw among the most likely tokens whose probabilities sum to this.
    #[arg(long, value_name = "P", default_value_t = Sampling::default().top_p)]
    top_p: f32,
    /// Draw among tokens with at least this share of the most likely one's probability.
    #[arg(long, value_name = "P", default_value_t = Sampling::default().min_p)]
    min_p: f32,
    /// Make tokens less likely that occurred: above 1.
    #[arg(long, value_name = "X", default_value_t = Sampling::default().repeat_penalty)]
    repeat_penalty: f32,
    /// How many of the last tokens count as having occurred.
    #[arg(long, value_name = "N", default_value_t = Sampling::default().repeat_last)]
    repeat_last: u32,
    /// Draw the same tokens as another run with this seed [default: made up, and told].
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

impl SamplingArgs {
    pub(super) fn settings(&self) -> Sampling {
        let Self { temperature, top_k, top_p, min_p, repeat_penalty, repeat_last, seed } = *self;
        Sampling { temperature, top_k, top_p, min_p, repeat_penalty, repeat_last, seed }
    }
}
