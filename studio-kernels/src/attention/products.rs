//! The two products of attention: queries with keys, and weights with values.

use super::batch::{BLOCK, QUERY_STRIDE};
use super::element::Element;
use super::shape::TILE;
use crate::isa::Isa;

/// In how many parts each of so many sums is kept: in two where they are few, so that one addition needn't wait for the
/// other.
const fn steps<I: Isa>(sums: usize) -> usize {
    if sums * 4 <= I::REGISTERS { 2 } else { 1 }
}

/// The numbers of queries that there is code for; others are filled up to the next.
pub(super) const fn width(count: usize) -> usize {
    match count {
        0..=4 => count,
        5..=6 => 6,
        7..=8 => 8,
        _ => 12,
    }
}

/// The products of `width` queries, [`QUERY_STRIDE`] apart, with `tiles` tiles of 16 keys, `[tiles][head_dim][16]`:
/// to `to`, [`BLOCK`] apart.
#[inline(always)]
pub(super) unsafe fn scores<I: Isa, E: Element>(
    width: usize,
    queries: *const f32,
    keys: *const E,
    head_dim: usize,
    tiles: usize,
    to: *mut f32,
) {
    // As many vectors of keys at a time as leave their sums in registers.
    if I::REGISTERS >= 32 {
        match width {
            1 => scores_of::<I, E, 1, 4>(queries, keys, head_dim, tiles, to),
            2 => scores_of::<I, E, 2, 4>(queries, keys, head_dim, tiles, to),
            3 => scores_of::<I, E, 3, 4>(queries, keys, head_dim, tiles, to),
            4 => scores_of::<I, E, 4, 4>(queries, keys, head_dim, tiles, to),
            6 => scores_of::<I, E, 6, 4>(queries, keys, head_dim, tiles, to),
            8 => scores_of::<I, E, 8, 2>(queries, keys, head_dim, tiles, to),
            _ => scores_of::<I, E, 12, 2>(queries, keys, head_dim, tiles, to),
        }
    } else if I::REGISTERS >= 16 {
        match width {
            1 => scores_of::<I, E, 1, 4>(queries, keys, head_dim, tiles, to),
            2 => scores_of::<I, E, 2, 4>(queries, keys, head_dim, tiles, to),
            3 => scores_of::<I, E, 3, 2>(queries, keys, head_dim, tiles, to),
            4 => scores_of::<I, E, 4, 2>(queries, keys, head_dim, tiles, to),
            6 => scores_of::<I, E, 6, 2>(queries, keys, head_dim, tiles, to),
            8 => scores_of::<I, E, 8, 1>(queries, keys, head_dim, tiles, to),
            _ => scores_of::<I, E, 12, 1>(queries, keys, head_dim, tiles, to),
        }
    } else {
        match width {
            1 => scores_of::<I, E, 1, 1>(queries, keys, head_dim, tiles, to),
            2 => scores_of::<I, E, 2, 1>(queries, keys, head_dim, tiles, to),
            3 => scores_of::<I, E, 3, 1>(queries, keys, head_dim, tiles, to),
            4 => scores_of::<I, E, 4, 1>(queries, keys, head_dim, tiles, to),
            6 => scores_of::<I, E, 6, 1>(queries, keys, head_dim, tiles, to),
            8 => scores_of::<I, E, 8, 1>(queries, keys, head_dim, tiles, to),
            _ => scores_of::<I, E, 12, 1>(queries, keys, head_dim, tiles, to),
        }
    }
}

#[inline(always)]
unsafe fn scores_of<I: Isa, E: Element, const P: usize, const N: usize>(
    queries: *const f32,
    keys: *const E,
    head_dim: usize,
    tiles: usize,
    to: *mut f32,
) {
    let vectors = tiles * (TILE / I::LANES);
    let mut vector = 0;
    while vector + N <= vectors {
        scores_of_vectors::<I, E, P, N>(queries, keys, head_dim, vector, to);
        vector += N;
    }
    while vector < vectors {
        scores_of_vectors::<I, E, P, 1>(queries, keys, head_dim, vector, to);
        vector += 1;
    }
}

/// The products with `N` vectors of keys from `first` on; `N` divides `first`.
#[inline(always)]
unsafe fn scores_of_vectors<I: Isa, E: Element, const P: usize, const N: usize>(
    queries: *const f32,
    keys: *const E,
    head_dim: usize,
    first: usize,
    to: *mut f32,
) {
    let mut sums = [[[I::splat(0.0); N]; P]; 2];
    let in_tile = TILE / I::LANES;
    let keys = keys.add(first / in_tile * TILE * head_dim + first % in_tile * I::LANES);
    let mut d = 0;
    let steps = steps::<I>(P * N);
    while d < head_dim {
        for step in 0..steps {
            let mut key = [I::splat(0.0); N];
            for n in 0..N {
                let offset = n / in_tile * TILE * head_dim + n % in_tile * I::LANES;
                key[n] = E::load::<I>(keys.add(offset + (d + step) * TILE));
            }
            for p in 0..P {
                let query = I::splat(*queries.add(p * QUERY_STRIDE + d + step));
                for n in 0..N {
                    sums[step][p][n] = I::fma(query, key[n], sums[step][p][n]);
                }
            }
        }
        d += steps;
    }
    for p in 0..P {
        for n in 0..N {
            let sum = if steps == 2 { I::add(sums[0][p][n], sums[1][p][n]) } else { sums[0][p][n] };
            I::store(to.add(p * BLOCK + (first + n) * I::LANES), sum);
        }
    }
}

/// The values of a kv head, or whatever else is mixed: rows, some numbers apart.
#[derive(Clone, Copy)]
pub(super) struct Rows<E> {
    pub(super) first: *const E,
    pub(super) count: usize,
    pub(super) stride: usize,
}

/// What [`mix`] adds to, for each query: `to = fade · to + Σ weight · row`; with `fresh`, `to` is taken as 0, whatever
/// it is.
#[derive(Clone, Copy)]
pub(super) struct Mixed {
    pub(super) to: *const *mut f32,
    pub(super) fade: *const f32,
    pub(super) fresh: bool,
}

/// Adds rows of `columns` numbers, a multiple of 8, weighted by `width` queries' weights, [`BLOCK`] apart.
#[inline(always)]
pub(super) unsafe fn mix<I: Isa, E: Element>(
    width: usize,
    weights: *const f32,
    rows: Rows<E>,
    columns: usize,
    mixed: Mixed,
) {
    // As many vectors of a row at a time as leave their sums in registers.
    if I::REGISTERS >= 32 {
        match width {
            1 => mix_of::<I, E, 1, 8>(weights, rows, columns, mixed),
            2 => mix_of::<I, E, 2, 8>(weights, rows, columns, mixed),
            3 => mix_of::<I, E, 3, 8>(weights, rows, columns, mixed),
            4 => mix_of::<I, E, 4, 4>(weights, rows, columns, mixed),
            6 => mix_of::<I, E, 6, 4>(weights, rows, columns, mixed),
            8 => mix_of::<I, E, 8, 2>(weights, rows, columns, mixed),
            _ => mix_of::<I, E, 12, 2>(weights, rows, columns, mixed),
        }
    } else if I::REGISTERS >= 16 {
        match width {
            1 => mix_of::<I, E, 1, 8>(weights, rows, columns, mixed),
            2 => mix_of::<I, E, 2, 4>(weights, rows, columns, mixed),
            3 => mix_of::<I, E, 3, 4>(weights, rows, columns, mixed),
            4 => mix_of::<I, E, 4, 2>(weights, rows, columns, mixed),
            6 => mix_of::<I, E, 6, 2>(weights, rows, columns, mixed),
            8 => mix_of::<I, E, 8, 1>(weights, rows, columns, mixed),
            _ => mix_of::<I, E, 12, 1>(weights, rows, columns, mixed),
        }
    } else {
        match width {
            1 => mix_of::<I, E, 1, 1>(weights, rows, columns, mixed),
            2 => mix_of::<I, E, 2, 1>(weights, rows, columns, mixed),
            3 => mix_of::<I, E, 3, 1>(weights, rows, columns, mixed),
            4 => mix_of::<I, E, 4, 1>(weights, rows, columns, mixed),
            6 => mix_of::<I, E, 6, 1>(weights, rows, columns, mixed),
            8 => mix_of::<I, E, 8, 1>(weights, rows, columns, mixed),
            _ => mix_of::<I, E, 12, 1>(weights, rows, columns, mixed),
        }
    }
}

/// In strips of at most `N` vectors.
#[inline(always)]
unsafe fn mix_of<I: Isa, E: Element, const P: usize, const N: usize>(
    weights: *const f32,
    rows: Rows<E>,
    columns: usize,
    mixed: Mixed,
) {
    let mut column = 0;
    while column + N * I::LANES <= columns {
        mix_strip::<I, E, P, N, false>(weights, rows, column, mixed);
        column += N * I::LANES;
    }
    if N > 4 && column + 4 * I::LANES <= columns {
        mix_strip::<I, E, P, 4, false>(weights, rows, column, mixed);
        column += 4 * I::LANES;
    }
    while N > 1 && column + I::LANES <= columns {
        mix_strip::<I, E, P, 1, false>(weights, rows, column, mixed);
        column += I::LANES;
    }
    if I::LANES > 8 && column < columns {
        mix_strip::<I, E, P, 1, true>(weights, rows, column, mixed);
    }
}

/// The `N` vectors from `column` on, or the last 8 columns.
#[inline(always)]
unsafe fn mix_strip<I: Isa, E: Element, const P: usize, const N: usize, const LAST_8: bool>(
    weights: *const f32,
    rows: Rows<E>,
    column: usize,
    mixed: Mixed,
) {
    let first = rows.first.add(column);
    let mut sums = [[[I::splat(0.0); N]; P]; 2];
    if !mixed.fresh {
        for p in 0..P {
            let (to, fade) = ((*mixed.to.add(p)).add(column), I::splat(*mixed.fade.add(p)));
            for n in 0..N {
                sums[0][p][n] = I::mul(fade, load::<I, f32, LAST_8>(to.add(n * I::LANES)));
            }
        }
    }
    let steps = steps::<I>(P * N);
    let mut j = 0;
    while j + steps <= rows.count {
        for step in 0..steps {
            let row = first.add((j + step) * rows.stride);
            mix_row::<I, E, P, N, LAST_8>(weights.add(j + step), row, &mut sums[step]);
        }
        j += steps;
    }
    if j < rows.count {
        mix_row::<I, E, P, N, LAST_8>(weights.add(j), first.add(j * rows.stride), &mut sums[0]);
    }
    for p in 0..P {
        let to = (*mixed.to.add(p)).add(column);
        for n in 0..N {
            let sum = if steps == 2 { I::add(sums[0][p][n], sums[1][p][n]) } else { sums[0][p][n] };
            if LAST_8 {
                I::store_first(to, sum, 8);
            } else {
                I::store(to.add(n * I::LANES), sum);
            }
        }
    }
}

#[inline(always)]
unsafe fn mix_row<I: Isa, E: Element, const P: usize, const N: usize, const LAST_8: bool>(
    weights: *const f32,
    row: *const E,
    sums: &mut [[I::Floats; N]; P],
) {
    let mut value = [I::splat(0.0); N];
    for n in 0..N {
        value[n] = load::<I, E, LAST_8>(row.add(n * I::LANES));
    }
    for p in 0..P {
        let weight = I::splat(*weights.add(p * BLOCK));
        for n in 0..N {
            sums[p][n] = I::fma(weight, value[n], sums[p][n]);
        }
    }
}

#[inline(always)]
unsafe fn load<I: Isa, E: Element, const LAST_8: bool>(from: *const E) -> I::Floats {
    if LAST_8 { E::load_first::<I>(from, 8) } else { E::load::<I>(from) }
}
