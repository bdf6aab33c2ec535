//! The typed graph: SSA values in arenas, with named scopes.
//!
//! A [`Graph`] is plain data that anyone may read or make. It has several functions (`main`, or `prefill` and
//! `decode`), which share one list of parameters and one tree of scopes. Each function is a straight line: its
//! values in the order in which they are computed, every operand an earlier value, no control flow.
//!
//! [`GraphBuilder`] makes graphs and infers each value's type. [`check`] judges a finished one and gives the
//! [`Checked`] that the printers ask for. What an analysis learns of values is kept beside the graph, by handle:
//! a graph is not rewritten.

mod arena;
mod build;
mod check;
mod cover;
mod infer;
mod op;
mod param;
mod role;
mod scope;
mod ty;

pub use arena::{Arena, Handle};
pub use build::{FunctionBuilder, GraphBuilder, GraphError, Val};
pub use check::{CheckError, Checked, check};
pub use cover::{CoverError, check_roles};
pub use infer::TypeError;
pub use op::{Binary, Constant, Op, Reduction, Relation, Unary};
pub use param::{ElementType, ParamSource, ParamSpec, RowOrder, Storage};
pub use role::{Activation, Attention, AttentionMemory, Experts, Role, RoleSpan};
pub use scope::Scope;
pub use ty::{TensorType, Type};

use crate::manifest::{FunctionEntry, TensorEntry};
use crate::options::GraphKind;

/// The scope that a module looks its parameters up in, which a runtime binds to the archive.
pub const PARAMETER_SCOPE: &str = "model";

/// The name of the kv functions' argument and result that hold the cache.
pub const CACHE: &str = "cache";

/// A model's functions and what they load.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// The module's name.
    pub name: String,
    /// The entries of the archive. Names are unique.
    pub params: Arena<ParamSpec>,
    /// The tree of scopes. The first is the root.
    pub scopes: Arena<Scope>,
    /// The public functions. Names are unique.
    pub functions: Vec<Function>,
}

/// A public function.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The contract that it is part of.
    pub kind: GraphKind,
    /// In order.
    pub arguments: Vec<Argument>,
    /// In the order in which they are computed.
    pub values: Arena<Value>,
    /// In order.
    pub results: Vec<FunctionResult>,
    /// What runs of values are, in their order, as far as the blocks that made them said so.
    pub roles: Vec<RoleSpan>,
}

/// An argument of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Its name, unique in the function.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether the function takes the buffer over and gives it back, changed in place, as the result of the same
    /// name.
    pub consumed: bool,
}

/// A result of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionResult {
    /// Its name, unique among the results.
    pub name: String,
    /// The value.
    pub value: Handle<Value>,
}

/// A value: computed once, never changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// What computes it.
    pub op: Op,
    /// The type that `op` gives.
    pub ty: Type,
    /// Where in the model it belongs.
    pub scope: Handle<Scope>,
    /// What it is, in a word fit for an identifier: `scores`, `q`. Names repeat.
    pub name: Option<&'static str>,
}

impl Graph {
    /// The entries of the archive, in its order.
    pub fn params(&self) -> &[ParamSpec] {
        self.params.as_slice()
    }

    /// The public functions.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The functions as the manifest lists them.
    pub fn function_entries(&self) -> Vec<FunctionEntry> {
        self.functions.iter().map(Function::entry).collect()
    }

    /// The kv functions' cache as the manifest lists it, if there are kv functions.
    pub fn cache_entry(&self) -> Option<TensorEntry> {
        let mut arguments = self.functions.iter().flat_map(|function| &function.arguments);
        arguments.find(|argument| argument.name == CACHE).map(Argument::entry)
    }
}

impl Function {
    fn entry(&self) -> FunctionEntry {
        let result = |result: &FunctionResult| TensorEntry {
            name: result.name.clone(),
            mlir_type: self.values.get(result.value).map(|value| value.ty.to_string()).unwrap_or_default(),
            consumed: false,
        };
        FunctionEntry {
            name: self.name.clone(),
            graph: self.kind,
            arguments: self.arguments.iter().map(Argument::entry).collect(),
            results: self.results.iter().map(result).collect(),
        }
    }
}

impl Argument {
    fn entry(&self) -> TensorEntry {
        TensorEntry { name: self.name.clone(), mlir_type: self.ty.to_string(), consumed: self.consumed }
    }
}
