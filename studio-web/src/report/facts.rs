//! The card's facts: metadata that people look for first.

use crate::messages::Fact;
use crate::state::format;
use gguf_file::{BlockFormat, Endian, Gguf, Value};
use std::collections::BTreeSet;
use studio_core::tiles::{self, Fidelity};

/// An integer of the metadata.
pub(super) fn integer(gguf: &Gguf, key: &str) -> Option<u64> {
    gguf.metadata().get(key)?.as_integer()?.try_into().ok()
}

/// The facts that the file has, in the order to show them.
pub(super) fn facts(gguf: &Gguf, architecture: &str) -> Vec<Fact> {
    let mut facts = Facts { gguf, list: Vec::new() };
    let of_model = |name: &str| format!("{architecture}.{name}");
    facts.number("Layers", of_model("block_count"));
    facts.number("Embedding", of_model("embedding_length"));
    facts.number("Feed-forward", of_model("feed_forward_length"));
    facts.heads(&of_model("attention.head_count"), &of_model("attention.head_count_kv"));
    facts.head_dim(&of_model("attention.key_length"), architecture);
    facts.number("Sliding window", of_model("attention.sliding_window"));
    facts.number("Experts", of_model("expert_count"));
    facts.float("RoPE base", of_model("rope.freq_base"));
    facts.float("Norm epsilon", of_model("attention.layer_norm_rms_epsilon"));
    facts.vocabulary(&of_model("vocab_size"));
    facts.tokenizer();
    let template = if gguf.metadata().get("tokenizer.chat_template").is_some() { "yes" } else { "none" };
    facts.push("Chat template", template.to_owned(), Some("tokenizer.chat_template"));
    facts.push("Tensors", format::grouped(gguf.tensors().len() as u64), None);
    facts.cpu_form();
    let order = match gguf.endian() {
        Endian::Little => "",
        Endian::Big => ", big-endian",
    };
    facts.push("GGUF version", format!("{}{order}", gguf.version()), None);
    facts.text("Licence", "general.license");
    facts.list
}

struct Facts<'a> {
    gguf: &'a Gguf,
    list: Vec<Fact>,
}

impl Facts<'_> {
    fn push(&mut self, label: &str, value: String, key: Option<&str>) {
        self.list.push(Fact { label: label.to_owned(), value, key: key.map(str::to_owned) });
    }

    fn number(&mut self, label: &str, key: String) {
        if let Some(value) = integer(self.gguf, &key) {
            self.push(label, format::grouped(value), Some(&key));
        }
    }

    fn float(&mut self, label: &str, key: String) {
        let value = match self.gguf.metadata().get(&key) {
            Some(Value::F32(value)) => float_text(f64::from(*value), &value.to_string()),
            Some(Value::F64(value)) => float_text(*value, &value.to_string()),
            _ => return,
        };
        self.push(label, value, Some(&key));
    }

    fn text(&mut self, label: &str, key: &str) {
        if let Some(text) = self.gguf.metadata().get(key).and_then(|value| value.as_str()) {
            let text = text.chars().take(60).collect();
            self.push(label, text, Some(key));
        }
    }

    fn heads(&mut self, query_key: &str, kv_key: &str) {
        let Some(heads) = integer(self.gguf, query_key) else { return };
        let value = match integer(self.gguf, kv_key) {
            Some(kv) if kv != heads => format!("{heads} query, {kv} key/value"),
            _ => heads.to_string(),
        };
        self.push("Attention heads", value, Some(query_key));
    }

    fn head_dim(&mut self, key: &str, architecture: &str) {
        let stated = integer(self.gguf, key);
        let derived = || {
            let width = integer(self.gguf, &format!("{architecture}.embedding_length"))?;
            width.checked_div(integer(self.gguf, &format!("{architecture}.attention.head_count"))?)
        };
        if let Some(value) = stated.or_else(derived) {
            self.push("Head size", value.to_string(), stated.map(|_| key));
        }
    }

    fn vocabulary(&mut self, key: &str) {
        let tokens = self.gguf.metadata().get("tokenizer.ggml.tokens").and_then(|value| value.as_array());
        match (tokens, integer(self.gguf, key)) {
            (Some(tokens), _) => {
                self.push("Vocabulary", format::grouped(tokens.len() as u64), Some("tokenizer.ggml.tokens"));
            }
            (None, Some(size)) => self.push("Vocabulary", format::grouped(size), Some(key)),
            (None, None) => {}
        }
    }

    /// What the cpu form makes of the formats of the matrices.
    fn cpu_form(&mut self) {
        let matrices = self.gguf.tensors().iter().filter(|tensor| tensor.dims().len() > 1);
        let formats: BTreeSet<BlockFormat> = matrices.map(|tensor| tensor.format()).collect();
        let mut words = Vec::new();
        let mut kept = Vec::new();
        for format in formats {
            let Some(tile) = tiles::kept(format) else { continue };
            match tiles::fidelity(format, tile) {
                Fidelity::Kept => kept.push(format.name()),
                Fidelity::Exact => {
                    words.push(format!("{format} becomes {}, the same values", tile.ggml_name()))
                }
                Fidelity::Rounded => words.push(format!("{format} becomes {}, rounded", tile.ggml_name())),
            }
        }
        if !kept.is_empty() {
            words.insert(0, format!("{} kept as they are", kept.join(", ")));
        }
        if !words.is_empty() {
            self.push("In the cpu form", words.join("; "), None);
        }
    }

    fn tokenizer(&mut self) {
        let text = |key: &str| self.gguf.metadata().get(key).and_then(|value| value.as_str());
        let value = match (text("tokenizer.ggml.model"), text("tokenizer.ggml.pre")) {
            (Some(model), Some(pre)) => format!("{model}, {pre}"),
            (Some(model), None) => model.to_owned(),
            (None, _) => return,
        };
        self.push("Tokenizer", value, Some("tokenizer.ggml.model"));
    }
}

/// A float as people write it: `100000`, `1e-5`.
fn float_text(value: f64, shortest: &str) -> String {
    if value != 0.0 && value.abs() < 1e-3 {
        let digits = shortest.trim_start_matches(['-', '0', '.']);
        let zeros = shortest.trim_start_matches('-').chars().skip(2).take_while(|&c| c == '0').count();
        let sign = if value < 0.0 { "-" } else { "" };
        let (first, rest) = digits.split_at(digits.len().min(1));
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{point}{rest}e-{}", zeros + 1)
    } else {
        shortest.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::float_text;

    #[test]
    fn small_floats_are_written_with_an_exponent() {
        assert_eq!(float_text(f64::from(1e-5_f32), &1e-5_f32.to_string()), "1e-5");
        assert_eq!(float_text(1.25e-6, &1.25e-6_f64.to_string()), "1.25e-6");
        assert_eq!(float_text(100_000.0, &100_000.0_f32.to_string()), "100000");
        assert_eq!(float_text(0.5, "0.5"), "0.5");
    }
}
