//! What became of a bundle after its export: the modules compiled from it and what verification said of them.

use super::{code, commands, plain, table};
use crate::manifest::{FileEntry, Manifest, ModuleEntry, VerificationEntry, file_name};

const MODULES: &str = "Compiled modules";
const VERIFICATION: &str = "Verification";

/// The page with what the manifest now says of modules and verifications; the rest stays as it is. The manifest's entry
/// of the page, if it has one, is made that of the new text.
pub fn update(page: &str, manifest: &mut Manifest) -> String {
    let mut text = String::new();
    let mut is_in = false;
    for section in sections(page) {
        let title = section.lines().next().unwrap_or_default().trim_start_matches("## ");
        if title == MODULES || title == VERIFICATION {
            continue;
        }
        if title == commands::TITLE {
            is_in = true;
            text += &results(manifest);
        }
        text += section;
    }
    if !is_in {
        text += &results(manifest);
    }
    if let Some(entry) = manifest.files.iter_mut().find(|file| file.name == file_name::REFERENCE) {
        let (size_bytes, blake3) = (text.len() as u64, blake3::hash(text.as_bytes()).to_hex().to_string());
        *entry = FileEntry { size_bytes, blake3, ..entry.clone() };
    }
    text
}

/// What stands before the first heading of the second level, then each such heading with what follows it.
fn sections(page: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = page.match_indices("\n## ").map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    starts.push(page.len());
    starts.windows(2).map(|pair| &page[pair[0]..pair[1]]).collect()
}

/// Both sections, each followed by an empty line; nothing where nothing was compiled.
fn results(manifest: &Manifest) -> String {
    let sections = [modules(&manifest.modules), verifications(&manifest.verifications)];
    sections.into_iter().filter(|section| !section.is_empty()).map(|section| section + "\n").collect()
}

fn modules(modules: &[ModuleEntry]) -> String {
    if modules.is_empty() {
        return String::new();
    }
    let rows = modules.iter().map(|module| {
        let needs = match module.cpu_features.as_slice() {
            [] => "the architecture's baseline".to_owned(),
            features => features.join(", "),
        };
        let file = &module.file;
        [
            code(&module.target),
            code(&file.name),
            file.size_bytes.to_string(),
            plain(&module.compiler),
            plain(&needs),
            code(&file.blake3),
        ]
    });
    let mut text = format!(
        "## {MODULES}\n\n{}",
        table(["Target", "File", "Bytes", "iree-compile", "A processor needs", "BLAKE3"], rows)
    );
    for module in modules {
        let flags: String = module.flags.iter().map(|flag| format!("{}\n", flag.replace('`', "'"))).collect();
        text += &format!("\nFlags of {}:\n\n```text\n{flags}```\n", code(&module.file.name));
    }
    text
}

fn verifications(entries: &[VerificationEntry]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let rows = entries.iter().map(|entry| {
        [
            code(&entry.module),
            code(&entry.against),
            plain(&entry.engine),
            entry.positions.to_string(),
            format!("{:.1e} of {:.0e}", entry.mean_kl, entry.mean_kl_limit),
            format!("{:.1} %", entry.top1_agreement * 100.0),
            format!("{:.4}", entry.max_abs_logit_diff),
            if entry.passed { "passed" } else { "failed" }.to_owned(),
        ]
    });
    format!(
        "## {VERIFICATION}\n\nLogits after each token of a text, against llama.cpp's. KL is the mean Kullback-Leibler \
         divergence in nats, with its limit.\n\n{}",
        table(
            ["Module", "Against", "Engine", "Positions", "KL", "Same token", "Largest difference", ""],
            rows
        )
    )
}
