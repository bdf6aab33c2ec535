//! Whatever can be written is read back the same, and no spoilt byte of it makes the reader panic.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking too")]

use gguf_file::{BlockFormat, Endian, Gguf, GgufBuilder, Value, ValueArray};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Tensor {
    dims: Vec<u64>,
    format: BlockFormat,
    seed: u8,
}

impl Tensor {
    fn data(&self) -> Vec<u8> {
        let elements = self.dims.iter().product();
        let bytes = self.format.size_bytes(elements).expect("rows of whole blocks");
        (0..bytes).map(|i| (i as u8).wrapping_mul(31).wrapping_add(self.seed)).collect()
    }
}

#[derive(Clone, Debug)]
struct Model {
    endian: Endian,
    old: bool,
    alignment: Option<u32>,
    values: Vec<Value>,
    tensors: Vec<Tensor>,
}

impl Model {
    fn builder(&self) -> GgufBuilder {
        let mut builder = GgufBuilder::new().endian(self.endian);
        if self.old {
            builder = builder.version_2();
        }
        for (index, value) in self.values.iter().enumerate() {
            builder.set(format!("key.{index}"), value.clone()).unwrap();
        }
        if let Some(alignment) = self.alignment {
            builder.set("general.alignment", alignment).unwrap();
        }
        builder
    }

    fn write(&self) -> Vec<u8> {
        let mut builder = self.builder();
        for (index, tensor) in self.tensors.iter().enumerate() {
            builder
                .tensor(format!("blk.{index}.weight"), &tensor.dims, tensor.format, tensor.data())
                .unwrap();
        }
        builder.write_to(Vec::new()).unwrap()
    }
}

/// Floats are never NaN, which equals nothing.
fn array() -> impl Strategy<Value = ValueArray> {
    let leaf = prop_oneof![
        vec(any::<u8>(), 0..9).prop_map(ValueArray::U8),
        vec(any::<i8>(), 0..9).prop_map(ValueArray::I8),
        vec(any::<u16>(), 0..9).prop_map(ValueArray::U16),
        vec(any::<i16>(), 0..9).prop_map(ValueArray::I16),
        vec(any::<u32>(), 0..9).prop_map(ValueArray::U32),
        vec(any::<i32>(), 0..9).prop_map(ValueArray::I32),
        vec(-1e30_f32..1e30, 0..9).prop_map(ValueArray::F32),
        vec(any::<bool>(), 0..9).prop_map(ValueArray::Bool),
        vec(".{0,8}", 0..9).prop_map(ValueArray::Strings),
        vec(any::<u64>(), 0..9).prop_map(ValueArray::U64),
        vec(any::<i64>(), 0..9).prop_map(ValueArray::I64),
        vec(-1e300_f64..1e300, 0..9).prop_map(ValueArray::F64),
        // At least one string that isn't UTF-8: otherwise it is read back as Strings, which it is.
        vec(vec(any::<u8>(), 0..9), 0..9).prop_map(|mut strings| {
            strings.push(vec![b'a', 0xff]);
            ValueArray::Bytes(strings)
        }),
    ];
    leaf.prop_recursive(3, 20, 3, |inner| vec(inner, 0..3).prop_map(ValueArray::Arrays))
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u8>().prop_map(Value::U8),
        any::<i8>().prop_map(Value::I8),
        any::<u16>().prop_map(Value::U16),
        any::<i16>().prop_map(Value::I16),
        any::<u32>().prop_map(Value::U32),
        any::<i32>().prop_map(Value::I32),
        (-1e30_f32..1e30).prop_map(Value::F32),
        any::<bool>().prop_map(Value::Bool),
        ".{0,40}".prop_map(Value::String),
        vec(any::<u8>(), 0..9).prop_map(|mut bytes| {
            bytes.push(0xff);
            Value::Bytes(bytes)
        }),
        any::<u64>().prop_map(Value::U64),
        any::<i64>().prop_map(Value::I64),
        (-1e300_f64..1e300).prop_map(Value::F64),
        array().prop_map(Value::Array),
    ]
}

fn tensor() -> impl Strategy<Value = Tensor> {
    let format = (0..BlockFormat::ALL.len()).prop_map(|index| BlockFormat::ALL[index]);
    (format, 1..4_u64, vec(1..4_u64, 0..4), any::<u8>()).prop_map(|(format, blocks, more, seed)| {
        let mut dims = vec![blocks * format.block_elements()];
        dims.extend(more);
        Tensor { dims, format, seed }
    })
}

fn model() -> impl Strategy<Value = Model> {
    let endian = prop_oneof![Just(Endian::Little), Just(Endian::Big)];
    let alignment = prop::option::of((0..9_u32).prop_map(|power| 1 << power));
    (endian, any::<bool>(), alignment, vec(value(), 0..8), vec(tensor(), 0..6)).prop_map(
        |(endian, old, alignment, values, tensors)| Model { endian, old, alignment, values, tensors },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(model in model()) {
        let bytes = model.write();
        let gguf = Gguf::open(&bytes).unwrap();
        prop_assert_eq!(gguf.endian(), model.endian);
        prop_assert_eq!(gguf.version(), if model.old { 2 } else { 3 });
        prop_assert_eq!(gguf.alignment(), u64::from(model.alignment.unwrap_or(32)));
        for (index, value) in model.values.iter().enumerate() {
            prop_assert_eq!(gguf.metadata().get(&format!("key.{index}")), Some(value));
        }
        let entries = model.values.len() + usize::from(model.alignment.is_some());
        prop_assert_eq!(gguf.metadata().len(), entries);
        prop_assert_eq!(gguf.tensors().len(), model.tensors.len());
        for (index, (read, written)) in gguf.tensors().iter().zip(&model.tensors).enumerate() {
            prop_assert_eq!(read.name(), format!("blk.{index}.weight"));
            prop_assert_eq!(read.dims(), &written.dims);
            prop_assert_eq!(read.format(), written.format);
            prop_assert_eq!(read.offset() % gguf.alignment(), 0);
            let range = read.offset() as usize..(read.offset() + read.size_bytes()) as usize;
            prop_assert_eq!(&bytes[range], written.data());
        }
        prop_assert_eq!(bytes.len() as u64 % gguf.alignment(), 0);
    }

    #[test]
    fn streaming_in_pieces_gives_the_same_bytes(model in model(), piece in 1..100_usize) {
        let mut builder = model.builder();
        for (index, tensor) in model.tensors.iter().enumerate() {
            builder.declare(format!("blk.{index}.weight"), &tensor.dims, tensor.format).unwrap();
        }
        let mut writer = builder.write_header(Vec::new()).unwrap();
        for tensor in &model.tensors {
            for chunk in tensor.data().chunks(piece) {
                writer.write(chunk).unwrap();
            }
        }
        prop_assert_eq!(writer.next_tensor(), None);
        prop_assert_eq!(writer.finish().unwrap(), model.write());
    }

    #[test]
    fn a_spoilt_file_is_refused_or_read_but_never_a_panic(
        model in model(),
        spots in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = model.write();
        for (spot, byte) in spots {
            let at = spot.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(gguf) = Gguf::open(&bytes) {
            for tensor in gguf.tensors() {
                let end = tensor.offset() + tensor.size_bytes();
                prop_assert!(end <= bytes.len() as u64);
            }
        }
    }

    #[test]
    fn random_bytes_after_a_good_start_are_never_a_panic(rest in vec(any::<u8>(), 0..300)) {
        let mut bytes = b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0".to_vec();
        bytes.extend(rest);
        // Read or refused, it comes back; a refusal has its place.
        if let Err(error) = Gguf::open(&bytes) {
            prop_assert!(error.to_string().contains(" at byte "), "{}", error);
        }
    }
}
