//! Products with the matrices of a few experts, chosen for each row of activations.

use super::{Activations, Product, dot, split::Split};
use crate::{abi::ExpertsMode, format::TILE_ROWS, isa::Isa, team::Phase};

/// The operands besides the matrices.
#[derive(Clone, Copy)]
pub(crate) struct Experts {
    /// Rows as [`super::prepare`] makes them: one for each row of results, or for each chosen expert of it.
    pub(crate) activations: *const u8,
    /// Which experts each row has chosen, `[rows][used]`, and how much each counts.
    pub(crate) chosen: *const i32,
    pub(crate) weights: *const f32,
    pub(crate) y: *mut f32,
    pub(crate) rows: usize,
    pub(crate) used: usize,
    /// How many experts there are.
    pub(crate) experts: usize,
    pub(crate) k: usize,
    pub(crate) n: usize,
    /// A number of [`ExpertsMode`].
    pub(crate) mode: usize,
}

/// The bytes of weights that a workgroup claims at a time, roughly.
const GRAIN: usize = 24 * 1024;

/// `y[r][i] = W[chosen[r][i]] · a[r]`, or `y[r] = Σᵢ weights[r][i] · W[chosen[r][i]] · a[r][i]`. A choice that there is no
/// expert for is taken as the nearest.
///
/// # Safety
/// There are `experts` matrices, at least one, of `n` rows of `k` elements in whole tiles, one behind the other;
/// everything else is as large as the numbers say.
#[inline(always)]
pub(crate) unsafe fn experts<I: Isa, P: Product>(phase: Phase<'_>, w: *const u8, operands: Experts) {
    match I::LANES {
        16 => vectors::<I, P, 1>(phase, w, operands),
        8 => vectors::<I, P, 2>(phase, w, operands),
        _ => vectors::<I, P, 4>(phase, w, operands),
    }
}

/// Tiles in `V` vectors.
#[inline(always)]
unsafe fn vectors<I: Isa, P: Product, const V: usize>(phase: Phase<'_>, w: *const u8, operands: Experts) {
    let Experts { activations, chosen, weights, y, rows, used, experts, k, n, mode } = operands;
    let (tile_bytes, tiles) = (P::tile_bytes(k), n.div_ceil(TILE_ROWS));
    let row_bytes = P::Activations::row_bytes(k);
    let sum = mode == ExpertsMode::Sum as usize;
    // The experts whose products are added up to one result.
    let group = if sum { used } else { 1 };
    let results = if sum { rows } else { rows * used };
    let split = Split::new(results * tiles, group * tile_bytes, GRAIN);
    let Some(mut claims) = phase.claim(split.chunks()) else { return };
    while let Some(chunk) = claims.next() {
        for item in split.items(chunk) {
            let result = item.checked_div(tiles).unwrap_or(0);
            let tile = item - result * tiles;
            let mut totals = [I::splat(0.0); V];
            for member in 0..group {
                let choice = result * group + member;
                let expert = (*chosen.add(choice)).max(0) as usize;
                let expert = expert.min(experts.saturating_sub(1));
                let row = if sum { choice } else { choice.checked_div(used).unwrap_or(0) };
                let weight = if sum { *weights.add(choice) } else { 1.0 };
                let tile = w.add((expert * tiles + tile) * tile_bytes);
                let products = dot::<I, P, 1, V>(tile, activations.add(row * row_bytes), 0, k, 0);
                for v in 0..V {
                    totals[v] = I::fma(products[0][v], I::splat(weight), totals[v]);
                }
            }
            for v in 0..V {
                let at = tile * TILE_ROWS + v * I::LANES;
                if at + I::LANES <= n {
                    I::store(y.add(result * n + at), totals[v]);
                } else if at < n {
                    I::store_first(y.add(result * n + at), totals[v], n - at);
                }
            }
        }
    }
    if let Some(closing) = claims.finish() {
        closing.complete();
    }
}
