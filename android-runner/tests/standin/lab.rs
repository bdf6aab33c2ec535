//! A hub, an adb server of its own and devices that stand in for real ones, as processes that end with the test.

use serde_json::Value;
use std::{
    env, fs,
    io::{BufRead, BufReader},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long anything may take: devices are emulated.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process that is killed with its group when the test ends.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap())
    }

    pub(crate) fn kill(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }

    pub(crate) fn stdout(&mut self) -> BufReader<std::process::ChildStdout> {
        BufReader::new(self.0.stdout.take().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What `xtask test android` has made ready.
pub(crate) fn given(name: &str) -> PathBuf {
    let value = env::var_os(name);
    value.unwrap_or_else(|| panic!("{name} is not set: run `./dev test android`")).into()
}

/// A port that is free now.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A hub and an adb server that no other test has.
pub(crate) struct Lab {
    pub(crate) dir: tempfile::TempDir,
    _hub: Process,
    pub(crate) url: String,
    adb: Process,
    pub(crate) adb_port: u16,
    pub(crate) devices: Vec<Standin>,
}

/// A device.
pub(crate) struct Standin {
    process: Process,
    pub(crate) serial: String,
}

impl Lab {
    pub(crate) fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let adb_port = free_port();
        let adb = adb_server(dir.path(), adb_port);
        let mut hub = Process::start(
            Command::new(given("STUDIO_BIN"))
                .args(["serve", "--listen", "127.0.0.1:0", "--data"])
                .arg(dir.path().join("hub"))
                .stdout(Stdio::piped())
                .stderr(Stdio::null()),
        );
        let mut url = String::new();
        hub.stdout().read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        assert!(url.starts_with("http://"), "{url}");
        Self { dir, _hub: hub, url, adb, adb_port, devices: Vec::new() }
    }

    /// A new device, connected.
    pub(crate) fn plug(&mut self, options: &[&str]) -> String {
        let name = format!("device-{}", self.devices.len());
        let device = Standin::start(&self.dir.path().join(name), 0, options);
        let serial = device.serial.clone();
        self.devices.push(device);
        self.connect(&serial);
        serial
    }

    /// The device's cable is pulled: adb no longer has it, and all that went through adb ends.
    pub(crate) fn unplug(&self, serial: &str) {
        let output = self.adb(&["disconnect", serial]);
        assert!(output.status.success(), "{output:?}");
    }

    /// The device ends, as by a flat battery.
    pub(crate) fn switch_off(&mut self, index: usize) {
        self.devices[index].process.kill();
    }

    pub(crate) fn connect(&self, serial: &str) {
        let start = Instant::now();
        loop {
            let output = self.adb(&["connect", serial]);
            let state = self.adb(&["-s", serial, "get-state"]);
            if String::from_utf8_lossy(&state.stdout).trim() == "device" {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{output:?} {state:?}");
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// The real client, for what the product doesn't do.
    pub(crate) fn adb(&self, words: &[&str]) -> Output {
        let mut command = Command::new(given("ADB"));
        adb_environment(&mut command, self.dir.path(), self.adb_port).args(words).output().unwrap()
    }

    pub(crate) fn kill_adb(&mut self) {
        self.adb.kill();
    }

    pub(crate) fn restart_adb(&mut self) {
        self.adb = adb_server(self.dir.path(), self.adb_port);
    }

    /// `studio` with this hub and this adb server.
    pub(crate) fn studio(&self, words: &[&str]) -> Command {
        let mut command = Command::new(given("STUDIO_BIN"));
        adb_environment(&mut command, self.dir.path(), self.adb_port);
        // The cache is the machine's: its modules and its compiler are wanted.
        command.env("STUDIO_HUB", &self.url).args(words);
        command
    }

    /// `studio android`, and what it said.
    pub(crate) fn android(&self, words: &[&str]) -> Said {
        let mut all = vec!["android"];
        all.extend(words);
        said(&mut self.studio(&all))
    }

    pub(crate) fn deploy(&self, words: &[&str]) -> Said {
        self.deploy_agent("STUDIO_AGENT", words)
    }

    /// Deploys what a variable names.
    pub(crate) fn deploy_agent(&self, variable: &str, words: &[&str]) -> Said {
        let agent = given(variable);
        let mut all = vec!["deploy", "--agent", agent.to_str().unwrap()];
        all.extend(words);
        self.android(&all)
    }

    /// The hub's runners but its own: name and state.
    pub(crate) fn runners(&self) -> Vec<(String, String)> {
        let said = said(&mut self.studio(&["runners", "--json"]));
        let runners: Value = serde_json::from_str(&said.stdout).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let runners = runners.as_array().unwrap().iter();
        let mut found: Vec<_> = runners.map(|one| (text(&one["name"]), text(&one["state"]))).collect();
        found.retain(|(name, _)| name.starts_with("Stand-in"));
        found
    }

    /// Waits until the hub's view of its runners is this.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn(&[(String, String)]) -> bool) {
        let start = Instant::now();
        loop {
            let runners = self.runners();
            if is_so(&runners) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "not {what}: {runners:?}");
            thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Standin {
    fn start(root: &Path, port: u16, options: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../e2e/android/standin.py");
        let mut process = Process::start(
            Command::new("python3")
                .arg(script)
                .arg("--root")
                .arg(root)
                .arg("--parts")
                .arg(given("STANDIN_PARTS"))
                .arg("--qemu")
                .arg(given("QEMU"))
                .args(["--port", &port.to_string()])
                .args(options)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::from(fs::File::create(root.with_extension("log")).unwrap())),
        );
        let mut line = String::new();
        let mut stdout = process.stdout();
        stdout.read_line(&mut line).unwrap();
        let log = fs::read_to_string(root.with_extension("log")).unwrap();
        let serial = line.trim().strip_prefix("SERIAL ").unwrap_or_else(|| panic!("no device: {line} {log}"));
        Self { process, serial: serial.to_owned() }
    }
}

fn adb_environment<'c>(command: &'c mut Command, dir: &Path, port: u16) -> &'c mut Command {
    // Where no emulator is looked for: other tests' devices listen on such ports.
    command
        .env("ADB_LOCAL_TRANSPORT_MAX_PORT", "5554")
        .env("ANDROID_ADB_SERVER_PORT", port.to_string())
        .env("TMPDIR", dir)
        .env("ANDROID_USER_HOME", dir)
}

fn adb_server(dir: &Path, port: u16) -> Process {
    let mut command = Command::new(given("ADB"));
    adb_environment(&mut command, dir, port);
    command.env("HOME", dir).args(["-P", &port.to_string(), "nodaemon", "server"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let server = Process::start(&mut command);
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(start.elapsed() < PATIENCE, "adb's server doesn't start");
        thread::sleep(Duration::from_millis(20));
    }
    server
}

/// What a command wrote and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: Option<i32>,
    pub(crate) time: Duration,
}

impl Said {
    #[track_caller]
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.status, Some(0), "{self:?}");
        self
    }

    /// It failed, and these words were among what it said.
    #[track_caller]
    pub(crate) fn failed_with(&self, words: &[&str]) {
        assert_eq!(self.status, Some(1), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {}", self.stderr);
        }
    }
}

pub(crate) fn said(command: &mut Command) -> Said {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said {
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        status: output.status.code(),
        time: start.elapsed(),
    }
}
