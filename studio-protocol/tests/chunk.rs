//! The binary frame, byte by byte.

use studio_protocol::chunk::{Chunk, ChunkError, HEADER_BYTES, MAX_PAYLOAD_BYTES};

#[test]
fn a_frame_byte_by_byte() {
    let frame = [1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0xff];
    let chunk = Chunk { channel: 1, offset: 0x102, payload: &[0xff] };
    assert_eq!(Chunk::parse(&frame), Ok(chunk));
    assert_eq!(chunk.to_frame(), frame);
}

#[test]
fn every_shorter_frame_is_refused() {
    for length in 0..=HEADER_BYTES {
        assert_eq!(Chunk::parse(&[0; HEADER_BYTES][..length]), Err(ChunkError::Short(length)));
    }
}

#[test]
fn the_longest_frame_and_one_byte_more() {
    let mut frame = vec![0; HEADER_BYTES + MAX_PAYLOAD_BYTES];
    assert!(Chunk::parse(&frame).is_ok());
    frame.push(0);
    assert_eq!(Chunk::parse(&frame), Err(ChunkError::Long(MAX_PAYLOAD_BYTES + 1)));
}
