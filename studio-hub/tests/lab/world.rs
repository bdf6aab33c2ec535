//! A hub and runners as processes of their own, a link that can be cut, compilers that do as they are told.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of this")]

use crate::{
    common::{Hub, STUDIO, Socket, hash},
    tiny,
};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use studio_protocol::{
    BenchSpec, ClientMessage, CompileSpec, Hash, HubMessage, JobEvent, JobId, JobRecord, JobSpec, On,
    Outcome, Prompt, RunSpec, Runner, RunnerState, Sampling, Terms,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// How long anything may take.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// A hub with the tiny model's bundle, and a client.
pub struct Lab {
    pub dir: tempfile::TempDir,
    pub hub: Hub,
    pub bundle: Hash,
}

impl Lab {
    /// A hub whose own runner has this compiler.
    pub async fn start(compiler: &Path) -> Self {
        Self::start_with(compiler, &[]).await
    }

    pub async fn start_with(compiler: &Path, options: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new(STUDIO);
        command.env("IREE_COMPILE", compiler);
        let hub = Hub::start_with_options(&dir.path().join("data"), command, "127.0.0.1:0", options);
        let mut client = hub.greet().await;
        let bundle = send_bundle(&mut client, dir.path()).await;
        Self { dir, hub, bundle }
    }

    /// Kills the hub as a power cut would, and starts it at the same address.
    pub async fn restart_hub(&mut self, compiler: &Path) {
        let address = self.hub.address.clone();
        self.hub.child.kill().unwrap();
        self.hub.child.wait().unwrap();
        let mut command = Command::new(STUDIO);
        command.env("IREE_COMPILE", compiler);
        self.hub = Hub::start_with_options(&self.dir.path().join("data"), command, &address, &[]);
    }

    pub fn runner(&self, name: &str, compiler: &Path) -> RunnerProcess {
        RunnerProcess::start(
            &self.dir.path().join(name),
            &self.hub.address,
            &self.hub.token,
            name,
            &[],
            compiler,
        )
    }

    pub async fn submit(&self, spec: JobSpec, terms: Terms) -> Vec<JobId> {
        // A connection of its own: one that nobody reads from is closed.
        submit(&mut self.hub.greet().await, spec, terms).await
    }

    pub async fn submit_to(&self, spec: JobSpec, runner: &str) -> JobId {
        let terms = Terms { on: Some(On::Runner(runner.to_owned())), ..Terms::default() };
        self.submit(spec, terms).await[0]
    }

    pub fn compile(&self) -> JobSpec {
        JobSpec::Compile(CompileSpec { bundle: self.bundle, target: "host".to_owned(), flags: vec![] })
    }

    pub fn run(&self, module: Option<Hash>) -> JobSpec {
        JobSpec::Run(RunSpec {
            bundle: self.bundle,
            module,
            target: None,
            prompt: Prompt::Tokens { tokens: vec![1, 2, 3] },
            max_tokens: 5,
            threads: Some(1),
            sampling: Sampling::default(),
            profile: false,
        })
    }

    /// A bench of so many rounds.
    pub fn bench(&self, sides: usize, repeat: u32) -> JobSpec {
        JobSpec::Bench(BenchSpec {
            bundle: self.bundle,
            module: None,
            target: None,
            eager: None,
            threads: vec![1; sides],
            prompt_tokens: 4,
            gen_tokens: 8,
            repeat,
            position: None,
        })
    }

    /// Waits until a runner is in this state.
    pub async fn until(&self, name: &str, state: RunnerState) -> Runner {
        let mut watcher = self.hub.greet().await;
        until(&mut watcher, name, state).await
    }

    pub async fn record(&self, job: JobId) -> JobRecord {
        let mut client = self.hub.greet().await;
        client.say(&ClientMessage::JobShow { request: 77, job }).await;
        loop {
            match client.hear().await {
                HubMessage::Job { request: 77, record } => return *record,
                HubMessage::JobEvent { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Waits for an event of a job of which nothing was heard yet.
    pub async fn until_event(&self, job: JobId, is_it: impl Fn(&JobEvent) -> bool) -> u64 {
        let mut watcher = self.hub.greet().await;
        watcher.say(&ClientMessage::JobWatch { job, after: 0 }).await;
        loop {
            match watcher.hear().await {
                HubMessage::JobEvent { job: of, seq, event } if of == job => {
                    if is_it(&event) {
                        return seq;
                    }
                    assert!(!matches!(event, JobEvent::Finished { .. }), "it ended: {event:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

pub async fn until(watcher: &mut Socket, name: &str, state: RunnerState) -> Runner {
    watcher.say(&ClientMessage::RunnersWatch).await;
    loop {
        if let HubMessage::Runners { runners } = watcher.hear().await {
            let found = runners.into_iter().find(|runner| runner.info.name == name && runner.state == state);
            if let Some(runner) = found {
                return runner;
            }
        }
    }
}

/// Exports the tiny model and puts it on the hub.
pub async fn send_bundle(client: &mut Socket, dir: &Path) -> Hash {
    let (gguf, out) = (dir.join("tiny.gguf"), dir.join("bundle"));
    tiny::write(&gguf, tiny::Fault::None);
    let export = Command::new(STUDIO)
        .args(["export", "--form", "stablehlo", "--weights", "f32", "--graphs", "kv"])
        .args(["--context", "32", "--chunk", "4", "--out"])
        .args([&out, &gguf])
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(export.success());
    let manifest = fs::read(out.join("manifest.json")).unwrap();
    let parsed: Value = serde_json::from_slice(&manifest).unwrap();
    for (index, file) in parsed["files"].as_array().unwrap().iter().enumerate() {
        let bytes = fs::read(out.join(file["name"].as_str().unwrap())).unwrap();
        client.upload(u32::try_from(index).unwrap(), &format!("f{index}"), &bytes).await;
    }
    client.upload(99, "manifest", &manifest).await
}

pub async fn submit(client: &mut Socket, spec: JobSpec, terms: Terms) -> Vec<JobId> {
    client.say(&ClientMessage::JobSubmit { request: 1, spec, terms }).await;
    loop {
        match client.hear().await {
            HubMessage::JobAccepted { request: 1, job, jobs } => {
                return if jobs.is_empty() { vec![job] } else { jobs };
            }
            HubMessage::JobEvent { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

/// All of a job's events, asked for anew, which must be numbered without gaps.
pub async fn events(hub: &Hub, id: JobId) -> Vec<JobEvent> {
    let mut watcher = hub.greet().await;
    watcher.say(&ClientMessage::JobWatch { job: id, after: 0 }).await;
    let mut events = Vec::new();
    loop {
        match watcher.hear().await {
            HubMessage::JobEvent { job, seq, event } if job == id => {
                assert_eq!(seq, 1 + events.len() as u64);
                let is_last = matches!(event, JobEvent::Finished { .. });
                events.push(event);
                if is_last {
                    return events;
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

pub fn outcome(events: &[JobEvent]) -> &Outcome {
    match events.last() {
        Some(JobEvent::Finished { outcome }) => outcome,
        other => panic!("{other:?}"),
    }
}

pub fn count(events: &[JobEvent], is_it: impl Fn(&JobEvent) -> bool) -> usize {
    events.iter().filter(|event| is_it(event)).count()
}

/// A runner in a process of its own.
pub struct RunnerProcess {
    child: Child,
    folder: PathBuf,
    said: PathBuf,
}

impl RunnerProcess {
    pub fn start(
        folder: &Path,
        address: &str,
        token: &str,
        name: &str,
        more: &[&str],
        compiler: &Path,
    ) -> Self {
        fs::create_dir_all(folder).unwrap();
        let said = folder.join("said");
        let child = Command::new(STUDIO)
            .args(["join", &format!("http://{address}"), "--token", token, "--name", name])
            .arg("--data")
            .arg(folder.join("data"))
            .args(more)
            .env("STUDIO_CACHE", folder.join("cache"))
            .env("IREE_COMPILE", compiler)
            .stdout(Stdio::null())
            .stderr(fs::File::create(&said).unwrap())
            .spawn()
            .unwrap();
        Self { child, folder: folder.to_owned(), said }
    }

    /// As a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it ends by itself; gives its status and what it said.
    pub fn end(mut self) -> (i32, String) {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status.code().unwrap_or(-1), fs::read_to_string(&self.said).unwrap());
            }
            assert!(
                start.elapsed() < PATIENCE,
                "the runner goes on: {}",
                fs::read_to_string(&self.said).unwrap()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The folder of its artifacts.
    pub fn artifacts(&self) -> PathBuf {
        self.folder.join("data/artifacts")
    }
}

impl Drop for RunnerProcess {
    fn drop(&mut self) {
        // It may have ended before.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// An `iree-compile` that notes each compilation in `started`, one line each, and then does what `then` says. A job runs it
/// twice; the second half is quick, and gives the folder's file `module` where there is one.
pub fn compiler(dir: &Path, name: &str, then: &str) -> PathBuf {
    let path = dir.join(name);
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n--version) echo 'IREE compiler version 3.13.0 @ 0' ;;\n\
         *--compile-from=*) cp '{0}/module' \"$3\" 2>/dev/null || echo module > \"$3\" ;;\n\
         *) echo $$ >> '{0}/started'; echo working; {then} ;;\nesac\n",
        dir.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// One that never ends.
pub fn endless(dir: &Path) -> PathBuf {
    compiler(dir, "endless", "exec sleep 600")
}

/// One that makes something that looks like a module to whoever doesn't run it.
pub fn quick(dir: &Path) -> PathBuf {
    compiler(dir, "quick", "echo module > \"$3\"")
}

/// One that works for a while.
pub fn slow(dir: &Path, seconds: f32) -> PathBuf {
    compiler(dir, "slow", &format!("sleep {seconds}; echo module > \"$3\""))
}

/// How often compilers of this folder were started.
pub fn started(dir: &Path) -> usize {
    fs::read_to_string(dir.join("started")).map_or(0, |text| text.lines().count())
}

/// Whether a process is there.
pub fn is_alive(pid: &str) -> bool {
    // One that nobody has waited for yet has an empty command line.
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}

/// A link that can be cut: nothing is closed, nothing gets through.
pub struct Wire {
    pub address: SocketAddr,
    pub cut: Arc<AtomicBool>,
    /// Bytes that went to whoever dialled.
    pub delivered: Arc<AtomicU64>,
    /// Bytes a second to whoever dialled; 0 for no limit.
    pub pace: Arc<AtomicU64>,
    /// Bytes that whoever dialled sent, and how many a second may be.
    pub sent: Arc<AtomicU64>,
    pub pace_sent: Arc<AtomicU64>,
}

impl Wire {
    /// A hub that is reached over a link, and the link.
    pub async fn lab(compiler: &Path) -> (Lab, Self) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let lab = Lab::start_with(compiler, &["--host", &host]).await;
        let wire = Self::new(listener, &lab.hub.address);
        (lab, wire)
    }

    fn new(listener: TcpListener, address: &str) -> Self {
        let wire = Self {
            address: listener.local_addr().unwrap(),
            cut: Arc::default(),
            delivered: Arc::default(),
            pace: Arc::default(),
            sent: Arc::default(),
            pace_sent: Arc::default(),
        };
        let (cut, delivered, pace, address) =
            (Arc::clone(&wire.cut), Arc::clone(&wire.delivered), Arc::clone(&wire.pace), address.to_owned());
        let (sent, pace_sent) = (Arc::clone(&wire.sent), Arc::clone(&wire.pace_sent));
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let Ok(far) = TcpStream::connect(&address).await else { continue };
                let (near_in, near_out) = near.into_split();
                let (far_in, far_out) = far.into_split();
                tokio::spawn(pump(
                    near_in,
                    far_out,
                    Arc::clone(&cut),
                    Arc::clone(&sent),
                    Arc::clone(&pace_sent),
                ));
                tokio::spawn(pump(
                    far_in,
                    near_out,
                    Arc::clone(&cut),
                    Arc::clone(&delivered),
                    Arc::clone(&pace),
                ));
            }
        });
        wire
    }

    pub fn cut(&self) {
        self.cut.store(true, Ordering::SeqCst);
    }

    pub fn mend(&self) {
        self.cut.store(false, Ordering::SeqCst);
    }
}

async fn pump(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    cut: Arc<AtomicBool>,
    counted: Arc<AtomicU64>,
    pace: Arc<AtomicU64>,
) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        while cut.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let pace = pace.load(Ordering::SeqCst);
        if pace > 0 {
            tokio::time::sleep(Duration::from_secs_f64(count as f64 / pace as f64)).await;
        }
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
        counted.fetch_add(count as u64, Ordering::SeqCst);
    }
}

/// The memory that a process has resident, in bytes.
pub fn resident_bytes(pid: u32) -> u64 {
    let status = fs::File::open(format!("/proc/{pid}/status")).unwrap();
    let line = BufReader::new(status).lines().map_while(Result::ok).find(|line| line.starts_with("VmRSS:"));
    let kib: u64 = line.unwrap().split_whitespace().nth(1).unwrap().parse().unwrap();
    kib * 1024
}

pub fn module_of(outcome: &Outcome) -> Hash {
    let Outcome::Compiled { module, .. } = outcome else { panic!("{outcome:?}") };
    module.blake3
}

pub fn noise_artifact(count: usize) -> (Vec<u8>, Hash) {
    let bytes = crate::common::noise(count);
    let hash = hash(&bytes);
    (bytes, hash)
}
