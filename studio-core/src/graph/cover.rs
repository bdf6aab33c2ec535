//! Judges the table of roles: whether kernels that do what it says do all that a function does.

use super::{Function, Graph, Op, RoleSpan, Value};
use std::ops::Range;

/// Why a function's roles don't stand for all of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoverError {
    /// An operation that computes something belongs to no role.
    #[error("function {function}, scope {scope:?}: {op} belongs to no role that a kernel is known for")]
    Uncovered {
        /// The function's name.
        function: String,
        /// The scope's path; empty for the root.
        scope: String,
        /// The operation's name.
        op: &'static str,
    },
    /// Two runs that overlap, are out of order or reach past the function's end.
    #[error("function {function}, role {role}: its values {values:?} overlap others' or aren't there")]
    Order {
        /// The function's name.
        function: String,
        /// The role.
        role: &'static str,
        /// The values.
        values: Range<usize>,
    },
    /// A run reads something that its role doesn't name.
    #[error(
        "function {function}, scope {scope:?}, role {role}: {op} reads value #{operand}, which the role doesn't name"
    )]
    HiddenInput {
        /// The function's name.
        function: String,
        /// The scope's path; empty for the root.
        scope: String,
        /// The role.
        role: &'static str,
        /// The operation that reads it.
        op: &'static str,
        /// What it reads.
        operand: usize,
    },
    /// Something within a run is read from outside, but is not what the role is there for.
    #[error("function {function}, scope {scope:?}, role {role}: value #{value} is read outside of it")]
    HiddenOutput {
        /// The function's name.
        function: String,
        /// The scope's path; empty for the root.
        scope: String,
        /// The role.
        role: &'static str,
        /// What is read.
        value: usize,
    },
}

/// Proves that every value of `function` that computes something is part of exactly one role, and that roles read and
/// give nothing but what they say: a kernel for each role then computes the function.
pub fn check_roles(graph: &Graph, function: &Function) -> Result<(), CoverError> {
    check_order(function)?;
    let path = |scope| graph.scopes.path(scope);
    for (handle, value) in function.values.iter() {
        let span = function.role_of(handle);
        if span.is_none() && computes(&value.op) {
            let (function, scope) = (function.name.clone(), path(value.scope));
            return Err(CoverError::Uncovered { function, scope, op: value.op.name() });
        }
        for operand in value.op.operands() {
            if let Some(span) = span
                && !span.values.contains(&operand.index())
                && !span.role.inputs().contains(&operand)
            {
                return Err(CoverError::HiddenInput {
                    function: function.name.clone(),
                    scope: path(value.scope),
                    role: span.role.name(),
                    op: value.op.name(),
                    operand: operand.index(),
                });
            }
            let reader = span;
            check_output(graph, function, operand, reader)?;
        }
    }
    function.results.iter().try_for_each(|result| check_output(graph, function, result.value, None))
}

/// Checks that what `reader` reads is not hidden within another role.
fn check_output(
    graph: &Graph,
    function: &Function,
    value: super::Handle<Value>,
    reader: Option<&RoleSpan>,
) -> Result<(), CoverError> {
    let Some(span) = function.role_of(value) else { return Ok(()) };
    let within = reader.is_some_and(|reader| reader.values == span.values);
    if within || span.role.outputs().contains(&value) {
        return Ok(());
    }
    Err(CoverError::HiddenOutput {
        function: function.name.clone(),
        scope: graph.scopes.path(span.scope),
        role: span.role.name(),
        value: value.index(),
    })
}

fn check_order(function: &Function) -> Result<(), CoverError> {
    let mut end = 0;
    for span in &function.roles {
        let Range { start, end: next } = span.values;
        if start < end || next < start || next > function.values.len() {
            let (function, role, values) = (function.name.clone(), span.role.name(), span.values.clone());
            return Err(CoverError::Order { function, role, values });
        }
        end = next;
    }
    Ok(())
}

/// Whether an operation does more than name, load or regroup.
fn computes(op: &Op) -> bool {
    !matches!(
        op,
        Op::Argument { .. }
            | Op::Parameter { .. }
            | Op::ScalarToTensor { .. }
            | Op::Constant { .. }
            | Op::Reshape { .. }
    )
}
