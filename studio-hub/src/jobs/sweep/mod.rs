//! Sweeps. The hub exports a model in one way after another and has each measured by bench jobs before it exports the next, so
//! that exporting takes nothing from what is measured. All that it needs to go on lies in the history: which combinations
//! were tried is told by the sweep's events, and which jobs it asked for by their group and what they are to do. So a sweep
//! goes on where it was when the hub is started again, and needs nobody to watch it.

mod conductor;
mod make;
mod turn;

use super::{Jobs, check};
use crate::store::Store;
use conductor::Conductor;
use gguf_file::{FileSource, Gguf};
use std::{collections::BTreeSet, sync::Arc};
use studio_core::{export::Export, family, options::ExportOptions};
use studio_protocol::{ErrorCode, JobId, JobSpec, MAX_COMBINATIONS, WireError};
use tokio::{sync::Semaphore, task::JoinSet, task::spawn_blocking};
use tokio_util::sync::CancellationToken;
use turn::Turn;

/// The longest name of a file.
const MAX_NAME_BYTES: usize = 255;

/// The group of the jobs that a sweep asks for.
pub(super) fn group(sweep: JobId) -> String {
    format!("sweep-{sweep}")
}

/// Refuses a sweep that can't be begun; gives its model's name.
pub(super) fn check(store: &Store, spec: &JobSpec) -> Result<String, WireError> {
    let JobSpec::Sweep(spec) = spec else {
        return Err(WireError::new(ErrorCode::Internal, "a job without a bundle"));
    };
    let count = spec.combinations.len();
    if !(1..=MAX_COMBINATIONS).contains(&count) {
        return Err(check::out_of_range(format!(
            "a sweep has 1 to {MAX_COMBINATIONS} combinations, not {count}"
        )));
    }
    let read = |(index, options): (usize, &serde_json::Value)| {
        serde_json::from_value::<ExportOptions>(options.clone())
            .map_err(|error| check::out_of_range(format!("combination {index}: {error}")))
    };
    let combinations = spec.combinations.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    check::measured(&spec.threads, spec.prompt_tokens, spec.gen_tokens, spec.repeat)?;
    let is_name = (1..=MAX_NAME_BYTES).contains(&spec.name.len())
        && ![".", ".."].contains(&spec.name.as_str())
        && !spec.name.contains(['/', '\0']);
    if !is_name {
        return Err(check::out_of_range(format!("{:?} is no file's name", spec.name)));
    }
    let unreadable = |error: std::io::Error| WireError::new(ErrorCode::Io, error.to_string());
    if store.artifact(&spec.model).map_err(unreadable)?.is_none() {
        let what = format!("the hub has no artifact {}", spec.model);
        return Err(WireError::new(ErrorCode::NotFound, what).hint("Upload the GGUF first"));
    }
    let source = FileSource::open(store.artifact_path(&spec.model)).map_err(unreadable)?;
    let no_model = |error: gguf_file::Error| {
        WireError::new(ErrorCode::Corrupt, error.to_string())
            .at(spec.name.clone())
            .hint("A sweep takes a whole GGUF in one file")
    };
    let gguf = Gguf::open(&source).map_err(no_model)?;
    let facts = family::facts(&gguf);
    if facts.is_encoder {
        let what = "a sweep measures how fast tokens are generated, and this model gives a text's vector";
        return Err(WireError::new(ErrorCode::BadMessage, what).at(spec.name.clone()));
    }
    // One that can't be had is a finding; if none can, there is nothing to find.
    let tried = combinations.iter().map(|options| Export::new(&gguf, &[&source], options).map(drop));
    let mut wrong = None;
    for result in tried {
        match result {
            Ok(()) => {
                wrong = None;
                break;
            }
            Err(error) => {
                wrong.get_or_insert(error);
            }
        }
    }
    if let Some(error) = wrong {
        let what = match count {
            1 => format!("the combination can't be exported: {error}"),
            _ => format!(
                "none of the {count} combinations can be exported, the first for this reason: {error}"
            ),
        };
        return Err(WireError::new(ErrorCode::BadMessage, what).at(spec.name.clone()));
    }
    Ok(facts.name.filter(|name| !name.is_empty()).unwrap_or_else(|| spec.name.clone()))
}

/// Carries out sweeps until `shutdown`: one at a time, but for those that wait for a runner that isn't there, or for room.
pub(crate) async fn conduct(jobs: Arc<Jobs>, shutdown: CancellationToken) {
    shutdown.run_until_cancelled(conduct_all(&jobs)).await;
}

async fn conduct_all(jobs: &Arc<Jobs>) {
    let turns = Arc::new(Semaphore::new(1));
    // Ended with this function: each goes on when a hub is there again.
    let mut tasks = JoinSet::new();
    let mut under_way = BTreeSet::new();
    loop {
        let asked = jobs.sweeps.notified();
        let turn = Turn::take(&turns).await;
        while let Some(ended) = tasks.try_join_next() {
            if let Ok(id) = ended {
                under_way.remove(&id);
            }
        }
        let known = under_way.clone();
        let next = blocking(jobs, move |jobs| jobs.state().next_sweep(&known)).await.flatten();
        let Some((record, own)) = next else {
            drop(turn);
            asked.await;
            continue;
        };
        let id = record.job;
        under_way.insert(id);
        let conductor = Conductor::new(Arc::clone(jobs), record, own, turn);
        tasks.spawn(async move {
            conductor.run().await;
            id
        });
    }
}

async fn blocking<T: Send + 'static>(
    jobs: &Arc<Jobs>,
    work: impl FnOnce(&Arc<Jobs>) -> T + Send + 'static,
) -> Option<T> {
    let jobs = Arc::clone(jobs);
    spawn_blocking(move || work(&jobs)).await.ok()
}
