//! Element types and the Rust types that hold them.

use std::fmt;

/// The type of a view's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ElementType {
    F64,
    F32,
    F16,
    Bf16,
    I64,
    I32,
    I16,
    I8,
    U8,
    /// A truth value in a byte, 0 or 1.
    I1,
    /// Another one, by IREE's number for it. Such views can be passed on and read as bytes.
    Other(u32),
}

/// IREE's number of a type: what kind of number it is, and how many bits it has.
const fn iree_number(kind: u32, bits: u32) -> u32 {
    kind << 24 | bits
}

const SIGNLESS: u32 = 0x10;
const SIGNED: u32 = 0x11;
const UNSIGNED: u32 = 0x12;
const BOOLEAN: u32 = 0x13;
const IEEE: u32 = 0x21;
const BRAIN: u32 = 0x22;

impl ElementType {
    /// The compiler's integers have no sign of their own, so ours have none either; views that say "signed" are the same
    /// to us.
    pub(crate) fn from_iree(number: u32) -> Self {
        match (number >> 24, number & 0x00FF_FFFF) {
            (IEEE, 64) => Self::F64,
            (IEEE, 32) => Self::F32,
            (IEEE, 16) => Self::F16,
            (BRAIN, 16) => Self::Bf16,
            (SIGNLESS | SIGNED, 64) => Self::I64,
            (SIGNLESS | SIGNED, 32) => Self::I32,
            (SIGNLESS | SIGNED, 16) => Self::I16,
            (SIGNLESS | SIGNED, 8) => Self::I8,
            (UNSIGNED, 8) => Self::U8,
            (BOOLEAN, 8) => Self::I1,
            _ => Self::Other(number),
        }
    }

    pub(crate) fn to_iree(self) -> u32 {
        match self {
            Self::F64 => iree_number(IEEE, 64),
            Self::F32 => iree_number(IEEE, 32),
            Self::F16 => iree_number(IEEE, 16),
            Self::Bf16 => iree_number(BRAIN, 16),
            Self::I64 => iree_number(SIGNLESS, 64),
            Self::I32 => iree_number(SIGNLESS, 32),
            Self::I16 => iree_number(SIGNLESS, 16),
            Self::I8 => iree_number(SIGNLESS, 8),
            Self::U8 => iree_number(UNSIGNED, 8),
            Self::I1 => iree_number(BOOLEAN, 8),
            Self::Other(number) => number,
        }
    }

    /// Bytes of one element, if it is a whole number of them.
    #[must_use]
    pub fn size(self) -> Option<usize> {
        let bits = self.to_iree() & 0xFF;
        (bits > 0 && bits.is_multiple_of(8)).then_some(bits as usize / 8)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I64 => "i64",
            Self::I32 => "i32",
            Self::I16 => "i16",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I1 => "i1",
            Self::Other(number) => return write!(f, "IREE's element type {number:#010x}"),
        })
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type whose values lie in a buffer as they lie in a slice.
pub trait Element: bytemuck::Pod + sealed::Sealed {
    /// The element type that a view made from such values has.
    const TYPE: ElementType;

    /// Whether elements of the type can be read as such values.
    fn reads(element_type: ElementType) -> bool {
        element_type == Self::TYPE
    }
}

macro_rules! element {
    ($($rust:ty => $variant:ident),+ $(,)?) => {
        $(impl sealed::Sealed for $rust {}
        impl Element for $rust { const TYPE: ElementType = ElementType::$variant; })+
    };
}

element! {
    f64 => F64, f32 => F32, half::f16 => F16, half::bf16 => Bf16, i64 => I64, i32 => I32, i16 => I16,
}

impl sealed::Sealed for i8 {}
impl Element for i8 {
    const TYPE: ElementType = ElementType::I8;

    fn reads(element_type: ElementType) -> bool {
        matches!(element_type, ElementType::I8 | ElementType::U8)
    }
}

impl sealed::Sealed for u8 {}
impl Element for u8 {
    const TYPE: ElementType = ElementType::U8;

    /// The compiler forgets the sign of its bytes, and a truth value is a byte.
    fn reads(element_type: ElementType) -> bool {
        matches!(element_type, ElementType::I8 | ElementType::U8 | ElementType::I1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_irees_header() {
        for (element_type, number, size) in [
            (ElementType::F64, 0x2100_0040, 8),
            (ElementType::F32, 0x2100_0020, 4),
            (ElementType::F16, 0x2100_0010, 2),
            (ElementType::Bf16, 0x2200_0010, 2),
            (ElementType::I64, 0x1000_0040, 8),
            (ElementType::I32, 0x1000_0020, 4),
            (ElementType::I16, 0x1000_0010, 2),
            (ElementType::I8, 0x1000_0008, 1),
            (ElementType::U8, 0x1200_0008, 1),
            (ElementType::I1, 0x1300_0008, 1),
        ] {
            assert_eq!(element_type.to_iree(), number, "{element_type}");
            assert_eq!(ElementType::from_iree(number), element_type);
            assert_eq!(element_type.size(), Some(size));
        }
    }

    #[test]
    fn unknown_types_keep_their_number() {
        let four_bits = ElementType::from_iree(0x1000_0004);
        assert_eq!(four_bits, ElementType::Other(0x1000_0004));
        assert_eq!(four_bits.size(), None);
        assert_eq!(four_bits.to_string(), "IREE's element type 0x10000004");
    }
}
