//! Turns rows into columns by way of a tile that fits the first cache.
//!
//! The tile holds words of 32 bits: one element of four bytes, or two elements of two bytes from rows that follow each
//! other. So the vector loops that fill it never change the width of their lanes, and emptying it is a plain move
//! of words.

use super::element::Float;

/// Words of a tile's column: a cache line, so that each line of the panel is written whole.
const WORDS: usize = 16;
/// Columns of a tile: whole blocks of every format.
pub(crate) const TILE_COLUMNS: usize = 512;
/// A row of words. The odd length keeps the words of a column in different sets of the cache.
type Row = [u32; TILE_COLUMNS + 16];

/// Rows of the tensor that a tile takes.
pub(crate) const fn tile_rows<F: Float>() -> usize {
    WORDS * (4 / F::SIZE)
}

/// The buffer between rows and columns.
pub(crate) struct Tile(Box<[Row; WORDS]>);

/// Where a tile's first element goes in a panel.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// Bytes from the panel's start.
    pub(crate) offset: usize,
    /// Bytes between the panel's rows.
    pub(crate) stride: usize,
}

impl Tile {
    pub(crate) fn new() -> Self {
        Self(Box::new([[0; TILE_COLUMNS + 16]; WORDS]))
    }

    /// Puts values in the row `row`, which is below [`tile_rows`]. Rows are put in ascending order.
    pub(crate) fn put<F: Float>(&mut self, row: usize, values: &[f32]) {
        let per_word = 4 / F::SIZE;
        let words = &mut self.0[row / per_word][..values.len()];
        let first = row.is_multiple_of(per_word);
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                if first {
                    for (word, value) in words.iter_mut().zip(values) {
                        *word = F::bits(*value);
                    }
                } else {
                    for (word, value) in words.iter_mut().zip(values) {
                        *word |= F::bits(*value) << 16;
                    }
                }
            },
        );
    }

    /// Writes the first `columns` columns of the first `rows` rows as rows of the panel.
    pub(crate) fn turn<F: Float>(&self, rows: usize, columns: usize, panel: &mut [u8], to: Target) {
        let bytes = rows * F::SIZE;
        for column in 0..columns {
            let at = to.offset + column * to.stride;
            let line = &mut panel[at..at + bytes];
            if let Ok(line) = <&mut [u8; 4 * WORDS]>::try_from(&mut *line) {
                for (to, row) in line.as_chunks_mut::<4>().0.iter_mut().zip(self.0.iter()) {
                    *to = row[column].to_le_bytes();
                }
            } else {
                for (to, row) in line.chunks_mut(4).zip(self.0.iter()) {
                    to.copy_from_slice(&row[column].to_le_bytes()[..to.len()]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::element::{Bf16, F32};

    fn check<F: Float>() {
        for (rows, columns) in
            [(tile_rows::<F>(), 512), (tile_rows::<F>(), 17), (8, 16), (15, 33), (1, 1), (7, 512)]
        {
            let value = |row: usize, column: usize| (row * 600 + column) as f32;
            let mut tile = Tile::new();
            for row in 0..rows {
                let values: Vec<f32> = (0..columns).map(|column| value(row, column)).collect();
                tile.put::<F>(row, &values);
            }
            let stride = rows * F::SIZE + 6;
            let mut panel = vec![0xee; 4 + columns * stride];
            tile.turn::<F>(rows, columns, &mut panel, Target { offset: 4, stride });
            let mut expected = vec![0xee; 4 + columns * stride];
            for row in 0..rows {
                for column in 0..columns {
                    let at = 4 + column * stride + row * F::SIZE;
                    let bits = F::bits(value(row, column)).to_le_bytes();
                    expected[at..at + F::SIZE].copy_from_slice(&bits[..F::SIZE]);
                }
            }
            assert_eq!(panel, expected, "{rows}x{columns}");
        }
    }

    #[test]
    fn each_element_goes_where_row_and_column_say() {
        check::<Bf16>();
        check::<F32>();
    }
}
