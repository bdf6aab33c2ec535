//! Builds headers byte by byte, so that a test can say anything, however wrong.

pub(crate) const U8: u32 = 0;
pub(crate) const I8: u32 = 1;
pub(crate) const U32: u32 = 4;
pub(crate) const BOOL: u32 = 7;
pub(crate) const STRING: u32 = 8;
pub(crate) const ARRAY: u32 = 9;
pub(crate) const U64: u32 = 10;

pub(crate) struct Header(pub(crate) Vec<u8>);

impl Header {
    pub(crate) fn new(version: u32, tensors: u64, entries: u64) -> Self {
        Header(b"GGUF".to_vec()).u32(version).u64(tensors).u64(entries)
    }

    pub(crate) fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn u32(self, number: u32) -> Self {
        self.raw(&number.to_le_bytes())
    }

    pub(crate) fn u64(self, number: u64) -> Self {
        self.raw(&number.to_le_bytes())
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.u64(text.len() as u64).raw(text.as_bytes())
    }

    pub(crate) fn zeros(self, count: usize) -> Self {
        self.raw(&vec![0; count])
    }

    pub(crate) fn pad(self, alignment: usize) -> Self {
        let padding = self.0.len().next_multiple_of(alignment) - self.0.len();
        self.zeros(padding)
    }
}
