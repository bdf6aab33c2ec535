//! Binary frames: a chunk of an artifact.
//!
//! | bytes | field |
//! |---|---|
//! | 0..4 | channel, little-endian `u32`: the number that `upload_open` gave |
//! | 4..12 | offset of the payload in the artifact, little-endian `u64` |
//! | 12.. | payload, 1 to [`MAX_PAYLOAD_BYTES`] bytes |

/// Bytes before the payload.
pub const HEADER_BYTES: usize = 12;

/// The most payload bytes a chunk may carry.
pub const MAX_PAYLOAD_BYTES: usize = 4 << 20;

/// The most bytes that a sender may have sent and not yet seen acknowledged, over all its channels.
pub const WINDOW_BYTES: u64 = 16 << 20;

/// A chunk read from a binary frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The upload it belongs to.
    pub channel: u32,
    /// Where its payload begins in the artifact.
    pub offset: u64,
    /// Its bytes.
    pub payload: &'a [u8],
}

/// Why a binary frame is not a chunk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// Shorter than the header and one byte.
    #[error("a chunk has at least 13 bytes, this frame has {0}")]
    Short(usize),
    /// Longer than a chunk may be.
    #[error("a chunk carries at most {MAX_PAYLOAD_BYTES} bytes, this one carries {0}")]
    Long(usize),
}

impl<'a> Chunk<'a> {
    /// Reads a chunk from a whole frame.
    pub fn parse(frame: &'a [u8]) -> Result<Self, ChunkError> {
        let short = || ChunkError::Short(frame.len());
        let (channel, rest) = frame.split_first_chunk::<4>().ok_or_else(short)?;
        let (offset, payload) = rest.split_first_chunk::<8>().ok_or_else(short)?;
        if payload.is_empty() {
            return Err(short());
        }
        if payload.len() > MAX_PAYLOAD_BYTES {
            return Err(ChunkError::Long(payload.len()));
        }
        Ok(Self { channel: u32::from_le_bytes(*channel), offset: u64::from_le_bytes(*offset), payload })
    }

    /// What stands before the payload in a frame.
    pub fn header(channel: u32, offset: u64) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        let (first, last) = header.split_at_mut(4);
        first.copy_from_slice(&channel.to_le_bytes());
        last.copy_from_slice(&offset.to_le_bytes());
        header
    }

    /// The frame's bytes.
    pub fn to_frame(&self) -> Vec<u8> {
        let mut frame = Vec::with_capacity(HEADER_BYTES + self.payload.len());
        frame.extend_from_slice(&Self::header(self.channel, self.offset));
        frame.extend_from_slice(self.payload);
        frame
    }
}
