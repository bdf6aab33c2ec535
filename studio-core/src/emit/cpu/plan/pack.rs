//! Calls gathered in as few dispatches as IREE allows.

use super::call::{Call, Dispatch, Place, PlannedCall, Pointer};
use std::collections::BTreeSet;

/// Bindings that IREE takes in one dispatch.
const MAX_BINDINGS: usize = 32;

/// Fills dispatches one after the other. What a call must wait for is dropped where a dispatch before it has done it, or
/// a call of the same dispatch has waited for it: every workgroup goes through the whole list.
pub(super) fn pack(
    calls: Vec<Call>,
    waits: Vec<Vec<usize>>,
    place: impl Fn(&Pointer) -> Place,
) -> Vec<Dispatch> {
    let always = || BTreeSet::from([Place::Team, Place::Scratch]);
    let mut dispatches = Vec::new();
    let mut bound = always();
    let mut first = 0;
    let mut waited = BTreeSet::new();
    let mut current: Vec<PlannedCall> = Vec::new();
    for (phase, (call, waits)) in calls.into_iter().zip(waits).enumerate() {
        let places: BTreeSet<Place> = call.pointers.iter().map(&place).collect();
        if bound.union(&places).count() > MAX_BINDINGS {
            dispatches.push(Dispatch { calls: std::mem::take(&mut current) });
            (bound, first) = (always(), phase);
        }
        bound.extend(places);
        let waits = waits.into_iter().filter(|&earlier| earlier >= first && waited.insert(earlier)).collect();
        current.push(PlannedCall { call, phase, waits });
    }
    dispatches.push(Dispatch { calls: current });
    dispatches
}
