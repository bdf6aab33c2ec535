//! One upload as its sender sees it, without a socket: what was made, what was sent, what the hub has.
//!
//! Bytes are kept until the hub says that they are on its disk, so a dropped connection costs only what was
//! on its way. A hub that comes back with less than it had acknowledged wants the stream made anew.

use std::borrow::Cow;
use std::collections::VecDeque;
use studio_protocol::Hash;
use studio_protocol::chunk::{Chunk, HEADER_BYTES, WINDOW_BYTES};

/// Payload of a frame, but for an upload's last. Chromium copies a message that doesn't fit its pipe, and takes fresh
/// memory from the system for each copy of 960 KiB or more; smaller frames cost more than they save.
const FRAME_BYTES: usize = 512 << 10;

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
    /// Frames that were acknowledged, for those to come.
    spare: Vec<Vec<u8>>,
}

/// Bytes of the stream in the frame that carries them.
#[derive(Debug)]
struct Held {
    offset: u64,
    /// Room for the chunk's header, then the bytes.
    frame: Vec<u8>,
}

impl Held {
    fn payload(&self) -> &[u8] {
        self.frame.get(HEADER_BYTES..).unwrap_or_default()
    }

    fn end(&self) -> u64 {
        self.offset + self.payload().len() as u64
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
        Self {
            size_bytes,
            made_bytes: 0,
            received_bytes: 0,
            sent_bytes: 0,
            held: VecDeque::new(),
            spare: Vec::new(),
        }
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
            self.rewind();
            return Ok(Resume::Rewind);
        }
        self.release();
        Ok(Resume::Continue)
    }

    /// Begins anew with making the stream. What the hub has is not sent again.
    pub fn rewind(&mut self) {
        self.made_bytes = 0;
        self.held.clear();
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
        let mut rest = bytes;
        while !rest.is_empty() {
            let full = (self.made_bytes / FRAME_BYTES as u64 + 1) * FRAME_BYTES as u64;
            let count = rest.len().min((full - self.made_bytes) as usize);
            let (now, later) = rest.split_at(count);
            let (offset, end) = (self.made_bytes, self.made_bytes + count as u64);
            if end > self.received_bytes {
                match self.held.back_mut().filter(|_| offset % FRAME_BYTES as u64 != 0) {
                    Some(held) => held.frame.extend_from_slice(now),
                    None => {
                        let mut frame = self.spare.pop().unwrap_or_default();
                        frame.clear();
                        frame.reserve_exact(HEADER_BYTES + FRAME_BYTES);
                        frame.resize(HEADER_BYTES, 0);
                        frame.extend_from_slice(now);
                        self.held.push_back(Held { offset, frame });
                    }
                }
            }
            (self.made_bytes, rest) = (end, later);
        }
    }

    /// The next frame to send on a channel, if there is a full one, or the stream's last, and the window has room for
    /// it.
    pub fn next_frame(&mut self, channel: u32) -> Option<Cow<'_, [u8]>> {
        let ended = self.made_bytes == self.size_bytes;
        let held = self.held.iter_mut().find(|held| held.end() > self.sent_bytes)?;
        let end = held.end();
        let full = end.is_multiple_of(FRAME_BYTES as u64);
        if end - self.received_bytes > WINDOW_BYTES || !(full || ended) {
            return None;
        }
        let offset = held.offset.max(self.sent_bytes);
        self.sent_bytes = end;
        let skipped = usize::try_from(offset - held.offset).ok()?;
        if skipped > 0 {
            // What the hub has stays as it is: a hub that comes back may have less.
            let payload = held.payload().get(skipped..)?;
            return Some(Cow::Owned(Chunk { channel, offset, payload }.to_frame()));
        }
        held.frame.get_mut(..HEADER_BYTES)?.copy_from_slice(&Chunk::header(channel, offset));
        Some(Cow::Borrowed(&held.frame))
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
        let received = self.received_bytes;
        while let Some(held) = self.held.pop_front_if(|held| held.end() <= received) {
            self.spare.push(held.frame);
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

    const FRAMES: usize = WINDOW_BYTES as usize / FRAME_BYTES;

    fn offsets(upload: &mut Upload) -> Vec<u64> {
        std::iter::from_fn(|| {
            let frame = upload.next_frame(1)?;
            Some(Chunk::parse(&frame).unwrap().offset / FRAME_BYTES as u64)
        })
        .collect()
    }

    fn fill(upload: &mut Upload) {
        while upload.wants_bytes() {
            upload.push(&vec![7; FRAME_BYTES]);
        }
    }

    #[test]
    fn the_window_limits_what_is_on_its_way() {
        let mut upload = Upload::new((2 * FRAMES * FRAME_BYTES) as u64);
        assert_eq!(upload.on_state(0), Ok(Resume::Continue));
        fill(&mut upload);
        assert_eq!(offsets(&mut upload), (0..FRAMES as u64).collect::<Vec<_>>());
        assert!(!upload.wants_bytes());
        upload.on_ack(2 * FRAME_BYTES as u64).unwrap();
        fill(&mut upload);
        assert_eq!(offsets(&mut upload), [FRAMES as u64, FRAMES as u64 + 1]);
    }

    #[test]
    fn bytes_that_the_hub_has_are_made_but_not_sent() {
        let mut upload = Upload::new(4 * FRAME_BYTES as u64);
        upload.on_state(2 * FRAME_BYTES as u64 + 5).unwrap();
        fill(&mut upload);
        let frame = upload.next_frame(9).unwrap();
        let chunk = Chunk::parse(&frame).unwrap();
        assert_eq!(
            (chunk.channel, chunk.offset, chunk.payload.len()),
            (9, 2 * FRAME_BYTES as u64 + 5, FRAME_BYTES - 5)
        );
        assert_eq!(offsets(&mut upload), [3]);
        upload.on_ack(4 * FRAME_BYTES as u64).unwrap();
        assert!(upload.is_received());
    }

    #[test]
    fn small_pieces_go_in_full_frames_and_the_last_as_it_is() {
        let bytes: Vec<u8> = (0..2 * FRAME_BYTES + 1000).map(|at| (at % 251) as u8).collect();
        let mut upload = Upload::new(bytes.len() as u64);
        upload.on_state(7).unwrap();
        let mut sent = bytes[..7].to_vec();
        let mut lengths = Vec::new();
        for piece in bytes.chunks(300_001) {
            upload.push(piece);
            while let Some(frame) = upload.next_frame(3) {
                let chunk = Chunk::parse(&frame).unwrap();
                assert_eq!((chunk.channel, chunk.offset), (3, sent.len() as u64));
                lengths.push(chunk.payload.len());
                sent.extend_from_slice(chunk.payload);
            }
        }
        assert_eq!(lengths, [FRAME_BYTES - 7, FRAME_BYTES, 1000]);
        assert!(sent == bytes);
    }

    #[test]
    fn a_dropped_connection_sends_again_only_what_was_on_its_way() {
        let mut upload = Upload::new(8 * FRAME_BYTES as u64);
        upload.on_state(0).unwrap();
        fill(&mut upload);
        assert_eq!(offsets(&mut upload).len(), 8);
        upload.on_ack(3 * FRAME_BYTES as u64).unwrap();
        assert_eq!(upload.on_state(5 * FRAME_BYTES as u64), Ok(Resume::Continue));
        assert_eq!(offsets(&mut upload), [5, 6, 7]);
    }

    #[test]
    fn a_hub_that_lost_acknowledged_bytes_gets_the_stream_anew() {
        let mut upload = Upload::new(8 * FRAME_BYTES as u64);
        upload.on_state(0).unwrap();
        fill(&mut upload);
        offsets(&mut upload);
        upload.on_ack(6 * FRAME_BYTES as u64).unwrap();
        assert_eq!(upload.on_state(FRAME_BYTES as u64), Ok(Resume::Rewind));
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
