//! Makes graphs, value by value: infers each value's type, or fails with the scope and the operation at fault.

use super::infer::{Context, TypeError};
use super::{
    Arena, Argument, Binary, Constant, ElementType, Function, FunctionResult, Graph, Handle, Op, ParamSpec,
    Reduction, Relation, Role, RoleSpan, Scope, TensorType, Type, Unary, Value,
};
use crate::options::GraphKind;
use std::collections::HashMap;

/// A value of the function that is being built.
pub type Val = Handle<Value>;

/// An operation that doesn't fit, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("function {function}, scope {scope:?}, {op}: {source}")]
pub struct GraphError {
    /// The function's name.
    pub function: String,
    /// The scope's path; empty for the root.
    pub scope: String,
    /// The operation's name.
    pub op: &'static str,
    /// What doesn't fit.
    pub source: Box<TypeError>,
}

type Result<T> = std::result::Result<T, GraphError>;

/// Makes a [`Graph`].
#[derive(Debug)]
pub struct GraphBuilder {
    graph: Graph,
    params_by_name: HashMap<String, Handle<ParamSpec>>,
    scopes_by_name: HashMap<(Handle<Scope>, String), Handle<Scope>>,
}

impl GraphBuilder {
    /// A graph without functions.
    pub fn new(name: impl Into<String>) -> Self {
        let mut scopes = Arena::default();
        scopes.append(Scope { name: String::new(), parent: None });
        let graph = Graph { name: name.into(), params: Arena::default(), scopes, functions: Vec::new() };
        Self { graph, params_by_name: HashMap::new(), scopes_by_name: HashMap::new() }
    }

    /// Begins a function. [`FunctionBuilder::finish`] adds it to the graph.
    pub fn function(&mut self, name: impl Into<String>, kind: GraphKind) -> FunctionBuilder<'_> {
        let function = Function {
            name: name.into(),
            kind,
            arguments: Vec::new(),
            values: Arena::default(),
            results: Vec::new(),
            roles: Vec::new(),
        };
        FunctionBuilder { builder: self, function, scope: Handle::from_index(0) }
    }

    /// The graph.
    pub fn finish(self) -> Graph {
        self.graph
    }

    fn param(&mut self, spec: ParamSpec) -> Handle<ParamSpec> {
        if let Some(&known) = self.params_by_name.get(&spec.name)
            && self.graph.params[known] == spec
        {
            return known;
        }
        let name = spec.name.clone();
        let handle = self.graph.params.append(spec);
        self.params_by_name.insert(name, handle);
        handle
    }

    fn scope(&mut self, parent: Handle<Scope>, name: &str) -> Handle<Scope> {
        let key = (parent, name.to_owned());
        *self.scopes_by_name.entry(key).or_insert_with_key(|(_, name)| {
            self.graph.scopes.append(Scope { name: name.clone(), parent: Some(parent) })
        })
    }
}

/// Makes one function of a graph. Each method appends a value to it, in the current scope.
#[derive(Debug)]
pub struct FunctionBuilder<'g> {
    builder: &'g mut GraphBuilder,
    function: Function,
    scope: Handle<Scope>,
}

impl FunctionBuilder<'_> {
    /// Appends what `body` makes in a scope within the current one.
    pub fn scoped<T, E>(
        &mut self,
        name: &str,
        body: impl FnOnce(&mut Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let outer = self.scope;
        self.scope = self.builder.scope(outer, name);
        let made = body(self);
        self.scope = outer;
        made
    }

    /// Appends what `body` makes and says what it is.
    pub fn role<T, E>(
        &mut self,
        body: impl FnOnce(&mut Self) -> std::result::Result<(T, Role), E>,
    ) -> std::result::Result<T, E> {
        let start = self.function.values.len();
        let (made, role) = body(self)?;
        let values = start..self.function.values.len();
        self.function.roles.push(RoleSpan { role, scope: self.scope, values });
        Ok(made)
    }

    /// Names a value, for people.
    pub fn named(&mut self, name: &'static str, value: Val) -> Val {
        self.function.values.get_mut(value).name = Some(name);
        value
    }

    /// Adds an argument.
    pub fn argument(&mut self, name: &'static str, ty: Type, consumed: bool) -> Result<Val> {
        let index = self.function.arguments.len();
        self.function.arguments.push(Argument { name: name.to_owned(), ty, consumed });
        self.append(Op::Argument { index })
    }

    /// Adds a result.
    pub fn result(&mut self, name: &str, value: Val) {
        self.function.results.push(FunctionResult { name: name.to_owned(), value });
    }

    /// Adds the function to the graph.
    pub fn finish(self) {
        self.builder.graph.functions.push(self.function);
    }

    /// The type of a tensor. A scalar has rank 0.
    pub fn ty(&self, value: Val) -> TensorType {
        match &self.function.values[value].ty {
            Type::Tensor(tensor) => tensor.clone(),
            Type::Scalar(element_type) => TensorType::new([], *element_type),
        }
    }

    /// The dimensions of a tensor.
    pub fn shape(&self, value: Val) -> Vec<u64> {
        self.ty(value).shape
    }

    /// The dimensions of a tensor that has `N` of them.
    pub fn dims<const N: usize>(&self, value: Val) -> Result<[u64; N]> {
        let found = self.ty(value);
        match <[u64; N]>::try_from(found.shape.as_slice()) {
            Ok(dims) => Ok(dims),
            Err(_) => Err(self.error("dimensions", TypeError::Rank { needed: N, found })),
        }
    }

    fn error(&self, op: &'static str, source: TypeError) -> GraphError {
        let scope = self.builder.graph.scopes.path(self.scope);
        GraphError { function: self.function.name.clone(), scope, op, source: Box::new(source) }
    }

    /// Appends the value that `op` computes.
    pub fn append(&mut self, op: Op) -> Result<Val> {
        let values = &self.function.values;
        let context = Context {
            params: &self.builder.graph.params,
            arguments: &self.function.arguments,
            values,
            defined: values.len(),
        };
        let ty = context.infer(&op).map_err(|source| self.error(op.name(), source))?;
        Ok(self.function.values.append(Value { op, ty, scope: self.scope, name: None }))
    }

    /// Loads a parameter, which is added to the graph unless it is there already.
    pub fn parameter(&mut self, spec: ParamSpec) -> Result<Val> {
        let param = self.builder.param(spec);
        self.append(Op::Parameter { param })
    }

    /// [`Op::ScalarToTensor`]
    pub fn scalar_to_tensor(&mut self, scalar: Val) -> Result<Val> {
        self.append(Op::ScalarToTensor { scalar })
    }

    /// A tensor of equal `f32`.
    pub fn f32(&mut self, value: f32, shape: &[u64]) -> Result<Val> {
        self.append(Op::Constant { value: Constant::F32(value), shape: shape.to_vec() })
    }

    /// A tensor of rank 0 that holds an `i32`.
    pub fn i32(&mut self, value: i32) -> Result<Val> {
        self.append(Op::Constant { value: Constant::I32(value), shape: Vec::new() })
    }

    /// [`Op::Iota`]
    pub fn iota(&mut self, shape: &[u64], dimension: usize) -> Result<Val> {
        self.append(Op::Iota { shape: shape.to_vec(), dimension })
    }

    /// [`Op::Convert`], or the value itself if its elements have that type.
    pub fn convert(&mut self, input: Val, element_type: ElementType) -> Result<Val> {
        if self.ty(input).element_type == element_type {
            return Ok(input);
        }
        self.append(Op::Convert { input, element_type })
    }

    /// [`Op::Barrier`]
    pub fn barrier(&mut self, input: Val) -> Result<Val> {
        self.append(Op::Barrier { input })
    }

    /// [`Op::Unary`]
    pub fn unary(&mut self, function: Unary, input: Val) -> Result<Val> {
        self.append(Op::Unary { function, input })
    }

    /// [`Op::Binary`]
    pub fn binary(&mut self, function: Binary, lhs: Val, rhs: Val) -> Result<Val> {
        self.append(Op::Binary { function, lhs, rhs })
    }

    /// The sum.
    pub fn add(&mut self, lhs: Val, rhs: Val) -> Result<Val> {
        self.binary(Binary::Add, lhs, rhs)
    }

    /// The product.
    pub fn multiply(&mut self, lhs: Val, rhs: Val) -> Result<Val> {
        self.binary(Binary::Multiply, lhs, rhs)
    }

    /// [`Op::Compare`]
    pub fn compare(&mut self, relation: Relation, lhs: Val, rhs: Val) -> Result<Val> {
        self.append(Op::Compare { relation, lhs, rhs })
    }

    /// [`Op::Select`]
    pub fn select(&mut self, predicate: Val, on_true: Val, on_false: Val) -> Result<Val> {
        self.append(Op::Select { predicate, on_true, on_false })
    }

    /// [`Op::Reshape`], or the value itself if it has that shape.
    pub fn reshape(&mut self, input: Val, shape: &[u64]) -> Result<Val> {
        if self.shape(input) == shape {
            return Ok(input);
        }
        self.append(Op::Reshape { input, shape: shape.to_vec() })
    }

    /// [`Op::Broadcast`], or the value itself if it has that shape.
    pub fn broadcast(&mut self, input: Val, shape: &[u64], dimensions: &[usize]) -> Result<Val> {
        if self.shape(input) == shape {
            return Ok(input);
        }
        self.append(Op::Broadcast { input, shape: shape.to_vec(), dimensions: dimensions.to_vec() })
    }

    /// [`Op::Transpose`]
    pub fn transpose(&mut self, input: Val, permutation: &[usize]) -> Result<Val> {
        self.append(Op::Transpose { input, permutation: permutation.to_vec() })
    }

    /// [`Op::Slice`] along one dimension, or the value itself if that is all of it.
    pub fn slice(&mut self, input: Val, dimension: usize, range: std::ops::Range<u64>) -> Result<Val> {
        let mut limit = self.shape(input);
        let mut start = vec![0; limit.len()];
        if limit.get(dimension) == Some(&range.end) && range.start == 0 {
            return Ok(input);
        }
        // A dimension that isn't there leaves the lists too long, which inference reports.
        start.resize(start.len().max(dimension + 1), 0);
        limit.resize(start.len(), 0);
        (start[dimension], limit[dimension]) = (range.start, range.end);
        self.append(Op::Slice { input, start, limit })
    }

    /// [`Op::Concatenate`]
    pub fn concatenate(&mut self, inputs: &[Val], dimension: usize) -> Result<Val> {
        self.append(Op::Concatenate { inputs: inputs.to_vec(), dimension })
    }

    /// [`Op::DynamicSlice`]
    pub fn dynamic_slice(&mut self, input: Val, start: &[Val], sizes: &[u64]) -> Result<Val> {
        self.append(Op::DynamicSlice { input, start: start.to_vec(), sizes: sizes.to_vec() })
    }

    /// [`Op::DynamicUpdate`]
    pub fn dynamic_update(&mut self, input: Val, update: Val, start: &[Val]) -> Result<Val> {
        self.append(Op::DynamicUpdate { input, update, start: start.to_vec() })
    }

    /// [`Op::Take`]
    pub fn take(&mut self, table: Val, indices: Val, dimension: usize) -> Result<Val> {
        self.append(Op::Take { table, indices, dimension })
    }

    /// [`Op::Dot`] with sums in `f32`.
    pub fn dot(&mut self, lhs: Val, rhs: Val, batch: &[[usize; 2]], contract: &[[usize; 2]]) -> Result<Val> {
        let (batch, contract) = (batch.to_vec(), contract.to_vec());
        self.append(Op::Dot { lhs, rhs, batch, contract, element_type: ElementType::F32 })
    }

    /// [`Op::Reduce`] along one dimension.
    pub fn reduce(&mut self, function: Reduction, input: Val, dimension: usize) -> Result<Val> {
        self.append(Op::Reduce { function, input, dimensions: vec![dimension] })
    }

    /// [`Op::ArgMax`]
    pub fn arg_max(&mut self, input: Val, dimension: usize) -> Result<Val> {
        self.append(Op::ArgMax { input, dimension })
    }
}
