//! A byte-level vocabulary that is as small as llama.cpp takes one.

use gguf_file::Value;

/// The single bytes, two merges, and an end: a number that is no multiple of anything.
pub const SIZE: usize = 256 + 2 + 1;

/// The metadata that describes it.
pub(super) fn metadata() -> Vec<(String, Value)> {
    let mut tokens: Vec<String> = (0..=255).map(|byte| alphabet(byte).to_string()).collect();
    tokens.extend(["Ġt", "he", "<end>"].map(str::to_owned));
    let end = SIZE as u32 - 1;
    const NORMAL: i32 = 1;
    const CONTROL: i32 = 3;
    let mut types = vec![NORMAL; SIZE];
    types[end as usize] = CONTROL;
    [
        ("tokenizer.ggml.model", Value::from("gpt2")),
        ("tokenizer.ggml.pre", Value::from("gpt-2")),
        ("tokenizer.ggml.tokens", Value::from(tokens)),
        ("tokenizer.ggml.token_type", Value::from(types)),
        ("tokenizer.ggml.merges", Value::from(vec!["Ġ t".to_owned(), "h e".to_owned()])),
        ("tokenizer.ggml.bos_token_id", Value::U32(end)),
        ("tokenizer.ggml.eos_token_id", Value::U32(end)),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}

/// The character that stands for a byte in GPT-2's vocabularies: itself if it can be seen, else one from 256 on.
fn alphabet(byte: u8) -> char {
    let seen = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let hidden_before = (0..byte).filter(|&earlier| !seen(earlier)).count() as u32;
    let code = if seen(byte) { u32::from(byte) } else { 256 + hidden_before };
    char::from_u32(code).unwrap_or('?')
}
