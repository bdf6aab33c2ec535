//! What requests and answers look like on a connection to the server.

use super::AdbError;
use std::{future::Future, io, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// The longest text that an answer may have: lists of devices are much shorter.
const MAX_TEXT: usize = 1 << 20;

/// Does something for a time at most.
pub(super) async fn limit<T>(
    limit: Duration,
    what: &str,
    work: impl Future<Output = Result<T, AdbError>>,
) -> Result<T, AdbError> {
    match timeout(limit, work).await {
        Ok(result) => result,
        Err(_elapsed) => Err(AdbError::TimedOut { what: what.to_owned(), limit }),
    }
}

/// A connection to the server, or through it to a device.
pub(super) struct Connection(TcpStream);

impl Connection {
    pub(super) async fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self(stream))
    }

    /// Asks for a service and waits for `OKAY`.
    pub(super) async fn request(&mut self, service: &str, what: &str) -> Result<(), AdbError> {
        let text = format!("{:04x}{service}", service.len());
        self.write(text.as_bytes(), what).await?;
        self.status(what).await
    }

    /// Waits for `OKAY`; `FAIL` brings words along.
    pub(super) async fn status(&mut self, what: &str) -> Result<(), AdbError> {
        match &self.word(what).await? {
            b"OKAY" => Ok(()),
            b"FAIL" => {
                let words = self.counted_text(what).await?;
                Err(AdbError::Refused { what: what.to_owned(), words })
            }
            other => Err(protocol(what, other)),
        }
    }

    /// A text after its length in four hexadecimal digits.
    pub(super) async fn counted_text(&mut self, what: &str) -> Result<String, AdbError> {
        let digits = self.word(what).await?;
        let length = std::str::from_utf8(&digits).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let length = length.ok_or_else(|| protocol(what, &digits))?;
        self.text(length, what).await
    }

    /// A text of `length` bytes.
    pub(super) async fn text(&mut self, length: usize, what: &str) -> Result<String, AdbError> {
        let bytes = self.bytes(length, what).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(super) async fn bytes(&mut self, length: usize, what: &str) -> Result<Vec<u8>, AdbError> {
        if length > MAX_TEXT {
            return Err(AdbError::Protocol { what: what.to_owned(), answer: format!("{length} bytes") });
        }
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).await.map_err(|source| lost(what, source))?;
        Ok(bytes)
    }

    /// Four bytes.
    pub(super) async fn word(&mut self, what: &str) -> Result<[u8; 4], AdbError> {
        let mut word = [0; 4];
        self.0.read_exact(&mut word).await.map_err(|source| lost(what, source))?;
        Ok(word)
    }

    /// A byte, or `None` at the end.
    pub(super) async fn byte_or_end(&mut self, what: &str) -> Result<Option<u8>, AdbError> {
        let mut byte = [0];
        let count = self.0.read(&mut byte).await.map_err(|source| lost(what, source))?;
        Ok((count == 1).then_some(byte[0]))
    }

    pub(super) async fn write(&mut self, bytes: &[u8], what: &str) -> Result<(), AdbError> {
        self.0.write_all(bytes).await.map_err(|source| lost(what, source))
    }
}

pub(super) fn lost(what: &str, source: io::Error) -> AdbError {
    AdbError::Lost { what: what.to_owned(), source }
}

pub(super) fn protocol(what: &str, answer: &[u8]) -> AdbError {
    AdbError::Protocol { what: what.to_owned(), answer: String::from_utf8_lossy(answer).into_owned() }
}
