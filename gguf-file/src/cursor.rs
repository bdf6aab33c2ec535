//! Bounded reads over a source. Nothing is allocated or read before its length was compared with what is
//! left of the file.

use crate::endian::Endian;
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_HEADER_BYTES;
use crate::place::{Field, Place};
use crate::source::ReadAt;

/// Read-ahead: few calls, as each may be a round trip, and little read past the header.
const CHUNK_BYTES: usize = 256 << 10;

/// A reading position in one file.
pub(crate) struct Cursor<'a> {
    source: &'a dyn ReadAt,
    shard: Option<usize>,
    len: u64,
    position: u64,
    buffer: Vec<u8>,
    buffer_start: u64,
    pub(crate) endian: Endian,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(source: &'a dyn ReadAt, shard: Option<usize>) -> Self {
        Cursor {
            source,
            shard,
            len: source.len(),
            position: 0,
            buffer: Vec::new(),
            buffer_start: 0,
            endian: Endian::Little,
        }
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The file's length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn left(&self) -> u64 {
        self.len.saturating_sub(self.position)
    }

    /// The error for a field that starts at `offset`.
    pub(crate) fn error_at(&self, offset: u64, field: Field, kind: ErrorKind) -> Error {
        Error::new(Place { shard: self.shard, field, offset: Some(offset) }, kind)
    }

    /// The next `wanted` bytes. `field` is only called for an error.
    pub(crate) fn take(&mut self, wanted: usize, field: impl Fn() -> Field) -> Result<&[u8], Error> {
        let start = self.position;
        let wanted_bytes = wanted as u64;
        if wanted_bytes > self.left() {
            let kind = ErrorKind::Truncated { needed: wanted_bytes, left: self.left() };
            return Err(self.error_at(start, field(), kind));
        }
        let end = start.saturating_add(wanted_bytes);
        if end > MAX_HEADER_BYTES {
            return Err(self.error_at(start, field(), ErrorKind::HeaderTooLarge { limit: MAX_HEADER_BYTES }));
        }
        let buffered_end = self.buffer_start.saturating_add(self.buffer.len() as u64);
        if start < self.buffer_start || end > buffered_end {
            let ahead = u64::min(self.left(), u64::max(wanted_bytes, CHUNK_BYTES as u64));
            // At most MAX_HEADER_BYTES or CHUNK_BYTES, so it fits every usize.
            self.buffer.resize(usize::try_from(ahead).unwrap_or(wanted), 0);
            self.buffer_start = start;
            if let Err(error) = self.source.read_at(start, &mut self.buffer) {
                self.buffer.clear();
                return Err(self.error_at(start, field(), ErrorKind::Read(error)));
            }
        }
        self.position = end;
        let skip = usize::try_from(start.saturating_sub(self.buffer_start)).unwrap_or(usize::MAX);
        let bytes = self.buffer.get(skip..).and_then(|rest| rest.get(..wanted));
        Ok(bytes.unwrap_or_default())
    }

    fn array<const N: usize>(&mut self, field: impl Fn() -> Field) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N, field)?);
        Ok(bytes)
    }

    pub(crate) fn bytes4(&mut self, field: impl Fn() -> Field) -> Result<[u8; 4], Error> {
        self.array(field)
    }

    pub(crate) fn u32(&mut self, field: impl Fn() -> Field) -> Result<u32, Error> {
        let bytes = self.array(field)?;
        Ok(self.endian.u32(bytes))
    }

    pub(crate) fn u64(&mut self, field: impl Fn() -> Field) -> Result<u64, Error> {
        let bytes = self.array(field)?;
        Ok(self.endian.u64(bytes))
    }

    /// A count of things that take at least `each_bytes` bytes each: refused when it is over `limit`, or when
    /// the rest of the file or of the header's limit could not hold them.
    pub(crate) fn count(
        &mut self,
        each_bytes: u64,
        limit: u64,
        field: impl Fn() -> Field,
    ) -> Result<usize, Error> {
        let offset = self.position;
        let count = self.u64(&field)?;
        self.check_count(offset, count, each_bytes, limit, field)
    }

    /// As [`Cursor::count`], for a count read before.
    pub(crate) fn check_count(
        &self,
        offset: u64,
        count: u64,
        each_bytes: u64,
        limit: u64,
        field: impl Fn() -> Field,
    ) -> Result<usize, Error> {
        let left = self.left();
        let bytes = count.checked_mul(each_bytes).filter(|bytes| *bytes <= left);
        let kind = match (bytes, usize::try_from(count)) {
            (None, _) => ErrorKind::CountExceedsFile { count, each_bytes, left },
            (Some(bytes), Ok(fits)) if count <= limit => {
                if self.position.saturating_add(bytes) <= MAX_HEADER_BYTES {
                    return Ok(fits);
                }
                ErrorKind::HeaderTooLarge { limit: MAX_HEADER_BYTES }
            }
            (Some(_), Ok(_) | Err(_)) => ErrorKind::OverLimit { value: count, limit },
        };
        Err(self.error_at(offset, field(), kind))
    }

    /// A length in bytes, then as many bytes.
    pub(crate) fn string_bytes(
        &mut self,
        limit: u64,
        length_field: impl Fn() -> Field,
        field: impl Fn() -> Field,
    ) -> Result<&[u8], Error> {
        let length = self.count(1, limit, length_field)?;
        self.take(length, field)
    }

    /// A key or a name: UTF-8 and not empty.
    pub(crate) fn name(&mut self, limit: u64, field: impl Fn() -> Field) -> Result<String, Error> {
        let offset = self.position;
        let bytes = self.string_bytes(limit, &field, &field)?;
        match std::str::from_utf8(bytes) {
            Ok("") => Err(self.error_at(offset, field(), ErrorKind::Empty)),
            Ok(name) => Ok(name.to_owned()),
            Err(error) => {
                let kind = ErrorKind::NotUtf8 { valid_up_to: error.valid_up_to() };
                Err(self.error_at(offset, field(), kind))
            }
        }
    }
}
