//! The page that says which models agree with llama.cpp, and how far.

use std::{env, fs, path::PathBuf, process::Command};

/// What was found of a model in one contract and form.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) architecture: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) contract: &'static str,
    pub(crate) form: &'static str,
    /// What its matrices are stored in.
    pub(crate) formats: Vec<&'static str>,
    /// How it agrees; or why it can't be exported so.
    pub(crate) agreement: Result<Agreement, String>,
}

/// How logits agree.
#[derive(Debug)]
pub(crate) struct Agreement {
    /// The largest difference, as a share of the range of llama.cpp's logits.
    pub(crate) difference: f64,
    /// What it must stay below.
    pub(crate) limit: f64,
}

const HEAD: &str = "| Architecture | Contract | Form | Formats | Largest difference | Limit |\n\
                    | --- | --- | --- | --- | --- | --- |\n";

/// The rows as a table.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    for row in rows {
        let (difference, limit) = match &row.agreement {
            Ok(Agreement { difference, limit }) => (format!("{difference:.0e}"), format!("{limit:.0e}")),
            Err(reason) => (format!("refused: {reason}"), String::new()),
        };
        text += &format!("| {} | {difference} | {limit} |\n", key(row));
    }
    text
}

/// What of a row is the same on every machine.
fn key(row: &Row) -> String {
    let Row { architecture, variant, contract, form, formats, .. } = row;
    let variant = if variant.is_empty() { String::new() } else { format!(": {variant}") };
    format!("`{architecture}`{variant} | {contract} | {form} | {}", formats.join(", "))
}

/// Checks that the page has these rows, or writes it.
pub(crate) fn check_page(rows: &[Row]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/COVERAGE.md");
    if env::var_os("BLESS").is_some() {
        fs::write(&path, page(rows)).expect("writing docs/COVERAGE.md");
        return;
    }
    let text = fs::read_to_string(&path).unwrap_or_default();
    let line = |row: &Row| format!("| {} | {}", key(row), if row.agreement.is_ok() { "" } else { "refused" });
    let missing: Vec<String> =
        rows.iter().map(line).filter(|line| !text.lines().any(|known| known.starts_with(line))).collect();
    let known = text.lines().filter(|line| line.starts_with("| `")).count();
    assert!(
        missing.is_empty() && known == rows.len(),
        "docs/COVERAGE.md has {known} rows and {} were found; it lacks {missing:#?}: run `BLESS=1 ./dev test families`",
        rows.len()
    );
}

fn page(rows: &[Row]) -> String {
    let date = Command::new("date").args(["-u", "+%F"]).output().expect("asking for the date").stdout;
    let date = String::from_utf8_lossy(&date);
    format!(
        "# Which models agree with llama.cpp\n\n\
         Written on {} by `BLESS=1 ./dev test families`, with llama.cpp of `llama-cpp-sys-2` 0.1.161 and IREE 3.13.0.\n\n\
         Each row is a model of two to four layers with random weights (`e2e/src/tiny/cases.rs`), run over {} random \
         tokens. The largest difference is that of all logits, as a share of the range of llama.cpp's; in the contract kv \
         of `decode` at every position and of `prefill` after every chunk. Of an encoder (contract embed) it is that of the \
         numbers of the text's vector, as a share of their range. The contract redecode gives tokens only: they \
         are llama.cpp's wherever its best is ahead by more than twice the limit. llama.cpp has the numbers that the \
         blocks stand for as F32, an F32 cache and no flash attention, so that it rounds nothing, but for GELU, which it \
         looks up in a table of F16: hence the wider limit. The stablehlo form has F32 weights, the cpu form the blocks \
         themselves with F32 activations and cache. With bytes as \
         activations (cpu, bytes), as usual, both engines round: both are held against the exact logits, by the median of \
         the positions, and ours may be three times as far from them as llama.cpp's.\n\n{}",
        date.trim(),
        super::super::POSITIONS,
        table(rows)
    )
}
