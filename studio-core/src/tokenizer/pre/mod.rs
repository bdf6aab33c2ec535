//! Pre-tokenizers: how text is cut into words, which byte-pair merges never cross.
//!
//! [`ALL`] has a row for each rule that llama.cpp reads from `tokenizer.ggml.pre`: its names, the cuts it is made of,
//! and what comes with it. The cuts are written by hand and not as regular expressions: they run in time linear in
//! the text and agree with llama.cpp, its table of Unicode 15.1 categories and its reading of cases included.

mod cased;
mod chameleon;
mod class;
mod cut;
mod deepseek;
mod exaone;
mod gpt2;
mod kimi;
mod llama3;
mod parts;

use super::TokenizerError;
use cut::Cut;

/// A rule for cutting text, and what comes with it in llama.cpp's reading of `tokenizer.ggml.pre`.
#[derive(Debug)]
pub(super) struct PreTokenizer {
    /// Values of `tokenizer.ggml.pre`.
    names: &'static [&'static str],
    /// Each cuts what those before it left together.
    cuts: &'static [Cut],
    /// A word that is a token as it stands is taken as that token, whatever the merges would make of it.
    pub(super) whole_words_first: bool,
    /// Whether there is a BOS token if the file names none.
    pub(super) has_bos: bool,
    /// Whether texts start with the BOS token if the file says nothing of it.
    pub(super) add_bos: bool,
}

impl PreTokenizer {
    /// Hands the words of a text to the sink in order. Put together they are the text; none is empty.
    pub(super) fn split(&self, text: &str, sink: &mut dyn FnMut(&str)) {
        cut::cut(self.cuts, text, sink);
    }
}

/// A row without what only some have.
const fn plain(names: &'static [&'static str], cuts: &'static [Cut]) -> PreTokenizer {
    PreTokenizer { names, cuts, whole_words_first: false, has_bos: true, add_bos: false }
}

static ALL: [PreTokenizer; 27] = [
    plain(
        &[
            "gpt-2",
            "phi-2",
            "mpt",
            "olmo",
            "jais",
            "trillion",
            "granite-docling",
            "gigachat",
            "mellum",
            "a.x-4.0",
            "exaone4",
            "jina-es",
            "jina-de",
            "jina-v2-es",
            "jina-v2-de",
            "jina-v1-en",
            "jina-v2-code",
            "modern-bert",
            "roberta-bpe",
        ],
        &[gpt2::words],
    ),
    plain(
        &["smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b", "mellum2"],
        &[parts::number, gpt2::words],
    ),
    PreTokenizer {
        whole_words_first: true,
        add_bos: true,
        ..plain(
            &[
                "llama-bpe",
                "llama3",
                "llama-v3",
                "falcon3",
                "falcon-h1",
                "pixtral",
                "midm-2.0",
                "lfm2",
                "jina-v5-nano",
            ],
            &[llama3::llama3],
        )
    },
    plain(&["dbrx", "smaug-bpe"], &[llama3::llama3]),
    PreTokenizer { has_bos: false, ..plain(&["chatglm-bpe"], &[llama3::llama3]) },
    PreTokenizer { has_bos: false, whole_words_first: true, ..plain(&["glm4", "glm5"], &[llama3::llama3]) },
    plain(
        &[
            "qwen2",
            "deepseek-r1-qwen",
            "kormo",
            "f2llmv2",
            "megrez",
            "stablelm2",
            "hunyuan",
            "solar-open",
            "grok-2",
            "bailingmoe",
            "bailingmoe2",
            "llada-moe",
        ],
        &[llama3::qwen2],
    ),
    plain(&["qwen35"], &[llama3::qwen35]),
    plain(&["seed-coder"], &[llama3::seed_coder]),
    plain(&["ufakzeka"], &[llama3::ufakzeka]),
    plain(&["laguna"], &[parts::lines, llama3::qwen2]),
    PreTokenizer {
        whole_words_first: true,
        ..plain(&["minicpm5"], &[parts::three_numbers, llama3::minicpm5])
    },
    PreTokenizer { whole_words_first: true, add_bos: true, ..plain(&["tekken"], &[cased::tekken]) },
    plain(&["gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"], &[cased::gpt4o]),
    PreTokenizer {
        whole_words_first: true,
        ..plain(&["granite-embed-multi-97m"], &[cased::granite_embedding])
    },
    plain(&["default"], &[parts::default_punctuation, gpt2::words, parts::numbers, parts::three_digits]),
    plain(&["falcon"], &[parts::falcon_punctuation, gpt2::words, parts::three_digits]),
    plain(
        &["deepseek-llm"],
        &[
            parts::line_end,
            deepseek::cased_letters,
            deepseek::ascii_and_wide_signs,
            parts::space_at_the_end,
            deepseek::asian,
            parts::numbers,
        ],
    ),
    plain(
        &["deepseek-coder"],
        &[parts::line_end, deepseek::letters, deepseek::punctuation, deepseek::asian, parts::number],
    ),
    plain(
        &["deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"],
        &[parts::three_numbers, deepseek::han_and_kana, deepseek::v3],
    ),
    plain(&["afmoe"], &[parts::numbers_by_three, deepseek::scripts_without_spaces, deepseek::v3]),
    plain(&["kimi-k2"], &[kimi::k2]),
    plain(&["exaone-moe"], &[exaone::moe]),
    plain(&["superbpe"], &[parts::numbers, parts::before_three_digits]),
    PreTokenizer {
        add_bos: true,
        ..plain(
            &["chameleon"],
            &[
                chameleon::sentinels,
                chameleon::images,
                chameleon::blanks,
                parts::number,
                chameleon::sign,
                gpt2::words,
            ],
        )
    },
    plain(&["poro-chat", "bloom", "gpt3-finnish"], &[parts::bloom]),
    plain(&["viking"], &[parts::bloom, parts::number]),
];

/// The rule that files call `name`.
pub(super) fn find(name: &str) -> Result<&'static PreTokenizer, TokenizerError> {
    ALL.iter().find(|pre| pre.names.contains(&name)).ok_or_else(|| TokenizerError::UnsupportedPre {
        pre: name.to_owned(),
        supported: ALL.iter().flat_map(|pre| pre.names).copied().collect::<Vec<_>>().join(", "),
    })
}

/// What cuts make of a text.
#[cfg(test)]
fn pieces(cuts: &[Cut], text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    cut::cut(cuts, text, &mut |piece| pieces.push(piece.to_owned()));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_rule() {
        let mut names: Vec<_> = ALL.iter().flat_map(|pre| pre.names).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn numbers_stand_alone_and_take_no_space() {
        let cases: [(&str, &[&str]); 4] = [
            ("in 2024, ok", &["in", " ", "2", "0", "2", "4", ",", " ok"]),
            ("a  1", &["a", "  ", "1"]),
            ("x½³b", &["x", "½", "³", "b"]),
            ("1'd", &["1", "'d"]),
        ];
        for (text, expected) in cases {
            assert_eq!(pieces(find("smollm").unwrap().cuts, text), expected, "{text:?}");
        }
    }
}
