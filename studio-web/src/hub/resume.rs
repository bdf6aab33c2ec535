//! One upload as its sender sees it, without a socket: what was made, what was sent, what the hub has.
//!
//! Bytes are kept until the hub says that they are on its disk, so a dropped connection costs only what was
//! on its way. A hub that comes back with less than it had acknowledged wants the stream made anew.

use std::collections::VecDeque;
use studio_protocol::Hash;
use studio_protocol::chunk::{Chunk, WINDOW_BYTES};

/// An upload that can be taken up again.
#[derive(Debug)]
pub struct Upload {
    size_bytes: u64,
    /// Bytes that the stream gave so far.
    made_bytes: u64,
    /// Bytes that the hub has, from the first on.
    received_bytes: u64,
    /// Bytes that were sent or needn't be.
    sent_bytes: u64,
    /// Made and not acknowledged; adjacent, ending at `made_bytes`.
    held: VecDeque<Held>,
}

#[derive(Debug)]
struct Held {
    offset: u64,
    bytes: Vec<u8>,
}

impl Held {
    fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

/// What the hub's word on an upload means for its sender.
#[derive(Debug, PartialEq, Eq)]
pub enum Resume {
    /// Go on.
    Continue,
    /// The hub wants bytes that are no longer held: make the stream anew from its start.
    Rewind,
}

/// The hub said something that cannot be.
#[derive(Debug, PartialEq, Eq)]
pub struct Impossible {
    /// What the hub claims to have.
    pub received_bytes: u64,
    /// The whole length.
    pub size_bytes: u64,
}

impl Upload {
    /// An upload of this length, nothing of it made.
    pub fn new(size_bytes: u64) -> Self {
        Self { size_bytes, made_bytes: 0, received_bytes: 0, sent_bytes: 0, held: VecDeque::new() }
    }

    /// The hub's answer to `upload_open`: send from there on.
    pub fn on_state(&mut self, received_bytes: u64) -> Result<Resume, Impossible> {
        if received_bytes > self.size_bytes {
            return Err(Impossible { received_bytes, size_bytes: self.size_bytes });
        }
        let held_from = self.held.front().map_or(self.made_bytes, |held| held.offset);
        self.received_bytes = received_bytes;
        self.sent_bytes = received_bytes;
        if received_bytes < held_from {
            self.made_bytes = 0;
            self.held.clear();
            return Ok(Resume::Rewind);
        }
        self.release();
        Ok(Resume::Continue)
    }

    /// The hub's `upload_ack`.
    pub fn on_ack(&mut self, received_bytes: u64) -> Result<(), Impossible> {
        if received_bytes > self.sent_bytes {
            return Err(Impossible { received_bytes, size_bytes: self.size_bytes });
        }
        self.received_bytes = self.received_bytes.max(received_bytes);
        self.release();
        Ok(())
    }

    /// The next bytes of the stream. Those that the hub has are not kept.
    pub fn push(&mut self, bytes: &[u8]) {
        let offset = self.made_bytes;
        self.made_bytes += bytes.len() as u64;
        if self.made_bytes > self.received_bytes && !bytes.is_empty() {
            self.held.push_back(Held { offset, bytes: bytes.to_vec() });
        }
    }

    /// The next frame to send on a channel, if there is one and the window has room for it.
    pub fn next_frame(&mut self, channel: u32) -> Option<Vec<u8>> {
        let held = self.held.iter().find(|held| held.end() > self.sent_bytes)?;
        let skipped = usize::try_from(self.sent_bytes.saturating_sub(held.offset)).ok()?;
        let payload = held.bytes.get(skipped..)?;
        let end = held.end();
        if end - self.received_bytes > WINDOW_BYTES {
            return None;
        }
        let frame = Chunk { channel, offset: held.offset + skipped as u64, payload }.to_frame();
        self.sent_bytes = end;
        Some(frame)
    }

    /// Whether the stream should give more: there is more, and what is held leaves room in the window.
    pub fn wants_bytes(&self) -> bool {
        self.made_bytes < self.size_bytes
            && (self.made_bytes <= self.received_bytes
                || self.made_bytes - self.received_bytes < WINDOW_BYTES)
    }

    /// Whether all was made and the hub has all of it.
    pub fn is_received(&self) -> bool {
        self.made_bytes == self.size_bytes && self.received_bytes == self.size_bytes
    }

    /// Bytes that the hub has.
    pub fn received_bytes(&self) -> u64 {
        self.received_bytes
    }

    fn release(&mut self) {
        while self.held.front().is_some_and(|held| held.end() <= self.received_bytes) {
            self.held.pop_front();
        }
    }
}

/// How long to wait before a connection is tried again, in milliseconds: a quarter of a second at first,
/// doubled each time, five seconds at most.
pub fn backoff_ms(attempt: u32) -> u32 {
    (250_u32 << attempt.min(5)).min(5_000)
}

/// The key of a bundle's small file that is named by its own content.
pub fn content_key(hash: &Hash) -> String {
    format!("content-{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn offsets(upload: &mut Upload) -> Vec<u64> {
        std::iter::from_fn(|| upload.next_frame(1))
            .map(|frame| Chunk::parse(&frame).unwrap().offset / MIB as u64)
            .collect()
    }

    fn fill(upload: &mut Upload) {
        while upload.wants_bytes() {
            upload.push(&vec![7; MIB]);
        }
    }

    #[test]
    fn the_window_limits_what_is_on_its_way() {
        let mut upload = Upload::new(40 * MIB as u64);
        assert_eq!(upload.on_state(0), Ok(Resume::Continue));
        fill(&mut upload);
        assert_eq!(offsets(&mut upload), (0..16).collect::<Vec<_>>());
        assert!(!upload.wants_bytes());
        upload.on_ack(2 * MIB as u64).unwrap();
        fill(&mut upload);
        assert_eq!(offsets(&mut upload), [16, 17]);
    }

    #[test]
    fn bytes_that_the_hub_has_are_made_but_not_sent() {
        let mut upload = Upload::new(4 * MIB as u64);
        upload.on_state(2 * MIB as u64 + 5).unwrap();
        fill(&mut upload);
        let frame = upload.next_frame(9).unwrap();
        let chunk = Chunk::parse(&frame).unwrap();
        assert_eq!((chunk.channel, chunk.offset, chunk.payload.len()), (9, 2 * MIB as u64 + 5, MIB - 5));
        assert_eq!(offsets(&mut upload), [3]);
        upload.on_ack(4 * MIB as u64).unwrap();
        assert!(upload.is_received());
    }

    #[test]
    fn a_dropped_connection_sends_again_only_what_was_on_its_way() {
        let mut upload = Upload::new(8 * MIB as u64);
        upload.on_state(0).unwrap();
        fill(&mut upload);
        assert_eq!(offsets(&mut upload).len(), 8);
        upload.on_ack(3 * MIB as u64).unwrap();
        assert_eq!(upload.on_state(5 * MIB as u64), Ok(Resume::Continue));
        assert_eq!(offsets(&mut upload), [5, 6, 7]);
    }

    #[test]
    fn a_hub_that_lost_acknowledged_bytes_gets_the_stream_anew() {
        let mut upload = Upload::new(8 * MIB as u64);
        upload.on_state(0).unwrap();
        fill(&mut upload);
        offsets(&mut upload);
        upload.on_ack(6 * MIB as u64).unwrap();
        assert_eq!(upload.on_state(MIB as u64), Ok(Resume::Rewind));
        fill(&mut upload);
        assert_eq!(offsets(&mut upload), [1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn impossible_counts_are_refused() {
        let mut upload = Upload::new(10);
        assert!(upload.on_state(11).is_err());
        upload.on_state(0).unwrap();
        assert!(upload.on_ack(1).is_err(), "nothing was sent yet");
    }

    #[test]
    fn waits_grow_to_a_limit() {
        assert_eq!([0, 1, 2, 9].map(backoff_ms), [250, 500, 1_000, 5_000]);
    }
}
