//! Turns the rows of a small tile into columns of a larger panel.

use super::element::Bits;

/// Rows of a tile: as many 16-bit elements as a cache line holds, so that each line of the panel is written whole.
pub(crate) const TILE_ROWS: usize = 32;
/// Columns of a tile: whole blocks of every format.
pub(crate) const TILE_COLUMNS: usize = 512;
/// Columns that are turned at a time.
const STEP: usize = 16;
/// Words of a cache line.
const WORDS: usize = 8;

/// A row of a tile, as decoded.
pub(crate) type Row<B> = [B; TILE_COLUMNS];

/// Where a tile's first element goes in a panel.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// Bytes from the panel's start.
    pub(crate) offset: usize,
    /// Bytes between the panel's rows.
    pub(crate) stride: usize,
}

/// Elements that are turned several at a time, packed in words.
pub(crate) trait Turn: Bits {
    /// Elements of a word.
    const PER_WORD: usize;
    /// Word `j` of the result holds column `k + j` of the given rows, of which there are [`Turn::PER_WORD`].
    fn pack(rows: &[Row<Self>], k: usize) -> Option<[u64; STEP]>;
}

impl Turn for u16 {
    const PER_WORD: usize = 4;
    #[inline(always)]
    fn pack(rows: &[Row<u16>], k: usize) -> Option<[u64; STEP]> {
        let [a, b, c, d] = rows.first_chunk()?;
        let step = |row: &Row<u16>| row.get(k..)?.first_chunk::<STEP>().copied();
        let (a, b, c, d) = (step(a)?, step(b)?, step(c)?, step(d)?);
        let word = |j: usize| {
            u64::from(a[j]) | u64::from(b[j]) << 16 | u64::from(c[j]) << 32 | u64::from(d[j]) << 48
        };
        Some(std::array::from_fn(word))
    }
}

impl Turn for u32 {
    const PER_WORD: usize = 2;
    #[inline(always)]
    fn pack(rows: &[Row<u32>], k: usize) -> Option<[u64; STEP]> {
        let [a, b] = rows.first_chunk()?;
        let step = |row: &Row<u32>| row.get(k..)?.first_chunk::<STEP>().copied();
        let (a, b) = (step(a)?, step(b)?);
        Some(std::array::from_fn(|j| u64::from(a[j]) | u64::from(b[j]) << 32))
    }
}

/// Writes the first `columns` columns of the tile as rows of the panel.
pub(crate) fn turn<B: Turn>(tile: &[Row<B>], columns: usize, panel: &mut [u8], to: Target) {
    let whole_columns = columns - columns % STEP;
    let rows_at_a_time = B::PER_WORD * WORDS;
    let whole_rows = tile.len() - tile.len() % rows_at_a_time;
    for k in (0..whole_columns).step_by(STEP) {
        for (group, rows) in tile.chunks_exact(rows_at_a_time).enumerate() {
            let mut lines = [[0u64; WORDS]; STEP];
            for (word, rows) in rows.chunks_exact(B::PER_WORD).enumerate() {
                let Some(packed) = B::pack(rows, k) else { return };
                for (line, packed) in lines.iter_mut().zip(packed) {
                    line[word] = packed;
                }
            }
            for (j, line) in lines.iter().enumerate() {
                let at = to.offset + (k + j) * to.stride + group * rows_at_a_time * B::SIZE;
                for (bytes, word) in panel[at..at + 8 * WORDS].chunks_exact_mut(8).zip(line) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
            }
        }
    }
    let mut one = |row: usize, k: usize| {
        let at = to.offset + k * to.stride + row * B::SIZE;
        tile[row][k].write(&mut panel[at..at + B::SIZE]);
    };
    for row in 0..tile.len() {
        let done = if row < whole_rows { whole_columns } else { 0 };
        (done..columns).for_each(|k| one(row, k));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<B: Turn + PartialEq + std::fmt::Debug>(element: impl Fn(usize) -> B) {
        for (rows, columns) in [(32, 512), (32, 16), (32, 17), (8, 16), (31, 33), (1, 1), (17, 512)] {
            let tile: Vec<Row<B>> =
                (0..rows).map(|row| std::array::from_fn(|k| element(row * TILE_COLUMNS + k))).collect();
            let stride = rows * B::SIZE + 6;
            let mut panel = vec![0xee; 4 + columns * stride];
            turn(&tile, columns, &mut panel, Target { offset: 4, stride });
            let mut expected = vec![0xee; 4 + columns * stride];
            for (row, values) in tile.iter().enumerate() {
                for (k, value) in values.iter().take(columns).enumerate() {
                    let at = 4 + k * stride + row * B::SIZE;
                    value.write(&mut expected[at..at + B::SIZE]);
                }
            }
            assert_eq!(panel, expected, "{rows}x{columns}");
        }
    }

    #[test]
    fn each_element_goes_where_row_and_column_say() {
        check(|index| index as u16);
        check(|index| (index as u32).wrapping_mul(0x9e37_79b9));
    }
}
