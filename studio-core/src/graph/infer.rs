//! The rule for each operation's type. The builder and the check both go by it, so a value whose type differs from
//! what its operation gives can't be printed.

use super::{Arena, Argument, Constant, ElementType, Handle, Op, ParamSpec, TensorType, Type, Value};

/// Why an operation's operands or attributes don't fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TypeError {
    /// An operand doesn't exist, or not yet.
    #[error("operand #{index} is not an earlier value of the function")]
    UnknownOperand {
        /// The operand's index.
        index: usize,
    },
    /// The function has no such argument.
    #[error("the function has no argument {index}")]
    UnknownArgument {
        /// The argument's index.
        index: usize,
    },
    /// The graph has no such parameter.
    #[error("the graph has no parameter {index}")]
    UnknownParam {
        /// The parameter's index.
        index: usize,
    },
    /// A scalar where a tensor is needed, or the reverse.
    #[error("needs {needed}, got {found}")]
    Kind {
        /// What is needed.
        needed: &'static str,
        /// What was given.
        found: Type,
    },
    /// Operands that must be equal are not.
    #[error("operands differ: {lhs} and {rhs}")]
    Differ {
        /// The left one.
        lhs: TensorType,
        /// The right one.
        rhs: TensorType,
    },
    /// The new dimensions hold another number of elements, or more than can be counted.
    #[error("{from} can't become {to}: they hold different numbers of elements")]
    ElementCount {
        /// The operand.
        from: TensorType,
        /// The result.
        to: TensorType,
    },
    /// A dimension past the operand's rank.
    #[error("{operand} has no dimension {dimension}")]
    NoDimension {
        /// The operand.
        operand: TensorType,
        /// The dimension.
        dimension: usize,
    },
    /// A tensor of another rank.
    #[error("needs a tensor of rank {needed}, got {found}")]
    Rank {
        /// The rank that is needed.
        needed: usize,
        /// What was given.
        found: TensorType,
    },
    /// A list that needs an entry for each dimension has another length, or names a dimension twice, or not in order.
    #[error("{what} {list:?} doesn't fit {operand}")]
    BadList {
        /// Which list.
        what: &'static str,
        /// The list.
        list: Vec<u64>,
        /// The operand.
        operand: TensorType,
    },
}

/// What an operation can refer to.
pub(super) struct Context<'a> {
    pub(super) params: &'a Arena<ParamSpec>,
    pub(super) arguments: &'a [Argument],
    pub(super) values: &'a Arena<Value>,
    /// Values from this index on don't exist yet.
    pub(super) defined: usize,
}

type Result<T> = std::result::Result<T, TypeError>;

impl Context<'_> {
    /// The type of what `op` computes.
    pub(super) fn infer(&self, op: &Op) -> Result<Type> {
        let tensor = match op {
            Op::Argument { index } => {
                let argument = self.arguments.get(*index);
                return Ok(argument.ok_or(TypeError::UnknownArgument { index: *index })?.ty.clone());
            }
            Op::Parameter { param } => {
                let spec = self.params.get(*param).ok_or(TypeError::UnknownParam { index: param.index() })?;
                spec.tensor_type()
            }
            Op::ScalarToTensor { scalar } => match self.ty(*scalar)? {
                Type::Scalar(element_type) => TensorType::new([], *element_type),
                found @ Type::Tensor(_) => {
                    return Err(TypeError::Kind { needed: "a scalar", found: found.clone() });
                }
            },
            Op::Constant { value, shape } => {
                TensorType::new(shape.as_slice(), Constant::element_type(*value))
            }
            Op::Iota { shape, dimension } => {
                let ty = TensorType::new(shape.as_slice(), ElementType::I32);
                size_of(&ty, *dimension)?;
                ty
            }
            Op::Convert { input, element_type } => self.tensor(*input)?.with_element_type(*element_type),
            Op::Barrier { input } => self.tensor(*input)?.clone(),
            Op::Unary { function: _, input } => self.floats(*input)?.clone(),
            Op::Binary { function: _, lhs, rhs } => self.equal(*lhs, *rhs)?.clone(),
            Op::Compare { relation: _, lhs, rhs } => {
                self.equal(*lhs, *rhs)?.with_element_type(ElementType::I1)
            }
            Op::Select { predicate, on_true, on_false } => self.select(*predicate, *on_true, *on_false)?,
            Op::Reshape { input, shape } => reshape(self.tensor(*input)?, shape)?,
            Op::Broadcast { input, shape, dimensions } => broadcast(self.tensor(*input)?, shape, dimensions)?,
            Op::Transpose { input, permutation } => transpose(self.tensor(*input)?, permutation)?,
            Op::Slice { input, start, limit } => slice(self.tensor(*input)?, start, limit)?,
            Op::Concatenate { inputs, dimension } => self.concatenate(inputs, *dimension)?,
            Op::DynamicSlice { input, start, sizes } => {
                let input = self.tensor(*input)?;
                self.starts(input, start)?;
                part("sizes", input, sizes)?
            }
            Op::DynamicUpdate { input, update, start } => {
                let (input, update) = (self.tensor(*input)?, self.tensor(*update)?);
                self.starts(input, start)?;
                part("update", input, &update.shape)?;
                same_element_type(input, update)?;
                input.clone()
            }
            Op::Take { table, indices, dimension } => self.take(*table, *indices, *dimension)?,
            Op::Dot { lhs, rhs, batch, contract, element_type } => {
                dot(self.floats(*lhs)?, self.floats(*rhs)?, batch, contract, *element_type)?
            }
            Op::Reduce { function: _, input, dimensions } => remove(self.floats(*input)?, dimensions)?,
            Op::ArgMax { input, dimension } => {
                let input = self.tensor(*input)?;
                if input.element_type != ElementType::F32 {
                    return Err(kind("a tensor of f32", input));
                }
                remove(input, &[*dimension])?.with_element_type(ElementType::I32)
            }
        };
        Ok(Type::Tensor(tensor))
    }

    fn ty(&self, value: Handle<Value>) -> Result<&Type> {
        let known = self.values.get(value).filter(|_| value.index() < self.defined);
        Ok(&known.ok_or(TypeError::UnknownOperand { index: value.index() })?.ty)
    }

    fn tensor(&self, value: Handle<Value>) -> Result<&TensorType> {
        match self.ty(value)? {
            Type::Tensor(tensor) => Ok(tensor),
            found @ Type::Scalar(_) => Err(TypeError::Kind { needed: "a tensor", found: found.clone() }),
        }
    }

    fn floats(&self, value: Handle<Value>) -> Result<&TensorType> {
        let tensor = self.tensor(value)?;
        if tensor.element_type.is_float() { Ok(tensor) } else { Err(kind("a tensor of floats", tensor)) }
    }

    fn equal(&self, lhs: Handle<Value>, rhs: Handle<Value>) -> Result<&TensorType> {
        let (lhs, rhs) = (self.tensor(lhs)?, self.tensor(rhs)?);
        if lhs == rhs { Ok(lhs) } else { Err(TypeError::Differ { lhs: lhs.clone(), rhs: rhs.clone() }) }
    }

    fn select(
        &self,
        predicate: Handle<Value>,
        on_true: Handle<Value>,
        on_false: Handle<Value>,
    ) -> Result<TensorType> {
        let (predicate, chosen) = (self.tensor(predicate)?, self.equal(on_true, on_false)?);
        if *predicate != chosen.with_element_type(ElementType::I1) {
            return Err(TypeError::Differ { lhs: predicate.clone(), rhs: chosen.clone() });
        }
        Ok(chosen.clone())
    }

    fn concatenate(&self, inputs: &[Handle<Value>], dimension: usize) -> Result<TensorType> {
        let mut inputs = inputs.iter();
        let first = inputs.next().ok_or(TypeError::UnknownOperand { index: 0 })?;
        let mut joined = self.tensor(*first)?.clone();
        let mut size = size_of(&joined, dimension)?;
        for input in inputs {
            let input = self.tensor(*input)?;
            let added = size_of(input, dimension)?;
            joined.shape[dimension] = added;
            if joined != *input {
                return Err(TypeError::Differ { lhs: joined, rhs: input.clone() });
            }
            size = size.saturating_add(added);
        }
        joined.shape[dimension] = size;
        Ok(joined)
    }

    /// Checks that there is one `tensor<i32>` for each dimension of `input`.
    fn starts(&self, input: &TensorType, start: &[Handle<Value>]) -> Result<()> {
        if start.len() != input.rank() {
            let list = start.iter().map(|handle| handle.index() as u64).collect();
            return Err(TypeError::BadList { what: "start", list, operand: input.clone() });
        }
        for index in start {
            let index = self.tensor(*index)?;
            if *index != TensorType::new([], ElementType::I32) {
                return Err(kind("a tensor<i32>", index));
            }
        }
        Ok(())
    }

    fn take(&self, table: Handle<Value>, indices: Handle<Value>, dimension: usize) -> Result<TensorType> {
        let (table, indices) = (self.tensor(table)?, self.tensor(indices)?);
        if table.rank() != 2 {
            return Err(kind("a matrix", table));
        }
        size_of(table, dimension)?;
        let [count] = indices.shape[..] else { return Err(kind("a list of i32", indices)) };
        if indices.element_type != ElementType::I32 {
            return Err(kind("a list of i32", indices));
        }
        let mut taken = table.clone();
        taken.shape[dimension] = count;
        Ok(taken)
    }
}

fn kind(needed: &'static str, found: &TensorType) -> TypeError {
    TypeError::Kind { needed, found: Type::Tensor(found.clone()) }
}

fn bad_list(what: &'static str, list: &[u64], operand: &TensorType) -> TypeError {
    TypeError::BadList { what, list: list.to_vec(), operand: operand.clone() }
}

fn bad_dimensions(what: &'static str, list: &[usize], operand: &TensorType) -> TypeError {
    let list: Vec<u64> = list.iter().map(|&dimension| dimension as u64).collect();
    bad_list(what, &list, operand)
}

fn size_of(operand: &TensorType, dimension: usize) -> Result<u64> {
    let size = operand.shape.get(dimension).copied();
    size.ok_or_else(|| TypeError::NoDimension { operand: operand.clone(), dimension })
}

fn same_element_type(lhs: &TensorType, rhs: &TensorType) -> Result<()> {
    if lhs.element_type == rhs.element_type {
        return Ok(());
    }
    Err(TypeError::Differ { lhs: lhs.clone(), rhs: rhs.clone() })
}

fn reshape(input: &TensorType, shape: &[u64]) -> Result<TensorType> {
    let reshaped = TensorType::new(shape, input.element_type);
    let count = input.element_count();
    if count.is_none() || count != reshaped.element_count() {
        return Err(TypeError::ElementCount { from: input.clone(), to: reshaped });
    }
    Ok(reshaped)
}

fn broadcast(input: &TensorType, shape: &[u64], dimensions: &[usize]) -> Result<TensorType> {
    let result = TensorType::new(shape, input.element_type);
    if dimensions.len() != input.rank() || !dimensions.is_sorted_by(|a, b| a < b) {
        return Err(bad_dimensions("dimensions", dimensions, input));
    }
    for (&size, &dimension) in input.shape.iter().zip(dimensions) {
        if size_of(&result, dimension)? != size {
            return Err(TypeError::Differ { lhs: input.clone(), rhs: result });
        }
    }
    Ok(result)
}

fn transpose(input: &TensorType, permutation: &[usize]) -> Result<TensorType> {
    let mut sorted = permutation.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..input.rank()) {
        return Err(bad_dimensions("permutation", permutation, input));
    }
    let shape: Vec<u64> = permutation.iter().map(|&dimension| input.shape[dimension]).collect();
    Ok(TensorType::new(shape, input.element_type))
}

fn slice(input: &TensorType, start: &[u64], limit: &[u64]) -> Result<TensorType> {
    if start.len() != input.rank() {
        return Err(bad_list("start", start, input));
    }
    if limit.len() != input.rank() || limit.iter().zip(&input.shape).any(|(limit, size)| limit > size) {
        return Err(bad_list("limit", limit, input));
    }
    let sizes = limit.iter().zip(start).map(|(limit, start)| limit.checked_sub(*start));
    let shape: Option<Vec<u64>> = sizes.collect();
    Ok(TensorType::new(shape.ok_or_else(|| bad_list("start", start, input))?, input.element_type))
}

/// The type of a part of `input`, which must not be larger in any dimension.
fn part(what: &'static str, input: &TensorType, sizes: &[u64]) -> Result<TensorType> {
    if sizes.len() != input.rank() || sizes.iter().zip(&input.shape).any(|(part, whole)| part > whole) {
        return Err(bad_list(what, sizes, input));
    }
    Ok(TensorType::new(sizes, input.element_type))
}

fn remove(input: &TensorType, dimensions: &[usize]) -> Result<TensorType> {
    if !dimensions.is_sorted_by(|a, b| a < b) {
        return Err(bad_dimensions("dimensions", dimensions, input));
    }
    let mut shape = input.shape.clone();
    for &dimension in dimensions.iter().rev() {
        size_of(input, dimension)?;
        shape.remove(dimension);
    }
    Ok(TensorType::new(shape, input.element_type))
}

fn dot(
    lhs: &TensorType,
    rhs: &TensorType,
    batch: &[[usize; 2]],
    contract: &[[usize; 2]],
    element_type: ElementType,
) -> Result<TensorType> {
    let differ = || TypeError::Differ { lhs: lhs.clone(), rhs: rhs.clone() };
    same_element_type(lhs, rhs)?;
    for &[l, r] in batch.iter().chain(contract) {
        if size_of(lhs, l)? != size_of(rhs, r)? {
            return Err(differ());
        }
    }
    let free = |side: usize, operand: &TensorType| {
        let used: Vec<usize> = batch.iter().chain(contract).map(|pair| pair[side]).collect();
        let free: Vec<u64> =
            (0..operand.rank()).filter(|d| !used.contains(d)).map(|d| operand.shape[d]).collect();
        // A dimension named twice would be counted once here.
        if free.len() + used.len() == operand.rank() { Ok(free) } else { Err(differ()) }
    };
    let batch_sizes: Vec<u64> = batch.iter().map(|&[l, _]| lhs.shape[l]).collect();
    Ok(TensorType::new([batch_sizes, free(0, lhs)?, free(1, rhs)?].concat(), element_type))
}
