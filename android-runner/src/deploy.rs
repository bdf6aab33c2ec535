//! `runner-agent` on a device: put there, started, joined to a hub, kept as it is where it is right already.

use crate::{
    adb::{AdbError, Device, quoted},
    devices::{Properties, properties},
    elf::{self, ElfError, Machine},
};
use sha2::{Digest, Sha256};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Where it is put: the only folder that Android's shell may write to and start programs from.
pub const FOLDER: &str = "/data/local/tmp/lowering-studio";

/// How long a script on the device may take. Phones that have dozed take seconds to answer.
const SCRIPT: Duration = Duration::from_secs(20);

/// What can go wrong besides adb.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// Talking to the device.
    #[error(transparent)]
    Adb(#[from] AdbError),
    /// A device with another processor.
    #[error(
        "{serial} is for {found}, and there is an agent for arm64-v8a only: on a device of another kind that runs Linux, \
         build `runner-agent` there and let it join"
    )]
    Abi {
        /// The device.
        serial: String,
        /// Its interfaces.
        found: String,
    },
    /// No agent was built.
    #[error(
        "there is no agent for devices at {}: `./dev agent arm64` builds it, `./dev agent arm64 eager` one with llama.cpp",
        .0.display()
    )]
    NoAgent(PathBuf),
    /// It can't be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It can't be started on a device.
    #[error("{} can't be used on a device: {source}", path.display())]
    Elf {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ElfError,
    },
    /// Not enough room.
    #[error(
        "{serial} is full: the agent takes {needed} bytes and {free} are free in {FOLDER}. Remove something on the \
         device, then try again"
    )]
    Full {
        /// The device.
        serial: String,
        /// What it takes, in bytes.
        needed: u64,
        /// What there is, in words.
        free: String,
    },
    /// The file came to other bytes there.
    #[error("{serial}: the agent arrived with other bytes (SHA-256 {found}); try again, with another cable")]
    Damaged {
        /// The device.
        serial: String,
        /// What it is there.
        found: String,
    },
    /// The port on the device leads elsewhere.
    #[error(
        "{serial}: the device's port {port} is taken, and the hub must be found there under the port that it has here: \
         start the hub with another --listen, or end what has the port ({words})"
    )]
    Port {
        /// The device.
        serial: String,
        /// The port.
        port: u16,
        /// What adb said.
        words: String,
    },
    /// It was started and is gone again.
    #[error("{serial}: the agent ended at once: {log}")]
    Ended {
        /// The device.
        serial: String,
        /// The end of what it wrote.
        log: String,
    },
}

/// An agent that can be put on devices.
#[derive(Debug, Clone)]
pub struct Agent {
    bytes: Vec<u8>,
    sha256: String,
}

impl Agent {
    /// Reads and checks the file.
    ///
    /// # Errors
    ///
    /// There is none, or it is none.
    pub fn open(path: &Path) -> Result<Self, DeployError> {
        let bytes = std::fs::read(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => DeployError::NoAgent(path.to_owned()),
            _ => DeployError::Unreadable { path: path.to_owned(), source },
        })?;
        elf::check(&bytes, Machine::Arm64)
            .map_err(|source| DeployError::Elf { path: path.to_owned(), source })?;
        let sha256 = hexadecimal(&Sha256::digest(&bytes));
        Ok(Self { bytes, sha256 })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whom the agent works for, and as whom.
#[derive(Debug, Clone)]
pub struct Joining {
    /// The hub's port on this machine.
    pub port: u16,
    /// The hub's token.
    pub token: String,
    /// The runner's name.
    pub name: String,
    /// What jobs may choose it by, besides.
    pub labels: Vec<String>,
}

/// What a deployment did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deployed {
    /// The agent's bytes that were sent; 0 where it was there.
    pub sent_bytes: usize,
    /// Whether it was started; it was running otherwise.
    pub started: bool,
}

/// A name for a device's runner: its model and its serial number, of letters that names may have.
#[must_use]
pub fn runner_name(serial: &str, model: &str) -> String {
    let word = |text: &str| -> String {
        let fit = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        text.trim().chars().map(fit).collect::<String>().trim_matches('-').chars().take(40).collect()
    };
    // Over Wi-Fi, adb wraps the serial number in the name of a service.
    let serial = serial.strip_suffix("._adb-tls-connect._tcp").unwrap_or(serial);
    let serial = serial.strip_prefix("adb-").unwrap_or(serial);
    let (model, serial) = (word(model), word(serial));
    let start = serial.len().saturating_sub(22);
    let name = format!("{model}-{}", serial[start..].trim_matches('-'));
    name.trim_matches('-').to_owned()
}

/// What is on the device: whether an agent runs that was started as is wanted now; if not, the hash of the file. An agent
/// that runs needs no hash: its file was compared when it arrived, and is replaced, never changed.
const STATE: &str = "cd FOLDER 2>/dev/null || exit 0
read -r pid <pid 2>/dev/null
read -r started <started 2>/dev/null
if [ \"$started\" = STARTED ] && kill -0 $pid 2>/dev/null && grep -q runner-agent /proc/$pid/cmdline; then
  echo runs
else
  echo hash=$(sha256sum runner-agent 2>/dev/null)
fi";

/// Starts the agent: the token comes by standard input, so that it stands in no list of processes and in no file. Ends
/// the one before.
const START: &str = "cd FOLDER || exit 1
pid=$(cat pid 2>/dev/null)
if [ -n \"$pid\" ]; then
  kill $pid 2>/dev/null
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
  kill -9 $pid 2>/dev/null
fi
IFS= read -r STUDIO_TOKEN
export STUDIO_TOKEN STUDIO_CACHE=FOLDER/cache TMPDIR=FOLDER/tmp HOME=FOLDER
mkdir -p cache tmp
rm -rf tmp/*
setsid ./runner-agent join ARGS </dev/null >log 2>&1 &
echo $! >pid
echo STARTED >started
for i in 1 2 3 4 5 6; do
  grep -q ' works for ' log && exit 0
  kill -0 $(cat pid) 2>/dev/null || { tail -n 5 log; exit 1; }
  sleep 0.1
done";

const REMOVE: &str = "cd FOLDER 2>/dev/null || exit 0
pid=$(cat pid 2>/dev/null)
if [ -n \"$pid\" ]; then
  kill $pid 2>/dev/null
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
  kill -9 $pid 2>/dev/null
fi
cd /
rm -rf FOLDER";

/// Puts the agent on a device and has it work for a hub. What is right already stays: where the same agent runs for the same
/// hub, nothing is sent and nothing is started.
///
/// # Errors
///
/// See [`DeployError`].
pub async fn deploy(device: &Device, agent: &Agent, joining: &Joining) -> Result<Deployed, DeployError> {
    let serial = device.serial();
    let what = format!("looking at {serial}");
    let started = joining.mark(agent);
    let script = STATE.replace("FOLDER", FOLDER).replace("STARTED", &started);
    let state = device.shell(&script, "", SCRIPT, &what).await?.success(&what)?;
    let runs = state.lines().any(|line| line == "runs");
    let hash = state.lines().find_map(|line| line.strip_prefix("hash=")?.split_whitespace().next());
    let there = runs || hash == Some(agent.sha256.as_str());
    if !there {
        push(device, agent, &properties(device).await?).await?;
    }
    device.reverse(joining.port, joining.port).await.map_err(|error| match error {
        AdbError::Refused { words, .. } => {
            DeployError::Port { serial: serial.to_owned(), port: joining.port, words }
        }
        other => other.into(),
    })?;
    if !runs {
        let script = START
            .replace("FOLDER", FOLDER)
            .replace("ARGS", &joining.arguments())
            .replace("STARTED", &started);
        let what = format!("starting the agent on {serial}");
        let ran = device.shell(&script, &format!("{}\n", joining.token), SCRIPT, &what).await?;
        if ran.status != 0 {
            let log = [ran.stdout.trim(), ran.stderr.trim()].join(" ");
            return Err(DeployError::Ended { serial: serial.to_owned(), log });
        }
    }
    Ok(Deployed { sent_bytes: if there { 0 } else { agent.bytes.len() }, started: !runs })
}

impl Joining {
    fn arguments(&self) -> String {
        let url = format!("http://127.0.0.1:{}", self.port);
        let mut words = vec![quoted(&url), "--name".to_owned(), quoted(&self.name)];
        for label in &self.labels {
            words.extend(["--label".to_owned(), quoted(label)]);
        }
        words.join(" ")
    }

    /// What tells one way of having been started from another, without the token.
    fn mark(&self, agent: &Agent) -> String {
        let text = format!("{} {} {}", agent.sha256, self.arguments(), self.token);
        hexadecimal(&Sha256::digest(text.as_bytes()))
    }
}

/// Sends the agent beside the one that may be running, and puts it in that one's place when it has arrived whole.
async fn push(device: &Device, agent: &Agent, properties: &Properties) -> Result<(), DeployError> {
    let serial = device.serial().to_owned();
    if !properties.abis.iter().chain([&properties.abi]).any(|abi| abi == "arm64-v8a") {
        let found = match properties.abi.is_empty() {
            true => "an unknown processor".to_owned(),
            false => properties.abi.clone(),
        };
        return Err(DeployError::Abi { serial, found });
    }
    let needed = agent.bytes.len() as u64;
    let full = |free| DeployError::Full { serial: serial.clone(), needed, free };
    if let Some(free) = properties.free_bytes.filter(|free| *free < needed) {
        return Err(full(free.to_string()));
    }
    let what = format!("sending the agent to {serial}");
    let made = device.shell(&format!("mkdir -p {FOLDER}"), "", SCRIPT, &what).await?;
    let sent = match made.success(&what) {
        Ok(_) => device.push(&agent.bytes, &format!("{FOLDER}/runner-agent.new"), &what).await,
        Err(error) => Err(error),
    };
    if let Err(error) = sent {
        // What arrived takes room that the device lacks.
        let tidy = format!("rm -f {FOLDER}/runner-agent.new");
        if let Err(error) = device.shell(&tidy, "", SCRIPT, &what).await {
            tracing::debug!("{error}");
        }
        let no_space = matches!(&error, AdbError::Refused { words, .. } if words.contains("No space left"));
        return Err(if no_space { full("fewer".to_owned()) } else { error.into() });
    }
    let script = format!(
        "cd {FOLDER} && found=$(sha256sum runner-agent.new) && echo $found && [ \"${{found%% *}}\" = {} ] && \
         chmod 755 runner-agent.new && mv runner-agent.new runner-agent",
        agent.sha256
    );
    let moved = device.shell(&script, "", SCRIPT, &what).await?;
    let found = moved.stdout.split_whitespace().next().unwrap_or_default().to_owned();
    if !found.is_empty() && found != agent.sha256 {
        return Err(DeployError::Damaged { serial, found });
    }
    moved.success(&what)?;
    Ok(())
}

/// The end of what the agent wrote.
///
/// # Errors
///
/// The device can't be reached.
pub async fn log(device: &Device) -> Result<String, DeployError> {
    let what = format!("reading the agent's log on {}", device.serial());
    let read = device.shell(&format!("tail -n 5 {FOLDER}/log"), "", SCRIPT, &what).await?;
    Ok(read.success(&what)?.trim().to_owned())
}

/// Ends the agent and takes away all that it left on the device.
///
/// # Errors
///
/// The device can't be reached.
pub async fn remove(device: &Device, port: Option<u16>) -> Result<(), DeployError> {
    let what = format!("removing the agent from {}", device.serial());
    device.shell(&REMOVE.replace("FOLDER", FOLDER), "", SCRIPT, &what).await?.success(&what)?;
    if let Some(port) = port {
        device.end_reverse(port).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_have_names_that_hubs_take() {
        assert_eq!(runner_name("2A111FDH200", "Pixel 8"), "Pixel-8-2A111FDH200");
        assert_eq!(runner_name("127.0.0.1:5555", " SM_S911B/DS"), "SM-S911B-DS-127.0.0.1-5555");
        assert_eq!(runner_name("adb-R5CT-vWxYz1._adb-tls-connect._tcp", ""), "R5CT-vWxYz1");
    }

    #[test]
    fn the_token_is_in_no_argument() {
        let joining = Joining {
            port: 7171,
            token: "secret".into(),
            name: "a".into(),
            labels: vec!["android".into(), "it's".into()],
        };
        assert_eq!(
            joining.arguments(),
            r"'http://127.0.0.1:7171' --name 'a' --label 'android' --label 'it'\''s'"
        );
    }
}
