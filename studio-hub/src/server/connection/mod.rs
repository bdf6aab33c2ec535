//! A websocket connection: frames in, messages out, both bounded.
//!
//! Frames are taken one at a time, and the next only when the last is carried out, so a fast sender is held
//! back by TCP. Only a chunk is written while the next frame is read, which is carried out after it. Answers go through a short queue; a client that doesn't read holds back only its own watchers.

mod jobs;
mod runner;
mod uploads;

use super::Hub;
use crate::{jobs::Newcomer, store::Upload};
use axum::{
    extract::{
        State,
        ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code},
    },
    http::StatusCode,
    response::{IntoResponse, Response},
};
use futures_util::{SinkExt, StreamExt, stream::SplitSink};
use runner::Work;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};
use studio_protocol::{
    ClientMessage, ErrorCode, HubMessage, JobId, MAX_MESSAGE_BYTES, VERSION, WireError, Working,
    chunk::{HEADER_BYTES, MAX_PAYLOAD_BYTES},
};
use tokio::{
    sync::mpsc,
    task::{AbortHandle, JoinSet, spawn_blocking},
    time::{MissedTickBehavior, interval, timeout},
};
use uploads::Writing;

/// Messages that may wait to be sent.
const QUEUE: usize = 64;

/// The most bytes of an error that quotes what a client sent.
const MAX_ERROR_BYTES: usize = 400;

/// How long a client may take to say hello, and to take a message.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often a silent client is asked whether it is still there.
const PING_EVERY: Duration = Duration::from_secs(15);

/// How long a client may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// How long a client may take to answer a close.
const FAREWELL: Duration = Duration::from_secs(2);

/// `GET /ws`
pub(super) async fn upgrade(State(hub): State<Arc<Hub>>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(permit) = Arc::clone(&hub.connections).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many connections are open").into_response();
    };
    let most = MAX_MESSAGE_BYTES.max(HEADER_BYTES + MAX_PAYLOAD_BYTES);
    upgrade.max_message_size(most).max_frame_size(most).on_upgrade(async move |socket| {
        serve(hub, socket).await;
        drop(permit);
    })
}

/// Why a connection ends.
enum End {
    /// The client went, or can't be reached.
    Gone,
    /// The hub shuts down.
    Shutdown,
    /// The client broke the rules, or another connection has taken its place; it was told.
    Refused,
}

async fn serve(hub: Arc<Hub>, socket: WebSocket) {
    let (sink, mut frames) = socket.split();
    let (out, queue) = mpsc::channel(QUEUE);
    let writer = tokio::spawn(write(sink, queue));
    let mut connection = Connection {
        hub,
        out,
        uploads: BTreeMap::new(),
        writing: None,
        ended: BTreeSet::new(),
        watches: BTreeMap::new(),
        runners: None,
        work: None,
        tasks: JoinSet::new(),
    };
    let end = connection.read(&mut frames).await;
    connection.leave().await;
    let frame = match end {
        End::Gone => None,
        End::Shutdown => Some((close_code::AWAY, "the hub shuts down")),
        End::Refused => Some((close_code::POLICY, "see the error before")),
    };
    if let Some((code, reason)) = frame {
        let close = Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) }));
        drop(connection.out.try_send(close));
    }
    drop(connection);
    let abort = writer.abort_handle();
    if timeout(PATIENCE, writer).await.is_err() {
        abort.abort();
    }
    if !matches!(end, End::Gone) {
        // Closing a socket with unread bytes would take from the client what it was just told.
        let drain = async { while let Some(Ok(_)) = frames.next().await {} };
        drop(timeout(FAREWELL, drain).await);
    }
}

/// Sends what is queued, until the queue's other ends are gone or the client doesn't take a message in time.
async fn write(mut sink: SplitSink<WebSocket, Message>, mut queue: mpsc::Receiver<Message>) {
    while let Some(message) = queue.recv().await {
        match timeout(PATIENCE, sink.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return,
        }
    }
}

struct Connection {
    hub: Arc<Hub>,
    out: mpsc::Sender<Message>,
    uploads: BTreeMap<u32, Upload>,
    /// The chunk that is being written.
    writing: Option<Writing>,
    /// Channels whose upload an error ended: chunks that were on their way are passed over.
    ended: BTreeSet<u32>,
    watches: BTreeMap<JobId, AbortHandle>,
    /// Tells of runners, if that was asked for.
    runners: Option<AbortHandle>,
    /// What the connection is as a runner's.
    work: Option<Work>,
    /// The watchers; they end with the connection.
    tasks: JoinSet<()>,
}

/// What an error is about.
#[derive(Debug, Clone, Copy)]
enum About {
    Nothing,
    Request(u64),
    Channel(u32),
    Job(JobId),
}

impl Connection {
    async fn read(&mut self, frames: &mut futures_util::stream::SplitStream<WebSocket>) -> End {
        let shutdown = self.hub.shutdown.clone();
        let mut ping = interval(PING_EVERY);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut heard, mut greeted) = (Instant::now(), false);
        loop {
            let frame = tokio::select! {
                frame = frames.next() => frame,
                written = Writing::done(&mut self.writing) => {
                    match self.written(written).await { Ok(()) => continue, Err(end) => return end }
                }
                () = shutdown.cancelled() => return End::Shutdown,
                () = Work::dismissed(self.work.as_ref()) => {
                    let error = WireError::new(ErrorCode::Busy, "another connection works as this runner now");
                    return match self.refuse(error).await { Ok(()) => End::Refused, Err(end) => end };
                }
                _ = ping.tick() => {
                    let patience = if greeted { SILENCE } else { PATIENCE };
                    if heard.elapsed() > patience || self.out.send(Message::Ping("".into())).await.is_err() {
                        return End::Gone;
                    }
                    continue;
                }
            };
            let done = match frame {
                Some(Ok(Message::Text(text))) => {
                    if greeted {
                        self.message(&text).await
                    } else {
                        greeted = true;
                        self.hello(&text).await
                    }
                }
                Some(Ok(Message::Binary(_))) if !greeted => {
                    self.refuse(WireError::new(ErrorCode::BadMessage, "the first message is a hello")).await
                }
                Some(Ok(Message::Binary(frame))) => self.chunk(frame).await,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                Some(Ok(Message::Close(_))) | None => Err(End::Gone),
                Some(Err(error)) => {
                    tracing::debug!(%error, "a connection ended");
                    self.refuse(WireError::new(ErrorCode::BadMessage, error.to_string())).await
                }
            };
            if let Err(end) = done {
                return end;
            }
            // Only now: carrying a message out may have taken long.
            heard = Instant::now();
        }
    }

    async fn say(&self, message: &HubMessage) -> Result<(), End> {
        self.out.send(frame(message)).await.or(Err(End::Gone))
    }

    async fn error(&self, about: About, error: WireError) -> Result<(), End> {
        let (mut request, mut channel, mut job) = (None, None, None);
        match about {
            About::Nothing => {}
            About::Request(number) => request = Some(number),
            About::Channel(number) => channel = Some(number),
            About::Job(number) => job = Some(number),
        }
        self.say(&HubMessage::Error { request, channel, job, error }).await
    }

    async fn refuse(&self, error: WireError) -> Result<(), End> {
        self.error(About::Nothing, error).await?;
        Err(End::Refused)
    }

    async fn hello(&mut self, text: &str) -> Result<(), End> {
        match serde_json::from_str(text) {
            Ok(ClientMessage::Hello { version: VERSION, client }) => {
                tracing::debug!(client, "a client connected");
                let (jobs, store) = (Arc::clone(&self.hub.jobs), Arc::clone(&self.hub.store));
                // A disk that can't be asked is one that nobody knows about.
                let asked = spawn_blocking(move || (jobs.runners(), store.free_bytes().unwrap_or(0))).await;
                let (runners, free_disk_bytes) = asked.unwrap_or_default();
                let hub = concat!("studio/", env!("CARGO_PKG_VERSION")).to_owned();
                self.say(&HubMessage::Welcome { version: VERSION, hub, free_disk_bytes, runners }).await
            }
            Ok(ClientMessage::Hello { version, .. }) => {
                let what = format!("the client speaks version {version} of the protocol, this hub {VERSION}");
                self.refuse(
                    WireError::new(ErrorCode::Version, what).hint("Reload the page, or update the client"),
                )
                .await
            }
            Ok(_) => self.refuse(WireError::new(ErrorCode::BadMessage, "the first message is a hello")).await,
            Err(error) => self.refuse(unreadable(&error)).await,
        }
    }

    async fn message(&mut self, text: &str) -> Result<(), End> {
        self.settle().await?;
        let message = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => return self.error(About::Nothing, unreadable(&error)).await,
        };
        match message {
            ClientMessage::Hello { .. } => {
                self.error(About::Nothing, WireError::new(ErrorCode::BadMessage, "hello was said before"))
                    .await
            }
            ClientMessage::UploadOpen { channel, key, size_bytes, blake3 } => {
                self.upload_open(channel, key, size_bytes, blake3).await
            }
            ClientMessage::UploadFinish { channel, blake3 } => self.upload_finish(channel, blake3).await,
            ClientMessage::UploadClose { channel } => {
                self.uploads.remove(&channel);
                Ok(())
            }
            ClientMessage::JobSubmit { request, spec, terms } => self.job_submit(request, spec, terms).await,
            ClientMessage::JobRerun { request, job } => self.job_rerun(request, job).await,
            ClientMessage::JobsList { request, filter } => self.jobs_list(request, filter).await,
            ClientMessage::JobShow { request, job } => self.job_show(request, job).await,
            ClientMessage::JobWatch { job, after } => self.job_watch(job, after).await,
            ClientMessage::JobCancel { job } => self.job_cancel(job).await,
            ClientMessage::RunnersWatch => self.runners_watch().await,
            ClientMessage::RunnerRemove { request, name } => self.runner_remove(request, name).await,
            ClientMessage::RunnerLabel { request, name, labels } => {
                self.runner_label(request, name, labels).await
            }
            ClientMessage::RunnerInvite { request } => {
                let token = self.hub.token.0.clone();
                self.say(&HubMessage::Invitation { request, token }).await
            }
            ClientMessage::Join { runner, id, labels, working } => {
                self.join(Newcomer { info: runner, id, labels, working }).await
            }
            ClientMessage::JobReport { job, attempt, first, events } => {
                self.job_report(Working { job, attempt }, first, events).await
            }
        }
    }
}

/// What is wrong with a message, which may be megabytes that the error quotes.
fn unreadable(error: &serde_json::Error) -> WireError {
    let mut words = error.to_string();
    if words.len() > MAX_ERROR_BYTES {
        words.truncate(words.floor_char_boundary(MAX_ERROR_BYTES));
        words.push('…');
    }
    WireError::new(ErrorCode::BadMessage, format!("this message can't be read: {words}")).hint(
        "docs/protocol.md says which messages there are; another version of the page may be open: reload it",
    )
}

/// A message as a frame. Every message of the protocol can be written as JSON.
fn frame(message: &HubMessage) -> Message {
    match serde_json::to_string(message) {
        Ok(text) => Message::Text(text.into()),
        Err(error) => {
            tracing::error!(%error, "a message could not be written");
            Message::Close(None)
        }
    }
}

async fn blocking<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, WireError>
where
    T: Send + 'static,
    E: Into<WireError> + Send + 'static,
{
    match spawn_blocking(work).await {
        Ok(result) => result.map_err(Into::into),
        Err(error) => Err(WireError::new(ErrorCode::Internal, format!("the hub failed: {error}"))),
    }
}
