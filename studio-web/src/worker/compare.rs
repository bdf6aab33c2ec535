//! A second model beside the first: their headers, and by how much their numbers differ, in steps between which the worker
//! hears of other wishes.

use super::{Model, tell};
use crate::browser;
use crate::messages::{ComparedModel, FromWorker, Problem, TensorOutcome};
use crate::report;
use studio_core::compare::{self, CompareError, Differ};
use studio_core::statistics::StatisticsError;

/// Milliseconds between words about how far it is, and between looks at what else is wanted.
const PAUSE_MS: f64 = 100.0;

/// What the headers say.
pub(super) fn headers(first: &Model, second: &Model) -> ComparedModel {
    ComparedModel {
        files: second.files.clone(),
        title: report::title(&second.gguf, &second.files),
        headers: compare::headers(&first.gguf, &second.gguf),
    }
}

/// Goes through all tensors whose numbers can be compared, and tells of them as they are done. `false` once they are no
/// longer wanted.
pub(super) async fn run(
    first: &Model,
    second: &Model,
    run_id: u64,
    wanted: impl Fn() -> bool,
) -> Result<bool, Problem> {
    let sources = [first.sources(), second.sources()];
    let pairs = compare::headers(&first.gguf, &second.gguf).tensors;
    let names: Vec<String> =
        pairs.into_iter().filter(|pair| pair.is_comparable()).map(|pair| pair.name).collect();
    let elements = |name: &String| first.gguf.tensor(name).map_or(0, |tensor| tensor.elements());
    let all = names.iter().map(elements).sum::<u64>().max(1) as f64;
    let (mut before, mut found, mut last) = (0, Vec::new(), browser::now_ms());
    for name in &names {
        let mut differ = match Differ::new(&first.gguf, &second.gguf, name) {
            Ok(differ) => differ,
            Err(error) => {
                found.push(TensorOutcome { name: name.clone(), result: Err(error.to_string()) });
                before += elements(name);
                continue;
            }
        };
        loop {
            let more = differ.step(&sources[0], &sources[1]).map_err(problem)?;
            if browser::now_ms() - last > PAUSE_MS {
                let share = (before + differ.done()) as f64 / all;
                tell(&FromWorker::Differences { run_id, found: std::mem::take(&mut found), share });
                browser::yield_now().await;
                last = browser::now_ms();
                if !wanted() {
                    return Ok(false);
                }
            }
            if !more {
                break;
            }
        }
        before += differ.elements();
        found.push(TensorOutcome { name: name.clone(), result: Ok(differ.finish()) });
    }
    tell(&FromWorker::Differences { run_id, found, share: 1.0 });
    Ok(true)
}

fn problem(error: CompareError) -> Problem {
    let problem = Problem::new(error.to_string());
    match error {
        CompareError::Tensor { source: StatisticsError::Read { .. }, .. } => {
            problem.hint("If one of the files was changed, choose both again")
        }
        CompareError::Tensor { .. } | CompareError::Shape { .. } => problem,
    }
}
