//! SmolLM2 as PyPI has it, read and decoded whole. Needs the model in the cache folder (`./dev test` puts it
//! there): where it is missing the test says so, and fails if `CI` is set.

use std::cell::Cell;
use std::path::PathBuf;

use gguf_file::{BlockFormat, Endian, FileSource, Gguf, ReadAt, ReadError, ValueArray};

#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
fn model() -> Option<FileSource> {
    let cache = std::env::var_os("STUDIO_CACHE").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
        Some(home?.join("lowering-studio"))
    });
    let path = cache?.join("models/SmolLM2-135M-Instruct.Q4_1.gguf");
    match FileSource::open(&path) {
        Ok(source) => Some(source),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{}: {error}", path.display());
            eprintln!("SKIPPED, as {} cannot be opened: {error}", path.display());
            None
        }
    }
}

/// Counts what is read.
struct Counting<'a> {
    source: &'a FileSource,
    bytes: Cell<u64>,
    reads: Cell<u32>,
}

impl ReadAt for Counting<'_> {
    fn len(&self) -> u64 {
        self.source.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        self.bytes.set(self.bytes.get() + buf.len() as u64);
        self.reads.set(self.reads.get() + 1);
        self.source.read_at(offset, buf)
    }
}

#[test]
fn the_header_is_what_gguf_py_reads() {
    let Some(source) = model() else { return };
    let gguf = Gguf::open(&source).unwrap();
    assert_eq!((gguf.version(), gguf.endian(), gguf.alignment()), (3, Endian::Little, 32));
    assert_eq!(gguf.data_offset(), 1_785_664);
    let metadata = gguf.metadata();
    assert_eq!(metadata.len(), 33);
    assert_eq!(metadata.iter().next().unwrap().0, "general.architecture");
    assert_eq!(metadata.str("general.architecture").unwrap(), "llama");
    assert_eq!(metadata.u32("llama.context_length").unwrap(), 8192);
    assert_eq!(metadata.f32("llama.rope.freq_base").unwrap(), 100_000.0);
    assert!(!metadata.bool("tokenizer.ggml.add_bos_token").unwrap());
    assert_eq!(metadata.strings("tokenizer.ggml.tokens").unwrap().len(), 49_152);
    assert_eq!(metadata.array("tokenizer.ggml.token_type").map(ValueArray::len).unwrap(), 49_152);

    assert_eq!(gguf.tensors().len(), 272);
    let elements: u64 = gguf.tensors().iter().map(gguf_file::TensorInfo::elements).sum();
    assert_eq!(elements, 134_515_008);
    let down = gguf.tensor("blk.0.ffn_down.weight").unwrap();
    assert_eq!(down.dims(), [1536, 576]);
    assert_eq!(down.format(), BlockFormat::Q4_1);
    assert_eq!((down.offset(), down.size_bytes(), down.shard()), (31_868_992, 552_960, 0));
}

#[test]
fn opening_reads_the_header_and_no_more_than_a_chunk_beyond() {
    let Some(source) = model() else { return };
    let counting = Counting { source: &source, bytes: Cell::new(0), reads: Cell::new(0) };
    let gguf = Gguf::open(&counting).unwrap();
    assert!(counting.bytes.get() < gguf.data_offset() + (512 << 10), "{}", counting.bytes.get());
    assert!(counting.reads.get() <= 10, "{}", counting.reads.get());
}

#[test]
fn every_element_of_the_model_is_what_gguf_py_decodes() {
    let Some(source) = model() else { return };
    let gguf = Gguf::open(&source).unwrap();
    // The sum, modulo 2^64, of the bits of each element times 2 · position + 1.
    let (mut sum, mut position) = (0_u64, 0_u64);
    for tensor in gguf.tensors() {
        let mut blocks = vec![0; tensor.size_bytes() as usize];
        source.read_at(tensor.offset(), &mut blocks).unwrap();
        let mut values = vec![0.0; tensor.elements() as usize];
        tensor.format().decode(&blocks, &mut values).unwrap();
        for value in values {
            sum = sum.wrapping_add(u64::from(value.to_bits()).wrapping_mul(2 * position + 1));
            position += 1;
        }
    }
    assert_eq!(sum, 0x73ef_1267_e142_d240, "as numpy sums `gguf.quants.dequantize`");
}
