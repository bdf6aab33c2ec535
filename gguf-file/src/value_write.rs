//! Writes metadata values as [`crate::value_read`] reads them.

use crate::endian::Endian;
use crate::value::{Value, ValueArray};

macro_rules! put {
    ($bytes:expr, $endian:expr, $number:expr) => {
        match $endian {
            Endian::Little => $bytes.extend_from_slice(&$number.to_le_bytes()),
            Endian::Big => $bytes.extend_from_slice(&$number.to_be_bytes()),
        }
    };
}

macro_rules! put_all {
    ($bytes:expr, $endian:expr, $numbers:expr) => {
        for number in $numbers {
            put!($bytes, $endian, number);
        }
    };
}

impl Endian {
    pub(crate) fn put_u32(self, bytes: &mut Vec<u8>, number: u32) {
        put!(bytes, self, number);
    }

    pub(crate) fn put_u64(self, bytes: &mut Vec<u8>, number: u64) {
        put!(bytes, self, number);
    }

    /// A length, then as many bytes.
    pub(crate) fn put_bytes(self, bytes: &mut Vec<u8>, text: &[u8]) {
        self.put_u64(bytes, text.len() as u64);
        bytes.extend_from_slice(text);
    }
}

/// A type and a value of that type.
pub(crate) fn write_value(bytes: &mut Vec<u8>, endian: Endian, value: &Value) {
    endian.put_u32(bytes, value.value_type().number());
    match value {
        Value::U8(v) => bytes.push(*v),
        Value::I8(v) => put!(bytes, endian, v),
        Value::U16(v) => put!(bytes, endian, v),
        Value::I16(v) => put!(bytes, endian, v),
        Value::U32(v) => put!(bytes, endian, v),
        Value::I32(v) => put!(bytes, endian, v),
        Value::F32(v) => put!(bytes, endian, v),
        Value::Bool(v) => bytes.push(u8::from(*v)),
        Value::String(v) => endian.put_bytes(bytes, v.as_bytes()),
        Value::Bytes(v) => endian.put_bytes(bytes, v),
        Value::Array(v) => write_array(bytes, endian, v),
        Value::U64(v) => put!(bytes, endian, v),
        Value::I64(v) => put!(bytes, endian, v),
        Value::F64(v) => put!(bytes, endian, v),
    }
}

fn write_array(bytes: &mut Vec<u8>, endian: Endian, array: &ValueArray) {
    endian.put_u32(bytes, array.element_type().number());
    endian.put_u64(bytes, array.len() as u64);
    match array {
        ValueArray::U8(v) => bytes.extend_from_slice(v),
        ValueArray::I8(v) => put_all!(bytes, endian, v),
        ValueArray::U16(v) => put_all!(bytes, endian, v),
        ValueArray::I16(v) => put_all!(bytes, endian, v),
        ValueArray::U32(v) => put_all!(bytes, endian, v),
        ValueArray::I32(v) => put_all!(bytes, endian, v),
        ValueArray::F32(v) => put_all!(bytes, endian, v),
        ValueArray::Bool(v) => bytes.extend(v.iter().map(|v| u8::from(*v))),
        ValueArray::Strings(v) => v.iter().for_each(|v| endian.put_bytes(bytes, v.as_bytes())),
        ValueArray::Bytes(v) => v.iter().for_each(|v| endian.put_bytes(bytes, v)),
        ValueArray::Arrays(v) => v.iter().for_each(|v| write_array(bytes, endian, v)),
        ValueArray::U64(v) => put_all!(bytes, endian, v),
        ValueArray::I64(v) => put_all!(bytes, endian, v),
        ValueArray::F64(v) => put_all!(bytes, endian, v),
    }
}
