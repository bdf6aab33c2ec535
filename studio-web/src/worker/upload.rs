//! Sends files to the hub over the worker's own websocket, and takes up where it was when that drops.

use super::meter::Meter;
use super::relay::Relay;
use crate::browser;
use crate::hub::resume::{Impossible, Resume, Upload, backoff_ms};
use crate::hub::socket::{SocketEvent, hello};
use crate::messages::{ExportEnd, ExportPhase, Problem};
use futures_channel::mpsc::{self, UnboundedReceiver, UnboundedSender};
use futures_util::StreamExt;
use std::{cell::RefCell, rc::Rc};
use studio_protocol::{Artifact, ClientMessage, ErrorCode, Hash, HubMessage};

/// Bytes that are made before the browser gets to deliver what came in.
const BYTES_A_TURN: usize = 4 << 20;

/// What can happen to an export while it waits.
enum Event {
    Socket(SocketEvent),
    Cancel,
}

/// Ends an export from outside.
#[derive(Clone, Default)]
pub(crate) struct Control {
    cancelled: Rc<std::cell::Cell<bool>>,
    wake: Rc<RefCell<Option<UnboundedSender<Event>>>>,
}

impl Control {
    /// Ends it at its next step.
    pub(crate) fn cancel(&self) {
        self.cancelled.set(true);
        if let Some(wake) = self.wake.borrow().as_ref() {
            drop(wake.unbounded_send(Event::Cancel));
        }
    }

    /// Fails if it was ended.
    pub(crate) fn check(&self) -> Result<(), ExportEnd> {
        if self.cancelled.get() { Err(ExportEnd::Cancelled) } else { Ok(()) }
    }
}

/// The bytes of a file, made piece by piece and, if need be, again from the start.
pub(crate) trait Pieces {
    /// Goes back to the start.
    fn restart(&mut self);
    /// The next bytes, at most a chunk's payload; `None` at the end.
    fn next(&mut self) -> Result<Option<&[u8]>, Problem>;
}

/// What is to be sent.
pub(crate) struct Parcel<'a> {
    /// The file's name, for words.
    pub name: &'a str,
    /// The key that its upload is known by.
    pub key: String,
    /// Its length.
    pub size_bytes: u64,
    /// Its hash, where it is known: a hub that has such bytes under another key wants none.
    pub blake3: Option<Hash>,
    /// Its bytes.
    pub pieces: &'a mut dyn Pieces,
}

/// The connection that an export's files go over, one after another.
pub(crate) struct Uploader {
    control: Control,
    socket: Option<Relay>,
    events: UnboundedReceiver<Event>,
    sender: UnboundedSender<Event>,
    channel: u32,
    attempt: u32,
}

/// Why a wait ended without its answer.
enum Interrupt {
    /// The connection is gone; try again.
    Lost,
    /// The export is over.
    End(ExportEnd),
}

impl From<ExportEnd> for Interrupt {
    fn from(end: ExportEnd) -> Self {
        Interrupt::End(end)
    }
}

impl From<Problem> for ExportEnd {
    fn from(problem: Problem) -> Self {
        ExportEnd::Failed { problem }
    }
}

impl Uploader {
    /// An uploader that is not connected yet.
    pub(crate) fn new(control: Control) -> Self {
        // Unbounded because a socket's events cannot be held back; the hub acknowledges what it was sent.
        let (sender, events) = mpsc::unbounded();
        *control.wake.borrow_mut() = Some(sender.clone());
        Self { control, socket: None, events, sender, channel: 0, attempt: 0 }
    }

    /// Sends a file, whatever happens to the connection meanwhile, until the hub has checked and kept it.
    pub(crate) async fn send(&mut self, parcel: Parcel<'_>, meter: &Meter) -> Result<Artifact, ExportEnd> {
        let mut transfer =
            Transfer { upload: Upload::new(parcel.size_bytes), hasher: None, parcel, first_state: true };
        loop {
            match self.attempt(&mut transfer, meter).await {
                Ok(artifact) => return Ok(artifact),
                Err(Interrupt::End(end)) => return Err(end),
                Err(Interrupt::Lost) => {
                    self.socket = None;
                    meter.phase(ExportPhase::Reconnecting { attempt: self.attempt });
                    browser::sleep_ms(backoff_ms(self.attempt)).await;
                    self.attempt += 1;
                }
            }
        }
    }

    async fn attempt(&mut self, transfer: &mut Transfer<'_>, meter: &Meter) -> Result<Artifact, Interrupt> {
        self.connect().await?;
        self.channel += 1;
        let channel = self.channel;
        self.say(&ClientMessage::UploadOpen {
            channel,
            key: transfer.parcel.key.clone(),
            size_bytes: transfer.parcel.size_bytes,
            blake3: transfer.parcel.blake3,
        });
        let (received_bytes, artifact) = loop {
            if let HubMessage::UploadState { received_bytes, artifact, .. } = self.answer(channel).await? {
                break (received_bytes, artifact);
            }
        };
        meter.phase(ExportPhase::Sending { file: transfer.parcel.name.to_owned() });
        if std::mem::take(&mut transfer.first_state) {
            meter.reused(artifact.as_ref().map_or(received_bytes, |artifact| artifact.size_bytes));
        }
        if let Some(artifact) = artifact {
            meter.received(artifact.size_bytes);
            return Ok(artifact);
        }
        transfer.take_up(received_bytes)?;
        self.pump(channel, transfer, meter).await?;

        let blake3 = transfer.hasher.as_ref().map(|hasher| Hash::from_bytes(*hasher.finalize().as_bytes()));
        self.say(&ClientMessage::UploadFinish { channel, blake3 });
        loop {
            if let HubMessage::UploadDone { artifact, .. } = self.answer(channel).await? {
                return Ok(artifact);
            }
        }
    }

    /// Makes and sends until the hub has every byte.
    async fn pump(
        &mut self,
        channel: u32,
        transfer: &mut Transfer<'_>,
        meter: &Meter,
    ) -> Result<(), Interrupt> {
        let mut made = 0;
        loop {
            while let Ok(event) = self.events.try_recv() {
                transfer.note(channel, self.sort(event, channel)?)?;
            }
            meter.received(transfer.upload.received_bytes());
            while let Some(frame) = transfer.upload.next_frame(channel) {
                if let Some(socket) = &self.socket {
                    socket.send(&frame);
                }
            }
            if transfer.upload.wants_bytes() {
                made += transfer.make()?;
                if made >= BYTES_A_TURN {
                    made = 0;
                    browser::yield_now().await;
                }
            } else if transfer.upload.is_received() {
                return Ok(());
            } else {
                let answer = self.answer(channel).await?;
                transfer.note(channel, Some(answer))?;
            }
        }
    }

    async fn connect(&mut self) -> Result<(), Interrupt> {
        self.control.check()?;
        if self.socket.is_some() {
            return Ok(());
        }
        // What an earlier socket said is of no use to this one.
        while self.events.try_recv().is_ok() {}
        let sender = self.sender.clone();
        let opened = Relay::open(move |event| drop(sender.unbounded_send(Event::Socket(event))));
        self.socket = Some(opened.map_err(|words| ExportEnd::from(Problem::new(words)))?);
        loop {
            match self.next().await? {
                Event::Socket(SocketEvent::Open) => self.say(&hello()),
                event => {
                    if let Some(HubMessage::Welcome { .. }) = self.sort(event, 0)? {
                        self.attempt = 0;
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn next(&mut self) -> Result<Event, Interrupt> {
        self.control.check()?;
        self.events.next().await.ok_or(Interrupt::Lost)
    }

    /// The next message from the hub that is about this upload.
    async fn answer(&mut self, channel: u32) -> Result<HubMessage, Interrupt> {
        loop {
            let event = self.next().await?;
            if let Some(message) = self.sort(event, channel)? {
                return Ok(message);
            }
        }
    }

    /// An event's message, if it has one, or the end that it means.
    fn sort(&self, event: Event, channel: u32) -> Result<Option<HubMessage>, Interrupt> {
        let message = match event {
            Event::Cancel => return Err(ExportEnd::Cancelled.into()),
            Event::Socket(SocketEvent::Open) => return Ok(None),
            Event::Socket(SocketEvent::Closed { .. }) => return Err(Interrupt::Lost),
            Event::Socket(SocketEvent::Garbled(words)) => {
                let problem =
                    Problem::new(format!("The hub said something that is not understood ({words})"));
                return Err(ExportEnd::from(
                    problem.hint("Reload the page: the hub may be of another version"),
                )
                .into());
            }
            Event::Socket(SocketEvent::Message(message)) => *message,
        };
        match message {
            HubMessage::Error { channel: of, error, .. }
                if of == Some(channel) || error.code == ErrorCode::Version =>
            {
                Err(ExportEnd::from(Problem::from(error)).into())
            }
            message => Ok(Some(message)),
        }
    }

    fn say(&self, message: &ClientMessage) {
        if let Some(socket) = &self.socket {
            socket.say(message);
        }
    }
}

/// A file on its way.
struct Transfer<'a> {
    parcel: Parcel<'a>,
    upload: Upload,
    /// Of all bytes made, where the hub wants their hash: it has some that were not sent since the upload was opened. It
    /// hashes the others itself.
    hasher: Option<blake3::Hasher>,
    first_state: bool,
}

impl Transfer<'_> {
    /// Goes on from what the hub has.
    fn take_up(&mut self, received_bytes: u64) -> Result<(), ExportEnd> {
        let resume = self.upload.on_state(received_bytes).map_err(impossible)?;
        let wants_hash = received_bytes > 0;
        if resume == Resume::Rewind || (wants_hash && self.hasher.is_none()) {
            self.upload.rewind();
            self.parcel.pieces.restart();
            self.hasher = wants_hash.then(blake3::Hasher::new);
        }
        Ok(())
    }

    /// Makes the next piece; gives its length.
    fn make(&mut self) -> Result<usize, ExportEnd> {
        match self.parcel.pieces.next()? {
            Some(piece) => {
                if let Some(hasher) = &mut self.hasher {
                    hasher.update(piece);
                }
                self.upload.push(piece);
                Ok(piece.len())
            }
            None => Err(Problem::new("The file ended before its planned length")
                .at(self.parcel.name)
                .hint("This is a fault of the exporter: please report it with the model's name")
                .into()),
        }
    }

    fn note(&mut self, channel: u32, message: Option<HubMessage>) -> Result<(), ExportEnd> {
        match message {
            Some(HubMessage::UploadAck { channel: of, received_bytes }) if of == channel => {
                self.upload.on_ack(received_bytes).map_err(impossible)
            }
            _ => Ok(()),
        }
    }
}

fn impossible(claim: Impossible) -> ExportEnd {
    let Impossible { received_bytes, size_bytes } = claim;
    Problem::new(format!("The hub says that it has {received_bytes} bytes of a file of {size_bytes}, of which not all were sent"))
        .hint("Reload the page: the hub may be of another version")
        .into()
}
