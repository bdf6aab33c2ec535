//! What all layers of a call share: how its positions are turned, and what they see.

use super::rope;
use crate::family::decoder::{Attention, Decoder};
use crate::graph::{Binary, FunctionBuilder, GraphError, ParamSpec, Relation, Role, Val};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The rotations and the masks of a call's M positions.
pub(in crate::family) struct Positions {
    /// By the index of the rope.
    rotations: BTreeMap<usize, Val>,
    /// By window.
    masks: BTreeMap<Option<u64>, Val>,
}

impl Positions {
    /// Those that layers ask for, of `count` positions from `first` (`tensor<i32>`) on, or from 0, which see some of
    /// `seen`. `tables` are the ropes'.
    pub(in crate::family) fn new(
        f: &mut FunctionBuilder<'_>,
        decoder: &Decoder,
        tables: &[ParamSpec],
        first: Option<Val>,
        [count, seen]: [u64; 2],
    ) -> Result<Self, GraphError> {
        let mut positions = Self { rotations: BTreeMap::new(), masks: BTreeMap::new() };
        let attentions = || decoder.layers.iter().map(|layer| &layer.attention);
        for (index, table) in tables.iter().enumerate() {
            if attentions().any(|attention| attention.rope == Some(index)) {
                let rotation = rope::rows(f, table, first, count)?;
                positions.rotations.insert(index, rotation);
            }
        }
        for attention in attentions() {
            if let Entry::Vacant(missing) = positions.masks.entry(attention.window) {
                missing.insert(causal_mask(f, [count, seen], first, attention.window)?);
            }
        }
        Ok(positions)
    }

    /// Those that an encoder's layers ask for, of `length` positions, the first `count` (`tensor<i32>`) of which all
    /// see. `tables` are the ropes'.
    pub(in crate::family) fn counted<'a>(
        f: &mut FunctionBuilder<'_>,
        attentions: impl Iterator<Item = &'a Attention> + Clone,
        tables: &[ParamSpec],
        count: Val,
        length: u64,
    ) -> Result<Self, GraphError> {
        let mut rotations = BTreeMap::new();
        for (index, table) in tables.iter().enumerate() {
            if attentions.clone().any(|attention| attention.rope == Some(index)) {
                rotations.insert(index, rope::rows(f, table, None, length)?);
            }
        }
        Ok(Self { rotations, masks: BTreeMap::from([(None, count_mask(f, length, count)?)]) })
    }

    /// The rotations of a rope that a layer has.
    pub(super) fn rotation(&self, rope: usize) -> Val {
        self.rotations[&rope]
    }

    /// Which of the T positions that are remembered each of the M sees, in a layer of that window: `i1`, `[M, T]`.
    pub(super) fn mask(&self, window: Option<u64>) -> Val {
        self.masks[&window]
    }
}

/// Which of T positions each of M consecutive ones sees: all up to itself, or the last `window` of those; `[M, T]`. The
/// first of the M is `first` (`tensor<i32>`), or 0.
fn causal_mask(
    f: &mut FunctionBuilder<'_>,
    shape: [u64; 2],
    first: Option<Val>,
    window: Option<u64>,
) -> Result<Val, GraphError> {
    let scope = if window.is_some() { "window_mask" } else { "mask" };
    f.scoped(scope, |f| {
        f.role(|f| {
            let mut row = f.iota(&shape, 0)?;
            if let Some(first) = first {
                let first = f.broadcast(first, &shape, &[])?;
                row = f.add(row, first)?;
            }
            let column = f.iota(&shape, 1)?;
            let visible = match window {
                None => f.compare(Relation::LessOrEqual, column, row)?,
                Some(window) => {
                    let back = f.binary(Binary::Subtract, row, column)?;
                    // Positions are i32: a wider window hides nothing.
                    let last = f.i32(i32::try_from(window - 1).unwrap_or(i32::MAX))?;
                    let [last, zero] = [last, f.i32(0)?];
                    let [last, zero] = [f.broadcast(last, &shape, &[])?, f.broadcast(zero, &shape, &[])?];
                    let spare = f.binary(Binary::Subtract, last, back)?;
                    // Neither ahead nor too far back: both are at least 0.
                    let least = f.binary(Binary::Minimum, back, spare)?;
                    f.compare(Relation::LessOrEqual, zero, least)?
                }
            };
            let output = f.named("visible", visible);
            Ok((output, Role::CausalMask { first, window, output }))
        })
    })
}

/// Which of `length` positions are there at all: the first `count` (`tensor<i32>`), for each; `[length, length]`.
fn count_mask(f: &mut FunctionBuilder<'_>, length: u64, count: Val) -> Result<Val, GraphError> {
    f.scoped("mask", |f| {
        f.role(|f| {
            let shape = [length, length];
            let column = f.iota(&shape, 1)?;
            let counts = f.broadcast(count, &shape, &[])?;
            let visible = f.compare(Relation::Less, column, counts)?;
            let output = f.named("visible", visible);
            Ok((output, Role::CountMask { count, output }))
        })
    })
}
