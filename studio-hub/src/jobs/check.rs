//! Whether a job can be begun at all: its files are here and its numbers in their ranges.

use super::sweep;
use crate::store::{BundleError, Store};
use runner_agent::MAX_THREADS;
use std::ops::RangeInclusive;
use studio_protocol::{
    ErrorCode, Hash, JobSpec, MAX_TIME_LIMIT_S, On, PRIORITIES, Terms, WireError, is_runner_name,
};

/// The most tokens that a run may generate.
const MAX_TOKENS: u32 = 1 << 16;

/// The most numbers of threads that a bench measures, and rounds.
const MAX_MEASURED: u32 = 64;

/// The most runners and labels that a job may name.
const MAX_NAMES: usize = 64;

/// The most bytes of a group's name.
const MAX_GROUP_BYTES: usize = 128;

/// Refuses a job that can't be begun; gives its model's name.
pub(super) fn check(store: &Store, spec: &JobSpec) -> Result<String, WireError> {
    let threads = |threads: u32| within("threads", threads, 1..=MAX_THREADS);
    let artifact = |hash: &Hash| store.artifact(hash).map_err(BundleError::from);
    let Some(bundle) = spec.bundle() else { return sweep::check(store, spec) };
    let bundle = store.bundle(bundle)?;
    match spec {
        JobSpec::Sweep(_) => {}
        JobSpec::Compile(spec) => runner_agent::check_compile(&spec.target, &spec.flags)?,
        JobSpec::Run(spec) => {
            within("max_tokens", spec.max_tokens, 1..=MAX_TOKENS)?;
            spec.threads.map_or(Ok(()), threads)?;
        }
        JobSpec::Bench(spec) => {
            measured(&spec.threads, spec.prompt_tokens, spec.gen_tokens, spec.repeat)?;
            spec.position.map_or(Ok(()), |position| within("position", position, 1..=1 << 20))?;
            let source = &bundle.manifest.source;
            if let Some(model) = spec.eager.filter(|model| model.to_string() != source.blake3) {
                let what = format!(
                    "{model} is not what the bundle was exported from ({}): the figures would not compare",
                    source.name
                );
                return Err(WireError::new(ErrorCode::BadMessage, what));
            }
        }
        JobSpec::Verify(spec) => {
            within("positions", spec.positions, 1..=MAX_TOKENS)?;
            spec.threads.map_or(Ok(()), threads)?;
        }
    }
    if let Some(target) = spec.target() {
        runner_agent::check_compile(target, &[])?;
    }
    if let Some(module) = spec.module()
        && artifact(module)?.is_none()
    {
        return Err(BundleError::NoModule(*module).into());
    }
    if let Some(model) = spec.model()
        && artifact(model)?.is_none()
    {
        return Err(WireError::new(ErrorCode::NotFound, format!("the hub has no artifact {model}"))
            .hint("Upload the GGUF first"));
    }
    let manifest = bundle.manifest;
    Ok(manifest.model.name.filter(|name| !name.is_empty()).unwrap_or(manifest.source.name))
}

fn within(name: &str, value: u32, range: RangeInclusive<u32>) -> Result<(), WireError> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(out_of_range(format!("{name} is {} to {}", range.start(), range.end())))
}

/// Refuses what can't be measured.
pub(super) fn measured(
    threads: &[u32],
    prompt_tokens: u32,
    gen_tokens: u32,
    repeat: u32,
) -> Result<(), WireError> {
    if threads.len() > MAX_MEASURED as usize {
        return Err(out_of_range(format!("threads has at most {MAX_MEASURED} numbers")));
    }
    threads.iter().try_for_each(|number| within("threads", *number, 1..=MAX_THREADS))?;
    within("prompt_tokens", prompt_tokens, 1..=MAX_TOKENS)?;
    within("gen_tokens", gen_tokens, 0..=MAX_TOKENS)?;
    within("repeat", repeat, 1..=MAX_MEASURED)
}

/// Refuses terms that nobody can keep.
pub(super) fn terms(terms: &Terms) -> Result<(), WireError> {
    if !PRIORITIES.contains(&terms.priority) {
        let (least, greatest) = (PRIORITIES.start(), PRIORITIES.end());
        return Err(out_of_range(format!("priority is {least} to {greatest}")));
    }
    if terms.time_limit_s.is_some_and(|limit| !(1..=MAX_TIME_LIMIT_S).contains(&limit)) {
        return Err(out_of_range(format!("time_limit_s is 1 to {MAX_TIME_LIMIT_S}")));
    }
    if terms.group.as_ref().is_some_and(|group| group.is_empty() || group.len() > MAX_GROUP_BYTES) {
        return Err(out_of_range(format!("a group's name has 1 to {MAX_GROUP_BYTES} bytes")));
    }
    let names = match &terms.on {
        None => &[][..],
        Some(On::Runner(name) | On::Label(name)) => std::slice::from_ref(name),
        Some(On::Each(names)) => names,
    };
    if names.len() > MAX_NAMES {
        return Err(out_of_range(format!("a job names at most {MAX_NAMES} runners and labels")));
    }
    match names.iter().find(|name| !is_runner_name(name)) {
        Some(name) => {
            let shown: String = name.chars().take(80).collect();
            Err(out_of_range(format!("{shown:?} is no runner's name or label")))
        }
        None => Ok(()),
    }
}

pub(super) fn out_of_range(what: String) -> WireError {
    WireError::new(ErrorCode::BadMessage, what)
}
