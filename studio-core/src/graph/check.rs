//! Judges finished graphs.

use super::infer::{Context, TypeError};
use super::{Function, Graph, GraphError, ParamSource, RowOrder, Storage};
use std::collections::HashSet;
use std::ops::Deref;
use studio_kernels::abi::MAX_ROW;

/// A graph that [`check`] found right: printers need not check anything again.
#[derive(Debug, Clone, Copy)]
pub struct Checked<'g> {
    graph: &'g Graph,
}

impl Deref for Checked<'_> {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        self.graph
    }
}

/// Why a graph is not right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// A value whose operation doesn't fit its operands.
    #[error(transparent)]
    Value(#[from] GraphError),
    /// A value whose type is not the one that its operation gives.
    #[error("function {function}, value #{index}: its operation gives {inferred}, but it says {declared}")]
    WrongType {
        /// The function's name.
        function: String,
        /// The value's index.
        index: usize,
        /// What the operation gives.
        inferred: String,
        /// What the value says.
        declared: String,
    },
    /// A value in a scope that the graph doesn't have.
    #[error("function {function}, value #{index}: it is in scope #{scope}, which the graph doesn't have")]
    UnknownScope {
        /// The function's name.
        function: String,
        /// The value's index.
        index: usize,
        /// The scope's index.
        scope: usize,
    },
    /// A scope that isn't below an earlier one, or a first scope that isn't the root.
    #[error("scope #{index} ({name:?}) has no earlier scope as its parent")]
    ScopeTree {
        /// The scope's index.
        index: usize,
        /// Its name.
        name: String,
    },
    /// An argument's or a value's name that is no identifier.
    #[error(
        "function {function}: the name {name:?} is not made of letters, digits and underscores, no digit first"
    )]
    BadName {
        /// The function's name.
        function: String,
        /// The name.
        name: String,
    },
    /// Two things of the same kind with one name, in one place.
    #[error("{what} {name:?} is there twice")]
    Duplicate {
        /// What kind of thing.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A result that is no value of the function, or is a scalar.
    #[error("function {function}: result {name:?} is not a tensor of the function")]
    BadResult {
        /// The function's name.
        function: String,
        /// The result's name.
        name: String,
    },
    /// A consumed argument that isn't given back.
    #[error(
        "function {function}: argument {name:?} is consumed, but no result of that name and type gives it back"
    )]
    NotGivenBack {
        /// The function's name.
        function: String,
        /// The argument's name.
        name: String,
    },
    /// A parameter whose shape doesn't hold what its source gives.
    #[error("parameter {name:?} of shape {shape:?} can't be made from its source: {reason}")]
    BadParam {
        /// The parameter's name.
        name: String,
        /// Its shape.
        shape: Vec<u64>,
        /// What doesn't fit.
        reason: &'static str,
    },
    /// A graph that nothing can be called in.
    #[error("the graph has no functions")]
    NoFunctions,
}

/// Judges `graph`: every value has the type that its operation gives, operands come before their use, names are
/// unique where they name something, consumed arguments are given back.
pub fn check(graph: &Graph) -> Result<Checked<'_>, CheckError> {
    if graph.functions.is_empty() {
        return Err(CheckError::NoFunctions);
    }
    unique("function", graph.functions.iter().map(|function| function.name.as_str()))?;
    unique("parameter", graph.params().iter().map(|param| param.name.as_str()))?;
    check_scopes(graph)?;
    check_params(graph)?;
    for function in &graph.functions {
        check_names(function)?;
        check_values(graph, function)?;
        check_border(function)?;
    }
    Ok(Checked { graph })
}

fn unique<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), CheckError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(CheckError::Duplicate { what, name: name.to_owned() });
        }
    }
    Ok(())
}

fn check_scopes(graph: &Graph) -> Result<(), CheckError> {
    for (handle, scope) in graph.scopes.iter() {
        let fits = match scope.parent {
            None => handle.index() == 0,
            Some(parent) => parent < handle,
        };
        if !fits {
            return Err(CheckError::ScopeTree { index: handle.index(), name: scope.name.clone() });
        }
    }
    Ok(())
}

fn check_params(graph: &Graph) -> Result<(), CheckError> {
    for param in graph.params() {
        let bad =
            |reason| CheckError::BadParam { name: param.name.clone(), shape: param.shape.clone(), reason };
        let count = param.tensor_type().element_count().ok_or_else(|| bad("it has too many elements"))?;
        match &param.source {
            ParamSource::Values(values) => {
                if values.len() as u64 != count {
                    return Err(bad("it has another number of values"));
                }
            }
            ParamSource::Tensor { row_order, transpose, .. } => {
                let rows = match (&param.shape[..], transpose) {
                    ([_, rows], true) | ([rows, ..], false) => *rows,
                    (_, true) => return Err(bad("only a matrix can be transposed")),
                    ([], false) => return Err(bad("it has no rows")),
                };
                if let Some((head_count, head_dim)) = row_order.heads()
                    && (head_dim % 2 != 0 || head_count.checked_mul(head_dim) != Some(rows))
                {
                    return Err(bad("its rows are not heads of an even number of rows each"));
                }
                if let RowOrder::PartialHalves { head_dim, rotated, .. } = row_order
                    && (rotated % 2 != 0 || rotated > head_dim)
                {
                    return Err(bad("rope turns an odd number of a head's rows, or more than there are"));
                }
            }
        }
        if let Storage::Tiles(format) = param.storage {
            let Some([_, columns]) = param.matrix() else {
                return Err(bad("only a matrix of the GGUF can be stored as tiles"));
            };
            if columns > MAX_ROW as u64 || !columns.is_multiple_of(format.block_elements() as u64) {
                return Err(bad("its tiles can't have rows of that length"));
            }
        }
    }
    Ok(())
}

fn check_names(function: &Function) -> Result<(), CheckError> {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let arguments = function.arguments.iter().map(|argument| argument.name.as_str());
    let values = function.values.iter().filter_map(|(_, value)| value.name);
    for name in arguments.chain(values) {
        if !name.starts_with(letter) || !name.chars().all(|c| letter(c) || c.is_ascii_digit()) {
            let (function, name) = (function.name.clone(), name.to_owned());
            return Err(CheckError::BadName { function, name });
        }
    }
    Ok(())
}

fn check_values(graph: &Graph, function: &Function) -> Result<(), CheckError> {
    for (handle, value) in function.values.iter() {
        if graph.scopes.get(value.scope).is_none() {
            let (index, scope) = (handle.index(), value.scope.index());
            return Err(CheckError::UnknownScope { function: function.name.clone(), index, scope });
        }
        let context = Context {
            params: &graph.params,
            arguments: &function.arguments,
            values: &function.values,
            defined: handle.index(),
        };
        let inferred = context.infer(&value.op).map_err(|source: TypeError| GraphError {
            function: function.name.clone(),
            scope: graph.scopes.path(value.scope),
            op: value.op.name(),
            source: Box::new(source),
        })?;
        if inferred != value.ty {
            return Err(CheckError::WrongType {
                function: function.name.clone(),
                index: handle.index(),
                inferred: inferred.to_string(),
                declared: value.ty.to_string(),
            });
        }
    }
    Ok(())
}

/// Checks what crosses the function's border.
fn check_border(function: &Function) -> Result<(), CheckError> {
    unique("argument", function.arguments.iter().map(|argument| argument.name.as_str()))?;
    unique("result", function.results.iter().map(|result| result.name.as_str()))?;
    for result in &function.results {
        if function.values.get(result.value).and_then(|value| value.ty.as_tensor()).is_none() {
            let (function, name) = (function.name.clone(), result.name.clone());
            return Err(CheckError::BadResult { function, name });
        }
    }
    for argument in function.arguments.iter().filter(|argument| argument.consumed) {
        let gives_back = |result: &super::FunctionResult| {
            result.name == argument.name && function.values[result.value].ty == argument.ty
        };
        if !function.results.iter().any(gives_back) {
            let (function, name) = (function.name.clone(), argument.name.clone());
            return Err(CheckError::NotGivenBack { function, name });
        }
    }
    Ok(())
}
