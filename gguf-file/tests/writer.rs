//! What the writer refuses, and how streaming goes wrong.

use std::io::{self, Write};

use gguf_file::{BlockFormat, Error, Gguf, GgufBuilder, Value, ValueArray};

fn message<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => panic!("this must be refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn metadata_alone_is_a_file() {
    let mut builder = GgufBuilder::new();
    builder.set("general.architecture", "llama").unwrap().set("tokenizer.ggml.model", "gpt2").unwrap();
    let bytes = builder.write_to(Vec::new()).unwrap();
    let gguf = Gguf::open(&bytes).unwrap();
    assert_eq!(gguf.metadata().len(), 2);
    assert!(gguf.tensors().is_empty());
}

#[test]
fn metadata_of_another_file_is_written_as_a_builder_writes_it() {
    let mut builder = GgufBuilder::new();
    builder.set("general.architecture", "llama").unwrap();
    builder.set("general.alignment", 64_u32).unwrap();
    builder.set("other.count", 2_u16).unwrap();
    builder.set("tokenizer.ggml.tokens", ValueArray::Strings(vec!["a".to_owned(), "bc".to_owned()])).unwrap();
    let whole = builder.write_to(Vec::new()).unwrap();
    let gguf = Gguf::open(&whole).unwrap();
    assert_eq!(GgufBuilder::metadata_file(gguf.metadata(), |_| true).unwrap(), whole);
    let some = GgufBuilder::metadata_file(gguf.metadata(), |key| !key.starts_with("other.")).unwrap();
    let some = Gguf::open(&some).unwrap();
    let keys: Vec<&str> = some.metadata().iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["general.architecture", "general.alignment", "tokenizer.ggml.tokens"]);
}

#[test]
fn what_could_not_be_read_is_not_written() {
    let mut builder = GgufBuilder::new();
    assert_eq!(message(builder.set("", 1_u32)), "metadata \"\": empty");
    builder.set("k", 1_u32).unwrap();
    assert_eq!(message(builder.set("k", 2_u32)), "metadata \"k\": there twice");
    let expected =
        "metadata \"general.alignment\": 24 is not an alignment: it must be a power of two up to 1048576";
    assert_eq!(message(builder.set("general.alignment", 24_u32)), expected);
    let expected = "metadata \"general.alignment\": u64 instead of u32";
    assert_eq!(message(builder.set("general.alignment", 32_u64)), expected);
    builder.set("general.alignment", 32_u32).unwrap();
    let deep = (0..4).fold(ValueArray::U8(vec![]), |inner, _| ValueArray::Arrays(vec![inner]));
    assert_eq!(
        message(builder.set("deep", Value::Array(deep))),
        "metadata \"deep\": arrays are nested more than 4 deep"
    );

    let f32s = BlockFormat::F32;
    assert_eq!(message(builder.declare("", &[1], f32s)), "tensor \"\": empty");
    assert_eq!(
        message(builder.declare("t", &[], f32s)),
        "tensor \"t\", dimension count: 0 dimensions: there must be 1 to 4"
    );
    let expected = "tensor \"t\", dimension 1: zero, and every dimension must be at least 1";
    assert_eq!(message(builder.declare("t", &[1, 0], f32s)), expected);
    let expected = "tensor \"t\", dimension 0: 33 is not a multiple of 32, the elements of a Q8_0 block";
    assert_eq!(message(builder.declare("t", &[33], BlockFormat::Q8_0)), expected);
    let expected = "tensor \"t\", dimensions: the tensor's size overflows";
    assert_eq!(message(builder.declare("t", &[1 << 40, 1 << 40], f32s)), expected);
    let expected = "tensor \"t\", data: 5 bytes were given and the tensor takes 4";
    assert_eq!(message(builder.tensor("t", &[1], f32s, [0; 5])), expected);
    builder.declare("t", &[1], f32s).unwrap();
    assert_eq!(message(builder.declare("t", &[1], f32s)), "tensor \"t\": there twice");
}

#[test]
fn data_that_does_not_fit_its_tensor() {
    let mut builder = GgufBuilder::new();
    builder.declare("a", &[2], BlockFormat::F32).unwrap().declare("b", &[1], BlockFormat::F32).unwrap();
    let mut writer = builder.write_header(Vec::new()).unwrap();
    writer.write(&[0; 5]).unwrap();
    assert_eq!(writer.next_tensor(), Some(("a", 3)));
    let expected = "tensor \"a\", data: 9 bytes were given and the tensor takes 8";
    assert_eq!(message(writer.write(&[0; 4])), expected);
    writer.write(&[0; 3]).unwrap();
    assert_eq!(writer.next_tensor(), Some(("b", 4)));
    assert_eq!(message(writer.finish()), "tensor \"b\", data: 0 bytes were given and the tensor takes 4");

    let mut writer = GgufBuilder::new().write_header(Vec::new()).unwrap();
    assert_eq!(message(writer.write(&[0])), "tensor count: all tensors have their data already");
}

#[test]
fn a_tensor_declared_without_data_is_not_written_whole() {
    let mut builder = GgufBuilder::new();
    builder.declare("a", &[1], BlockFormat::F32).unwrap();
    builder.tensor("b", &[1], BlockFormat::F32, [0; 4]).unwrap();
    let expected = "tensor \"a\", data: 0 bytes were given and the tensor takes 4";
    assert_eq!(message(builder.write_to(Vec::new())), expected);
}

/// Takes so many bytes and no more.
struct FullDisk(usize);

impl Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_named_with_the_tensor() {
    let mut builder = GgufBuilder::new();
    builder.tensor("a", &[256], BlockFormat::F32, [1; 1024]).unwrap();
    let expected = "tensor \"a\", data: cannot be written: no storage space";
    assert_eq!(message(builder.write_to(FullDisk(600))), expected);
    assert_eq!(message(builder.write_to(FullDisk(10))), "magic: cannot be written: no storage space");
}
