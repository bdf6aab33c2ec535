//! A file to a hub: nothing of what the hub has is sent.

use super::{Link, LinkError};
use std::path::Path;
use studio_protocol::{
    Artifact, ClientMessage, ErrorCode, HubMessage, WireError,
    chunk::{Chunk, WINDOW_BYTES},
};
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncSeekExt, SeekFrom},
};

/// Payload bytes of a chunk.
const CHUNK_BYTES: usize = 1 << 20;

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
    let failed = |error: std::io::Error| {
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
    let mut file = File::open(path).await.map_err(failed)?;
    file.seek(SeekFrom::Start(start)).await.map_err(failed)?;
    let (mut sent, mut acknowledged) = (start, start);
    let mut buffer = vec![0; CHUNK_BYTES];
    while acknowledged < size {
        while sent < size && sent - acknowledged + CHUNK_BYTES as u64 <= WINDOW_BYTES {
            let count = usize::try_from(size - sent).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            file.read_exact(&mut buffer[..count]).await.map_err(failed)?;
            link.send(&Chunk { channel, offset: sent, payload: &buffer[..count] }).await?;
            sent += count as u64;
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
