//! A sweep: a model exported in every combination of a grid, each measured, all ranked.

use super::measure::{Metric, numbers};
use crate::state::job::Job;
use crate::state::options::{FormChoice, OptionsForm, Subject};
use studio_core::options::{ExportOptions, Form, Kernels, Weights};
use studio_protocol::figures::FigureRow;
use studio_protocol::{JobSpec, WireError};

/// The most combinations at once: each is an export and a measurement.
pub const MOST: usize = 32;

/// The greatest number in the fields.
const MOST_POSITIONS: u32 = 1 << 20;

/// The grid as the fields have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepForm {
    /// Forms to try.
    pub forms: Vec<FormChoice>,
    /// Weights to try: `keep` is the cpu form's alone.
    pub weights: Vec<Weights>,
    /// Tokens of a prefill call, separated by commas; the form's usual one where blank.
    pub chunks: String,
    /// Positions of the cache; the usual ones where blank.
    pub contexts: String,
}

impl Default for SweepForm {
    fn default() -> Self {
        Self {
            forms: vec![FormChoice::Cpu, FormChoice::Stablehlo],
            weights: vec![Weights::Keep, Weights::Bf16],
            chunks: String::new(),
            contexts: String::new(),
        }
    }
}

impl SweepForm {
    /// Puts a form in the grid, or out of it.
    pub fn turn_form(&mut self, form: FormChoice) {
        turn(&mut self.forms, form);
    }

    /// Puts a type of weights in the grid, or out of it.
    pub fn turn_weights(&mut self, weights: Weights) {
        turn(&mut self.weights, weights);
    }

    /// Every combination that there is for a model, or what is wrong.
    pub fn combinations(&self, subject: Subject, kernels: Kernels) -> Result<Vec<ExportOptions>, String> {
        let or_usual = |text: &str| {
            let found = numbers(text, MOST_POSITIONS)?;
            Ok::<_, String>(match found.is_empty() {
                true => vec![None],
                false => found.into_iter().map(Some).collect(),
            })
        };
        let (chunks, contexts) = (or_usual(&self.chunks)?, or_usual(&self.contexts)?);
        if let Some(trained) = subject.context_length
            && contexts.iter().flatten().any(|context| u64::from(*context) > trained)
        {
            return Err(format!("The model was trained for {trained} positions"));
        }
        let mut all = Vec::new();
        for &form in self.forms.iter().filter(|form| **form != FormChoice::Cpu || subject.has_kernels) {
            // The portable form has no quantised weights.
            let is_a_choice = |weights: &&Weights| form == FormChoice::Cpu || **weights != Weights::Keep;
            for &weights in self.weights.iter().filter(is_a_choice) {
                for chunk in &chunks {
                    for context in &contexts {
                        let mut one = OptionsForm::for_model(subject, kernels);
                        one.choose_form(form, subject);
                        (one.redecode, one.kv, one.safetensors, one.weights) = (false, true, false, weights);
                        one.chunk = match (chunk, context) {
                            (Some(chunk), _) => chunk.to_string(),
                            // The usual one, where the cache is no shorter.
                            (None, Some(context)) => {
                                let usual = one.chunk.parse::<u32>();
                                usual.map_or(one.chunk, |usual| usual.min(*context).to_string())
                            }
                            (None, None) => one.chunk,
                        };
                        one.context = context.map_or(one.context, |context| context.to_string());
                        let checked = one.check().map_err(|errors| {
                            errors.into_iter().next().map(|(_, words)| words).unwrap_or_default()
                        });
                        all.push(checked?);
                    }
                }
            }
        }
        match all.len() {
            0 => Err("Choose a form and weights that it can have".to_owned()),
            1..=MOST => Ok(all),
            many => Err(format!("{many} combinations; at most {MOST} at once")),
        }
    }
}

fn turn<T: PartialEq>(list: &mut Vec<T>, item: T) {
    match list.iter().position(|of| *of == item) {
        Some(at) => drop(list.remove(at)),
        None => list.push(item),
    }
}

/// Combinations that are over, and all.
#[must_use]
pub fn done_of(job: &Job) -> (usize, usize) {
    match &job.spec {
        JobSpec::Sweep(spec) => (job.tried.len(), spec.combinations.len()),
        _ => (0, 0),
    }
}

/// What is known so far, the best first; combinations without figures last, with the reason.
#[must_use]
pub fn ranked(job: &Job, by: Metric) -> Vec<Ranked> {
    let JobSpec::Sweep(spec) = &job.spec else { return Vec::new() };
    let mut all = Vec::new();
    for combination in &job.tried {
        let options = spec.combinations.get(combination.index as usize).cloned();
        let options = options.and_then(|options| serde_json::from_value(options).ok());
        let words = options.as_ref().map(words).unwrap_or_default();
        let failed = |error: &WireError| Ranked {
            words: words.clone(),
            row: None,
            failure: Some(error.message.clone()),
        };
        all.extend(combination.error.iter().map(failed));
        for one in &combination.measured {
            let rows = one.report.iter();
            // Jobs' numbers are their times.
            let rows = rows.flat_map(|report| FigureRow::of(Some(one.job), one.job, &one.runner, report));
            all.extend(rows.map(|row| Ranked { words: words.clone(), row: Some(row), failure: None }));
            all.extend(one.error.iter().map(failed));
        }
    }
    let merit = |ranked: &Ranked| {
        let value = ranked.row.as_ref().and_then(|row| by.of(row));
        let merit = if by.is_more_better() { value } else { value.map(|value| -value) };
        merit.unwrap_or(f64::NEG_INFINITY)
    };
    all.sort_by(|a, b| merit(b).total_cmp(&merit(a)));
    all
}

/// A combination's figures with a number of threads on a machine, or why it has none.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The combination.
    pub words: String,
    /// The figures.
    pub row: Option<FigureRow>,
    /// Why there are none.
    pub failure: Option<String>,
}

/// A combination in words.
#[must_use]
pub fn words(options: &ExportOptions) -> String {
    let form = match options.form {
        Form::Cpu(_) => "cpu",
        Form::Stablehlo => "stablehlo",
    };
    let weights = weights_name(options.weights);
    format!("{form}, {weights}, chunk {}, context {}", options.chunk, options.context)
}

/// A type of weights by the name that the command line has for it.
#[must_use]
pub fn weights_name(weights: Weights) -> String {
    let name = serde_json::to_value(weights).ok();
    name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_protocol::{BenchReport, Combination, ErrorCode, Hash, JobEvent, Measured, SweepSpec, Terms};

    const SUBJECT: Subject = Subject { context_length: Some(2048), is_encoder: false, has_kernels: true };

    fn all(form: &SweepForm) -> Vec<String> {
        form.combinations(SUBJECT, Kernels::Avx2).unwrap().iter().map(words).collect()
    }

    #[test]
    fn the_grid_is_the_command_lines() {
        let form = SweepForm { chunks: "16,32".into(), contexts: "128".into(), ..SweepForm::default() };
        let expected = [
            "cpu, keep, chunk 16, context 128",
            "cpu, keep, chunk 32, context 128",
            "cpu, bf16, chunk 16, context 128",
            "cpu, bf16, chunk 32, context 128",
            "stablehlo, bf16, chunk 16, context 128",
            "stablehlo, bf16, chunk 32, context 128",
        ];
        assert_eq!(all(&form), expected);
        // A usual chunk is no longer than the cache.
        let short = SweepForm { contexts: "16,2048".into(), ..SweepForm::default() };
        let chunks = short.combinations(SUBJECT, Kernels::Avx2).unwrap();
        assert!(chunks.iter().all(|one| one.chunk <= one.context), "{chunks:?}");
        assert!(chunks.iter().any(|one| (one.chunk, one.context) == (16, 16)), "{chunks:?}");
        let none = Subject { has_kernels: false, ..SUBJECT };
        assert_eq!(form.combinations(none, Kernels::Avx2).unwrap().len(), 2);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let with = |chunks: &str, contexts: &str| SweepForm {
            chunks: chunks.into(),
            contexts: contexts.into(),
            ..SweepForm::default()
        };
        let wrong = |form: SweepForm| form.combinations(SUBJECT, Kernels::Avx2).unwrap_err();
        assert!(wrong(with("x", "")).contains("1,2,4"));
        assert_eq!(wrong(with("", "4096")), "The model was trained for 2048 positions");
        assert!(wrong(with("1,2,3,4,5,6,7,8,9,10,11", "")).starts_with("33 combinations"));
        let mut form = SweepForm::default();
        form.turn_form(FormChoice::Cpu);
        form.turn_weights(Weights::Bf16);
        assert!(wrong(form).contains("Choose a form"));
    }

    /// Figures as a bench of another machine gave them, with other speeds.
    fn report(decode_tps: f64) -> Box<BenchReport> {
        let run = serde_json::json!({"engine": "compiled", "form": "cpu", "weights": "Q4_1", "threads": 1,
            "prefill_tps": 9.0, "decode_tps": decode_tps, "ttft_ms": 1.0, "rounds": {"prefill_tps": null,
            "decode_tps": null}, "load_ms": 1.0, "peak_rss_bytes": 1, "weight_bytes": 1,
            "streamed_bytes_per_token": 1, "bandwidth_share": null});
        serde_json::from_value(serde_json::json!({"model": "m", "source": "s", "cpu": "c", "features": [],
            "prompt_tokens": 1, "gen_tokens": 1, "repeat": 1, "bandwidth": [], "runs": [run], "ratios": []}))
        .unwrap()
    }

    #[test]
    fn what_was_tried_is_ranked_and_what_failed_comes_last_with_its_reason() {
        let options = SweepForm::default().combinations(SUBJECT, Kernels::Avx2).unwrap();
        let spec = SweepSpec {
            model: Hash::from_bytes([1; 32]),
            name: "m.gguf".into(),
            combinations: options.iter().map(|one| serde_json::to_value(one).unwrap()).collect(),
            threads: vec![],
            prompt_tokens: 1,
            gen_tokens: 1,
            repeat: 1,
        };
        let mut job = Job::new(1, JobSpec::Sweep(spec), Terms::default());
        let tried = |index, error: Option<&str>, figures: &[f64]| JobEvent::Tried {
            combination: Box::new(Combination {
                index,
                bundle: None,
                error: error.map(|words| WireError::new(ErrorCode::BadMessage, words)),
                measured: figures
                    .iter()
                    .map(|&tps| Measured {
                        job: 7,
                        runner: "pi".into(),
                        report: Some(report(tps)),
                        error: None,
                    })
                    .collect(),
            }),
        };
        job.take(1, tried(0, Some("no room"), &[]));
        job.take(2, tried(1, None, &[5.0, 20.0]));
        job.take(3, tried(2, None, &[10.0]));
        // Seen again, as after a reconnection.
        job.take(3, tried(2, None, &[10.0]));
        assert_eq!(done_of(&job), (3, 3));
        let all: Vec<(String, Option<f64>)> = ranked(&job, Metric::Decode)
            .into_iter()
            .map(|one| (one.failure.unwrap_or(one.words), one.row.and_then(|row| row.decode_tps)))
            .collect();
        let [cpu, portable] = [1, 2].map(|index: usize| words(&options[index]));
        let expected = [
            (cpu.clone(), Some(20.0)),
            (portable, Some(10.0)),
            (cpu, Some(5.0)),
            ("no room".to_owned(), None),
        ];
        assert_eq!(all, expected);
    }
}
