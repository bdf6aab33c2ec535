//! A hub from the command line: where it is, what is asked of it, how its jobs are followed.

use super::{
    dirs,
    events::Follow,
    outcome::{Said, WrongUsage, note, print},
    ready,
};
use crate::model::ModelFiles;
use anyhow::{Context, bail};
use clap::Args;
use runner_agent::{
    BundleFiles,
    hub::{HubAddress, Link, LinkError, upload},
};
use std::{
    collections::BTreeMap,
    env, fs, io,
    path::{Path, PathBuf},
    time::Duration,
};
use studio_core::{
    manifest::{FileEntry, Manifest, file_name},
    reference,
};
use studio_protocol::{
    Artifact, ClientMessage, Hash, HubMessage, JobEvent, JobId, JobSpec, On, Outcome, Runner, Terms,
    WireError,
};

/// The variable that names a hub where no option does.
const HUB: &str = "STUDIO_HUB";

/// The variable that a token may be in.
const TOKEN: &str = "STUDIO_TOKEN";

/// How often a hub that went away is called again before a command gives up, a second apart.
const TRIES: u32 = 60;

/// Which hub.
#[derive(Debug, Clone, Args)]
pub(super) struct HubArgs {
    /// The hub's address, as `studio serve` prints it [default: the variable STUDIO_HUB, or the hub of this machine].
    #[arg(long, value_name = "URL")]
    hub: Option<String>,
    /// The hub's token, where it isn't in the address; or in the variable STUDIO_TOKEN.
    #[arg(long, value_name = "T")]
    token: Option<String>,
}

/// Where, when and for how long a job is carried out.
#[derive(Debug, Clone, Args)]
pub(super) struct PlaceArgs {
    /// Have a hub's runner do it: one of this name, each with this label, or `all` that are there; may be given again.
    #[arg(long = "runner", value_name = "NAME")]
    runners: Vec<String>,
    /// Have the first free runner with this label do it.
    #[arg(long, value_name = "LABEL", conflicts_with = "runners")]
    any: Option<String>,
    /// Jobs of a higher priority go first.
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value_t = 0,
        value_parser = clap::value_parser!(i32).range(-100..=100))]
    priority: i32,
    /// How long it may take, in seconds.
    #[arg(long, value_name = "SECONDS",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(studio_protocol::MAX_TIME_LIMIT_S)))]
    time_limit: Option<u32>,
    /// A name for jobs that belong together.
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    #[command(flatten)]
    hub: HubArgs,
}

impl HubArgs {
    /// The hub that is meant.
    pub(super) fn address(&self) -> anyhow::Result<HubAddress> {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let token = self.token.clone().or_else(|| variable(TOKEN));
        if let Some(url) = self.hub.clone().or_else(|| variable(HUB)) {
            return HubAddress::parse(&url, token.as_deref())
                .map_err(|error| WrongUsage(error.to_string()).into());
        }
        let data = dirs::data()?;
        let read = |name: &str| match fs::read_to_string(data.join(name)) {
            Ok(text) => Ok(Some(text.trim().to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| data.join(name).display().to_string()),
        };
        let (Some(address), Some(token)) = (read("address")?, read("token")?) else {
            bail!(
                "no hub runs on this machine. Start one with `studio serve`, or name one with --hub URL \
                 (or in {HUB})"
            );
        };
        Ok(HubAddress::parse(&format!("http://{address}"), Some(&token))?)
    }

    /// Connects.
    pub(super) async fn open(&self) -> anyhow::Result<Remote> {
        let address = self.address()?;
        let (link, runners) = connect(&address).await.map_err(WireError::from)?;
        Ok(Remote { address, link, runners, next: 1 })
    }
}

async fn connect(address: &HubAddress) -> Result<(Link, Vec<Runner>), LinkError> {
    let (link, welcome) = Link::open(address, concat!("studio-cli/", env!("CARGO_PKG_VERSION"))).await?;
    Ok((link, welcome.runners))
}

impl PlaceArgs {
    /// Whether a hub is to have it done.
    pub(super) fn is_remote(&self) -> bool {
        !self.runners.is_empty() || self.any.is_some()
    }

    /// Connects.
    pub(super) async fn open(&self) -> anyhow::Result<Remote> {
        self.hub.open().await
    }

    /// As the protocol has it.
    pub(super) fn terms(&self, remote: &Remote) -> Terms {
        let is_name = |name: &str| remote.runners.iter().any(|runner| runner.info.name == name);
        let on = match (&self.any, &self.runners[..]) {
            (Some(label), _) => On::Label(label.clone()),
            (None, [name]) if is_name(name) => On::Runner(name.clone()),
            (None, names) if names.iter().any(|name| name == "all") => On::Each(Vec::new()),
            (None, names) => On::Each(names.to_vec()),
        };
        Terms {
            on: Some(on),
            priority: self.priority,
            time_limit_s: self.time_limit,
            group: self.group.clone(),
        }
    }
}

/// A hub, connected.
#[derive(Debug)]
pub(super) struct Remote {
    address: HubAddress,
    link: Link,
    /// Its runners when the connection was made.
    pub(super) runners: Vec<Runner>,
    /// The next number for a request or a channel.
    next: u32,
}

/// How a job ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) job: JobId,
    /// The runner that had it last.
    pub(super) runner: String,
    pub(super) outcome: Outcome,
}

impl Remote {
    /// Asks for something and gives the answer.
    pub(super) async fn ask(
        &mut self,
        message: impl FnOnce(u64) -> ClientMessage,
    ) -> anyhow::Result<HubMessage> {
        let number = u64::from(self.number());
        self.link.say(&message(number)).await.map_err(WireError::from)?;
        loop {
            match self.link.hear().await.map_err(WireError::from)? {
                HubMessage::Error { request: Some(request), error, .. } if request == number => {
                    return Err(error.into());
                }
                message @ (HubMessage::JobAccepted { request, .. }
                | HubMessage::Jobs { request, .. }
                | HubMessage::Job { request, .. }
                | HubMessage::Done { request })
                    if request == number =>
                {
                    return Ok(message);
                }
                _ => {}
            }
        }
    }

    /// Says something that isn't answered by its number.
    pub(super) async fn say(&mut self, message: &ClientMessage) -> anyhow::Result<()> {
        Ok(self.link.say(message).await.map_err(WireError::from)?)
    }

    /// The next message.
    pub(super) async fn hear(&mut self) -> anyhow::Result<HubMessage> {
        Ok(self.link.hear().await.map_err(WireError::from)?)
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Puts a bundle on the hub, sends what of it isn't there, and gives its name.
    pub(super) async fn send_bundle(&mut self, bundle: &BundleFiles) -> anyhow::Result<Hash> {
        let mut manifest: Manifest = bundle.manifest().clone();
        // The bundle's name is that of its manifest as it was exported, before anything was compiled or verified; its
        // reference page tells of both, too.
        manifest.modules.clear();
        manifest.verifications.clear();
        let folder = tempfile::tempdir()?;
        for entry in manifest.files.clone() {
            let path = bundle.path(&entry.name)?;
            if entry.name != file_name::REFERENCE {
                self.send_file(path, &entry).await?;
                continue;
            }
            let page = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let page = reference::update(&page, &mut manifest);
            let path = folder.path().join(file_name::REFERENCE);
            fs::write(&path, &page)?;
            let blake3 = Hash::from_bytes(*blake3::hash(page.as_bytes()).as_bytes());
            self.send(&path, &Artifact { blake3, size_bytes: page.len() as u64 }).await?;
        }
        let text = serde_json::to_vec_pretty(&manifest)?;
        let hash = Hash::from_bytes(*blake3::hash(&text).as_bytes());
        let path = folder.path().join(file_name::MANIFEST);
        fs::write(&path, &text)?;
        self.send(&path, &Artifact { blake3: hash, size_bytes: text.len() as u64 }).await?;
        Ok(hash)
    }

    /// Puts the model that a bundle was exported from on the hub, for llama.cpp.
    pub(super) async fn send_model(&mut self, model: &Path, source: &FileEntry) -> anyhow::Result<Hash> {
        if fs::metadata(model)?.len() != source.size_bytes {
            bail!(
                "{}: a model of several files can't be sent to a runner; llama.cpp there takes one file",
                model.display()
            );
        }
        self.send_file(model, source).await?;
        Ok(source.blake3.parse()?)
    }

    /// Puts a model on the hub that is one file.
    pub(super) async fn send_whole_model(&mut self, model: &ModelFiles) -> anyhow::Result<FileEntry> {
        let entry = model.hash()?;
        self.send_model(Path::new(&model.name()), &entry).await?;
        Ok(entry)
    }

    async fn send_file(&mut self, path: &Path, entry: &FileEntry) -> anyhow::Result<()> {
        let artifact = Artifact { blake3: entry.blake3.parse()?, size_bytes: entry.size_bytes };
        self.send(path, &artifact).await
    }

    async fn send(&mut self, path: &Path, artifact: &Artifact) -> anyhow::Result<()> {
        loop {
            let channel = self.number();
            match upload(&mut self.link, channel, path, artifact, |_, _| ()).await {
                Ok(_) => return Ok(()),
                Err(LinkError::Refused(error)) => return Err(error.into()),
                Err(error) => self.reconnect(&error).await?,
            }
        }
    }

    /// Connects anew after the connection was lost.
    async fn reconnect(&mut self, lost: &LinkError) -> anyhow::Result<()> {
        note(format_args!("{lost}; trying again"));
        for _ in 0..TRIES {
            match connect(&self.address).await {
                Ok((link, runners)) => {
                    (self.link, self.runners) = (link, runners);
                    return Ok(());
                }
                Err(LinkError::Refused(error)) => return Err(error.into()),
                Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
            }
        }
        bail!("{lost}; the hub did not come back. The job goes on there: `studio jobs` shows it")
    }

    /// Asks for a job, or for several at once.
    pub(super) async fn submit(&mut self, spec: JobSpec, terms: Terms) -> anyhow::Result<Vec<JobId>> {
        let answer = self.ask(|request| ClientMessage::JobSubmit { request, spec, terms }).await?;
        accepted(answer)
    }

    /// Asks for a job once more.
    pub(super) async fn rerun(&mut self, job: JobId) -> anyhow::Result<Vec<JobId>> {
        let answer = self.ask(|request| ClientMessage::JobRerun { request, job }).await?;
        accepted(answer)
    }

    /// Follows jobs to their ends, whatever becomes of the connection; they are given in the order of `jobs`. Cancelling
    /// cancels them.
    pub(super) async fn follow(
        &mut self,
        jobs: &[JobId],
        follower: &mut impl Follow,
        cancel: &super::work::Cancel,
    ) -> anyhow::Result<Vec<Ended>> {
        let mut seen: BTreeMap<JobId, u64> = jobs.iter().map(|job| (*job, 0)).collect();
        let mut runners: BTreeMap<JobId, String> = BTreeMap::new();
        let mut outcomes: BTreeMap<JobId, Outcome> = BTreeMap::new();
        let mut is_cancelled = false;
        self.watch(&seen).await;
        while outcomes.len() < seen.len() {
            let message = tokio::select! {
                message = self.link.hear() => message,
                () = cancel.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    for &job in jobs {
                        self.say(&ClientMessage::JobCancel { job }).await?;
                    }
                    continue;
                }
            };
            match message {
                Ok(HubMessage::JobEvent { job, seq, event }) => {
                    let Some(last) = seen.get_mut(&job).filter(|last| seq == **last + 1) else { continue };
                    *last = seq;
                    match event {
                        JobEvent::Finished { outcome } => {
                            outcomes.insert(job, outcome);
                        }
                        JobEvent::Started { runner } => {
                            if jobs.len() > 1 {
                                note(format_args!("{runner} begins job {job}"));
                            }
                            runners.insert(job, runner);
                        }
                        event => follower.event(event)?,
                    }
                }
                Ok(HubMessage::Error { job: Some(job), error, .. }) if seen.contains_key(&job) => {
                    return Err(error.into());
                }
                Ok(_) => {}
                Err(LinkError::Refused(error)) => return Err(error.into()),
                Err(error) => {
                    self.reconnect(&error).await?;
                    self.watch(&seen).await;
                }
            }
        }
        let ended = |job: &JobId| {
            let runner = runners.remove(job).unwrap_or_default();
            outcomes.remove(job).map(|outcome| Ended { job: *job, runner, outcome })
        };
        Ok(jobs.iter().filter_map(ended).collect())
    }

    async fn watch(&mut self, seen: &BTreeMap<JobId, u64>) {
        for (&job, &after) in seen {
            // Where it can't be said the connection is lost, which the next hearing tells.
            drop(self.link.say(&ClientMessage::JobWatch { job, after }).await);
        }
    }
}

fn accepted(answer: HubMessage) -> anyhow::Result<Vec<JobId>> {
    match answer {
        HubMessage::JobAccepted { job, jobs, .. } if jobs.is_empty() => Ok(vec![job]),
        HubMessage::JobAccepted { jobs, .. } => Ok(jobs),
        other => bail!("the hub answered {other:?}"),
    }
}

/// A bundle's folder, with the model that it is of for llama.cpp, if that is wanted.
pub(super) struct Sent {
    pub(super) bundle: Hash,
    pub(super) model: Option<Hash>,
}

/// Puts on the hub what a job takes.
pub(super) async fn send(
    remote: &mut Remote,
    dir: &Path,
    model: Option<PathBuf>,
    is_model_wanted: bool,
) -> anyhow::Result<Sent> {
    let files = BundleFiles::open(dir)?;
    let source = &files.manifest().source;
    let bundle = remote.send_bundle(&files).await?;
    if !is_model_wanted {
        return Ok(Sent { bundle, model: None });
    }
    let path = model.map_or_else(|| ready::source_model(dir, source), Ok)?;
    let model = Some(remote.send_model(&path, source).await?);
    Ok(Sent { bundle, model })
}

/// Why a job gave nothing, if it didn't.
pub(super) fn failure(ended: &Ended) -> Option<anyhow::Error> {
    let Ended { job, runner, outcome } = ended;
    match outcome {
        Outcome::Failed { error } if runner.is_empty() => Some(error.clone().into()),
        Outcome::Failed { error } => Some(anyhow::anyhow!("{runner}: {error}")),
        Outcome::Cancelled => Some(anyhow::anyhow!("job {job} was cancelled")),
        _ => None,
    }
}

/// Prints what jobs gave: as JSON, the report of one, or of several a list of `job`, `runner` and `outcome`; for people,
/// what `words` makes of each. Fails if one of them failed.
pub(super) fn report(
    ended: &[Ended],
    json: bool,
    mut words: impl FnMut(&str, &Outcome) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<()> {
    for Ended { runner, outcome, .. } in ended {
        if let Some(text) = words(runner, outcome)?.filter(|_| !json) {
            print(text)?;
        }
    }
    match ended {
        _ if !json => {}
        [Ended { outcome, .. }] => {
            let text = match outcome {
                Outcome::Ran { report } => serde_json::to_string_pretty(report)?,
                Outcome::Benched { report } => serde_json::to_string_pretty(report)?,
                Outcome::Verified { report } => serde_json::to_string_pretty(report)?,
                Outcome::Swept { report } => serde_json::to_string_pretty(report)?,
                other => serde_json::to_string_pretty(other)?,
            };
            print(format_args!("{text}\n"))?;
        }
        several => {
            let list: Vec<_> = several
                .iter()
                .map(|Ended { job, runner, outcome }| {
                    serde_json::json!({"job": job, "runner": runner, "outcome": outcome})
                })
                .collect();
            print(format_args!("{}\n", serde_json::to_string_pretty(&list)?))?;
        }
    }
    let mut failures = ended.iter().filter_map(failure);
    match (failures.next(), ended.len()) {
        (None, _) => Ok(()),
        (Some(error), 1) => Err(error),
        (Some(first), _) => {
            for error in [first].into_iter().chain(failures) {
                note(format_args!("error: {error:#}"));
            }
            Err(Said.into())
        }
    }
}
