//! The operations: a closed set, each with exactly one result.
//!
//! Semantics are StableHLO's unless the variant says otherwise. Operands are handles of earlier values of the
//! same function.

use super::{ElementType, Handle, ParamSpec, Value};

/// What computes a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// An argument of the function.
    Argument {
        /// Its place in the function's list.
        index: usize,
    },
    /// A parameter of the graph, as it lies in the archive.
    Parameter {
        /// Which.
        param: Handle<ParamSpec>,
    },
    /// A scalar as a tensor of rank 0.
    ScalarToTensor {
        /// The scalar.
        scalar: Handle<Value>,
    },
    /// A tensor whose elements are all equal.
    Constant {
        /// The element.
        value: Constant,
        /// The tensor's dimensions.
        shape: Vec<u64>,
    },
    /// A tensor of `i32` whose elements are their own index along one dimension.
    Iota {
        /// The tensor's dimensions.
        shape: Vec<u64>,
        /// The dimension that is counted along.
        dimension: usize,
    },
    /// The same numbers with another element type.
    Convert {
        /// The tensor.
        input: Handle<Value>,
        /// The new element type.
        element_type: ElementType,
    },
    /// The tensor as it is, where a compiler must not join what comes before with what comes after.
    Barrier {
        /// The tensor.
        input: Handle<Value>,
    },
    /// A function of one number, for each element.
    Unary {
        /// The function.
        function: Unary,
        /// The tensor of floats.
        input: Handle<Value>,
    },
    /// A function of two numbers, for each pair of elements of two tensors of the same type.
    Binary {
        /// The function.
        function: Binary,
        /// The left operand.
        lhs: Handle<Value>,
        /// The right operand.
        rhs: Handle<Value>,
    },
    /// Whether a relation holds, for each pair of elements.
    Compare {
        /// The relation.
        relation: Relation,
        /// The left operand.
        lhs: Handle<Value>,
        /// The right operand.
        rhs: Handle<Value>,
    },
    /// One of two elements, by a predicate, for each element.
    Select {
        /// A tensor of `i1`.
        predicate: Handle<Value>,
        /// What is taken where it holds.
        on_true: Handle<Value>,
        /// What is taken where it doesn't.
        on_false: Handle<Value>,
    },
    /// The same elements in the same order with other dimensions.
    Reshape {
        /// The tensor.
        input: Handle<Value>,
        /// The new dimensions.
        shape: Vec<u64>,
    },
    /// Elements repeated along new dimensions.
    Broadcast {
        /// The tensor.
        input: Handle<Value>,
        /// The new dimensions.
        shape: Vec<u64>,
        /// For each dimension of the input, which of the new ones it is: increasing, of equal size.
        dimensions: Vec<usize>,
    },
    /// Dimensions in another order.
    Transpose {
        /// The tensor.
        input: Handle<Value>,
        /// For each new dimension, which of the input's it is.
        permutation: Vec<usize>,
    },
    /// A part at a fixed place.
    Slice {
        /// The tensor.
        input: Handle<Value>,
        /// The first index, by dimension.
        start: Vec<u64>,
        /// One past the last index, by dimension.
        limit: Vec<u64>,
    },
    /// Tensors one after the other.
    Concatenate {
        /// The tensors, equal but for one dimension.
        inputs: Vec<Handle<Value>>,
        /// That dimension.
        dimension: usize,
    },
    /// A part at a place that is computed. A place too near the end is moved back until the part fits.
    DynamicSlice {
        /// The tensor.
        input: Handle<Value>,
        /// The first index, by dimension: `tensor<i32>` each.
        start: Vec<Handle<Value>>,
        /// The part's dimensions.
        sizes: Vec<u64>,
    },
    /// The tensor with a part at a computed place replaced. A place too near the end is moved back until the part
    /// fits.
    DynamicUpdate {
        /// The tensor.
        input: Handle<Value>,
        /// The part.
        update: Handle<Value>,
        /// The first index, by dimension: `tensor<i32>` each.
        start: Vec<Handle<Value>>,
    },
    /// The rows (or columns) of a matrix that a list of indices names, in the list's order. An index outside the
    /// matrix takes the nearest row.
    Take {
        /// The matrix.
        table: Handle<Value>,
        /// A list of `i32`.
        indices: Handle<Value>,
        /// 0 for rows, 1 for columns.
        dimension: usize,
    },
    /// Products summed over shared dimensions. The result has the batch dimensions, then what is left of the left
    /// operand, then what is left of the right one.
    Dot {
        /// The left operand.
        lhs: Handle<Value>,
        /// The right operand.
        rhs: Handle<Value>,
        /// Pairs of dimensions, left and right, that are walked together.
        batch: Vec<[usize; 2]>,
        /// Pairs of dimensions, left and right, that are summed over.
        contract: Vec<[usize; 2]>,
        /// The element type of sums and result.
        element_type: ElementType,
    },
    /// One element for all of those along some dimensions.
    Reduce {
        /// How.
        function: Reduction,
        /// The tensor of floats.
        input: Handle<Value>,
        /// The dimensions that vanish, increasing.
        dimensions: Vec<usize>,
    },
    /// The index of the greatest element along a dimension, as `i32`; the first of equals.
    ArgMax {
        /// The tensor of `f32`.
        input: Handle<Value>,
        /// The dimension that vanishes.
        dimension: usize,
    },
}

/// The element of a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// `f32`
    F32(f32),
    /// `i32`
    I32(i32),
}

/// A function of one float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// eˣ
    Exponential,
    /// 1 / (1 + e⁻ˣ)
    Logistic,
    /// 1 / √x
    Rsqrt,
    /// The hyperbolic tangent.
    Tanh,
}

/// A function of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// x + y
    Add,
    /// x − y
    Subtract,
    /// x · y
    Multiply,
    /// x / y
    Divide,
    /// The lesser.
    Minimum,
}

/// A relation of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// x < y
    Less,
    /// x ≤ y
    LessOrEqual,
    /// x = y
    Equal,
}

/// How elements are made one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// The greatest.
    Maximum,
}

impl Op {
    /// What the operation is called, in StableHLO's words where it has one.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Argument { .. } => "argument",
            Op::Parameter { .. } => "parameter",
            Op::ScalarToTensor { .. } => "scalar_to_tensor",
            Op::Constant { .. } => "constant",
            Op::Iota { .. } => "iota",
            Op::Convert { .. } => "convert",
            Op::Barrier { .. } => "optimization_barrier",
            Op::Unary { function, .. } => function.name(),
            Op::Binary { function, .. } => function.name(),
            Op::Compare { .. } => "compare",
            Op::Select { .. } => "select",
            Op::Reshape { .. } => "reshape",
            Op::Broadcast { .. } => "broadcast_in_dim",
            Op::Transpose { .. } => "transpose",
            Op::Slice { .. } => "slice",
            Op::Concatenate { .. } => "concatenate",
            Op::DynamicSlice { .. } => "dynamic_slice",
            Op::DynamicUpdate { .. } => "dynamic_update_slice",
            Op::Take { .. } => "gather",
            Op::Dot { .. } => "dot_general",
            Op::Reduce { .. } => "reduce",
            Op::ArgMax { .. } => "argmax",
        }
    }

    /// The values that it reads, in order, each as often as it is read.
    pub fn operands(&self) -> Vec<Handle<Value>> {
        match self {
            Op::Argument { .. } | Op::Parameter { .. } | Op::Constant { .. } | Op::Iota { .. } => Vec::new(),
            Op::ScalarToTensor { scalar } => vec![*scalar],
            Op::Convert { input, .. }
            | Op::Barrier { input }
            | Op::Unary { input, .. }
            | Op::Reshape { input, .. }
            | Op::Broadcast { input, .. }
            | Op::Transpose { input, .. }
            | Op::Slice { input, .. }
            | Op::Reduce { input, .. }
            | Op::ArgMax { input, .. } => vec![*input],
            Op::Binary { lhs, rhs, .. } | Op::Compare { lhs, rhs, .. } | Op::Dot { lhs, rhs, .. } => {
                vec![*lhs, *rhs]
            }
            Op::Select { predicate, on_true, on_false } => vec![*predicate, *on_true, *on_false],
            Op::Concatenate { inputs, .. } => inputs.clone(),
            Op::DynamicSlice { input, start, .. } => [&[*input], start.as_slice()].concat(),
            Op::DynamicUpdate { input, update, start } => [&[*input, *update], start.as_slice()].concat(),
            Op::Take { table, indices, .. } => vec![*table, *indices],
        }
    }

    /// What else it is given, by name, for people to read. Dimensions that the result's type shows are left out.
    pub fn attributes(&self) -> Vec<(&'static str, String)> {
        match self {
            Op::Argument { index } => vec![("index", index.to_string())],
            Op::Constant { value, .. } => vec![("value", value.to_string())],
            Op::Iota { dimension, .. }
            | Op::Concatenate { dimension, .. }
            | Op::Take { dimension, .. }
            | Op::ArgMax { dimension, .. } => vec![("dimension", dimension.to_string())],
            Op::Compare { relation, .. } => vec![("relation", relation.name().to_owned())],
            Op::Broadcast { dimensions, .. } => vec![("dimensions", format!("{dimensions:?}"))],
            Op::Transpose { permutation, .. } => vec![("permutation", format!("{permutation:?}"))],
            Op::Slice { start, limit, .. } => {
                vec![("start", format!("{start:?}")), ("limit", format!("{limit:?}"))]
            }
            Op::Dot { batch, contract, .. } => {
                vec![("batch", format!("{batch:?}")), ("contract", format!("{contract:?}"))]
            }
            Op::Reduce { function, dimensions, .. } => {
                vec![("function", function.name().to_owned()), ("dimensions", format!("{dimensions:?}"))]
            }
            Op::Parameter { .. }
            | Op::ScalarToTensor { .. }
            | Op::Convert { .. }
            | Op::Barrier { .. }
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Select { .. }
            | Op::Reshape { .. }
            | Op::DynamicSlice { .. }
            | Op::DynamicUpdate { .. } => Vec::new(),
        }
    }
}

impl Unary {
    /// StableHLO's name.
    pub fn name(self) -> &'static str {
        match self {
            Unary::Exponential => "exponential",
            Unary::Logistic => "logistic",
            Unary::Rsqrt => "rsqrt",
            Unary::Tanh => "tanh",
        }
    }
}

impl Binary {
    /// StableHLO's name.
    pub fn name(self) -> &'static str {
        match self {
            Binary::Add => "add",
            Binary::Subtract => "subtract",
            Binary::Multiply => "multiply",
            Binary::Divide => "divide",
            Binary::Minimum => "minimum",
        }
    }
}

impl Relation {
    /// StableHLO's name.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Less => "LT",
            Relation::LessOrEqual => "LE",
            Relation::Equal => "EQ",
        }
    }
}

impl Reduction {
    /// StableHLO's name of the function that joins two elements.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "add",
            Reduction::Maximum => "maximum",
        }
    }
}

impl Constant {
    /// Its type.
    pub fn element_type(self) -> ElementType {
        match self {
            Constant::F32(_) => ElementType::F32,
            Constant::I32(_) => ElementType::I32,
        }
    }
}

impl std::fmt::Display for Constant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Constant::F32(value) => write!(f, "{value:?}"),
            Constant::I32(value) => write!(f, "{value}"),
        }
    }
}
