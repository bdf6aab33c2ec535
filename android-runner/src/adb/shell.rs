//! Commands in a device's shell, with their exit status: the service `shell,v2`.

use super::{AdbError, Device, wire};
use std::time::Duration;

/// The kinds of packets: a byte, then the length in four.
mod packet {
    pub(super) const STDIN: u8 = 0;
    pub(super) const STDOUT: u8 = 1;
    pub(super) const STDERR: u8 = 2;
    pub(super) const EXIT: u8 = 3;
    pub(super) const CLOSE_STDIN: u8 = 3;
}

/// The most output of a command that is kept.
const MAX_OUTPUT: usize = 1 << 20;

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelled {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit status.
    pub status: u8,
}

impl Shelled {
    /// The standard output of a command that ended well.
    ///
    /// # Errors
    ///
    /// It ended with another status than 0.
    pub fn success(self, what: &str) -> Result<String, AdbError> {
        if self.status == 0 {
            return Ok(self.stdout);
        }
        let said = [self.stderr.trim(), self.stdout.trim()].into_iter().find(|text| !text.is_empty());
        let words = said.map_or_else(|| format!("it ended with status {}", self.status), str::to_owned);
        Err(AdbError::Refused { what: what.to_owned(), words })
    }
}

impl Device {
    /// Runs a script in the device's shell, `stdin` being its input, and waits for its end.
    ///
    /// # Errors
    ///
    /// The device isn't there, or the script isn't done in time; whatever its status, it is no error here.
    pub async fn shell(
        &self,
        script: &str,
        stdin: &str,
        limit: Duration,
        what: &str,
    ) -> Result<Shelled, AdbError> {
        wire::limit(limit, what, async {
            let mut connection = self.open(&format!("shell,v2,raw:{script}"), what).await?;
            if !stdin.is_empty() {
                connection.write(&of(packet::STDIN, stdin.as_bytes()), what).await?;
            }
            connection.write(&of(packet::CLOSE_STDIN, &[]), what).await?;
            let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
            loop {
                let Some(kind) = connection.byte_or_end(what).await? else {
                    let end = std::io::ErrorKind::UnexpectedEof.into();
                    return Err(wire::lost(what, end));
                };
                let length = u32::from_le_bytes(connection.word(what).await?) as usize;
                let bytes = connection.bytes(length, what).await?;
                match kind {
                    packet::STDOUT if stdout.len() < MAX_OUTPUT => stdout.extend(bytes),
                    packet::STDERR if stderr.len() < MAX_OUTPUT => stderr.extend(bytes),
                    packet::EXIT => {
                        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                        let status = bytes.first().copied().unwrap_or(u8::MAX);
                        return Ok(Shelled { stdout: text(&stdout), stderr: text(&stderr), status });
                    }
                    _ => {}
                }
            }
        })
        .await
    }
}

fn of(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut packet = vec![kind];
    packet.extend((bytes.len() as u32).to_le_bytes());
    packet.extend(bytes);
    packet
}

/// A word as the shell takes it literally.
#[must_use]
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_literally() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's $x"), r"'it'\''s $x'");
    }

    #[test]
    fn what_a_failed_command_said_is_the_error() {
        let shelled = |stderr: &str| Shelled { stdout: "out".into(), stderr: stderr.into(), status: 1 };
        let words = |stderr| shelled(stderr).success("looking").unwrap_err().to_string();
        assert_eq!(words("no such file\n"), "looking: no such file");
        assert_eq!(words(""), "looking: out");
        let silent = Shelled { stdout: String::new(), stderr: String::new(), status: 7 };
        assert_eq!(silent.success("looking").unwrap_err().to_string(), "looking: it ended with status 7");
    }
}
