//! What special tokens do to the white space around them. No GGUF says it: llama.cpp goes by names of models, and so do
//! we.

use gguf_file::Metadata;

use super::added::Strip;
use super::{PRE, TokenizerError};

const NAME: &str = "general.name";
const ARCHITECTURE: &str = "general.architecture";

/// What the special token of a text does.
pub(super) fn strip_rule(metadata: &Metadata) -> Result<fn(&[u8]) -> Strip, TokenizerError> {
    let name = metadata.opt_str(NAME)?.unwrap_or_default().to_ascii_lowercase();
    let architecture = metadata.opt_str(ARCHITECTURE)?.unwrap_or_default();
    let pre = metadata.opt_str(PRE)?.unwrap_or_default();
    let any = |text: &str, parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let masked = any(pre, &["jina-v2-de", "jina-v2-es", "jina-v2-code", "mmbert"])
        || any(architecture, &["nomic-bert-moe", "jina-bert-v3"]);
    Ok(if masked {
        |text| Strip { left: text == b"<mask>", right: false }
    } else if any(&name, &["phi-3", "phi3"]) {
        |text| Strip { left: false, right: !matches!(text, b"<unk>" | b"<s>" | b"<|endoftext|>") }
    } else if name.contains("modern-bert") {
        |text| Strip { left: text == b"[MASK]", right: false }
    } else {
        |_| Strip::default()
    })
}
