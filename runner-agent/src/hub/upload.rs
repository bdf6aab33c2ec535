//! A file to a hub: nothing of what the hub has is sent.

use super::{Link, LinkError};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
};
use studio_protocol::{
    Artifact, ClientMessage, ErrorCode, HubMessage, WireError,
    chunk::{Chunk, HEADER_BYTES, WINDOW_BYTES},
};
use tokio::{sync::mpsc, task::spawn_blocking};

/// Payload bytes of a chunk: few enough to stay in a cache from the file to the socket, and at the hub from there to the hash.
const CHUNK_BYTES: usize = 256 << 10;

/// Chunks that are read ahead of what is sent.
const AHEAD: usize = 8;

/// What an upload took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upload {
    /// Bytes that were sent; the hub had the rest.
    pub sent_bytes: u64,
}

/// Sends a file whose hash is known, over a connection that is used for nothing else meanwhile. `channel` is new in the
/// connection. `progress` hears how many bytes the hub has, of how many.
///
/// # Errors
///
/// [`LinkError::Refused`] for what the hub refuses and for a file that can't be read; after anything else the same call
/// over another connection goes on where this one ended.
pub async fn upload(
    link: &mut Link,
    channel: u32,
    path: &Path,
    artifact: &Artifact,
    mut progress: impl FnMut(u64, u64) + Send,
) -> Result<Upload, LinkError> {
    let failed = |error: io::Error| {
        LinkError::Refused(WireError::new(ErrorCode::Io, error.to_string()).at(path.display().to_string()))
    };
    let (size, hash) = (artifact.size_bytes, artifact.blake3);
    let open = ClientMessage::UploadOpen {
        channel,
        key: format!("content-{hash}"),
        size_bytes: size,
        blake3: Some(hash),
    };
    link.say(&open).await?;
    let start = match answer(link, channel).await? {
        HubMessage::UploadState { artifact: Some(_), .. } => return Ok(Upload { sent_bytes: 0 }),
        HubMessage::UploadState { received_bytes, .. } => received_bytes,
        other => return Err(LinkError::Lost(format!("the hub answered {other:?}"))),
    };
    let mut frames = read(path, channel, start..size);
    let (mut sent, mut acknowledged) = (start, start);
    while acknowledged < size {
        while sent < size && sent - acknowledged + CHUNK_BYTES as u64 <= WINDOW_BYTES {
            let ended = || io::Error::other("its reader ended too early");
            let frame = frames.recv().await.unwrap_or_else(|| Err(ended())).map_err(failed)?;
            sent += (frame.len() - HEADER_BYTES) as u64;
            link.send(frame).await?;
        }
        match answer(link, channel).await? {
            HubMessage::UploadAck { received_bytes, .. } => acknowledged = received_bytes,
            other => return Err(LinkError::Lost(format!("the hub answered {other:?}"))),
        }
        progress(acknowledged, size);
    }
    link.say(&ClientMessage::UploadFinish { channel, blake3: Some(hash) }).await?;
    match answer(link, channel).await? {
        HubMessage::UploadDone { .. } => Ok(Upload { sent_bytes: size - start }),
        other => Err(LinkError::Lost(format!("the hub answered {other:?}"))),
    }
}

/// Reads a part of a file as the frames of its chunks, on a thread of its own. Nobody has to read to the end.
fn read(path: &Path, channel: u32, bytes: Range<u64>) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, frames) = mpsc::channel(AHEAD);
    let path = path.to_owned();
    // Detached: it ends when nobody takes what it reads.
    drop(spawn_blocking(move || {
        let open = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(bytes.start))?;
            Ok(file)
        };
        let mut file = match open() {
            Ok(file) => file,
            Err(error) => return drop(sender.blocking_send(Err(error))),
        };
        for offset in bytes.clone().step_by(CHUNK_BYTES) {
            let count = usize::try_from(bytes.end - offset).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let mut frame = vec![0; HEADER_BYTES + count];
            frame[..HEADER_BYTES].copy_from_slice(&Chunk::header(channel, offset));
            let frame = file.read_exact(&mut frame[HEADER_BYTES..]).map(|()| frame);
            let failed = frame.is_err();
            if sender.blocking_send(frame).is_err() || failed {
                return;
            }
        }
    }));
    frames
}

/// What the hub says of a channel next.
async fn answer(link: &mut Link, of: u32) -> Result<HubMessage, LinkError> {
    loop {
        match link.hear().await? {
            // Another sends the same: it will be there, or is to be sent after all.
            HubMessage::Error { channel: Some(channel), error, .. }
                if channel == of && error.code == ErrorCode::Busy =>
            {
                return Err(LinkError::Lost(error.message));
            }
            HubMessage::Error { channel: Some(channel), error, .. } if channel == of => {
                return Err(LinkError::Refused(error));
            }
            HubMessage::Error { request: None, channel: None, job: None, error } => {
                return Err(LinkError::Lost(error.to_string()));
            }
            message @ (HubMessage::UploadState { channel, .. }
            | HubMessage::UploadAck { channel, .. }
            | HubMessage::UploadDone { channel, .. })
                if channel == of =>
            {
                return Ok(message);
            }
            _ => {}
        }
    }
}
