//! Models with damaged headers: each is refused in words or exported as planned, whatever the damage is.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gguf_file::{Gguf, ReadAt};
use studio_core::export::Export;
use studio_core::family;
use studio_core::options::{CpuOptions, ExportOptions, Form, GraphKind, Kernels};
use studio_core::tokenizer::Tokenizer;

/// Two small models, one with an output matrix of its own.
const MODELS: [&[u8]; 2] = [include_bytes!("lowering/tied.gguf"), include_bytes!("lowering/untied.gguf")];
const COPIES: usize = 1500;

/// Xorshift: the same damage each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }
}

fn damage(whole: &[u8], header: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let at = random.below(header - 8);
    let words: [u64; 8] = [0, 1, u64::MAX, 1 << 63, 1 << 32, 1 << 20, 0x7fc0_0000, 0xff80_0000];
    match random.below(5) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.below(256) as u8,
        2 => bytes[at..at + 4].copy_from_slice(&words[random.below(8)].to_le_bytes()[..4]),
        3 => bytes[at..at + 8].copy_from_slice(&words[random.below(8)].to_le_bytes()),
        _ => bytes.truncate(random.below(whole.len())),
    }
    bytes
}

/// All that is done with a model before it is compiled: the bytes of its exports, or the first refusal.
fn use_it(bytes: &[u8]) -> Result<u64, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let gguf = Gguf::open(&bytes).map_err(|error| words(&error))?;
    let sources: [&dyn ReadAt; 1] = [&bytes];
    let card = family::describe(&gguf);
    if let Ok(tokenizer) = Tokenizer::from_metadata(gguf.metadata()) {
        for id in tokenizer.encode("Ein Bär, 12 🐻", true, true).unwrap() {
            assert!((id as usize) < tokenizer.vocabulary_size());
        }
    }
    let mut made_bytes = 0;
    let forms = [Form::Stablehlo, Form::Cpu(CpuOptions::of(Kernels::Portable))];
    for (form, support) in forms.into_iter().zip(&card.forms) {
        let graphs = vec![GraphKind::Kv, GraphKind::Redecode];
        let options = ExportOptions { graphs, seq: 8, context: 16, chunk: 4, ..ExportOptions::of(form) };
        let export = Export::new(&gguf, &sources, &options).map_err(|error| words(&error));
        let refusal = export.as_ref().err();
        assert_eq!(support.unsupported.is_some(), refusal.is_some(), "{support:?}, {refusal:?}");
        let export = match (export, form) {
            (Ok(export), _) => export,
            (Err(reason), Form::Stablehlo) => return Err(reason),
            // Heads for which there are no kernels.
            (Err(_), Form::Cpu(_)) => continue,
        };
        for (index, file) in export.files().iter().enumerate() {
            let (mut stream, mut made) = (export.stream(index), 0);
            while let Some(piece) = stream.next(&sources).map_err(|error| words(&error))? {
                made += piece.len() as u64;
            }
            assert_eq!(made, file.size_bytes, "{}", file.name);
            made_bytes += made;
        }
    }
    Ok(made_bytes)
}

#[test]
fn damaged_headers_are_refused_or_mean_another_model() {
    let mut random = Random(88_172_645_463_325_252);
    for whole in MODELS {
        let tensors = Gguf::open(&whole).unwrap();
        let header = tensors.tensors().iter().map(|tensor| tensor.offset()).min().unwrap() as usize;
        assert!(use_it(whole).unwrap() > 0);
        let mut refused = 0;
        for _ in 0..COPIES {
            match use_it(&damage(whole, header, &mut random)) {
                // 8 matrices of at most 64 by 64 in two forms, and the kernels.
                Ok(made_bytes) => assert!(made_bytes < 10_000_000, "{made_bytes}"),
                Err(reason) => {
                    assert!(reason.len() > 10, "{reason:?}");
                    refused += 1;
                }
            }
        }
        assert!((COPIES / 2..COPIES).contains(&refused), "{refused}");
    }
}
