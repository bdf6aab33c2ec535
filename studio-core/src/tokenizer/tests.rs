//! Hand-made vocabularies: what comes of them, and what is refused. Expected ids follow from the rules of
//! byte-pair encoding; on real vocabularies `tests/tokenizer.rs` compares with llama.cpp.

use gguf_file::{Metadata, Value, ValueArray};

use super::*;

/// A vocabulary of `tokens` with types (1 normal, 3 control, 4 user-defined) and `merges`.
fn metadata(tokens: &[(&str, i32)], merges: &[&str]) -> Metadata {
    let strings =
        |list: Vec<&str>| Value::Array(ValueArray::Strings(list.into_iter().map(String::from).collect()));
    let mut metadata = Metadata::new();
    metadata.insert(MODEL, Value::String("gpt2".to_owned())).unwrap();
    metadata.insert(PRE, Value::String("smollm".to_owned())).unwrap();
    metadata
        .insert("tokenizer.ggml.tokens", strings(tokens.iter().map(|&(text, _)| text).collect()))
        .unwrap();
    let types = tokens.iter().map(|&(_, ty)| ty).collect();
    metadata.insert("tokenizer.ggml.token_type", Value::Array(ValueArray::I32(types))).unwrap();
    metadata.insert("tokenizer.ggml.merges", strings(merges.to_vec())).unwrap();
    metadata
}

fn changed(base: &Metadata, key: &str, value: Value) -> Metadata {
    let mut metadata = Metadata::new();
    for (name, old) in base.iter().filter(|&(name, _)| name != key) {
        metadata.insert(name, old.clone()).unwrap();
    }
    metadata.insert(key, value).unwrap();
    metadata
}

const ABC: [(&str, i32); 8] =
    [("a", 1), ("b", 1), ("c", 1), ("ab", 1), ("bc", 1), ("abc", 1), ("<|x|>", 3), ("<u>", 4)];

fn encode(metadata: &Metadata, text: &str, parse_special: bool) -> Vec<u32> {
    Tokenizer::from_metadata(metadata).unwrap().encode(text, false, parse_special).unwrap()
}

#[test]
fn merges_go_by_rank_and_then_from_the_left() {
    assert_eq!(encode(&metadata(&ABC, &["b c", "a b", "a bc"]), "abcab", false), [5, 3]);
    assert_eq!(encode(&metadata(&ABC, &["a b", "b c"]), "abc", false), [3, 2]);
    let doubled = [("a", 1), ("aa", 1)];
    assert_eq!(encode(&metadata(&doubled, &["a a"]), "aaaaa", false), [1, 1, 0]);
}

#[test]
fn a_merge_may_go_through_what_is_no_token() {
    let tokens = [("a", 1), ("b", 1), ("c", 1), ("abc", 1)];
    let merges = ["a b", "ab c"];
    assert_eq!(encode(&metadata(&tokens, &merges), "abcab", false), [3, 0, 1]);
}

#[test]
fn bytes_without_a_token_are_left_out() {
    assert_eq!(encode(&metadata(&ABC, &[]), "aé!b", false), [0, 1]);
}

#[test]
fn special_tokens_are_taken_before_text_is_split() {
    let metadata = metadata(&ABC, &["a b"]);
    assert_eq!(encode(&metadata, "ab<|x|>c<u>", true), [3, 6, 2, 7]);
    assert_eq!(encode(&metadata, "<|x|>ab<u>", false), [3, 7], "control tokens are text unless asked for");
}

#[test]
fn of_overlapping_special_tokens_the_longest_is_taken() {
    let tokens = [("a", 1), ("<b", 3), ("b>>>", 3), (">", 1)];
    assert_eq!(encode(&metadata(&tokens, &[]), "a<b>>>", true), [0, 2]);
}

#[test]
fn tokens_around_a_text_are_added_if_the_file_says_so() {
    let metadata = metadata(&ABC, &[]);
    let metadata = changed(&metadata, "tokenizer.ggml.bos_token_id", Value::U32(6));
    let metadata = changed(&metadata, "tokenizer.ggml.eos_token_id", Value::U32(7));
    let plain = Tokenizer::from_metadata(&metadata).unwrap();
    assert_eq!(plain.encode("a", true, false).unwrap(), [0]);
    let metadata = changed(&metadata, "tokenizer.ggml.add_bos_token", Value::Bool(true));
    let metadata = changed(&metadata, "tokenizer.ggml.add_eos_token", Value::Bool(true));
    let adding = Tokenizer::from_metadata(&metadata).unwrap();
    assert_eq!(adding.encode("a", true, false).unwrap(), [6, 0, 7]);
    assert_eq!(adding.encode("a", false, false).unwrap(), [0]);
    assert_eq!(adding.end_ids(), [7]);
}

#[test]
fn ends_are_known_by_their_text() {
    let tokens = [("<|im_end|>", 1), ("a", 1), ("<|eom_id|>", 3), ("<|end|>", 3)];
    let tokenizer = Tokenizer::from_metadata(&metadata(&tokens, &[])).unwrap();
    assert_eq!(tokenizer.end_ids(), [0, 2, 3]);
    assert!(tokenizer.is_end(0) && !tokenizer.is_end(1) && !tokenizer.is_end(99));
    assert_eq!(
        tokenizer.encode("<|im_end|>", false, true).unwrap(),
        [0],
        "a control token whatever its type says"
    );
    let harmony = [("<|return|>", 3), ("<|call|>", 3), ("<|end|>", 3)];
    assert_eq!(Tokenizer::from_metadata(&metadata(&harmony, &[])).unwrap().end_ids(), [0, 1]);
    assert_eq!(Tokenizer::end_ids_of(&metadata(&harmony, &[])).unwrap(), [0, 1]);
}

#[test]
fn a_character_is_held_back_until_it_is_whole() {
    // é is the bytes C3 A9, written as these two characters.
    let tokens = [("Ã", 1), ("©", 1), ("a", 1), ("<|x|>", 3)];
    let tokenizer = Tokenizer::from_metadata(&metadata(&tokens, &[])).unwrap();
    let mut detokenizer = tokenizer.detokenizer();
    let pushed: Vec<String> = [2, 0, 3, 1, 0, 2, 99, 0].into_iter().map(|id| detokenizer.push(id)).collect();
    assert_eq!(pushed, ["a", "", "", "é", "", "\u{fffd}a", "", ""]);
    assert_eq!(detokenizer.finish(), "\u{fffd}");
    assert_eq!(detokenizer.finish(), "");
}

fn refusal(metadata: &Metadata) -> String {
    let refusal = Tokenizer::from_metadata(metadata).unwrap_err().to_string();
    assert_eq!(Tokenizer::end_ids_of(metadata).unwrap_err().to_string(), refusal);
    refusal
}

#[test]
fn what_is_not_supported_is_named_with_what_is() {
    let base = metadata(&ABC, &[]);
    let model = changed(&base, MODEL, Value::String("rwkv".to_owned()));
    assert_eq!(
        refusal(&model),
        "tokenizer.ggml.model: `rwkv` is not supported; supported are: gpt2, llama, bert"
    );
    let pre = refusal(&changed(&base, PRE, Value::String("tiny_aya".to_owned())));
    assert!(
        pre.starts_with("tokenizer.ggml.pre: `tiny_aya` is not supported; supported are: gpt-2, "),
        "{pre}"
    );
}

#[test]
fn contradictory_vocabularies_are_refused() {
    assert_eq!(refusal(&metadata(&[], &[])), "tokenizer.ggml.tokens: the vocabulary has no tokens");
    assert_eq!(
        refusal(&metadata(&[("a", 1), ("b", 1), ("a", 3)], &[])),
        "tokenizer.ggml.tokens: tokens 0 and 2 are both `a`"
    );
    let base = metadata(&ABC, &[]);
    let types = changed(&base, "tokenizer.ggml.token_type", Value::Array(ValueArray::I32(vec![1; 3])));
    assert_eq!(refusal(&types), "tokenizer.ggml.token_type: 3 types for 8 tokens");
    let eos = changed(&base, "tokenizer.ggml.eos_token_id", Value::U32(8));
    assert_eq!(
        refusal(&eos),
        "tokenizer.ggml.eos_token_id: token 8 is past the end of the vocabulary of 8 tokens"
    );
    let bos = changed(&base, "tokenizer.ggml.add_bos_token", Value::Bool(true));
    assert_eq!(
        refusal(&bos),
        "tokenizer.ggml.add_bos_token is set, but there is no tokenizer.ggml.bos_token_id"
    );
    let tokens = changed(&base, "tokenizer.ggml.tokens", Value::U32(1));
    assert!(refusal(&tokens).contains("tokenizer.ggml.tokens"));
}

#[test]
fn odd_merges_do_no_harm() {
    let merges = ["", " ", "ab", " a b", "a b c", "a zz", "zz a", "日 本", "a  b", "a b", "a b"];
    assert_eq!(encode(&metadata(&ABC, &merges), "abc ab", false), [3, 2, 3]);
}
