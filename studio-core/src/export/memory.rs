//! What running an export takes of a machine's memory.

use crate::emit::cpu::{self, CpuError};
use crate::graph::{Checked, ElementType, Function, Op, Type};
use crate::manifest::MemoryEntry;
use crate::options::{ExportOptions, Form};
use crate::params::element::size_bytes;

/// What the functions of a graph take, beside an archive of this length.
///
/// The cpu form's intermediate values are those of its plan, exactly. What a compiler makes of the portable form isn't
/// known here: it is taken to hold two values as large as the largest at a time, which is what an operation needs that
/// reads one and writes another.
pub(super) fn needs(
    graph: &Checked<'_>,
    options: &ExportOptions,
    weights_bytes: u64,
) -> Result<MemoryEntry, CpuError> {
    let (mut working_bytes, mut cache_bytes) = (0, 0);
    for function in graph.functions() {
        let given = function.arguments.iter().filter(|argument| argument.consumed);
        let given = given.map(|argument| bytes(&argument.ty)).sum();
        let (working, own) = match &options.form {
            Form::Cpu(cpu_options) => {
                let plan = cpu::plan(graph, function, cpu_options)?;
                let own = plan.own_cache.map_or(0, |own| own.length * size_bytes(own.element_type));
                (plan.scratch_length * size_bytes(ElementType::F32), own)
            }
            Form::Stablehlo => (2 * largest(function), 0),
        };
        working_bytes = working.max(working_bytes);
        cache_bytes = cache_bytes.max(given).max(own);
    }
    Ok(MemoryEntry { weights_bytes, cache_bytes, working_bytes })
}

/// The length of the longest value that is computed: not a parameter, nor made of nothing else, which compilers read
/// where it is used; nor one that is changed in place.
fn largest(function: &Function) -> u64 {
    let mut of_parameters = vec![false; function.values.len()];
    let mut largest = 0;
    for (handle, value) in function.values.iter() {
        let operands = value.op.operands();
        let is_constant = match &value.op {
            Op::Parameter { .. } | Op::Constant { .. } | Op::Iota { .. } => true,
            Op::Argument { .. } => false,
            _ => !operands.is_empty() && operands.iter().all(|operand| of_parameters[operand.index()]),
        };
        of_parameters[handle.index()] = is_constant;
        let in_place = matches!(value.op, Op::Argument { .. } | Op::DynamicUpdate { .. });
        if !is_constant && !in_place {
            largest = largest.max(bytes(&value.ty));
        }
    }
    largest
}

fn bytes(ty: &Type) -> u64 {
    let tensor = ty.as_tensor();
    let count = tensor.and_then(|tensor| tensor.element_count()).unwrap_or(0);
    count.saturating_mul(tensor.map_or(0, |tensor| size_bytes(tensor.element_type)))
}
