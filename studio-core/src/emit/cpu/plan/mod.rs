//! From roles to kernel calls: which kernel computes what, where its results lie, what waits for what, and which calls
//! share a dispatch.
//!
//! A plan is data. The printer writes it down; a profile or an explorer can read it to say which part of the model a
//! dispatch computes.

mod call;
mod lower;
mod order;
mod pack;
mod scratch;

pub use call::{
    Access, Address, Bounds, Buffer, Call, Dispatch, FunctionPlan, OwnCache, Place, PlannedCall, Pointer,
    Scalar,
};

use super::CpuError;
use crate::graph::{Checked, Function, check_roles};
use crate::options::CpuOptions;

/// Plans one function.
pub fn plan(
    graph: &Checked<'_>,
    function: &Function,
    options: &CpuOptions,
) -> Result<FunctionPlan, CpuError> {
    check_roles(graph, function)?;
    let lowered = lower::lower(graph, function, options)?;
    let (slots, scratch_length) = scratch::allocate(&lowered.slots, &lowered.calls);
    let mut plan = FunctionPlan {
        name: function.name.clone(),
        dispatches: Vec::new(),
        slots,
        scratch_length,
        own_cache: lowered.own_cache,
        scalars: lowered.scalars,
    };
    let waits = order::dependencies(&lowered.calls, |pointer| plan.place(pointer));
    let dispatches = pack::pack(lowered.calls, waits, |pointer| plan.place(pointer).0);
    plan.dispatches = dispatches;
    Ok(plan)
}
