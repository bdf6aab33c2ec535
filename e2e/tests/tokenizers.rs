//! Our tokenizer against llama.cpp's, id by id, on texts on which tokenizers tend to disagree: every vocabulary that the
//! setup fetches, and every rule for words, which are told apart by `tokenizer.ggml.pre`.

use e2e::{cache, gemma3, reference, scratch, smollm2};
use gguf_file::{FileSource, Gguf, GgufBuilder, Metadata, Value};
use std::{
    fs,
    path::{Path, PathBuf},
};
use studio_core::tokenizer::Tokenizer;

/// The texts, as a file and read.
fn corpus() -> (PathBuf, Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../studio-core/tests/tokenizer/corpus.json");
    let texts = serde_json::from_slice(&fs::read(&path).expect("the corpus is there")).expect("it is JSON");
    (path, texts)
}

fn vocabulary(name: &str) -> PathBuf {
    cache().join(format!("vocabularies/ggml-vocab-{name}.gguf"))
}

fn metadata(model: &Path) -> Metadata {
    let source = FileSource::open(model)
        .unwrap_or_else(|error| panic!("{}: {error}: run `./dev setup test`", model.display()));
    Gguf::open(&source).expect("it is a GGUF").metadata().clone()
}

/// Ids of the texts by themselves and with special tokens, both ways.
fn agrees(model: &Path, what: &str) {
    let tokenizer = Tokenizer::from_metadata(&metadata(model)).expect("the tokenizer is known");
    let (path, texts) = corpus();
    for special in [false, true] {
        let expected = reference::token_lists(model, &path, special);
        assert_eq!(expected.len(), texts.len(), "llama.cpp answers for each text");
        if special {
            gives_back(model, &tokenizer, &expected, what);
        }
        for (text, expected) in texts.iter().zip(expected) {
            let ours = tokenizer.encode(text, special, special).expect("the text is short");
            assert_eq!(ours, expected, "{what}, special tokens: {special}, {text:?}");
        }
    }
}

/// Tokens become text one by one, as they come: put together it is llama.cpp's, so no character was cut in two.
fn gives_back(model: &Path, tokenizer: &Tokenizer, lists: &[Vec<u32>], what: &str) {
    let folder = scratch(&format!("detokenized-{what}"));
    let path = folder.join("lists.json");
    fs::write(&path, serde_json::to_vec(lists).expect("numbers")).expect("there is room");
    let expected = reference::texts(model, &path);
    assert_eq!(expected.len(), lists.len(), "llama.cpp answers for each list");
    for (tokens, expected) in lists.iter().zip(expected) {
        let mut detokenizer = tokenizer.detokenizer().show_special(true);
        let mut text: String = tokens.iter().map(|&token| detokenizer.push(token)).collect();
        text += &detokenizer.finish();
        assert_eq!(text, expected, "{what}, {tokens:?}");
    }
}

#[test]
fn every_vocabulary_gives_the_ids_of_llama_cpp() {
    agrees(&smollm2(), "SmolLM2");
    agrees(&gemma3(), "Gemma 3");
    let names = [
        "baichuan",
        "bert-bge",
        "command-r",
        "deepseek-coder",
        "deepseek-llm",
        "falcon",
        "gpt-2",
        "llama-bpe",
        "llama-spm",
        "mpt",
        "phi-3",
        "qwen2",
        "qwen35",
        "refact",
        "starcoder",
    ];
    for name in names {
        agrees(&vocabulary(name), name);
    }
}

/// The rules that no vocabulary at hand has, and those that one has, all on the same small vocabulary.
#[test]
fn every_rule_for_words_gives_the_ids_of_llama_cpp() {
    let folder = scratch("tokenizers");
    let base = metadata(&vocabulary("deepseek-coder"));
    let rules = [
        "default",
        "gpt-2",
        "smollm",
        "llama-bpe",
        "dbrx",
        "chatglm-bpe",
        "glm4",
        "qwen2",
        "qwen35",
        "seed-coder",
        "ufakzeka",
        "laguna",
        "minicpm5",
        "tekken",
        "gpt-4o",
        "granite-embed-multi-97m",
        "falcon",
        "deepseek-llm",
        "deepseek-v3",
        "bailingmoe",
        "bloom",
        "viking",
        "afmoe",
        "kimi-k2",
        "exaone-moe",
        "superbpe",
        "chameleon",
    ];
    for rule in rules {
        let mut changed = GgufBuilder::new();
        for (key, value) in base.iter() {
            let value =
                if key == "tokenizer.ggml.pre" { Value::String(rule.to_owned()) } else { value.clone() };
            changed.set(key, value).expect("keys are distinct");
        }
        let path = folder.join(format!("{rule}.gguf"));
        fs::write(&path, changed.write_to(Vec::new()).expect("it can be written")).expect("there is room");
        agrees(&path, rule);
    }
}
