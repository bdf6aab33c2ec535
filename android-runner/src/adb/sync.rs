//! Files to a device: the service `sync:`.

use super::{AdbError, Device, wire};
use std::time::{Duration, SystemTime};

/// The most bytes of a packet.
const PACKET: usize = 64 << 10;
/// The slowest that a link may be: USB 2 at its worst, and a little for the device.
const BYTES_PER_SECOND: u64 = 500_000;

impl Device {
    /// Puts a file on the device, executable, in place of one that is there.
    ///
    /// # Errors
    ///
    /// The device isn't there, or has no room for it, or nobody may write there.
    pub async fn push(&self, bytes: &[u8], path: &str, what: &str) -> Result<(), AdbError> {
        let limit = Duration::from_secs(10 + bytes.len() as u64 / BYTES_PER_SECOND);
        wire::limit(limit, what, async {
            let mut connection = self.open("sync:", what).await?;
            connection
                .write(&with_length(*b"SEND", format!("{path},{}", 0o100_755).as_bytes()), what)
                .await?;
            let mut sent = Ok(());
            for piece in bytes.chunks(PACKET) {
                sent = connection.write(&with_length(*b"DATA", piece), what).await;
                if sent.is_err() {
                    break;
                }
            }
            if sent.is_ok() {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                let mut done = b"DONE".to_vec();
                done.extend((now.as_secs() as u32).to_le_bytes());
                sent = connection.write(&done, what).await;
            }
            // A device that has no room says so and closes: what it said counts, not that it closed.
            let answer = connection.word(what).await;
            match (answer, sent) {
                (Ok(word), _) if &word == b"OKAY" => Ok(()),
                (Ok(word), _) if &word == b"FAIL" => {
                    let length = u32::from_le_bytes(connection.word(what).await?);
                    let words = connection.text(length as usize, what).await?;
                    Err(AdbError::Refused { what: what.to_owned(), words })
                }
                (Ok(word), _) => Err(wire::protocol(what, &word)),
                (Err(_), Err(error)) | (Err(error), Ok(())) => Err(error),
            }
        })
        .await
    }
}

fn with_length(id: [u8; 4], bytes: &[u8]) -> Vec<u8> {
    let mut packet = id.to_vec();
    packet.extend((bytes.len() as u32).to_le_bytes());
    packet.extend(bytes);
    packet
}
