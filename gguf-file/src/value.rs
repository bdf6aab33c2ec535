//! Metadata values: the thirteen types of the format, arrays typed by their elements.
//!
//! Strings are UTF-8 by the format's word, but vocabularies in the wild hold tokens that are not. Such a
//! string is kept as it is, as [`Value::Bytes`], and an array with one such string as [`ValueArray::Bytes`]:
//! nothing is lost, and whoever asks for text gets text or an error.

use std::fmt;

/// The types of metadata values, with the numbers that files use for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ValueType {
    /// `u8`
    U8 = 0,
    /// `i8`
    I8 = 1,
    /// `u16`
    U16 = 2,
    /// `i16`
    I16 = 3,
    /// `u32`
    U32 = 4,
    /// `i32`
    I32 = 5,
    /// `f32`
    F32 = 6,
    /// A byte that is 0 or 1.
    Bool = 7,
    /// A length and as many bytes, UTF-8 if the writer was careful.
    String = 8,
    /// An element type, a count and as many elements.
    Array = 9,
    /// `u64`
    U64 = 10,
    /// `i64`
    I64 = 11,
    /// `f64`
    F64 = 12,
}

impl ValueType {
    /// Every type, in the order of the numbers.
    pub const ALL: [ValueType; 13] = [
        ValueType::U8,
        ValueType::I8,
        ValueType::U16,
        ValueType::I16,
        ValueType::U32,
        ValueType::I32,
        ValueType::F32,
        ValueType::Bool,
        ValueType::String,
        ValueType::Array,
        ValueType::U64,
        ValueType::I64,
        ValueType::F64,
    ];

    /// The type that files call `number`.
    pub fn from_number(number: u32) -> Option<Self> {
        ValueType::ALL.into_iter().find(|ty| ty.number() == number)
    }

    /// The number that files use.
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The least bytes that a value of this type takes in a file.
    pub(crate) fn min_bytes(self) -> u64 {
        match self {
            ValueType::U8 | ValueType::I8 | ValueType::Bool => 1,
            ValueType::U16 | ValueType::I16 => 2,
            ValueType::U32 | ValueType::I32 | ValueType::F32 => 4,
            ValueType::U64 | ValueType::I64 | ValueType::F64 | ValueType::String => 8,
            ValueType::Array => 12,
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueType::U8 => "u8",
            ValueType::I8 => "i8",
            ValueType::U16 => "u16",
            ValueType::I16 => "i16",
            ValueType::U32 => "u32",
            ValueType::I32 => "i32",
            ValueType::F32 => "f32",
            ValueType::Bool => "bool",
            ValueType::String => "string",
            ValueType::Array => "array",
            ValueType::U64 => "u64",
            ValueType::I64 => "i64",
            ValueType::F64 => "f64",
        })
    }
}

/// A metadata value.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each variant is the type it is named after")]
pub enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    String(String),
    /// A string that isn't UTF-8.
    Bytes(Vec<u8>),
    Array(ValueArray),
    U64(u64),
    I64(i64),
    F64(f64),
}

/// An array of metadata values, all of one type.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each variant is the type it is named after")]
pub enum ValueArray {
    U8(Vec<u8>),
    I8(Vec<i8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    Bool(Vec<bool>),
    Strings(Vec<String>),
    /// Strings, at least one of which isn't UTF-8.
    Bytes(Vec<Vec<u8>>),
    Arrays(Vec<ValueArray>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F64(Vec<f64>),
}

impl Value {
    /// The type that a file gives it.
    pub fn value_type(&self) -> ValueType {
        match self {
            Value::U8(_) => ValueType::U8,
            Value::I8(_) => ValueType::I8,
            Value::U16(_) => ValueType::U16,
            Value::I16(_) => ValueType::I16,
            Value::U32(_) => ValueType::U32,
            Value::I32(_) => ValueType::I32,
            Value::F32(_) => ValueType::F32,
            Value::Bool(_) => ValueType::Bool,
            Value::String(_) | Value::Bytes(_) => ValueType::String,
            Value::Array(_) => ValueType::Array,
            Value::U64(_) => ValueType::U64,
            Value::I64(_) => ValueType::I64,
            Value::F64(_) => ValueType::F64,
        }
    }

    /// Any integer type, widened without loss.
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Value::U8(v) => Some(i128::from(*v)),
            Value::I8(v) => Some(i128::from(*v)),
            Value::U16(v) => Some(i128::from(*v)),
            Value::I16(v) => Some(i128::from(*v)),
            Value::U32(v) => Some(i128::from(*v)),
            Value::I32(v) => Some(i128::from(*v)),
            Value::U64(v) => Some(i128::from(*v)),
            Value::I64(v) => Some(i128::from(*v)),
            Value::F32(_)
            | Value::Bool(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Array(_)
            | Value::F64(_) => None,
        }
    }

    /// Either float type, widened without loss.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::F32(v) => Some(f64::from(*v)),
            Value::F64(v) => Some(*v),
            _ => None,
        }
    }

    /// A bool.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(v) => Some(*v),
            _ => None,
        }
    }

    /// A string that is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(v) => Some(v),
            _ => None,
        }
    }

    /// An array.
    pub fn as_array(&self) -> Option<&ValueArray> {
        match self {
            Value::Array(v) => Some(v),
            _ => None,
        }
    }
}

impl ValueArray {
    /// The type that a file gives to the elements.
    pub fn element_type(&self) -> ValueType {
        match self {
            ValueArray::U8(_) => ValueType::U8,
            ValueArray::I8(_) => ValueType::I8,
            ValueArray::U16(_) => ValueType::U16,
            ValueArray::I16(_) => ValueType::I16,
            ValueArray::U32(_) => ValueType::U32,
            ValueArray::I32(_) => ValueType::I32,
            ValueArray::F32(_) => ValueType::F32,
            ValueArray::Bool(_) => ValueType::Bool,
            ValueArray::Strings(_) | ValueArray::Bytes(_) => ValueType::String,
            ValueArray::Arrays(_) => ValueType::Array,
            ValueArray::U64(_) => ValueType::U64,
            ValueArray::I64(_) => ValueType::I64,
            ValueArray::F64(_) => ValueType::F64,
        }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        match self {
            ValueArray::U8(v) => v.len(),
            ValueArray::I8(v) => v.len(),
            ValueArray::U16(v) => v.len(),
            ValueArray::I16(v) => v.len(),
            ValueArray::U32(v) => v.len(),
            ValueArray::I32(v) => v.len(),
            ValueArray::F32(v) => v.len(),
            ValueArray::Bool(v) => v.len(),
            ValueArray::Strings(v) => v.len(),
            ValueArray::Bytes(v) => v.len(),
            ValueArray::Arrays(v) => v.len(),
            ValueArray::U64(v) => v.len(),
            ValueArray::I64(v) => v.len(),
            ValueArray::F64(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements as another integer type, if they are integers and all of them fit.
    pub fn to_integers<T>(&self) -> Option<Vec<T>>
    where
        T: TryFrom<u8> + TryFrom<i8> + TryFrom<u16> + TryFrom<i16>,
        T: TryFrom<u32> + TryFrom<i32> + TryFrom<u64> + TryFrom<i64>,
    {
        fn all<S: Copy, T: TryFrom<S>>(from: &[S]) -> Option<Vec<T>> {
            from.iter().map(|v| T::try_from(*v).ok()).collect()
        }
        match self {
            ValueArray::U8(v) => all(v),
            ValueArray::I8(v) => all(v),
            ValueArray::U16(v) => all(v),
            ValueArray::I16(v) => all(v),
            ValueArray::U32(v) => all(v),
            ValueArray::I32(v) => all(v),
            ValueArray::U64(v) => all(v),
            ValueArray::I64(v) => all(v),
            ValueArray::F32(_)
            | ValueArray::Bool(_)
            | ValueArray::Strings(_)
            | ValueArray::Bytes(_)
            | ValueArray::Arrays(_)
            | ValueArray::F64(_) => None,
        }
    }
}

macro_rules! value_from {
    ($($variant:ident: $ty:ty),* $(,)?) => {
        $(impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                Value::$variant(value)
            }
        })*
    };
}
value_from!(
    U8: u8, I8: i8, U16: u16, I16: i16, U32: u32, I32: i32, F32: f32, Bool: bool, String: String,
    Array: ValueArray, U64: u64, I64: i64, F64: f64,
);

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::String(value.to_owned())
    }
}

macro_rules! array_from {
    ($($variant:ident: $ty:ty),* $(,)?) => {
        $(impl From<Vec<$ty>> for ValueArray {
            fn from(values: Vec<$ty>) -> Self {
                ValueArray::$variant(values)
            }
        }
        impl From<Vec<$ty>> for Value {
            fn from(values: Vec<$ty>) -> Self {
                Value::Array(ValueArray::$variant(values))
            }
        })*
    };
}
array_from!(
    U8: u8, I8: i8, U16: u16, I16: i16, U32: u32, I32: i32, F32: f32, Bool: bool, Strings: String,
    Arrays: ValueArray, U64: u64, I64: i64, F64: f64,
);
