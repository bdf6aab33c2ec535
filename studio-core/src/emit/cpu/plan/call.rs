//! The words of a plan: kernel calls, what they touch, and how they are gathered in dispatches.

use crate::graph::{ElementType, Handle, ParamSpec, Scope};
use std::ops::Range;

/// How a function of the graph is computed by kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionPlan {
    /// The function's name.
    pub name: String,
    /// In the order in which they run, each after the one before it.
    pub dispatches: Vec<Dispatch>,
    /// Where each slot begins in the scratch memory, in `f32`.
    pub slots: Vec<u64>,
    /// The length of the scratch memory, in `f32`.
    pub scratch_length: u64,
    /// Positions and sizes of the cache that the function keeps for itself; `None` where it is given one.
    pub own_cache: Option<OwnCache>,
    /// The arguments, by index, that are passed by value, and what they are clamped to.
    pub scalars: Vec<(usize, Bounds)>,
}

/// Calls that one dispatch makes. All workgroups of its grid run the same list.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatch {
    /// In order.
    pub calls: Vec<PlannedCall>,
}

/// A call in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCall {
    /// The call.
    pub call: Call,
    /// Its phase: its number in the function.
    pub phase: usize,
    /// Phases of the same dispatch that must be complete before it, ascending.
    pub waits: Vec<usize>,
}

/// A call of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The entry point's name.
    pub kernel: String,
    /// The part of the model that it computes.
    pub scope: Handle<Scope>,
    /// In the entry point's order.
    pub pointers: Vec<Pointer>,
    /// In the entry point's order.
    pub scalars: Vec<Scalar>,
}

/// Memory that a kernel is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Pointer {
    /// What it points into.
    pub buffer: Buffer,
    /// The elements of the buffer that the kernel may touch.
    pub range: Range<u64>,
    /// Which address it is given.
    pub address: Address,
    /// What it does there.
    pub access: Access,
}

/// The address that a kernel is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// That of the range's first element.
    First,
    /// That of the buffer's first element, whatever the range is: the kernel finds its part itself.
    Buffer,
    /// That of a row of the range: the last valid one.
    LastRow {
        /// The argument, by index, that says how many rows are valid.
        count: usize,
        /// Elements of a row.
        width: u64,
    },
}

/// A piece of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Buffer {
    /// A parameter.
    Param(Handle<ParamSpec>),
    /// An argument of the function, by index.
    Argument(usize),
    /// A result of the function, by index, that is no argument given back.
    Result(usize),
    /// A part of the scratch memory.
    Slot(usize),
    /// The cache that the function keeps for itself.
    OwnCache,
}

/// What a kernel does with memory that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nothing: the pointer only has to be one.
    None,
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It does both.
    ReadWrite,
}

/// A number that a kernel is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// A size, an index or a choice.
    Index(u64),
    /// A float.
    Float(f32),
    /// An argument of the function, by index.
    Argument(usize),
    /// An argument of the function, by index, times a number.
    Times(usize, u64),
}

/// The least and the greatest value of a number that a caller passes: what lies outside becomes one of them, so that
/// no caller can make a kernel leave its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The least.
    pub low: u64,
    /// The greatest.
    pub high: u64,
}

/// A cache of one layer, for one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnCache {
    /// Its elements.
    pub length: u64,
    /// Their type.
    pub element_type: ElementType,
}

impl Access {
    /// Whether it reads.
    pub fn reads(self) -> bool {
        matches!(self, Access::Read | Access::ReadWrite)
    }

    /// Whether it writes.
    pub fn writes(self) -> bool {
        matches!(self, Access::Write | Access::ReadWrite)
    }
}

impl FunctionPlan {
    /// All calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &PlannedCall> {
        self.dispatches.iter().flat_map(|dispatch| &dispatch.calls)
    }

    /// A pointer's place in what it points into, in elements; slots are places in the scratch memory.
    pub fn place(&self, pointer: &Pointer) -> (Place, Range<u64>) {
        let Range { start, end } = pointer.range;
        match pointer.buffer {
            Buffer::Slot(slot) => (Place::Scratch, self.slots[slot] + start..self.slots[slot] + end),
            other => (Place::Whole(other), start..end),
        }
    }
}

/// Memory that is bound as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The counters of the phases.
    Team,
    /// The scratch memory.
    Scratch,
    /// A buffer that isn't part of another.
    Whole(Buffer),
}
