//! Reads metadata values from a [`Cursor`].

use crate::cursor::Cursor;
use crate::endian::Endian;
use crate::error::{Error, ErrorKind};
use crate::limits::{MAX_ARRAY_DEPTH, MAX_ARRAY_ELEMENTS, MAX_STRING_BYTES};
use crate::place::{Field, ValuePart};
use crate::value::{Value, ValueArray, ValueType};

/// Elements read at once from an array of numbers: bounds what the cursor has to buffer.
const NUMBERS_AT_ONCE: usize = 16 << 10;

/// Reads a type and a value of that type.
pub(crate) fn read_value(cursor: &mut Cursor<'_>, key: &str) -> Result<Value, Error> {
    let ty = read_type(cursor, key, ValuePart::Type)?;
    let offset = cursor.position();
    let content = || field(key, ValuePart::Content);
    Ok(match ty {
        ValueType::Array => Value::Array(read_array(cursor, key, 1)?),
        ValueType::String => match read_string(cursor, key)? {
            Ok(text) => Value::String(text),
            Err(bytes) => Value::Bytes(bytes),
        },
        ValueType::Bool => match cursor.take(1, content)? {
            [0] => Value::Bool(false),
            [1] => Value::Bool(true),
            other => {
                let byte = other.first().copied().unwrap_or_default();
                return Err(cursor.error_at(offset, content(), ErrorKind::BadBool { byte }));
            }
        },
        ValueType::U8 => Value::U8(cursor.scalar(content)?),
        ValueType::I8 => Value::I8(cursor.scalar(content)?),
        ValueType::U16 => Value::U16(cursor.scalar(content)?),
        ValueType::I16 => Value::I16(cursor.scalar(content)?),
        ValueType::U32 => Value::U32(cursor.scalar(content)?),
        ValueType::I32 => Value::I32(cursor.scalar(content)?),
        ValueType::F32 => Value::F32(cursor.scalar(content)?),
        ValueType::U64 => Value::U64(cursor.scalar(content)?),
        ValueType::I64 => Value::I64(cursor.scalar(content)?),
        ValueType::F64 => Value::F64(cursor.scalar(content)?),
    })
}

fn field(key: &str, part: ValuePart) -> Field {
    Field::Value { key: key.to_owned(), part }
}

fn read_type(cursor: &mut Cursor<'_>, key: &str, part: ValuePart) -> Result<ValueType, Error> {
    let offset = cursor.position();
    let number = cursor.u32(|| field(key, part))?;
    match ValueType::from_number(number) {
        Some(ty) => Ok(ty),
        None => Err(cursor.error_at(offset, field(key, part), ErrorKind::UnknownValueType { number })),
    }
}

/// Text, or the bytes if they aren't UTF-8.
fn read_string(cursor: &mut Cursor<'_>, key: &str) -> Result<Result<String, Vec<u8>>, Error> {
    let bytes = cursor.string_bytes(
        MAX_STRING_BYTES,
        || field(key, ValuePart::Length),
        || field(key, ValuePart::Content),
    )?;
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(bytes.to_owned()),
    })
}

fn read_array(cursor: &mut Cursor<'_>, key: &str, depth: u32) -> Result<ValueArray, Error> {
    let offset = cursor.position();
    let element = read_type(cursor, key, ValuePart::ElementType)?;
    if element == ValueType::Array && depth >= MAX_ARRAY_DEPTH {
        let kind = ErrorKind::NestedTooDeep { limit: MAX_ARRAY_DEPTH };
        return Err(cursor.error_at(offset, field(key, ValuePart::ElementType), kind));
    }
    let count = cursor.count(element.min_bytes(), MAX_ARRAY_ELEMENTS, || field(key, ValuePart::Count))?;
    Ok(match element {
        ValueType::Array => {
            let mut arrays = Vec::new();
            for _ in 0..count {
                arrays.push(read_array(cursor, key, depth.saturating_add(1))?);
            }
            ValueArray::Arrays(arrays)
        }
        ValueType::String => read_strings(cursor, key, count)?,
        ValueType::Bool => ValueArray::Bool(read_bools(cursor, key, count)?),
        ValueType::U8 => ValueArray::U8(read_numbers(cursor, key, count)?),
        ValueType::I8 => ValueArray::I8(read_numbers(cursor, key, count)?),
        ValueType::U16 => ValueArray::U16(read_numbers(cursor, key, count)?),
        ValueType::I16 => ValueArray::I16(read_numbers(cursor, key, count)?),
        ValueType::U32 => ValueArray::U32(read_numbers(cursor, key, count)?),
        ValueType::I32 => ValueArray::I32(read_numbers(cursor, key, count)?),
        ValueType::F32 => ValueArray::F32(read_numbers(cursor, key, count)?),
        ValueType::U64 => ValueArray::U64(read_numbers(cursor, key, count)?),
        ValueType::I64 => ValueArray::I64(read_numbers(cursor, key, count)?),
        ValueType::F64 => ValueArray::F64(read_numbers(cursor, key, count)?),
    })
}

/// Strings as text for as long as they are text; the first one that isn't turns all of them into bytes.
fn read_strings(cursor: &mut Cursor<'_>, key: &str, count: usize) -> Result<ValueArray, Error> {
    let mut texts = Vec::new();
    let mut raw: Option<Vec<Vec<u8>>> = None;
    for _ in 0..count {
        match (read_string(cursor, key)?, &mut raw) {
            (Ok(text), None) => texts.push(text),
            (Ok(text), Some(raw)) => raw.push(text.into_bytes()),
            (Err(bytes), Some(raw)) => raw.push(bytes),
            (Err(bytes), None) => {
                let mut so_far: Vec<Vec<u8>> = texts.drain(..).map(String::into_bytes).collect();
                so_far.push(bytes);
                raw = Some(so_far);
            }
        }
    }
    Ok(match raw {
        Some(raw) => ValueArray::Bytes(raw),
        None => ValueArray::Strings(texts),
    })
}

fn read_bools(cursor: &mut Cursor<'_>, key: &str, count: usize) -> Result<Vec<bool>, Error> {
    let start = cursor.position();
    let bytes: Vec<u8> = read_numbers(cursor, key, count)?;
    match bytes.iter().position(|byte| *byte > 1) {
        None => Ok(bytes.iter().map(|byte| *byte == 1).collect()),
        Some(index) => {
            let byte = bytes.get(index).copied().unwrap_or_default();
            let offset = start.saturating_add(index as u64);
            let place = field(key, ValuePart::Content);
            Err(cursor.error_at(offset, place, ErrorKind::BadBool { byte }))
        }
    }
}

fn read_numbers<T: Scalar>(cursor: &mut Cursor<'_>, key: &str, count: usize) -> Result<Vec<T>, Error> {
    // `count` times the element's size was compared with the bytes left in the file.
    let mut numbers = Vec::with_capacity(count);
    let endian = cursor.endian;
    while numbers.len() < count {
        let now = usize::min(NUMBERS_AT_ONCE, count.saturating_sub(numbers.len()));
        let bytes = cursor.take(now.saturating_mul(T::BYTES), || field(key, ValuePart::Content))?;
        T::extend(&mut numbers, bytes, endian);
    }
    Ok(numbers)
}

/// Numbers of a fixed size in a file.
pub(crate) trait Scalar: Sized + Default + Copy {
    const BYTES: usize;
    fn extend(numbers: &mut Vec<Self>, bytes: &[u8], endian: Endian);
}

macro_rules! scalar {
    ($($ty:ty),*) => {
        $(impl Scalar for $ty {
            const BYTES: usize = size_of::<$ty>();

            fn extend(numbers: &mut Vec<Self>, bytes: &[u8], endian: Endian) {
                let (chunks, _) = bytes.as_chunks();
                match endian {
                    Endian::Little => numbers.extend(chunks.iter().map(|c| <$ty>::from_le_bytes(*c))),
                    Endian::Big => numbers.extend(chunks.iter().map(|c| <$ty>::from_be_bytes(*c))),
                }
            }
        })*
    };
}
scalar!(u8, i8, u16, i16, u32, i32, f32, u64, i64, f64);

impl Cursor<'_> {
    fn scalar<T: Scalar>(&mut self, field: impl Fn() -> Field) -> Result<T, Error> {
        let endian = self.endian;
        let mut one = Vec::with_capacity(1);
        T::extend(&mut one, self.take(T::BYTES, field)?, endian);
        Ok(one.first().copied().unwrap_or_default())
    }
}
