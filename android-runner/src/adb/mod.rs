//! A client of the adb server, the process that `adb` starts and that holds all devices.
//!
//! The server's protocol (AOSP's `SERVICES.TXT`, `SYNC.TXT` and `shell_protocol.h`) is spoken directly: each request is a
//! connection of its own. Nothing here waits for ever: cables are pulled, and servers hang.

mod shell;
mod sync;
mod track;
mod wire;

pub use shell::{Shelled, quoted};
pub use track::Tracker;

use std::{
    env, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::process::Command;
use wire::Connection;

/// How long a short request may take.
const SHORT: Duration = Duration::from_secs(5);
/// How long a server may take to start: it looks for devices first.
const START: Duration = Duration::from_secs(15);
/// Where the server listens unless the environment says otherwise.
const PORT: u16 = 5037;
/// The oldest server whose devices have shells that tell exit codes: platform-tools 24.
const OLDEST: u32 = 36;

/// Why something asked of adb failed.
#[derive(Debug, thiserror::Error)]
pub enum AdbError {
    /// There is neither a server nor a program that could start one.
    #[error(
        "no adb server answers at {address}, and there is no program `adb` to start one: install Android's platform \
         tools (Debian, Ubuntu: apt install adb), or name the program in the variable ADB"
    )]
    NotInstalled {
        /// Where it was looked for.
        address: String,
    },
    /// `adb start-server` failed.
    #[error("{} start-server failed: {words}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What it said.
        words: String,
    },
    /// A server elsewhere that doesn't answer.
    #[error("no adb server answers at {address}: {source}")]
    NoServer {
        /// Where it was looked for.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// A variable that names no server.
    #[error("{name}={value} names no adb server: {name} is {wanted}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// What it holds.
        value: String,
        /// What it should hold.
        wanted: &'static str,
    },
    /// A server from before platform-tools 24.
    #[error(
        "the adb server at {address} speaks version {version} of its protocol, and {OLDEST} is needed: end it with \
         `adb kill-server` and install newer platform tools"
    )]
    OldServer {
        /// Where it is.
        address: String,
        /// Its version.
        version: u32,
    },
    /// No answer in time.
    #[error("{what}: no answer in {} s. Is the cable loose, or the device asleep? `adb kill-server` ends a server that hangs", limit.as_secs())]
    TimedOut {
        /// What was being done.
        what: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// The connection ended: a device that goes away takes its connections along.
    #[error("{what}: the device or the adb server went away ({source})")]
    Lost {
        /// What was being done.
        what: String,
        /// How it ended.
        source: io::Error,
    },
    /// The server or the device said no.
    #[error("{what}: {words}")]
    Refused {
        /// What was asked.
        what: String,
        /// What it said.
        words: String,
    },
    /// An answer that isn't one.
    #[error("{what}: the adb server answered {answer:?}")]
    Protocol {
        /// What was asked.
        what: String,
        /// The answer.
        answer: String,
    },
}

/// The adb server of this machine's user, or another that the environment names.
#[derive(Debug, Clone)]
pub struct Adb {
    address: String,
    /// The program that starts a server, where it may be started.
    program: Option<PathBuf>,
}

impl Adb {
    /// The server that `adb` itself would use: `ADB_SERVER_SOCKET`, `ANDROID_ADB_SERVER_ADDRESS` and
    /// `ANDROID_ADB_SERVER_PORT` name another. `ADB` names the program; otherwise it is looked for on the path and in the
    /// SDK.
    ///
    /// # Errors
    ///
    /// A variable that names no server.
    pub fn from_environment() -> Result<Self, AdbError> {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let address = match variable("ADB_SERVER_SOCKET") {
            Some(value) => match value.strip_prefix("tcp:") {
                Some(place) if place.contains(':') => place.to_owned(),
                Some(port) if port.parse::<u16>().is_ok() => format!("127.0.0.1:{port}"),
                _ => {
                    let (name, wanted) = ("ADB_SERVER_SOCKET", "tcp:HOST:PORT here");
                    return Err(AdbError::Variable { name, value, wanted });
                }
            },
            None => {
                let host = variable("ANDROID_ADB_SERVER_ADDRESS").unwrap_or_else(|| "127.0.0.1".to_owned());
                let port = match variable("ANDROID_ADB_SERVER_PORT") {
                    None => PORT,
                    Some(value) => value.parse().map_err(|_error| AdbError::Variable {
                        name: "ANDROID_ADB_SERVER_PORT",
                        value,
                        wanted: "a port",
                    })?,
                };
                format!("{host}:{port}")
            }
        };
        Ok(Self { address, program: program() })
    }

    /// A server at an address, which is never started.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        Self { address: address.to_string(), program: None }
    }

    /// The server's version of its protocol. Starts the server where none answers.
    ///
    /// # Errors
    ///
    /// There is no server, or one that is too old.
    pub async fn version(&self) -> Result<u32, AdbError> {
        let what = "asking for the adb server's version";
        let version = wire::limit(SHORT + START, what, async {
            let mut connection = self.connect().await?;
            connection.request("host:version", what).await?;
            let text = connection.counted_text(what).await?;
            u32::from_str_radix(&text, 16)
                .map_err(|_error| AdbError::Protocol { what: what.into(), answer: text })
        })
        .await?;
        if version < OLDEST {
            return Err(AdbError::OldServer { address: self.address.clone(), version });
        }
        Ok(version)
    }

    /// The server's list of devices, a line each, as `adb devices -l` has it.
    ///
    /// # Errors
    ///
    /// The server can't be had.
    pub async fn devices(&self) -> Result<String, AdbError> {
        self.version().await?;
        let what = "listing devices";
        wire::limit(SHORT, what, async {
            let mut connection = self.connect().await?;
            connection.request("host:devices-l", what).await?;
            connection.counted_text(what).await
        })
        .await
    }

    /// A device by its serial number.
    #[must_use]
    pub fn device(&self, serial: &str) -> Device {
        Device { adb: self.clone(), serial: serial.to_owned() }
    }

    /// A connection to the server, which is started if need be.
    async fn connect(&self) -> Result<Connection, AdbError> {
        match Connection::open(&self.address).await {
            Ok(connection) => return Ok(connection),
            Err(source) if source.kind() != io::ErrorKind::ConnectionRefused || !self.is_here() => {
                return Err(AdbError::NoServer { address: self.address.clone(), source });
            }
            Err(_refused) => {}
        }
        let Some(program) = &self.program else {
            return Err(AdbError::NotInstalled { address: self.address.clone() });
        };
        start(program).await?;
        Connection::open(&self.address)
            .await
            .map_err(|source| AdbError::NoServer { address: self.address.clone(), source })
    }

    fn is_here(&self) -> bool {
        ["127.", "localhost:", "[::1]"].iter().any(|start| self.address.starts_with(start))
    }
}

/// Where `adb` is.
fn program() -> Option<PathBuf> {
    if let Some(named) = env::var_os("ADB").filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let on_path = env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let sdks = ["ANDROID_HOME", "ANDROID_SDK_ROOT"].map(env::var_os).into_iter().flatten();
    let sdks = sdks.map(|sdk| Path::new(&sdk).join("platform-tools"));
    let folders: Vec<PathBuf> = on_path;
    folders.into_iter().chain(sdks).map(|folder| folder.join("adb")).find(|path| path.is_file())
}

async fn start(program: &Path) -> Result<(), AdbError> {
    let what = format!("{} start-server", program.display());
    let failed = |words: String| AdbError::Start { program: program.to_owned(), words };
    // The server keeps what it was given as output: it is read from nothing that could wait for the server's end.
    let mut command = Command::new(program);
    command.arg("start-server").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = wire::limit(START, &what, async {
        command.status().await.map_err(|error| failed(error.to_string()))
    })
    .await?;
    match status.success() {
        true => Ok(()),
        false => Err(failed(format!("it ended with {status}"))),
    }
}

/// A device that the server knows, or knew.
#[derive(Debug, Clone)]
pub struct Device {
    adb: Adb,
    serial: String,
}

impl Device {
    /// The serial number, which is its name for adb.
    #[must_use]
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// A connection to a service of the device.
    async fn open(&self, service: &str, what: &str) -> Result<Connection, AdbError> {
        let mut connection = self.adb.connect().await?;
        connection.request(&format!("host:transport:{}", self.serial), what).await?;
        connection.request(service, what).await?;
        Ok(connection)
    }

    /// Has the device's loopback port `there` lead to this machine's `here`.
    ///
    /// # Errors
    ///
    /// The device isn't there, or the port is taken.
    pub async fn reverse(&self, there: u16, here: u16) -> Result<(), AdbError> {
        let what = format!("leading the device's port {there} here");
        wire::limit(SHORT, &what, async {
            let service = format!("reverse:forward:tcp:{there};tcp:{here}");
            let mut connection = self.open(&service, &what).await?;
            // The first answer is that the request was understood, the second that it was done.
            connection.status(&what).await
        })
        .await
    }

    /// Undoes [`Device::reverse`]. A port that leads nowhere is no error.
    ///
    /// # Errors
    ///
    /// The device isn't there.
    pub async fn end_reverse(&self, there: u16) -> Result<(), AdbError> {
        let what = format!("ending the way from the device's port {there}");
        let done = wire::limit(SHORT, &what, async {
            let mut connection = self.open(&format!("reverse:killforward:tcp:{there}"), &what).await?;
            connection.status(&what).await
        })
        .await;
        match done {
            Err(AdbError::Refused { words, .. }) if words.contains("not found") => Ok(()),
            other => other,
        }
    }
}
