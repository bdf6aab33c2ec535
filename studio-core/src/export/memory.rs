//! What running an export takes of a machine's memory.

use crate::emit::cpu::{self, CpuError};
use crate::graph::{Checked, ElementType, Function, Handle, Op, TensorType, Type, Value};
use crate::manifest::MemoryEntry;
use crate::options::{ExportOptions, Form};
use crate::params::element::size_bytes;

/// What the functions of a graph take, beside an archive of this length.
///
/// The cpu form's intermediate values are those of its plan, exactly. What a compiler makes of the portable form isn't
/// known here; it is taken to need, at a time, what one operation reads and writes, and to keep a packed copy of every
/// matrix that is multiplied with, which is what `--iree-opt-data-tiling` does. On SmolLM2, Gemma 3 270M and MiniLM that
/// is within 15 % of what their runs were seen to take.
pub(super) fn needs(
    graph: &Checked<'_>,
    options: &ExportOptions,
    weights_bytes: u64,
) -> Result<MemoryEntry, CpuError> {
    let (mut working_bytes, mut cache_bytes) = (0, 0);
    let mut multiplied = vec![false; graph.params.len()];
    for function in &graph.functions {
        let given = function.arguments.iter().filter(|argument| argument.consumed);
        let given = given.map(|argument| bytes(&argument.ty)).sum();
        let (working, own) = match &options.form {
            Form::Cpu(cpu_options) => {
                let plan = cpu::plan(graph, function, cpu_options)?;
                let own = plan.own_cache.map_or(0, |own| own.length * size_bytes(own.element_type));
                (plan.scratch_length * size_bytes(ElementType::F32), own)
            }
            Form::Stablehlo => {
                let constants = constants(function);
                mark_multiplied(function, &constants, &mut multiplied);
                (largest_step(function, &constants), 0)
            }
        };
        working_bytes = working.max(working_bytes);
        cache_bytes = cache_bytes.max(given).max(own);
    }
    let packed = graph.params.iter().zip(multiplied).filter(|(_, multiplied)| *multiplied);
    let packed_bytes = packed.map(|((_, param), _)| tensor_bytes(&param.archive_type())).sum();
    Ok(MemoryEntry { weights_bytes, packed_bytes, cache_bytes, working_bytes })
}

/// Of each value, whether it is a parameter or made of nothing else: compilers make it once, or where it is read.
fn constants(function: &Function) -> Vec<bool> {
    let mut constants = vec![false; function.values.len()];
    for (handle, value) in function.values.iter() {
        let operands = value.op.operands();
        constants[handle.index()] = match &value.op {
            Op::Parameter { .. } | Op::Constant { .. } | Op::Iota { .. } => true,
            Op::Argument { .. } => false,
            _ => !operands.is_empty() && operands.iter().all(|operand| constants[operand.index()]),
        };
    }
    constants
}

/// Marks the parameters that matrix products read as a constant operand.
fn mark_multiplied(function: &Function, constants: &[bool], multiplied: &mut [bool]) {
    for (_, value) in function.values.iter() {
        let Op::Dot { lhs, rhs, .. } = &value.op else { continue };
        let mut behind: Vec<Handle<Value>> =
            [*lhs, *rhs].into_iter().filter(|operand| constants[operand.index()]).collect();
        while let Some(handle) = behind.pop() {
            match &function.values[handle].op {
                Op::Parameter { param } => multiplied[param.index()] = true,
                other => behind.extend(other.operands()),
            }
        }
    }
}

/// The most that an operation writes together with the longest value that it reads. Constants don't count, nor values
/// that are changed in place.
fn largest_step(function: &Function, constants: &[bool]) -> u64 {
    let length = |handle: Handle<Value>| {
        let value = &function.values[handle];
        let in_place = matches!(value.op, Op::Argument { .. } | Op::DynamicUpdate { .. });
        if constants[handle.index()] || in_place { 0 } else { bytes(&value.ty) }
    };
    let step = |(handle, value): (Handle<Value>, &Value)| {
        let read = value.op.operands().into_iter().map(length).max().unwrap_or(0);
        length(handle).saturating_add(read)
    };
    function.values.iter().map(step).max().unwrap_or(0)
}

fn bytes(ty: &Type) -> u64 {
    ty.as_tensor().map_or(0, tensor_bytes)
}

fn tensor_bytes(tensor: &TensorType) -> u64 {
    tensor.element_count().unwrap_or(0).saturating_mul(size_bytes(tensor.element_type))
}
