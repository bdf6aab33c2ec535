//! Goes through the numbers of a tensor, in steps between which the worker hears of other wishes.

use super::{Model, tell};
use crate::browser;
use crate::messages::{FromWorker, Problem};
use studio_core::statistics::{StatisticsError, Survey, TensorStatistics};

/// Milliseconds between words about how far it is, and between looks at what else is wanted.
const PAUSE_MS: f64 = 40.0;

/// The statistics of a tensor; `None` once they are no longer wanted.
pub(super) async fn run(
    model: &Model,
    survey_id: u64,
    name: &str,
    wanted: impl Fn() -> bool,
) -> Result<Option<Box<TensorStatistics>>, Problem> {
    let mut survey = Survey::new(&model.gguf, name).map_err(problem)?;
    let sources = model.sources();
    let mut last = browser::now_ms();
    while survey.step(&sources).map_err(problem)? {
        if browser::now_ms() - last > PAUSE_MS {
            tell(&FromWorker::Surveying { survey_id, share: survey.progress() });
            browser::yield_now().await;
            last = browser::now_ms();
            if !wanted() {
                return Ok(None);
            }
        }
    }
    Ok(Some(Box::new(survey.finish())))
}

fn problem(error: StatisticsError) -> Problem {
    let problem = Problem::new(error.to_string());
    match error {
        StatisticsError::Read { .. } => problem.hint("If the file was changed, drop it again"),
        StatisticsError::NoTensor { .. } | StatisticsError::Decode { .. } => problem,
    }
}
