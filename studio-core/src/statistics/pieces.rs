//! A tensor's numbers, a piece at a time.

use super::StatisticsError;
use gguf_file::{BlockFormat, DecodeError, Endian, Gguf, ReadAt, ReadError};

/// Elements of a piece, roughly.
const PIECE_ELEMENTS: u64 = 256 * 1024;

/// A tensor that is being read from its first element to its last. Pieces of tensors with equally many elements are
/// equally long, whatever their formats: no format has blocks whose length isn't a divisor of a piece's.
pub(crate) struct Pieces {
    name: String,
    format: BlockFormat,
    endian: Endian,
    shard: usize,
    offset: u64,
    elements: u64,
    /// Elements of the pieces so far, whole blocks.
    done: u64,
    bytes: Vec<u8>,
    values: Vec<f32>,
}

/// What was read: blocks, and the numbers in them.
pub(crate) struct Piece<'p> {
    /// The index of the first number.
    pub(crate) first: u64,
    /// The blocks as they are in the file.
    pub(crate) bytes: &'p [u8],
    /// The numbers.
    pub(crate) values: &'p [f32],
}

impl Pieces {
    /// Before the first piece. Fails if there is no such tensor, or if its format can't be decoded.
    pub(crate) fn new(gguf: &Gguf, name: &str) -> Result<Self, StatisticsError> {
        let tensor = gguf.tensor(name).ok_or_else(|| StatisticsError::NoTensor { name: name.to_owned() })?;
        let format = tensor.format();
        if !format.can_decode() {
            let source = DecodeError::NoDecoder { format };
            return Err(StatisticsError::Decode { name: name.to_owned(), source });
        }
        Ok(Self {
            name: name.to_owned(),
            format,
            endian: gguf.endian(),
            shard: tensor.shard(),
            offset: tensor.offset(),
            elements: tensor.elements(),
            done: 0,
            bytes: Vec::new(),
            values: Vec::new(),
        })
    }

    /// All of the tensor's elements.
    pub(crate) fn elements(&self) -> u64 {
        self.elements
    }

    /// Elements of the pieces so far.
    pub(crate) fn done(&self) -> u64 {
        self.done
    }

    pub(crate) fn format(&self) -> BlockFormat {
        self.format
    }

    pub(crate) fn endian(&self) -> Endian {
        self.endian
    }

    /// The next piece, empty after the last one. `sources` are those of the file.
    pub(crate) fn next(&mut self, sources: &[&dyn ReadAt]) -> Result<Piece<'_>, StatisticsError> {
        let (first, block) = (self.done, self.format.block_elements());
        let count = (self.elements - first).min(PIECE_ELEMENTS - PIECE_ELEMENTS % block);
        let offset = self.offset + first / block * self.format.block_bytes();
        let length = count / block * self.format.block_bytes();
        // At most PIECE_ELEMENTS, a few bytes each.
        self.bytes.resize(length as usize, 0);
        self.values.resize(count as usize, 0.0);
        let read = match sources.get(self.shard) {
            Some(source) => source.read_at(offset, &mut self.bytes),
            None => Err(ReadError::new("this part of the model isn't there")),
        };
        read.map_err(|source| StatisticsError::Read { name: self.name.clone(), offset, source })?;
        self.format
            .decode_endian(self.endian, &self.bytes, &mut self.values)
            .map_err(|source| StatisticsError::Decode { name: self.name.clone(), source })?;
        self.done += count;
        Ok(Piece { first, bytes: &self.bytes, values: &self.values })
    }
}
