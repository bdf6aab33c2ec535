//! Whether a compiled module says what llama.cpp says: the logits of both after each token of a real text.

mod compare;
mod limits;

use crate::{
    BundleFiles, EagerSettings, EngineCommand, Failure, Source, eager_info,
    log::send,
    session::{Asker, Session},
    text, weights,
};
pub(crate) use compare::compare;
use limits::Rounds;
use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};
use studio_protocol::{ErrorCode, JobEvent, VerifyReport, WireError};
use tokio::{sync::mpsc, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

/// What to compare.
#[derive(Debug, Clone)]
pub struct VerifyJob {
    /// The compiled side. It needs the kv graphs, which give logits.
    pub bundle: BundleFiles,
    /// Its module for this machine.
    pub module: PathBuf,
    /// The GGUF that llama.cpp runs.
    pub against: PathBuf,
    /// Positions to compare, from the first on.
    pub positions: u32,
    /// The text; one of ours where absent.
    pub text: Option<String>,
    /// Worker threads of both; as many as the process may use cores where absent.
    pub threads: Option<u32>,
}

/// Compares `decode` at every position and `prefill` at the end of every chunk. llama.cpp keeps its cache in f32 and
/// attends without its fused kernel, so that it rounds as little as it can. Where both engines round activations, it
/// also runs as people run it, with the fused kernel and a cache in f16: how far that takes it from itself is the
/// measure of what a difference means. Emits `Step`s and what the engines print as `Log`; cancelling ends the engines.
pub async fn verify(
    job: &VerifyJob,
    engine: &EngineCommand,
    events: &mpsc::Sender<JobEvent>,
    cancel: &CancellationToken,
) -> Result<VerifyReport, Failure> {
    let eager = eager_info()?;
    let options = job.bundle.manifest().options.clone();
    let compiled = Source::Compiled { bundle: job.bundle.clone(), module: job.module.clone() };
    let count = job.positions.min(options.context);
    let tokens = text::tokens(&compiled, job.text.as_deref(), count as usize)?;
    let rounds = limits::rounds(&options.form, weights::is_quantised(&job.against)?);
    let asker = Asker { engine, events, cancel };
    let folder = tempfile::tempdir().map_err(|error| io_error(&std::env::temp_dir(), &error))?;
    let at = |name: &str| folder.path().join(name);

    send(events, JobEvent::Step { name: "logits of the compiled module".to_owned() }).await;
    let mut session = Session::open(&compiled, job.threads, asker).await?;
    let decoded = session.logits(&tokens, 1, &at("decode")).await?;
    let prefilled = session.logits(&tokens, options.chunk, &at("prefill")).await?;
    drop(session);
    let eager_logits = async |plain: bool, name: &str| {
        let settings =
            EagerSettings { context: options.context, flash_attention: !plain, exact_cache: plain };
        let against = Source::Eager { model: job.against.clone(), settings };
        let mut session = Session::open(&against, job.threads, asker).await?;
        session.logits(&tokens, 1, &at(name)).await
    };
    send(events, JobEvent::Step { name: "logits of llama.cpp".to_owned() }).await;
    let wanted = eager_logits(true, "eager").await?;
    if rounds == Rounds::Both {
        send(events, JobEvent::Step { name: "logits of llama.cpp as it is usually run".to_owned() }).await;
        eager_logits(false, "usual").await?;
    }
    if wanted.1 != decoded.1 || wanted.1 != prefilled.1 {
        let message = format!("the module gives {} logits, the model {}", decoded.1, wanted.1);
        return Err(WireError::new(ErrorCode::Corrupt, message)
            .at(job.against.display().to_string())
            .hint("Is it the model that the bundle was exported from?")
            .into());
    }

    let (vocabulary, paths) = (wanted.1, [at("eager"), at("usual"), at("decode"), at("prefill")]);
    let (given, chunk) = (tokens.clone(), options.chunk as usize);
    let compared = spawn_blocking(move || {
        let [eager, usual, decode, prefill] = &paths;
        let open = |path: &Path| File::open(path).map(BufReader::new).map_err(|error| io_error(path, &error));
        let against_eager = |path: &Path, step: usize| {
            compare(open(eager)?, open(path)?, vocabulary, &given, step, rounds.margin())
                .map_err(|error| io_error(path, &error))
        };
        let itself = (rounds == Rounds::Both).then(|| against_eager(usual, 1)).transpose()?;
        Ok::<_, WireError>((itself, against_eager(decode, 1)?, against_eager(prefill, chunk)?))
    });
    let (itself, decode, prefill) =
        compared.await.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))??;
    let limits = limits::limits(rounds, itself.as_ref());
    Ok(VerifyReport {
        passed: limits::hold(&limits, &decode) && limits::hold(&limits, &prefill),
        decode,
        prefill,
        eager_against_itself: itself,
        limits,
        against: job.against.display().to_string(),
        eager,
    })
}

fn io_error(path: &Path, error: &std::io::Error) -> WireError {
    WireError::new(ErrorCode::Io, error.to_string()).at(path.display().to_string())
}
