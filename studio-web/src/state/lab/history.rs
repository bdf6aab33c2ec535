//! The list of jobs: what is looked for, what was found.

use crate::messages::Problem;
use studio_protocol::{JobFilter, JobId, JobRecord, JobState, Outcome};

/// Jobs that are asked for at once.
pub const AT_ONCE: u32 = 50;

/// What is looked for, as the fields have it; an empty one chooses all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// A text in model, spec or outcome.
    pub text: String,
    /// `compile`, `run`, `bench`, `verify`
    pub kind: String,
    /// `waiting`, `working`, `over`
    pub state: String,
    /// A runner's name.
    pub runner: String,
}

impl Search {
    /// As the protocol has it, from a job on.
    #[must_use]
    pub fn filter(&self, before: Option<JobId>, limit: u32) -> JobFilter {
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        JobFilter {
            state: match self.state.as_str() {
                "waiting" => Some(JobState::Waiting),
                "working" => Some(JobState::Working),
                "over" => Some(JobState::Over),
                _ => None,
            },
            kind: some(&self.kind),
            runner: some(&self.runner),
            group: None,
            text: some(&self.text),
            before,
            limit: Some(limit),
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// What was looked for.
    pub search: Search,
    /// The newest first.
    pub jobs: Vec<JobRecord>,
    /// Whether there are more.
    pub more: bool,
    /// Whether an answer came yet.
    pub is_known: bool,
    /// Why the last question wasn't answered.
    pub problem: Option<Problem>,
}

impl History {
    /// Takes what a search found: the newest, or a continuation.
    pub fn take(&mut self, search: Search, jobs: Vec<JobRecord>, more: bool, goes_on: bool) {
        if self.search != search {
            self.jobs.clear();
            self.search = search;
        }
        if goes_on {
            let last = self.jobs.last().map_or(JobId::MAX, |job| job.job);
            self.jobs.extend(jobs.into_iter().filter(|job| job.job < last));
            self.more = more;
        } else {
            // A list that was continued stays as long as it is.
            let oldest = jobs.last().map_or(0, |job| job.job);
            let kept: Vec<_> =
                if more { self.jobs.drain(..).filter(|job| job.job < oldest).collect() } else { Vec::new() };
            if kept.is_empty() {
                self.more = more;
            }
            self.jobs = jobs;
            self.jobs.extend(kept);
        }
        self.is_known = true;
        self.problem = None;
    }
}

/// How far a job is or how it ended, in a word.
#[must_use]
pub fn state_word(record: &JobRecord) -> &'static str {
    match (record.state, &record.outcome) {
        (JobState::Waiting, _) => "waiting",
        (JobState::Working, _) => "working",
        (JobState::Over, Some(outcome)) => outcome.result(),
        (JobState::Over, None) => "over",
    }
}

/// What came of a job, in a few words.
#[must_use]
pub fn outcome_words(outcome: &Outcome) -> String {
    use crate::state::format::{bytes, millis, tokens_per_second};
    match outcome {
        Outcome::Compiled { module, cached: true, .. } => {
            format!("{}, found compiled before", bytes(module.size_bytes))
        }
        Outcome::Compiled { module, compile_ms, .. } => {
            format!("{} in {}", bytes(module.size_bytes), millis(*compile_ms))
        }
        Outcome::Ran { report } if report.embedding.is_some() || report.timings.generated_tokens == 0 => {
            format!("{} tokens read", report.timings.prompt_tokens)
        }
        Outcome::Ran { report } => {
            let decode = report.timings.decode_tps;
            let decode = decode.map(|tps| format!(", {} tok/s", tokens_per_second(tps))).unwrap_or_default();
            format!("{} tokens{decode}", report.timings.generated_tokens)
        }
        Outcome::Benched { report } => {
            let best = |engine: &str| {
                let runs = report.runs.iter().filter(|run| run.engine == engine);
                runs.filter_map(|run| run.decode_tps).max_by(f64::total_cmp)
            };
            let words = [("compiled", best("compiled")), ("llama.cpp", best("eager"))];
            let words = words
                .into_iter()
                .filter_map(|(name, tps)| Some(format!("{name} {} tok/s", tokens_per_second(tps?))));
            words.collect::<Vec<_>>().join(", ")
        }
        Outcome::Verified { report } => {
            let verdict = if report.passed { "near enough" } else { "too far apart" };
            format!("{verdict}, mean KL {:.1e}", report.decode.mean_kl)
        }
        Outcome::Swept { report } => match report.combinations.len() {
            1 => "1 combination".to_owned(),
            many => format!("{many} combinations"),
        },
        Outcome::Failed { error } => error.message.clone(),
        Outcome::Cancelled => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_protocol::{CompileSpec, Hash, JobSpec, Terms};

    fn job(job: JobId) -> JobRecord {
        let spec = CompileSpec { bundle: Hash::from_bytes([1; 32]), target: "host".into(), flags: vec![] };
        JobRecord {
            job,
            spec: JobSpec::Compile(spec),
            terms: Terms::default(),
            state: JobState::Over,
            model: "m".into(),
            hub: "h".into(),
            runner: None,
            attempt: 1,
            events: 1,
            created_ms: 0,
            started_ms: None,
            finished_ms: None,
            outcome: Some(Outcome::Cancelled),
        }
    }

    fn ids(history: &History) -> Vec<JobId> {
        history.jobs.iter().map(|job| job.job).collect()
    }

    #[test]
    fn a_newer_list_keeps_what_it_was_continued_with() {
        let mut history = History::default();
        history.take(Search::default(), vec![job(9), job(8)], true, false);
        history.take(Search::default(), vec![job(7), job(6)], false, true);
        assert_eq!((ids(&history), history.more), (vec![9, 8, 7, 6], false));
        history.take(Search::default(), vec![job(10), job(9)], true, false);
        assert_eq!((ids(&history), history.more), (vec![10, 9, 8, 7, 6], false));
        // Another question.
        let search = Search { text: "other".into(), ..Search::default() };
        history.take(search, vec![job(12)], true, false);
        assert_eq!((ids(&history), history.more), (vec![12], true));
    }

    #[test]
    fn empty_fields_choose_all() {
        let filter = Search::default().filter(None, 5);
        assert_eq!(filter, JobFilter { limit: Some(5), ..JobFilter::default() });
        let search = Search { kind: "bench".into(), state: "over".into(), ..Search::default() };
        let filter = search.filter(Some(7), 5);
        assert_eq!((filter.kind.as_deref(), filter.state), (Some("bench"), Some(JobState::Over)));
        assert_eq!(filter.before, Some(7));
    }
}
