//! Values: where they are, how large, and what computes them.

use super::super::call::{Access, Address, Bounds, Buffer, Pointer};
use super::pending::Pending;
use super::{CpuError, Lowering, Rows};
use crate::graph::{Function, Handle, Op, Role, Type, Value};

/// Where a value is, or what readers of it will make of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Held {
    /// In a slot.
    Slot(usize),
    /// In the memory of a result.
    Result(usize),
    /// Nowhere: readers make it themselves.
    Pending(Pending),
    /// Nowhere: readers turn `input` themselves.
    Turned { input: Handle<Value>, rotation: Handle<Value> },
    /// In the last valid row of `input`.
    LastRow { input: Handle<Value>, count: usize, width: u64 },
}

impl Lowering<'_> {
    /// The value whose elements these are, reshapes looked through.
    pub(super) fn origin(&self, value: Handle<Value>) -> Handle<Value> {
        let mut origin = value;
        while let Op::Reshape { input, .. } = self.function.values[origin].op
            && (self.function.role_of(origin).is_none())
        {
            origin = input;
        }
        origin
    }

    pub(super) fn hold(&mut self, value: Handle<Value>, held: Held) {
        self.held.insert(value, held);
    }

    pub(super) fn held_as(&self, value: Handle<Value>) -> Result<Held, CpuError> {
        let held = self.held.get(&self.origin(value)).copied();
        held.ok_or_else(|| self.no_kernel("a value that no kernel gives"))
    }

    /// The elements of a value that is in memory, or that a kernel puts there now.
    pub(super) fn read(&mut self, value: Handle<Value>) -> Result<Pointer, CpuError> {
        match self.held_as(value)? {
            Held::Slot(slot) => Ok(self.slot(slot, Access::Read)),
            Held::Result(result) => {
                Ok(self.whole(Buffer::Result(result), self.elements(value), Access::Read))
            }
            Held::LastRow { input, count, width } => {
                Ok(Pointer { address: Address::LastRow { count, width }, ..self.read(input)? })
            }
            Held::Pending(_) => {
                let written = self.combine(value, None, 1.0, self.origin(value))?;
                Ok(Pointer { access: Access::Read, ..written })
            }
            Held::Turned { .. } => Err(self.no_kernel("heads turned by rope outside of an attention")),
        }
    }

    /// Where a kernel is to write a value: in a result's memory if it is one, else in a slot.
    pub(super) fn output_pointer(&mut self, value: Handle<Value>, length: u64) -> Result<Pointer, CpuError> {
        let results = &self.function.results;
        let is_value = |result: &crate::graph::FunctionResult| self.origin(result.value) == value;
        if let Some(index) = results.iter().position(is_value) {
            self.hold(value, Held::Result(index));
            return Ok(self.whole(Buffer::Result(index), self.elements(value), Access::Write));
        }
        let slot = self.new_slot(length);
        self.hold(value, Held::Slot(slot));
        Ok(self.slot(slot, Access::Write))
    }

    /// Checks that kernels write all results that aren't arguments given back.
    pub(super) fn check_results(&self) -> Result<(), CpuError> {
        for (index, result) in self.function.results.iter().enumerate() {
            let origin = self.origin(result.value);
            let given_back = matches!(self.function.role_of(origin).map(|span| &span.role),
                Some(Role::Attention(attention)) if attention.memory.is_some_and(|memory| memory.after == origin));
            if !given_back && self.held.get(&origin) != Some(&Held::Result(index)) {
                return Err(self.no_kernel("a result that no kernel gives"));
            }
        }
        Ok(())
    }

    pub(super) fn new_slot(&mut self, length: u64) -> usize {
        self.slots.push(length);
        self.slots.len() - 1
    }

    pub(super) fn slot(&self, slot: usize, access: Access) -> Pointer {
        self.whole(Buffer::Slot(slot), self.slots[slot], access)
    }

    pub(super) fn whole(&self, buffer: Buffer, length: u64, access: Access) -> Pointer {
        Pointer { buffer, range: 0..length, address: Address::First, access }
    }

    /// A pointer for an entry point that doesn't use it.
    pub(super) fn unused(&mut self) -> Pointer {
        if self.slots.is_empty() {
            self.new_slot(1);
        }
        self.whole(Buffer::Slot(0), 0, Access::None)
    }

    pub(super) fn shape(&self, value: Handle<Value>) -> &[u64] {
        self.function.values[value].ty.as_tensor().map_or(&[], |tensor| &tensor.shape)
    }

    pub(super) fn elements(&self, value: Handle<Value>) -> u64 {
        self.shape(value).iter().product()
    }

    pub(super) fn dims<const N: usize>(&self, value: Handle<Value>) -> Result<[u64; N], CpuError> {
        <[u64; N]>::try_from(self.shape(value)).map_err(|_other| self.no_kernel("a tensor of this rank"))
    }

    /// How many rows a value has, its first dimension being what the function says.
    pub(super) fn rows(&self, value: Handle<Value>) -> Rows {
        match (self.shape(value).first().copied().unwrap_or(1), self.count) {
            (1, _) => Rows::One,
            (rows, Some((argument, max))) if rows == max => Rows::Counted { argument, max },
            (rows, _) => Rows::Fixed(rows),
        }
    }

    /// The index of the argument that a value is.
    pub(super) fn argument(&self, value: Handle<Value>) -> Result<usize, CpuError> {
        match self.function.values[self.origin(value)].op {
            Op::Argument { index } => Ok(index),
            _ => Err(self.no_kernel("something computed where an argument is needed")),
        }
    }

    /// The index of the scalar argument that a tensor of rank 0 holds.
    pub(super) fn scalar_argument(&self, value: Handle<Value>) -> Result<usize, CpuError> {
        match self.function.values[value].op {
            Op::ScalarToTensor { scalar } => self.argument(scalar),
            _ => Err(self.no_kernel("a position that is computed")),
        }
    }

    /// Keeps a scalar argument in bounds; the narrowest hold where there are several.
    pub(super) fn bound(&mut self, argument: usize, low: u64, high: u64) {
        match self.scalars.iter_mut().find(|(known, _)| *known == argument) {
            Some((_, bounds)) => {
                bounds.low = bounds.low.max(low);
                bounds.high = bounds.high.min(high);
            }
            None => self.scalars.push((argument, Bounds { low, high })),
        }
    }
}

/// The argument that says how many rows of a chunk are valid and how many there are, if the function has one.
pub(super) fn count(function: &Function) -> Option<(usize, u64)> {
    function.roles.iter().find_map(|span| {
        let Role::LastRow { input, count, .. } = &span.role else { return None };
        let Op::ScalarToTensor { scalar } = function.values[*count].op else { return None };
        let Op::Argument { index } = function.values[scalar].op else { return None };
        let Type::Tensor(tensor) = &function.values[*input].ty else { return None };
        Some((index, *tensor.shape.first()?))
    })
}
