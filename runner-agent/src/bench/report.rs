//! How the figures of both engines compare.

use studio_protocol::{BenchRun, Ratio};

/// Compiled runs against the eager ones of as many threads.
pub(super) fn ratios(runs: &[BenchRun]) -> Vec<Ratio> {
    let ratio = |compiled: &BenchRun| {
        // A graphics processor has no number of threads: it is held against llama.cpp's best.
        let eager: Vec<&BenchRun> = runs
            .iter()
            .filter(|run| run.engine == "eager")
            .filter(|run| compiled.device.is_some() || run.threads == compiled.threads)
            .collect();
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
    use studio_protocol::{Figure, RunRounds};

    #[test]
    fn the_better_eager_run_is_compared_with() {
        let run = |engine: &str, threads, decode, rss| BenchRun {
            engine: engine.to_owned(),
            form: None,
            kernels: None,
            activations: None,
            cache: None,
            weights: String::new(),
            flash_attention: None,
            threads,
            device: None,
            prefill_tps: None,
            decode_tps: Some(decode),
            ttft_ms: None,
            latency_ms: None,
            decode_joules: None,
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
