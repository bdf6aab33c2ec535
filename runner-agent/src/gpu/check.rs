//! Whether a module on a graphics processor says what the same graph says on the processor. Compilers for graphics
//! processors and their drivers have made wrong numbers without a word; so the first run of a module on a device, by a
//! driver, is held against the processor, and what came of it is kept.

use super::device::{NEEDS, ask};
use crate::{
    BundleFiles, EngineCommand, Failure, Source,
    log::send,
    session::{Asker, Session},
    targets,
    verify::compare,
};
use std::{
    fs::{self, File},
    io::{self, BufReader},
    path::{Path, PathBuf},
};
use studio_core::{manifest::file_name, options::GraphKind};
use studio_protocol::{DeviceCheck, ErrorCode, JobEvent, WireError};
use tokio::{sync::mpsc, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

/// The tokens that both are given: few, for a processor that computes for a graphics processor takes seconds for each.
const TOKENS: usize = 6;

/// The largest mean divergence from the processor, in nats, that rounding explains.
const MAX_MEAN_KL: f64 = 1e-2;

/// By how much the most likely token must lead to be expected of both.
const MARGIN: f64 = 0.1;

/// What to check.
#[derive(Debug, Clone)]
pub struct Check<'a> {
    /// The bundle, which names the module and its target.
    pub bundle: &'a BundleFiles,
    /// The module to run.
    pub module: &'a Path,
    /// A module of the same graph for this machine's processor, if there is one.
    pub reference: Option<&'a Path>,
    /// Where it is kept what was found out.
    pub folder: &'a Path,
}

/// Holds a module for a graphics processor against the processor, unless that was done before; does nothing for a module
/// that is for a processor. Emits `Step` and `Checked`.
///
/// # Errors
///
/// That they differ, with how far; that they can't be compared.
pub async fn check(
    what: &Check<'_>,
    engine: &EngineCommand,
    events: &mpsc::Sender<JobEvent>,
    cancel: &CancellationToken,
) -> Result<(), Failure> {
    if !what.bundle.target(what.module).is_some_and(targets::is_vulkan) {
        return Ok(());
    }
    let gpus = ask(engine).await.map_err(|error| error.hint(NEEDS))?;
    let Some(gpu) = gpus.first() else { return Ok(()) };
    let kept = what.folder.join(format!("{}.json", key(what, &gpu.text).await?));
    if let Some(found) = read(&kept) {
        send(events, JobEvent::Checked(DeviceCheck { known: true, ..found })).await;
        return Ok(());
    }
    let Some(reference) = what.reference else {
        let message =
            format!("what {} computes can't be checked: there is no module for this processor", gpu.name);
        return Err(WireError::new(ErrorCode::NotFound, message)
            .hint("Compile the bundle for the processor, too: a first run on a graphics processor is compared with it")
            .into());
    };
    send(events, JobEvent::Step { name: format!("checking {}", gpu.name) }).await;
    let compared = Compared { what, asker: Asker { engine, events, cancel }, gpu: &gpu.name };
    let found = compared.hold_against(reference).await?;
    keep(&kept, &found);
    send(events, JobEvent::Checked(found)).await;
    Ok(())
}

/// Everything that the result depends on.
async fn key(what: &Check<'_>, gpu: &str) -> Result<String, WireError> {
    let module = what.module.to_owned();
    let hash = spawn_blocking(move || {
        fs::read(&module).map(|bytes| blake3::hash(&bytes)).map_err(|error| (module, error))
    });
    let hash = hash
        .await
        .map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?
        .map_err(|(path, error)| io_error(&path, &error))?;
    let mut hasher = blake3::Hasher::new_derive_key("Lowering Studio device check 1");
    hasher.update(hash.as_bytes());
    let weights = what.bundle.manifest().files.iter().find(|entry| entry.name == file_name::IRPA);
    for word in [weights.map_or("", |entry| &entry.blake3), gpu, iree_runtime::runtime_version()] {
        hasher.update(&(word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn read(kept: &Path) -> Option<DeviceCheck> {
    serde_json::from_slice(&fs::read(kept).ok()?).ok()
}

fn keep(kept: &Path, found: &DeviceCheck) {
    let write = || -> io::Result<()> {
        let folder = kept.parent().ok_or_else(|| io::Error::other("no folder"))?;
        fs::create_dir_all(folder)?;
        fs::write(kept, serde_json::to_vec(found)?)
    };
    if let Err(error) = write() {
        tracing::warn!("{}: the check is done again the next time: {error}", kept.display());
    }
}

/// Both sides.
struct Compared<'a> {
    what: &'a Check<'a>,
    asker: Asker<'a>,
    gpu: &'a str,
}

impl Compared<'_> {
    async fn hold_against(&self, reference: &Path) -> Result<DeviceCheck, Failure> {
        let manifest = self.what.bundle.manifest();
        let source =
            |module: &Path| Source::Compiled { bundle: self.what.bundle.clone(), module: module.to_owned() };
        let (ours, theirs) = (source(self.what.module), source(reference));
        let has = |graph| manifest.functions.iter().any(|function| function.graph == graph);
        let room = if has(GraphKind::Kv) { manifest.options.context } else { manifest.options.seq };
        let tokens = tokens(manifest.model.vocabulary_size, TOKENS.min(room as usize));
        if has(GraphKind::Kv) {
            self.logits(&ours, &theirs, &tokens).await
        } else if has(GraphKind::Redecode) {
            self.next(&ours, &theirs, &tokens).await
        } else {
            let message = "a module that gives texts' vectors can't be checked on a graphics processor yet, and is not run there";
            Err(WireError::new(ErrorCode::BadMessage, message).hint("Run it on the processor").into())
        }
    }

    /// By the logits after `prefill` and after each `decode`.
    async fn logits(&self, ours: &Source, theirs: &Source, tokens: &[u32]) -> Result<DeviceCheck, Failure> {
        let folder = tempfile::tempdir().map_err(|error| io_error(&std::env::temp_dir(), &error))?;
        let chunk = self.what.bundle.manifest().options.chunk.max(1);
        let at = |name: &str| folder.path().join(name);
        let mut vocabulary = 0;
        for (source, name) in [(theirs, "processor"), (ours, "graphics")] {
            let mut session = Session::open(source, None, self.asker).await?;
            (_, vocabulary) = session.logits(tokens, 1, &at(&format!("{name}.decode"))).await?;
            session.logits(tokens, chunk, &at(&format!("{name}.prefill"))).await?;
        }
        // One row after each token, and one after each chunk.
        let reference = at("processor.decode");
        let pairs = [
            (reference.clone(), at("graphics.decode"), 1),
            (reference, at("graphics.prefill"), chunk as usize),
        ];
        let tokens = tokens.to_vec();
        let compared = spawn_blocking(move || {
            let compared = pairs.map(|(want, got, step)| distances(&want, &got, vocabulary, &tokens, step));
            drop(folder);
            compared
        });
        let compared =
            compared.await.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?;
        let mut found = DeviceCheck {
            device: self.gpu.to_owned(),
            positions: 0,
            mean_kl: Some(0.0),
            max_abs_logit_diff: Some(0.0),
            known: false,
        };
        for (distances, function) in compared.into_iter().zip(["decode", "prefill"]) {
            let distances = distances?;
            if !(distances.mean_kl <= MAX_MEAN_KL && distances.top1_agreement_above_margin >= 1.0) {
                return Err(self.wrong(&format!(
                    "the scores of `{function}` diverge from the processor's by {:.2e} nats, where rounding explains {MAX_MEAN_KL:e}, \
                     and {:.0} % of the tokens that lead clearly are the same",
                    distances.mean_kl,
                    100.0 * distances.top1_agreement_above_margin
                )));
            }
            found.positions += distances.positions;
            found.mean_kl = found.mean_kl.map(|kl| kl.max(distances.mean_kl));
            found.max_abs_logit_diff =
                found.max_abs_logit_diff.map(|most| most.max(distances.max_abs_logit_diff));
        }
        Ok(found)
    }

    /// By the next token after all tokens and after all but the last: the redecode function gives no more.
    async fn next(&self, ours: &Source, theirs: &Source, tokens: &[u32]) -> Result<DeviceCheck, Failure> {
        let parts: Vec<&[u32]> = [tokens, &tokens[..tokens.len().saturating_sub(1)]]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        let mut said = Vec::new();
        for source in [theirs, ours] {
            let mut session = Session::open(source, None, self.asker).await?;
            let mut next = Vec::new();
            for part in &parts {
                next.push(session.fill(part).await?.next);
            }
            said.push(next);
        }
        if said[0] != said[1] {
            return Err(self.wrong(&format!(
                "it names the tokens {:?} where the processor names {:?}",
                said[1], said[0]
            )));
        }
        Ok(DeviceCheck {
            device: self.gpu.to_owned(),
            positions: parts.len() as u32,
            mean_kl: None,
            max_abs_logit_diff: None,
            known: false,
        })
    }

    fn wrong(&self, how: &str) -> Failure {
        let message = format!("{} computes this module wrongly: {how}", self.gpu);
        WireError::new(ErrorCode::Runtime, message)
            .at(self.what.module.display().to_string())
            .hint("Nothing was run. Another target of the same maker, f32 weights or a newer driver may help; the processor's module is right")
            .into()
    }
}

/// Tokens from all over the vocabulary, always the same.
fn tokens(vocabulary: u32, count: usize) -> Vec<u32> {
    let step = u64::from(vocabulary) * 5 / 8;
    (1..=count as u64).map(|index| (index * step % u64::from(vocabulary.max(1))) as u32).collect()
}

fn distances(
    want: &Path,
    got: &Path,
    vocabulary: usize,
    tokens: &[u32],
    step: usize,
) -> Result<studio_protocol::Distances, WireError> {
    let open = |path: &Path| File::open(path).map(BufReader::new).map_err(|error| io_error(path, &error));
    compare(open(want)?, open(got)?, vocabulary, tokens, step, MARGIN).map_err(|error| io_error(got, &error))
}

fn io_error(path: &Path, error: &io::Error) -> WireError {
    WireError::new(ErrorCode::Io, error.to_string()).at(path.display().to_string())
}

/// Where a machine keeps what was found out, beside its modules.
#[must_use]
pub fn folder_beside(modules: &Path) -> PathBuf {
    modules.with_file_name("device-checks")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_lie_within_the_vocabulary_and_differ() {
        let some = tokens(49152, 6);
        assert!(some.iter().all(|token| *token < 49152));
        let mut distinct = some.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 6, "{some:?}");
        assert_eq!(tokens(1, 3), [0, 0, 0]);
    }

    #[test]
    fn what_was_found_out_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("checks/a.json");
        assert_eq!(read(&kept), None);
        let found = DeviceCheck {
            device: "a".to_owned(),
            positions: 2,
            mean_kl: Some(1e-9),
            max_abs_logit_diff: Some(1e-3),
            known: false,
        };
        keep(&kept, &found);
        assert_eq!(read(&kept), Some(found));
        fs::write(&kept, "{").unwrap();
        assert_eq!(read(&kept), None);
    }
}
