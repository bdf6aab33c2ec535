//! Reads FlatBuffers, checking every offset before it is followed.
//!
//! Tables may be shared: a small file can name one of them a million times. Each table, string and vector that is read
//! is therefore paid for from a budget that grows with the file.

use crate::Error;
use std::cell::Cell;

/// A buffer that holds tables. Positions are bytes of it.
pub(crate) struct Buffer<'a> {
    bytes: &'a [u8],
    /// The file's byte that the buffer begins at, for messages.
    at: usize,
    budget: Cell<usize>,
}

/// A table: fields by their place in the schema.
#[derive(Clone, Copy)]
pub(crate) struct Table<'b, 'a> {
    buffer: &'b Buffer<'a>,
    at: usize,
    fields: &'a [u8],
}

/// A vector: where its elements begin and how many there are.
#[derive(Clone, Copy)]
pub(crate) struct Vector<'b, 'a> {
    buffer: &'b Buffer<'a>,
    at: usize,
    pub(crate) len: usize,
}

impl<'a> Buffer<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, budget: Cell::new(bytes.len().saturating_mul(8).saturating_add(1 << 16)) }
    }

    fn spend(&self, bytes: usize) -> Result<(), Error> {
        let left = self.budget.get().checked_sub(bytes.saturating_add(4)).ok_or(Error::TooDense)?;
        self.budget.set(left);
        Ok(())
    }

    fn get(&self, at: usize, len: usize, what: &str) -> Result<&'a [u8], Error> {
        let end = at.checked_add(len).filter(|&end| end <= self.bytes.len());
        let found = end.map(|end| &self.bytes[at..end]);
        found.ok_or_else(|| Error::damaged(self.at.saturating_add(at), format!("{what} lies past the end")))
    }

    fn array<const N: usize>(&self, at: usize, what: &str) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.get(at, N, what)?);
        Ok(array)
    }

    fn u32(&self, at: usize, what: &str) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array(at, what)?))
    }

    /// Where the offset at `at` leads to.
    fn follow(&self, at: usize, what: &str) -> Result<usize, Error> {
        at.checked_add(self.u32(at, what)? as usize)
            .filter(|&to| to < self.bytes.len())
            .ok_or_else(|| Error::damaged(self.at + at, format!("the offset of {what} leads past the end")))
    }

    pub(crate) fn root(&self, what: &str) -> Result<Table<'_, 'a>, Error> {
        self.table(self.follow(0, what)?, what)
    }

    fn table(&self, at: usize, what: &str) -> Result<Table<'_, 'a>, Error> {
        let back = i32::from_le_bytes(self.array(at, what)?);
        let fields_at = i64::try_from(at).unwrap_or(i64::MAX) - i64::from(back);
        let fields_at = usize::try_from(fields_at)
            .map_err(|_negative| Error::damaged(self.at + at, format!("{what} has no list of fields")))?;
        let len = u16::from_le_bytes(self.array(fields_at, what)?);
        let fields = self.get(fields_at, usize::from(len), what)?;
        self.spend(fields.len())?;
        Ok(Table { buffer: self, at, fields: fields.get(4..).unwrap_or_default() })
    }

    fn vector(&self, at: usize, size: usize, what: &str) -> Result<Vector<'_, 'a>, Error> {
        let len = self.u32(at, what)? as usize;
        self.get(at + 4, len.saturating_mul(size), what)?;
        self.spend(len.saturating_mul(size))?;
        Ok(Vector { buffer: self, at: at + 4, len })
    }
}

impl<'b, 'a> Table<'b, 'a> {
    /// Where a field's value is; `None` where the table leaves it out.
    fn place(&self, field: usize) -> Option<usize> {
        let offset = self.fields.get(2 * field..2 * field + 2)?;
        let offset = u16::from_le_bytes([offset[0], offset[1]]);
        (offset != 0).then(|| self.at + usize::from(offset))
    }

    pub(crate) fn u8(&self, field: usize, what: &str) -> Result<Option<u8>, Error> {
        self.place(field).map(|at| self.buffer.array(at, what).map(|[byte]| byte)).transpose()
    }

    pub(crate) fn u32(&self, field: usize, what: &str) -> Result<Option<u32>, Error> {
        self.place(field).map(|at| self.buffer.u32(at, what)).transpose()
    }

    pub(crate) fn i32(&self, field: usize, what: &str) -> Result<Option<i32>, Error> {
        self.place(field).map(|at| self.buffer.array(at, what).map(i32::from_le_bytes)).transpose()
    }

    pub(crate) fn u64(&self, field: usize, what: &str) -> Result<Option<u64>, Error> {
        self.place(field).map(|at| self.buffer.array(at, what).map(u64::from_le_bytes)).transpose()
    }

    pub(crate) fn table(&self, field: usize, what: &str) -> Result<Option<Table<'b, 'a>>, Error> {
        let Some(at) = self.place(field) else { return Ok(None) };
        self.buffer.table(self.buffer.follow(at, what)?, what).map(Some)
    }

    /// A text; what isn't UTF-8 in it becomes U+FFFD.
    pub(crate) fn text(&self, field: usize, what: &str) -> Result<Option<String>, Error> {
        let bytes = self.bytes(field, what)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    }

    pub(crate) fn bytes(&self, field: usize, what: &str) -> Result<Option<&'a [u8]>, Error> {
        let Some(vector) = self.vector(field, 1, what)? else { return Ok(None) };
        self.buffer.get(vector.at, vector.len, what).map(Some)
    }

    /// A vector whose elements have so many bytes.
    pub(crate) fn vector(
        &self,
        field: usize,
        size: usize,
        what: &str,
    ) -> Result<Option<Vector<'b, 'a>>, Error> {
        let Some(at) = self.place(field) else { return Ok(None) };
        self.buffer.vector(self.buffer.follow(at, what)?, size, what).map(Some)
    }

    /// What `read` makes of each table of a vector; `None` where the table has no such vector.
    pub(crate) fn list<T>(
        &self,
        field: usize,
        what: &str,
        read: impl Fn(Table<'b, 'a>) -> Result<T, Error>,
    ) -> Result<Option<Vec<T>>, Error> {
        let Some(vector) = self.vector(field, 4, what)? else { return Ok(None) };
        (0..vector.len).map(|index| read(vector.table(index, what)?)).collect::<Result<_, _>>().map(Some)
    }
}

impl<'b, 'a> Vector<'b, 'a> {
    /// The table of an element that is an offset.
    pub(crate) fn table(&self, index: usize, what: &str) -> Result<Table<'b, 'a>, Error> {
        self.buffer.table(self.buffer.follow(self.at + 4 * index, what)?, what)
    }

    /// The bytes of an element of so many bytes.
    pub(crate) fn element(&self, index: usize, size: usize, what: &str) -> Result<&'a [u8], Error> {
        self.buffer.get(self.at + size * index, size, what)
    }
}
