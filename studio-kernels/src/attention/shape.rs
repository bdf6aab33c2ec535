//! Where a layer's keys and values lie in the cache, and which of them a position sees.

use crate::abi::MAX_HEAD_DIM;

/// Positions in a tile of keys.
pub(super) const TILE: usize = 16;

/// What all attention of a layer has in common.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) layer: usize,
    pub(crate) heads: usize,
    /// Divides `heads`.
    pub(crate) kv_heads: usize,
    /// A multiple of 8, at most [`MAX_HEAD_DIM`].
    pub(crate) head_dim: usize,
    /// Positions that the cache has room for, a multiple of 16.
    pub(crate) capacity: usize,
}

impl Shape {
    /// Whether kernels can work with it.
    #[inline(always)]
    pub(super) fn is_valid(&self) -> bool {
        let heads = self.heads.checked_rem(self.kv_heads) == Some(0) && self.heads > 0;
        let head_dim = self.head_dim.is_multiple_of(8) && self.head_dim > 0 && self.head_dim <= MAX_HEAD_DIM;
        heads && head_dim && self.capacity > 0 && self.capacity.is_multiple_of(TILE)
    }

    /// Query heads that share a kv head.
    #[inline(always)]
    pub(super) fn group(&self) -> usize {
        self.heads.checked_div(self.kv_heads).unwrap_or(1)
    }

    /// The keys of a kv head, `[capacity / 16][head_dim][16]`.
    #[inline(always)]
    pub(super) unsafe fn keys<E>(&self, cache: *mut E, kv_head: usize) -> *mut E {
        cache.add((2 * self.layer * self.kv_heads + kv_head) * self.capacity * self.head_dim)
    }

    /// The values of a kv head, `[capacity][head_dim]`.
    #[inline(always)]
    pub(super) unsafe fn values<E>(&self, cache: *mut E, kv_head: usize) -> *mut E {
        self.keys(cache, self.kv_heads + kv_head)
    }
}

/// How scores are made and which count.
#[derive(Clone, Copy)]
pub(crate) struct Scoring {
    /// What products of queries and keys are multiplied by.
    pub(crate) scale: f32,
    /// Scores become `softcap · tanh(score / softcap)`; 0 leaves them.
    pub(crate) softcap: f32,
    /// Positions that are seen, the own one included; 0 for all.
    pub(crate) window: usize,
    /// 0 if nothing after the own position is seen, else all positions up to the call's last are. Not with a window.
    pub(crate) ahead: usize,
}

impl Scoring {
    /// The first position that `position` sees.
    #[inline(always)]
    pub(super) fn first(&self, position: usize) -> usize {
        if self.window == 0 { 0 } else { (position + 1).saturating_sub(self.window) }
    }
}
