//! `REFERENCE.md` held against IREE's own tools: its commands are pasted, its table of parameters is compared.

use e2e::{
    Scratch, cache, iree_tool, scratch, studio,
    tiny::{self, Stored},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A bundle of a tiny model in the form and contracts that these options ask for, and the folder that it is in.
fn bundle(name: &str, options: &[&str]) -> (Scratch, PathBuf) {
    let folder = scratch(name);
    let recipes = tiny::all();
    let recipe = recipes.iter().find(|recipe| recipe.architecture == "llama").expect("there is a llama");
    let model = folder.join("tiny.gguf");
    recipe.write(Stored::Blocks, &model);
    let out = folder.join("bundle");
    let export =
        ["export", studio::arg(&model), "--out", studio::arg(&out), "--context", "32", "--chunk", "8"];
    studio::ok(&[&export, options].concat());
    (folder, out)
}

fn page(bundle: &Path) -> String {
    fs::read_to_string(bundle.join("REFERENCE.md")).expect("a bundle has a page")
}

/// A section's text, without its heading.
fn section<'p>(page: &'p str, title: &str) -> &'p str {
    let heading = format!("\n## {title}\n");
    let (_, rest) = page.split_once(&heading).unwrap_or_else(|| panic!("no {title} in {page}"));
    rest.split("\n## ").next().unwrap_or_default()
}

/// The cells of a section's table, its head not among them.
fn rows(section: &str) -> Vec<Vec<&str>> {
    let lines = section.lines().filter(|line| line.starts_with('|')).skip(2);
    lines
        .map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')).collect())
        .collect()
}

/// Runs the page's commands as a person would: pasted into a shell in the bundle's folder. Gives what they print.
fn paste(bundle: &Path, page: &str) -> String {
    let commands = section(page, "Running it with IREE's own tools");
    let script: String =
        commands.split("```sh\n").skip(1).filter_map(|block| block.split("```").next()).collect();
    assert!(script.contains("iree-compile") && script.contains("iree-run-module"), "{script}");
    let compiler = cache().join("iree-3.13.0/iree/compiler/_mlir_libs");
    let runtime = iree_tool("");
    let path = format!("{}:{}:/usr/bin:/bin", compiler.display(), runtime.display());
    let output = Command::new("sh")
        .args(["-e", "-c", &script])
        .current_dir(bundle)
        .env("PATH", path)
        .output()
        .expect("starting a shell");
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("IREE's tools print UTF-8")
}

/// The tool prints each result as `SHAPExTYPE=numbers`, for each function in the page's order.
fn check_results(page: &str, printed: &str) {
    let functions = section(page, "Functions");
    let want: Vec<String> = rows_of_all_tables(functions)
        .into_iter()
        .filter(|row| row[0] == "result")
        .map(|row| row[2].trim_start_matches("tensor<").trim_end_matches('>').to_owned())
        .collect();
    let results = printed.lines().filter(|line| line.contains('=') && !line.starts_with("result"));
    let got: Vec<&str> = results.filter_map(|line| line.split('=').next()).collect();
    assert_eq!(got, want, "{printed}");
}

fn rows_of_all_tables(section: &str) -> Vec<Vec<&str>> {
    section.split("\n### ").skip(1).flat_map(rows).collect()
}

/// Start, end, length and key of each entry, as both print them.
fn check_parameters(bundle: &Path, page: &str) {
    let archive = format!("--parameters={}", bundle.join("model.irpa").display());
    let listed = Command::new(iree_tool("iree-dump-parameters")).arg(archive).output().expect("starting it");
    let listed = String::from_utf8(listed.stdout).expect("IREE's tools print UTF-8");
    let want: Vec<Vec<&str>> = listed
        .lines()
        .filter(|line| line.ends_with('`'))
        .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    let got: Vec<Vec<&str>> =
        rows(section(page, "Parameters")).into_iter().map(|row| row[..4].to_vec()).collect();
    assert!(!want.is_empty(), "{listed}");
    assert_eq!(got, want);
}

#[test]
fn the_commands_of_the_cpu_form_work_as_pasted() {
    let (_folder, bundle) = bundle("reference-cpu", &[]);
    let page = page(&bundle);
    check_results(&page, &paste(&bundle, &page));
    check_parameters(&bundle, &page);
}

#[test]
fn the_commands_of_the_portable_form_work_as_pasted() {
    let (_folder, bundle) =
        bundle("reference-stablehlo", &["--form", "stablehlo", "--graphs", "redecode,kv", "--seq", "8"]);
    let page = page(&bundle);
    check_results(&page, &paste(&bundle, &page));
    check_parameters(&bundle, &page);
}

/// Compiling and verifying are written into the page and the manifest, and compiling again takes back what was said of
/// another module.
#[test]
fn the_page_says_what_was_compiled_and_verified() {
    let (_folder, bundle) = bundle("reference-results", &["--activations", "f32"]);
    let folder = studio::arg(&bundle).to_owned();
    assert!(!page(&bundle).contains("## Compiled modules"));
    studio::ok(&["compile", &folder, "--target", "host"]);
    let module = bundle.join("host.vmfb");
    let size = fs::metadata(&module).expect("it was compiled").len().to_string();
    let compiled = page(&bundle);
    assert_eq!(rows(section(&compiled, "Compiled modules"))[0][..3], ["host", "host.vmfb", &size]);
    assert!(
        section(&compiled, "Compiled modules").contains("\n--iree-llvmcpu-target-cpu=host\n"),
        "{compiled}"
    );

    let model = bundle.with_file_name("tiny.gguf");
    let verified = studio::eager_command()
        .args(["verify", &folder, "--against", studio::arg(&model), "--tokens", "8", "--json"])
        .args(["--text", studio::arg(&text(&bundle))])
        .output()
        .expect("starting studio");
    let report: serde_json::Value = serde_json::from_slice(&verified.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&verified.stderr)));
    let verified = page(&bundle);
    let row = &rows(section(&verified, "Verification"))[0];
    assert_eq!(row[..2], ["host.vmfb", "tiny.gguf"], "{row:?}");
    assert_eq!(row[3], report["positions"].to_string());
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(bundle.join("manifest.json")).expect("a manifest")).expect("JSON");
    assert_eq!(manifest["verifications"][0]["mean_kl"], report["mean_kl"]);
    let listed = manifest["files"].as_array().expect("files");
    let entry = listed.iter().find(|file| file["name"] == "REFERENCE.md").expect("the page is a file");
    assert_eq!(entry["size_bytes"], verified.len());

    studio::ok(&["compile", &folder, "--target", "host", "--flag", "--iree-llvmcpu-debug-symbols=false"]);
    let again = page(&bundle);
    assert!(!again.contains("## Verification"), "{again}");
    assert_eq!(again.matches("## Compiled modules").count(), 1);
}

fn text(bundle: &Path) -> PathBuf {
    let path = bundle.with_file_name("text.txt");
    fs::write(&path, "a text of some words for a vocabulary that has few of them").expect("writing a text");
    path
}
