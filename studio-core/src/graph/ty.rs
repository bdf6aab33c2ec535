//! The types of values.

use super::ElementType;
use std::fmt;

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A number that is passed by value, such as a position. Only a function's argument has this type.
    Scalar(ElementType),
    /// A tensor.
    Tensor(TensorType),
}

impl Type {
    /// The tensor type, or `None` for a scalar.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Type::Tensor(tensor) => Some(tensor),
            Type::Scalar(_) => None,
        }
    }
}

/// The type of a tensor: all of its dimensions are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorType {
    /// Row-major dimensions, slowest first; empty for a tensor of rank 0.
    pub shape: Vec<u64>,
    /// The type of each element.
    pub element_type: ElementType,
}

impl TensorType {
    /// A tensor type.
    pub fn new(shape: impl Into<Vec<u64>>, element_type: ElementType) -> Self {
        Self { shape: shape.into(), element_type }
    }

    /// How many dimensions there are.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// How many elements there are, or `None` if the number doesn't fit.
    pub fn element_count(&self) -> Option<u64> {
        self.shape.iter().try_fold(1u64, |count, &dimension| count.checked_mul(dimension))
    }

    /// The same dimensions with another element type.
    pub fn with_element_type(&self, element_type: ElementType) -> Self {
        Self { shape: self.shape.clone(), element_type }
    }
}

impl ElementType {
    /// MLIR's name.
    pub fn mlir_name(self) -> &'static str {
        match self {
            ElementType::Bf16 => "bf16",
            ElementType::F16 => "f16",
            ElementType::F32 => "f32",
            ElementType::I32 => "i32",
            ElementType::I8 => "i8",
            ElementType::I1 => "i1",
        }
    }

    /// Whether elements are floating-point numbers.
    pub fn is_float(self) -> bool {
        match self {
            ElementType::Bf16 | ElementType::F16 | ElementType::F32 => true,
            ElementType::I32 | ElementType::I8 | ElementType::I1 => false,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mlir_name())
    }
}

/// As MLIR writes it: `tensor<1x128xi32>`.
impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for dimension in &self.shape {
            write!(f, "{dimension}x")?;
        }
        write!(f, "{}>", self.element_type)
    }
}

/// As MLIR writes it: `tensor<1x128xi32>`, `i32`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(element_type) => element_type.fmt(f),
            Type::Tensor(tensor) => tensor.fmt(f),
        }
    }
}
