//! The tokenizer against llama.cpp, on the real vocabulary; `tests/tokenizer/README.md` says where the expected
//! ids are from.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cache;

use std::fs;
use std::path::Path;

use gguf_file::{Metadata, Value};
use studio_core::tokenizer::{TokenType, Tokenizer};

use cache::model_metadata;

fn tokenizer() -> Tokenizer {
    Tokenizer::from_metadata(&model_metadata()).unwrap()
}

/// The same vocabulary with another rule for words.
fn tokenizer_with_pre(pre: &str) -> Tokenizer {
    let mut changed = Metadata::new();
    for (key, value) in model_metadata().iter() {
        let value = if key == "tokenizer.ggml.pre" { Value::String(pre.to_owned()) } else { value.clone() };
        changed.insert(key, value).unwrap();
    }
    Tokenizer::from_metadata(&changed).unwrap()
}

fn fixture<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tokenizer").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn assert_corpus(tokenizer: &Tokenizer, expected: &str, add_special: bool, parse_special: bool) {
    let texts: Vec<String> = fixture("corpus.json");
    let expected: Vec<Vec<u32>> = fixture(expected);
    assert_eq!(texts.len(), expected.len(), "corpus and ids belong together");
    for (text, expected) in texts.iter().zip(expected) {
        assert_eq!(tokenizer.encode(text, add_special, parse_special).unwrap(), expected, "{text:?}");
    }
}

#[test]
fn plain_text_gives_the_ids_of_llama_cpp() {
    assert_corpus(&tokenizer(), "smollm.json", false, false);
}

#[test]
fn text_with_special_tokens_gives_the_ids_of_llama_cpp() {
    assert_corpus(&tokenizer(), "smollm-special.json", true, true);
}

#[test]
fn other_rules_for_words_give_the_ids_of_llama_cpp() {
    for pre in ["gpt-2", "llama-bpe"] {
        assert_corpus(&tokenizer_with_pre(pre), &format!("{pre}.json"), false, false);
    }
}

/// As `llama-reference vocabulary` prints them.
#[test]
fn special_tokens_are_those_of_llama_cpp() {
    let tokenizer = tokenizer();
    assert_eq!(tokenizer.vocabulary_size(), 49152);
    assert_eq!((tokenizer.bos_id(), tokenizer.eos_id()), (Some(1), Some(2)));
    assert_eq!(tokenizer.end_ids(), [0, 2, 4]);
}

#[test]
fn streamed_text_is_the_text_that_was_encoded() {
    let tokenizer = tokenizer();
    let texts: Vec<String> = fixture("corpus.json");
    let mut complete = 0;
    for text in &texts {
        let ids = tokenizer.encode(text, false, true).unwrap();
        let bytes: Vec<u8> = ids.iter().flat_map(|&id| tokenizer.token_bytes(id).unwrap()).copied().collect();
        let mut detokenizer = tokenizer.detokenizer().show_special(true);
        let mut streamed: String = ids.iter().map(|&id| detokenizer.push(id)).collect();
        streamed += &detokenizer.finish();
        assert_eq!(streamed, String::from_utf8_lossy(&bytes));
        complete += usize::from(&streamed == text);
    }
    // The vocabulary lacks a few bytes that only rare characters have; llama.cpp leaves these out too.
    assert!(complete * 10 > texts.len() * 9, "{complete} of {} texts came back", texts.len());
}

/// SmolLM2's first 17 tokens are its control tokens, as its `token_type` says.
#[test]
fn tokens_are_laid_out_and_counted() {
    let tokenizer = tokenizer();
    let texts: Vec<String> = fixture("corpus.json");
    let expected: Vec<Vec<u32>> = fixture("smollm-special.json");
    for (text, expected) in texts.iter().zip(expected) {
        let counts = tokenizer.counts(text, &expected);
        assert_eq!(counts.tokens, expected.len() as u64);
        assert_eq!(counts.control, expected.iter().filter(|id| **id < 17).count() as u64, "{text:?}");
        assert_eq!((counts.bytes, counts.unknown), (text.len() as u64, 0));
        for id in expected {
            let piece = tokenizer.piece(id).unwrap();
            assert_eq!((piece.id, piece.ty == TokenType::Control), (id, id < 17));
            assert_eq!(piece.bytes.len(), 2 * tokenizer.token_bytes(id).unwrap().len());
        }
    }
    let ids = tokenizer.encode("a 🦜 b", false, false).unwrap();
    let pieces: Vec<_> = ids.iter().map(|id| tokenizer.piece(*id).unwrap()).collect();
    assert!(pieces.iter().any(|piece| piece.text.is_none()), "a part of a character is no text: {pieces:?}");
    let counts = tokenizer.counts("a 🦜 b", &ids);
    assert_eq!((counts.bytes, counts.characters, counts.words), (8, 5, 3));
    assert_eq!(tokenizer.piece(49_152), None);
}
