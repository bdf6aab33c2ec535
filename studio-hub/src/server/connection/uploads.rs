//! Uploads of a connection.

use super::{About, Connection, End, blocking};
use crate::store::Opened;
use std::{future::pending, sync::Arc};
use studio_protocol::{
    ErrorCode, Hash, HubMessage, WireError,
    chunk::{Chunk, HEADER_BYTES},
};
use tokio::task::{JoinHandle, spawn_blocking};

/// Uploads that a connection may have open.
const MAX_UPLOADS: usize = 16;

/// A chunk that is being written.
pub(super) struct Writing {
    channel: u32,
    task: JoinHandle<Result<u64, WireError>>,
}

/// What came of a chunk: the bytes that are there now.
pub(super) struct Written {
    channel: u32,
    result: Result<u64, WireError>,
}

impl Writing {
    /// Waits until it is written; for ever where nothing is. Nothing is lost when the waiting is given up.
    pub(super) async fn done(writing: &mut Option<Self>) -> Written {
        let Some(Self { channel, task }) = writing else { return pending().await };
        let result = match task.await {
            Ok(result) => result,
            Err(error) => Err(WireError::new(ErrorCode::Internal, format!("the hub failed: {error}"))),
        };
        let channel = *channel;
        *writing = None;
        Written { channel, result }
    }
}

impl Connection {
    /// Waits for the chunk that is being written and tells what came of it.
    pub(super) async fn settle(&mut self) -> Result<(), End> {
        if self.writing.is_none() {
            return Ok(());
        }
        let written = Writing::done(&mut self.writing).await;
        self.written(written).await
    }

    /// Tells what came of a chunk.
    pub(super) async fn written(&mut self, Written { channel, result }: Written) -> Result<(), End> {
        match result {
            Ok(received_bytes) => self.say(&HubMessage::UploadAck { channel, received_bytes }).await,
            Err(error) => {
                self.uploads.remove(&channel);
                self.ended.insert(channel);
                self.error(About::Channel(channel), error).await
            }
        }
    }

    pub(super) async fn upload_open(
        &mut self,
        channel: u32,
        key: String,
        size: u64,
        blake3: Option<Hash>,
    ) -> Result<(), End> {
        let about = About::Channel(channel);
        if self.uploads.contains_key(&channel) {
            let error = WireError::new(ErrorCode::BadMessage, "this channel's upload is open already");
            return self.error(about, error).await;
        }
        if self.uploads.len() >= MAX_UPLOADS {
            let error = WireError::new(ErrorCode::Busy, format!("{MAX_UPLOADS} uploads are open already"));
            return self.error(about, error.hint("Finish or close one of them")).await;
        }
        let uploads = Arc::clone(&self.hub.uploads);
        let opened = blocking(move || uploads.open(&key, size, blake3)).await;
        let (received_bytes, artifact) = match opened {
            Ok(Opened::Whole(artifact)) => (artifact.size_bytes, Some(artifact)),
            Ok(Opened::Partial(upload, received)) => {
                self.ended.remove(&channel);
                self.uploads.insert(channel, upload);
                (received, None)
            }
            Err(error) => return self.error(about, error).await,
        };
        self.say(&HubMessage::UploadState { channel, received_bytes, artifact }).await
    }

    pub(super) async fn upload_finish(&mut self, channel: u32, announced: Option<Hash>) -> Result<(), End> {
        let Some(upload) = self.uploads.remove(&channel) else { return self.no_upload(channel).await };
        match blocking(move || upload.finish(announced)).await {
            Ok(artifact) => self.say(&HubMessage::UploadDone { channel, artifact }).await,
            Err(error) => self.error(About::Channel(channel), error).await,
        }
    }

    pub(super) async fn chunk(&mut self, frame: axum::body::Bytes) -> Result<(), End> {
        let (channel, offset) = match Chunk::parse(&frame) {
            Ok(chunk) => (chunk.channel, chunk.offset),
            Err(error) => {
                let error = WireError::new(ErrorCode::BadMessage, error.to_string());
                return self.error(About::Nothing, error).await;
            }
        };
        self.settle().await?;
        if self.ended.contains(&channel) {
            return Ok(());
        }
        let Some(upload) = self.uploads.get(&channel).cloned() else { return self.no_upload(channel).await };
        let payload = frame.slice(HEADER_BYTES..);
        let task = spawn_blocking(move || upload.write(offset, &payload).map_err(WireError::from));
        self.writing = Some(Writing { channel, task });
        Ok(())
    }

    async fn no_upload(&self, channel: u32) -> Result<(), End> {
        let error = WireError::new(ErrorCode::BadMessage, "no upload is open on this channel");
        self.error(About::Channel(channel), error).await
    }
}
