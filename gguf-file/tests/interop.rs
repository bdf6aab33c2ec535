//! Files that the Python package `gguf` wrote: read, and written again byte for byte.
//! `make_file_fixtures.py` made them.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking too")]

use std::path::Path;

use gguf_file::{BlockFormat, Endian, FileSource, Gguf, GgufBuilder, ReadAt, Value, ValueArray};

fn fixture(name: &str) -> FileSource {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    FileSource::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn bytes(source: &dyn ReadAt, offset: u64, len: u64) -> Vec<u8> {
    let mut bytes = vec![0; len as usize];
    source.read_at(offset, &mut bytes).unwrap();
    bytes
}

fn decoded(gguf: &Gguf, source: &dyn ReadAt, name: &str) -> Vec<f32> {
    let tensor = gguf.tensor(name).unwrap();
    let mut values = vec![0.0; tensor.elements() as usize];
    let blocks = bytes(source, tensor.offset(), tensor.size_bytes());
    tensor.format().decode_endian(gguf.endian(), &blocks, &mut values).unwrap();
    values
}

fn check_content(gguf: &Gguf) {
    let metadata = gguf.metadata();
    let value = |key: &str| metadata.get(key).unwrap();
    assert_eq!(metadata.iter().next(), Some(("general.architecture", &Value::from("llama"))));
    assert_eq!(value("a.u8"), &Value::U8(200));
    assert_eq!(value("a.i8"), &Value::I8(-100));
    assert_eq!(value("a.u16"), &Value::U16(60_000));
    assert_eq!(value("a.i16"), &Value::I16(-30_000));
    assert_eq!(value("a.u32"), &Value::U32(4_000_000_000));
    assert_eq!(value("a.i32"), &Value::I32(-2_000_000_000));
    assert_eq!(value("a.f32"), &Value::F32(0.1));
    assert_eq!(value("a.u64"), &Value::U64(1 << 63));
    assert_eq!(value("a.i64"), &Value::I64(-(1 << 62)));
    assert_eq!(value("a.f64"), &Value::F64(0.1));
    assert_eq!(value("a.bool"), &Value::Bool(true));
    assert_eq!(value("a.string"), &Value::from("grüß dich, 世界"));
    let strings = ["", "one", "Ġtwo"].map(str::to_owned).to_vec();
    assert_eq!(value("b.strings"), &Value::Array(ValueArray::Strings(strings)));
    assert_eq!(value("b.bools"), &Value::Array(ValueArray::Bool(vec![true, false])));
    assert_eq!(value("b.u16s"), &Value::Array(ValueArray::U16(vec![1, 500, 65_535])));
    assert_eq!(value("b.i32s"), &Value::Array(ValueArray::I32(vec![-1, 0, 1])));
    assert_eq!(value("b.f32s"), &Value::Array(ValueArray::F32(vec![0.5, -2.0])));
    let matrix = gguf.tensor("matrix.weight").unwrap();
    assert_eq!((matrix.dims(), matrix.format()), ([16, 4].as_slice(), BlockFormat::F32));
    let half = gguf.tensor("half.weight").unwrap();
    assert_eq!((half.dims(), half.format()), ([5, 2].as_slice(), BlockFormat::F16));
}

fn counting_up(count: u16) -> Vec<f32> {
    (0..count).map(f32::from).collect()
}

#[test]
fn a_little_endian_file() {
    let source = fixture("small.gguf");
    let gguf = Gguf::open(&source).unwrap();
    check_content(&gguf);
    assert_eq!((gguf.endian(), gguf.version(), gguf.alignment()), (Endian::Little, 3, 64));
    assert_eq!(decoded(&gguf, &source, "norm.weight"), [0.0, 1.0, 2.0]);
    assert_eq!(decoded(&gguf, &source, "matrix.weight"), counting_up(64));
    assert_eq!(decoded(&gguf, &source, "half.weight"), counting_up(10));
    let packed = gguf.tensor("packed.weight").unwrap();
    assert_eq!((packed.dims(), packed.format()), ([64, 2].as_slice(), BlockFormat::Q4_1));
    let expected: Vec<u8> = (0..80).collect();
    assert_eq!(bytes(&source, packed.offset(), packed.size_bytes()), expected);
}

#[test]
fn a_big_endian_file() {
    let source = fixture("small-big-endian.gguf");
    let gguf = Gguf::open(&source).unwrap();
    check_content(&gguf);
    assert_eq!((gguf.endian(), gguf.version(), gguf.alignment()), (Endian::Big, 3, 64));
    assert_eq!(decoded(&gguf, &source, "matrix.weight"), counting_up(64));
    assert_eq!(decoded(&gguf, &source, "half.weight"), counting_up(10));
}

#[test]
fn a_split_model_in_either_order() {
    let first = fixture("small-00001-of-00002.gguf");
    let second = fixture("small-00002-of-00002.gguf");
    for sources in [[&first as &dyn ReadAt, &second], [&second, &first]] {
        let gguf = Gguf::open_split(&sources).unwrap();
        check_content(&gguf);
        let names: Vec<&str> = gguf.tensors().iter().map(gguf_file::TensorInfo::name).collect();
        assert_eq!(names, ["norm.weight", "matrix.weight", "half.weight", "packed.weight"]);
        let read = |name: &str| decoded(&gguf, sources[gguf.tensor(name).unwrap().shard()], name);
        assert_eq!(read("matrix.weight"), counting_up(64));
        assert_eq!(read("half.weight"), counting_up(10));
    }
}

#[test]
fn what_is_read_is_written_again_byte_for_byte() {
    let names =
        ["small.gguf", "small-big-endian.gguf", "small-00001-of-00002.gguf", "small-00002-of-00002.gguf"];
    for name in names {
        let source = fixture(name);
        let gguf = Gguf::open_part(&source).unwrap();
        let mut builder = GgufBuilder::new().endian(gguf.endian());
        builder.set_all(gguf.metadata()).unwrap();
        for tensor in gguf.tensors() {
            builder.declare(tensor.name(), tensor.dims(), tensor.format()).unwrap();
        }
        let mut writer = builder.write_header(Vec::new()).unwrap();
        for tensor in gguf.tensors() {
            writer.write(&bytes(&source, tensor.offset(), tensor.size_bytes())).unwrap();
        }
        assert_eq!(writer.finish().unwrap(), bytes(&source, 0, source.len()), "{name}");
    }
}
