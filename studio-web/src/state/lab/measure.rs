//! What is measured: the form, and measurements side by side.

use crate::messages::{ExportProgress, Problem};
use crate::state::job::Job;
use std::sync::Arc;
use studio_core::options::ExportOptions;
use studio_protocol::figures::FigureRow;
use studio_protocol::{
    Artifact, BenchReport, BenchSpec, Figure, Hash, JobId, JobRecord, JobSpec, Outcome, VerifySpec,
};

/// The most tokens that may be asked for.
const MOST_TOKENS: u32 = 65_536;
/// The most threads, and rounds.
const MOST_THREADS: u32 = 256;
const MOST_ROUNDS: u32 = 64;

/// The fields as they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasureForm {
    /// Numbers of worker threads, separated by commas; each runner's cores where blank.
    pub threads: String,
    /// Tokens that prefill takes.
    pub prompt_tokens: String,
    /// Tokens that decode makes.
    pub gen_tokens: String,
    /// Rounds.
    pub repeat: String,
    /// Positions whose logits are compared.
    pub positions: String,
}

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `threads`
    Threads,
    /// `prompt_tokens`
    PromptTokens,
    /// `gen_tokens`
    GenTokens,
    /// `repeat`
    Repeat,
    /// `positions`
    Positions,
}

/// A field and what is wrong with it.
pub type FieldError = (Field, String);

impl Default for MeasureForm {
    fn default() -> Self {
        Self {
            threads: String::new(),
            prompt_tokens: "128".to_owned(),
            gen_tokens: "64".to_owned(),
            repeat: "5".to_owned(),
            positions: "256".to_owned(),
        }
    }
}

impl MeasureForm {
    /// The form that asked for these.
    #[must_use]
    pub fn of<'j>(specs: impl IntoIterator<Item = &'j JobSpec>) -> Self {
        let mut form = Self::default();
        for spec in specs {
            match spec {
                JobSpec::Bench(spec) => {
                    form.threads = spec.threads.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                    form.prompt_tokens = spec.prompt_tokens.to_string();
                    form.gen_tokens = spec.gen_tokens.to_string();
                    form.repeat = spec.repeat.to_string();
                }
                JobSpec::Verify(spec) => form.positions = spec.positions.to_string(),
                JobSpec::Compile(_) | JobSpec::Run(_) | JobSpec::Sweep(_) => {}
            }
        }
        form
    }

    /// The measurement that the form asks for, with llama.cpp beside it if there is a GGUF for that.
    pub fn bench(&self, bundle: Hash, eager: Option<Hash>) -> Result<BenchSpec, Vec<FieldError>> {
        let mut errors = Vec::new();
        let threads = numbers(&self.threads, MOST_THREADS).unwrap_or_else(|words| {
            errors.push((Field::Threads, words));
            Vec::new()
        });
        let mut number = |field, text: &str, most| {
            within(text, most).unwrap_or_else(|words| {
                errors.push((field, words));
                1
            })
        };
        let prompt_tokens = number(Field::PromptTokens, &self.prompt_tokens, MOST_TOKENS);
        let gen_tokens = number(Field::GenTokens, &self.gen_tokens, MOST_TOKENS);
        let repeat = number(Field::Repeat, &self.repeat, MOST_ROUNDS);
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(BenchSpec {
            bundle,
            module: None,
            target: None,
            eager,
            threads,
            prompt_tokens,
            gen_tokens,
            repeat,
            position: None,
        })
    }

    /// The comparison of logits that the form asks for.
    pub fn verify(&self, bundle: Hash, against: Hash) -> Result<VerifySpec, Vec<FieldError>> {
        match within(&self.positions, MOST_TOKENS) {
            Ok(positions) => {
                Ok(VerifySpec { bundle, module: None, target: None, against, positions, threads: None })
            }
            Err(words) => Err(vec![(Field::Positions, words)]),
        }
    }
}

fn within(text: &str, most: u32) -> Result<u32, String> {
    match text.trim().parse::<u32>() {
        Ok(value) if (1..=most).contains(&value) => Ok(value),
        Ok(_) => Err(format!("From 1 to {most}")),
        Err(_) => Err("A whole number".to_owned()),
    }
}

/// Whole numbers, separated by commas; none where blank.
pub fn numbers(text: &str, most: u32) -> Result<Vec<u32>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| within(part, most).or(Err(format!("Numbers from 1 to {most}, as 1,2,4")))).collect()
}

/// What is to be done once the hub has the GGUF.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// Measure both engines.
    Compare,
    /// Compare their logits.
    Verify,
    /// Export it in these ways and measure each.
    Sweep(Vec<ExportOptions>),
}

/// The GGUF on its way to the hub, for llama.cpp or a sweep.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum SourceState {
    /// Nobody needed it yet.
    #[default]
    Idle,
    /// It is being sent; then this is done.
    Sending(Wanted, Option<ExportProgress>),
    /// The hub has it.
    There(Artifact),
    /// It can't be had.
    Failed(Problem),
}

/// A measurement that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The job.
    pub job: JobId,
    /// When it was asked for, in milliseconds since 1970.
    pub at_ms: u64,
    /// The runner.
    pub runner: String,
    /// The figures.
    pub report: Arc<BenchReport>,
}

impl Measured {
    /// Of a job that the page follows.
    #[must_use]
    pub fn of_job(job: &Job) -> Option<Self> {
        let Some(Outcome::Benched { report }) = &job.outcome else { return None };
        let id = job.id?;
        // Jobs' numbers are their times.
        Some(Self { job: id, at_ms: id, runner: job.runner.clone()?, report: Arc::new((**report).clone()) })
    }

    /// Of a job of the history.
    #[must_use]
    pub fn of_record(record: &JobRecord) -> Option<Self> {
        let Some(Outcome::Benched { report }) = &record.outcome else { return None };
        let runner = record.runner.as_ref()?.name.clone();
        let report = Arc::new((**report).clone());
        Some(Self { job: record.job, at_ms: record.created_ms, runner, report })
    }

    /// Its rows.
    #[must_use]
    pub fn rows(&self) -> Vec<FigureRow> {
        FigureRow::of(Some(self.job), self.at_ms, &self.runner, &self.report)
    }
}

/// What can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// Decoded tokens a second.
    #[default]
    Decode,
    /// Prompt tokens a second.
    Prefill,
    /// Milliseconds to the first token.
    FirstToken,
    /// Milliseconds for each token after it.
    Token,
    /// Milliseconds to open the model.
    Load,
    /// The most resident memory.
    Memory,
    /// Joules for each decoded token.
    Energy,
}

impl Metric {
    /// All, with their names.
    pub const ALL: [(Metric, &'static str); 7] = [
        (Metric::Decode, "Decode, tokens a second"),
        (Metric::Prefill, "Prefill, tokens a second"),
        (Metric::FirstToken, "Time to the first token"),
        (Metric::Token, "Time of each token"),
        (Metric::Load, "Time to load"),
        (Metric::Memory, "Peak memory"),
        (Metric::Energy, "Energy of each token"),
    ];

    /// Its name.
    #[must_use]
    pub fn title(self) -> &'static str {
        Self::ALL.iter().find(|(metric, _)| *metric == self).map_or("", |(_, title)| title)
    }

    /// Whether a larger value is the better one.
    #[must_use]
    pub fn is_more_better(self) -> bool {
        matches!(self, Metric::Decode | Metric::Prefill)
    }

    /// A row's value.
    #[must_use]
    pub fn of(self, row: &FigureRow) -> Option<f64> {
        match self {
            Metric::Decode => row.decode_tps,
            Metric::Prefill => row.prefill_tps,
            Metric::FirstToken => row.ttft_ms,
            Metric::Token => row.token_ms,
            Metric::Load => Some(row.load_ms),
            Metric::Memory => Some(row.peak_rss_bytes as f64),
            Metric::Energy => row.token_joules,
        }
    }

    /// A row's value over its rounds, where it was kept.
    #[must_use]
    pub fn rounds(self, row: &FigureRow) -> Option<Figure> {
        match self {
            Metric::Decode => row.decode_rounds,
            Metric::Prefill => row.prefill_rounds,
            Metric::FirstToken | Metric::Token | Metric::Load | Metric::Memory | Metric::Energy => None,
        }
    }

    /// A value with its unit.
    #[must_use]
    pub fn words(self, value: f64) -> String {
        use crate::state::format::{bytes, millis, tokens_per_second};
        match self {
            Metric::Decode | Metric::Prefill => format!("{} tok/s", tokens_per_second(value)),
            Metric::FirstToken | Metric::Token | Metric::Load => millis(value),
            Metric::Memory => bytes(value as u64),
            Metric::Energy => format!("{value:.3} J"),
        }
    }
}

/// What an engine is called beside others.
#[must_use]
pub fn engine_words(row: &FigureRow) -> String {
    let engine = if row.engine == "eager" { "llama.cpp" } else { "compiled" };
    let how = [row.form.as_str(), row.kernels.as_str(), row.weights.as_str()];
    let how: Vec<&str> = how.into_iter().filter(|word| !word.is_empty()).collect();
    format!("{engine} · {}", how.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLE: Hash = Hash::from_bytes([1; 32]);

    #[test]
    fn the_untouched_form_is_what_the_protocol_takes_where_nothing_is_said() {
        let spec = MeasureForm::default().bench(BUNDLE, None).unwrap();
        let said = format!(r#"{{"bundle":"{BUNDLE}"}}"#);
        assert_eq!(spec, serde_json::from_str::<BenchSpec>(&said).unwrap());
        let spec = MeasureForm::default().verify(BUNDLE, BUNDLE).unwrap();
        let said = format!(r#"{{"bundle":"{BUNDLE}","against":"{BUNDLE}"}}"#);
        assert_eq!(spec, serde_json::from_str::<VerifySpec>(&said).unwrap());
    }

    #[test]
    fn a_reloaded_page_shows_what_was_asked() {
        let threads = "1,2".to_owned();
        let form =
            MeasureForm { threads, repeat: "3".into(), positions: "9".into(), ..MeasureForm::default() };
        let specs = [
            JobSpec::Bench(form.bench(BUNDLE, None).unwrap()),
            JobSpec::Verify(form.verify(BUNDLE, BUNDLE).unwrap()),
        ];
        assert_eq!(MeasureForm::of(&specs), form);
    }

    #[test]
    fn each_wrong_field_is_named() {
        let form = MeasureForm { threads: "1,x".into(), repeat: "65".into(), ..MeasureForm::default() };
        let errors = form.bench(BUNDLE, None).unwrap_err();
        let fields: Vec<Field> = errors.iter().map(|(field, _)| *field).collect();
        assert_eq!(fields, [Field::Threads, Field::Repeat]);
        assert_eq!(numbers(" 1, 2,", 8), Ok(vec![1, 2]));
        assert_eq!(numbers("", 8), Ok(vec![]));
        assert!(numbers("9", 8).is_err());
    }
}
