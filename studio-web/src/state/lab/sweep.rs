//! A sweep: a model exported in every combination of a grid, each measured, all ranked.

use super::measure::{Measured, Metric, numbers};
use crate::messages::Problem;
use crate::state::job::Job;
use crate::state::options::{FormChoice, OptionsForm, Subject};
use studio_core::options::{ExportOptions, Form, Kernels, Weights};
use studio_protocol::Hash;
use studio_protocol::figures::FigureRow;

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
                        one.chunk = chunk.map_or(one.chunk, |chunk| chunk.to_string());
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

/// How far a combination is.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// Its turn has not come.
    Waiting,
    /// It is being exported.
    Exporting,
    /// It is being measured, or was.
    Measured(Hash),
    /// It can't be exported.
    Failed(Problem),
}

/// A sweep under way, or one that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The combinations, in the order in which they are tried.
    pub entries: Vec<(ExportOptions, Stage)>,
    /// What the jobs are called together.
    pub group: String,
    /// Whether somebody ended it.
    pub is_cancelled: bool,
}

impl Sweep {
    /// A sweep that begins.
    #[must_use]
    pub fn new(options: Vec<ExportOptions>, group: String) -> Self {
        let entries = options.into_iter().map(|options| (options, Stage::Waiting)).collect();
        Self { entries, group, is_cancelled: false }
    }

    /// Whether the worker exports for it.
    #[must_use]
    pub fn is_exporting(&self) -> bool {
        self.entries.iter().any(|(_, stage)| *stage == Stage::Exporting)
    }

    /// The next to be exported, if there is one and nothing else is being exported or measured.
    #[must_use]
    pub fn next(&self, jobs: &[Job]) -> Option<usize> {
        let is_free = !self.is_cancelled && !self.is_exporting() && !jobs.iter().any(Job::is_live);
        is_free.then(|| self.entries.iter().position(|(_, stage)| *stage == Stage::Waiting))?
    }

    /// Whether something is still to be done or being done.
    #[must_use]
    pub fn is_live(&self, jobs: &[Job]) -> bool {
        self.is_exporting()
            || jobs.iter().any(Job::is_live)
            || (!self.is_cancelled && self.entries.iter().any(|(_, stage)| *stage == Stage::Waiting))
    }

    /// Combinations that are over, and all.
    #[must_use]
    pub fn done_of(&self, jobs: &[Job]) -> (usize, usize) {
        let is_over = |(_, stage): &&(ExportOptions, Stage)| match stage {
            Stage::Waiting | Stage::Exporting => false,
            Stage::Failed(_) => true,
            Stage::Measured(bundle) => !jobs.iter().any(|job| job.spec.bundle() == bundle && job.is_live()),
        };
        (self.entries.iter().filter(is_over).count(), self.entries.len())
    }

    /// What is known so far, the best first; combinations without figures last, with the reason.
    #[must_use]
    pub fn ranked(&self, jobs: &[Job], by: Metric) -> Vec<Ranked> {
        let mut all = Vec::new();
        for (options, stage) in &self.entries {
            let of = |row| Ranked { words: words(options), row, failure: None };
            let failed = |words_| Ranked { words: words(options), row: None, failure: Some(words_) };
            match stage {
                Stage::Waiting | Stage::Exporting => {}
                Stage::Failed(problem) => all.push(failed(problem.message.clone())),
                Stage::Measured(bundle) => {
                    for job in jobs.iter().filter(|job| job.spec.bundle() == bundle) {
                        all.extend(
                            Measured::of_job(job).iter().flat_map(Measured::rows).map(|row| of(Some(row))),
                        );
                        all.extend(job.problem().map(|problem| failed(problem.message)));
                    }
                }
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
    use crate::state::job::Phase;
    use studio_protocol::{JobSpec, Terms};

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

    #[test]
    fn one_is_measured_before_the_next_is_exported() {
        let options = SweepForm::default().combinations(SUBJECT, Kernels::Avx2).unwrap();
        let mut sweep = Sweep::new(options, "s".into());
        assert_eq!(sweep.next(&[]), Some(0));
        sweep.entries[0].1 = Stage::Exporting;
        assert_eq!(sweep.next(&[]), None);
        let bundle = Hash::from_bytes([1; 32]);
        sweep.entries[0].1 = Stage::Measured(bundle);
        let spec = crate::state::lab::measure::MeasureForm::default().bench(bundle, None).unwrap();
        let mut job = Job::new(1, JobSpec::Bench(spec), Terms::default());
        assert_eq!(
            (sweep.next(std::slice::from_ref(&job)), sweep.done_of(std::slice::from_ref(&job))),
            (None, (0, 3))
        );
        job.phase = Phase::Over;
        assert_eq!(
            (sweep.next(std::slice::from_ref(&job)), sweep.done_of(std::slice::from_ref(&job))),
            (Some(1), (1, 3))
        );
        sweep.is_cancelled = true;
        assert!(!sweep.is_live(std::slice::from_ref(&job)));
    }
}
