//! The command line: exit statuses, what goes to which output, messages that a person can act on.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "cli/compiled.rs"]
mod compiled;
#[path = "common/tiny.rs"]
mod tiny;

use gguf_file::{BlockFormat, GgufBuilder};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};
use tiny::Fault;

struct Ran {
    status: i32,
    out: String,
    err: String,
}

/// Runs `studio` with these arguments, split at blanks, in a folder.
fn studio(dir: &Path, args: &str) -> Ran {
    ran(Command::new(env!("CARGO_BIN_EXE_studio")).args(args.split_whitespace()), dir)
}

fn ran(command: &mut Command, dir: &Path) -> Ran {
    let output = command.current_dir(dir).stdin(Stdio::null()).output().unwrap();
    Ran {
        status: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn model(fault: Fault) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    tiny::write(&dir.path().join("tiny.gguf"), fault);
    dir
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[track_caller]
fn fails(ran: &Ran, status: i32, words: &[&str]) {
    assert_eq!(ran.status, status, "{}", ran.err);
    assert_eq!(ran.out, "");
    for words in words {
        assert!(ran.err.contains(words), "{words:?} is not in: {}", ran.err);
    }
}

#[test]
fn wrong_usage_is_2_and_help_is_0() {
    let dir = tempfile::tempdir().unwrap();
    for args in
        ["", "dance", "export", "export a.gguf", "run a", "run a --tokens x", "run a --prompt x --tokens 1"]
    {
        fails(&studio(dir.path(), args), 2, &["--help"]);
    }
    fails(&studio(dir.path(), "inspect a.txt"), 2, &["a.txt", ".gguf, .irpa, .safetensors, .vmfb or .mlir"]);
    fails(&studio(dir.path(), "export a.gguf --out b --graphs kv,kv"), 2, &["--graphs names a graph twice"]);
    let tiny = model(Fault::None);
    fails(
        &studio(tiny.path(), "export tiny.gguf --form stablehlo --out b --chunk 0"),
        2,
        &["option chunk is 0: choose from 1"],
    );
    fails(
        &studio(tiny.path(), "export tiny.gguf --out b --form stablehlo --kernels avx2"),
        2,
        &["--kernels is for --form cpu only"],
    );
    fails(
        &studio(tiny.path(), "export tiny.gguf --out b --form stablehlo --weights keep"),
        2,
        &["option weights is keep: only the cpu form keeps"],
    );
    fails(
        &studio(tiny.path(), "export tiny.gguf --out b --safetensors"),
        2,
        &["option safetensors is true", "stablehlo"],
    );
    fails(
        &studio(tiny.path(), "export tiny.gguf --out b --context 8 --chunk 9"),
        2,
        &["option chunk is 9: a chunk has at most as many tokens as the context, 8"],
    );
    fails(&studio(tiny.path(), "export tiny.gguf --out b --context -5"), 2, &["invalid value '-5'"]);
    fails(
        &studio(tiny.path(), "export tiny.gguf --out b --function-name go"),
        2,
        &["option function_name is \"go\"", "redecode"],
    );
    fails(
        &studio(tiny.path(), "export tiny.gguf --out b --graphs embed"),
        2,
        &["option graphs is embed: this model generates tokens", "redecode or kv"],
    );
    fails(&studio(tiny.path(), "run b --prompt x --threads 257"), 2, &["257 is not in 1..=256"]);
    fails(&studio(dir.path(), "compile a --target toaster"), 2, &["toaster", "host"]);
    let help = studio(dir.path(), "--help");
    assert_eq!((help.status, help.err.as_str()), (0, ""));
    for command in ["serve", "export", "inspect", "params", "compile", "run", "doctor"] {
        assert!(help.out.contains(command), "{command}");
    }
    assert!(!help.out.lines().any(|line| line.trim_start().starts_with("engine")), "{}", help.out);
}

#[test]
fn an_export_is_a_whole_bundle() {
    let dir = model(Fault::None);
    let ran = studio(
        dir.path(),
        "export tiny.gguf --form stablehlo --out bundle --seq 8 --context 16 --chunk 4 --safetensors",
    );
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
    let bundle = dir.path().join("bundle");
    let names =
        ["REFERENCE.md", "manifest.json", "model.irpa", "model.mlir", "model.safetensors", "tokenizer.gguf"];
    assert_eq!(files(&bundle), names);
    let manifest: Value = serde_json::from_slice(&fs::read(bundle.join("manifest.json")).unwrap()).unwrap();
    let entries = manifest["files"].as_array().unwrap();
    assert_eq!(entries.len(), 5);
    for entry in entries.iter().chain([&manifest["source"]]) {
        let name = entry["name"].as_str().unwrap();
        let path = if name == "tiny.gguf" { dir.path().join(name) } else { bundle.join(name) };
        let bytes = fs::read(path).unwrap();
        assert_eq!(entry["size_bytes"], bytes.len(), "{name}");
        assert_eq!(entry["blake3"], blake3::hash(&bytes).to_hex().to_string(), "{name}");
    }
    assert_eq!(manifest["options"]["seq"], 8);
    let words =
        "bundle: stablehlo form, weights bf16, redecode of 8 tokens, kv with a context of 16; 6 files";
    let takes = "a run takes 1 MB of memory: weights 1 MB, packed copies of them 1 MB, cache 1 MB, ";
    assert!(ran.err.contains(words) && ran.err.contains(takes), "{}", ran.err);
}

/// What IREE packs for its products is a second copy of the matrices, and no more than those.
#[test]
fn memory_counts_what_is_packed_when_a_module_is_loaded() {
    let dir = model(Fault::None);
    let inspected = studio(dir.path(), "inspect tiny.gguf --json");
    let inspected: Value = serde_json::from_str(&inspected.out).unwrap();
    let forms = inspected["forms"].as_array().unwrap();
    let memory = |name: &str| &forms.iter().find(|form| form["form"] == name).unwrap()["memory"];
    // bf16: the tied embedding, and of two layers q, k, v, output, gate, up and down, each 16 wide.
    let matrices = 16 * 16 + 2 * (16 * 16 + 2 * 8 * 16 + 16 * 16 + 3 * 16 * 16);
    assert_eq!(memory("stablehlo")["packed_bytes"], 2 * matrices);
    assert_eq!(memory("cpu")["packed_bytes"], Value::Null);
}

#[test]
fn an_export_over_a_bundle_leaves_nothing_of_it() {
    let dir = model(Fault::None);
    let export = |options: &str| {
        let ran = studio(dir.path(), &format!("export tiny.gguf --form stablehlo --out b {options}"));
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.err
    };
    export("--safetensors");
    let path = dir.path().join("b/manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["modules"] = serde_json::json!([{
        "target": "host", "name": "host.vmfb", "size_bytes": 4, "blake3": "", "compiler": "3.13.0", "flags": []
    }]);
    fs::write(&path, manifest.to_string()).unwrap();
    fs::write(dir.path().join("b/host.vmfb"), "vmfb").unwrap();
    fs::write(dir.path().join("b/notes.txt"), "mine").unwrap();
    let said = export("--weights f16");
    assert!(
        said.contains("removed model.safetensors, host.vmfb, of the bundle that was there before"),
        "{said}"
    );
    let left = ["REFERENCE.md", "manifest.json", "model.irpa", "model.mlir", "notes.txt", "tokenizer.gguf"];
    assert_eq!(files(&dir.path().join("b")), left);
}

#[test]
fn more_positions_than_a_model_was_trained_for_are_taken_with_a_warning() {
    let dir = model(Fault::None);
    let ran = studio(dir.path(), "export tiny.gguf --form stablehlo --out b");
    assert!(ran.status == 0 && !ran.err.contains("note:"), "{}", ran.err);
    let manifest: Value =
        serde_json::from_slice(&fs::read(dir.path().join("b/manifest.json")).unwrap()).unwrap();
    assert_eq!((&manifest["options"]["context"], &manifest["options"]["seq"]), (&64.into(), &64.into()));
    let ran = studio(dir.path(), "export tiny.gguf --form stablehlo --out b --context 100");
    assert!(!ran.err.contains("had no effect"));
    let idle = studio(dir.path(), "export tiny.gguf --out c --form stablehlo --graphs redecode --chunk 8");
    assert!(idle.err.contains("note: --chunk had no effect"), "{}", idle.err);
    let words = "note: context is 100 and the model was trained for 64 positions";
    assert!(ran.status == 0 && ran.err.contains(words), "{}", ran.err);
}

#[test]
fn what_is_there_of_a_model_that_is_not_whole() {
    let dir = model(Fault::None);
    let whole = fs::read(dir.path().join("tiny.gguf")).unwrap();
    // The last tensor's last number, then the whole table.
    fs::write(dir.path().join("short.gguf"), &whole[..whole.len() - 4]).unwrap();
    let ran = studio(dir.path(), "inspect short.gguf --json");
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("short.gguf: tensor \"blk.1.ffn_down.weight\""), "{}", ran.err);
    assert_eq!((found["tensors"].as_array().unwrap().len(), &found["missing_bytes"]), (19, &4.into()));
    assert_eq!(found["missing_tensors"][0]["name"], "blk.1.ffn_down.weight");
    assert_eq!(found["missing_tensors"][0]["there_bytes"], 16 * 16 * 4 - 4);
    assert_eq!(found["metadata"]["general.name"], "Tiny");
    fs::write(dir.path().join("short.gguf"), &whole[..200]).unwrap();
    let ran = studio(dir.path(), "inspect short.gguf");
    assert_eq!(ran.status, 1);
    assert!(ran.out.contains("tensors       0 of 20\n") && ran.out.contains("general.name"), "{}", ran.out);
}

#[test]
fn the_part_of_a_split_model_that_is_at_fault() {
    let dir = tempfile::tempdir().unwrap();
    let part = |number: u16| dir.path().join(format!("m-{:05}-of-00002.gguf", number + 1));
    for number in 0..2 {
        let mut builder = GgufBuilder::new();
        builder.set("split.no", gguf_file::Value::U16(number)).unwrap();
        builder.set("split.count", gguf_file::Value::U16(2)).unwrap();
        builder.set("split.tensors.count", gguf_file::Value::U32(2)).unwrap();
        builder.tensor(format!("t{number}"), &[8], BlockFormat::F32, vec![0; 32]).unwrap();
        fs::write(part(number), builder.write_to(Vec::new()).unwrap()).unwrap();
    }
    let first = "inspect m-00001-of-00002.gguf";
    assert_eq!(studio(dir.path(), first).status, 0);
    let second = fs::read(part(1)).unwrap();
    fs::write(part(1), &second[..second.len() - 8]).unwrap();
    let ran = studio(dir.path(), first);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("m-00002-of-00002.gguf: file 2, tensor \"t1\", offset at byte"), "{}", ran.err);
    assert!(ran.out.starts_with("This can't be opened as a model. What the file holds:\n"), "{}", ran.out);
    assert!(ran.out.contains("tensors       1 of 1\n"), "{}", ran.out);
    let ran = studio(dir.path(), "inspect m-00002-of-00002.gguf");
    assert!(ran.status == 1 && ran.out.contains("missing       at least 8 bytes"), "{}", ran.out);
    fs::remove_file(part(1)).unwrap();
    let ran = studio(dir.path(), first);
    let words = "m-00002-of-00002.gguf: part 2 of 2 of this model is not there";
    assert!(ran.status == 1 && ran.err.contains(words), "{}", ran.err);
}

#[test]
fn a_model_whose_name_does_not_say_so() {
    let dir = model(Fault::None);
    fs::rename(dir.path().join("tiny.gguf"), dir.path().join("sha256-1f00")).unwrap();
    assert!(studio(dir.path(), "inspect sha256-1f00").out.starts_with("architecture  llama\n"));
    let tensor = studio(dir.path(), "inspect sha256-1f00 --tensor token_embd.weight");
    assert!(tensor.out.starts_with("tensor        token_embd.weight\n"), "{}", tensor.err);
    assert_eq!(studio(dir.path(), "export sha256-1f00 --out b").status, 0);
    assert!(studio(dir.path(), "graph sha256-1f00").out.contains("layer 0"));
}

#[test]
fn what_a_bundle_is() {
    let dir = model(Fault::None);
    let export = "export tiny.gguf --form stablehlo --out b --seq 8 --graphs redecode --function-name go";
    assert_eq!(studio(dir.path(), export).status, 0);
    let text = studio(dir.path(), "inspect b").out;
    for words in [
        "model         Tiny, llama, ",
        "as            stablehlo form, weights bf16, redecode of 8 tokens\n",
        "go(tokens: tensor<1x8xi32>) -> next: tensor<8xi32>",
        "studio compile b --target host",
    ] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    fs::remove_file(dir.path().join("b/model.irpa")).unwrap();
    let found = studio(dir.path(), "inspect b --json");
    let found: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!(
        (&found["manifest"]["model"]["name"], &found["problems"][0]["file"]),
        (&"Tiny".into(), &"model.irpa".into())
    );
    fails(&studio(dir.path(), "inspect ."), 1, &["not a bundle's folder", "studio export"]);
}

/// A file's words must not move a terminal's cursor, nor look like other words.
#[test]
fn what_a_file_says_does_nothing_to_a_terminal() {
    let dir = model(Fault::Name("\u{1b}[2J\u{202e}ynit"));
    for args in [
        "inspect tiny.gguf",
        "diff tiny.gguf tiny.gguf",
        "export tiny.gguf --out b --form stablehlo",
        "inspect b",
    ] {
        let ran = studio(dir.path(), args);
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert!(![&ran.out, &ran.err].iter().any(|text| text.contains(['\u{1b}', '\u{202e}'])), "{args}");
    }
    assert!(studio(dir.path(), "inspect b").out.contains("\\u{1b}[2J\\u{202e}ynit"));
}

#[test]
fn the_same_model_and_options_give_the_same_bytes() {
    let dir = model(Fault::None);
    for out in ["one", "two", "two"] {
        assert_eq!(
            studio(dir.path(), &format!("export tiny.gguf --form stablehlo --out {out} --weights f16"))
                .status,
            0
        );
    }
    for name in files(&dir.path().join("one")) {
        let read = |out: &str| fs::read(dir.path().join(out).join(&name)).unwrap();
        assert!(read("one") == read("two"), "{name}");
    }
}

#[test]
fn bad_models_fail_in_words_and_leave_nothing() {
    let no_model = |bytes: &[u8]| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("tiny.gguf"), bytes).unwrap();
        dir
    };
    let whole = model(Fault::None);
    let whole = fs::read(whole.path().join("tiny.gguf")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tiny.gguf")).unwrap();
    let cases: [(tempfile::TempDir, &[&str]); 8] = [
        (folder, &["tiny.gguf: a folder, where a .gguf file is wanted"]),
        (no_model(b""), &["tiny.gguf: the file is empty"]),
        (no_model(b"PK\x03\x04, a zip or so, but not a GGUF"), &["tiny.gguf", "GGUF"]),
        (no_model(&whole[..whole.len() / 2]), &["tiny.gguf"]),
        (no_model(&whole[..whole.len() - 1]), &["tiny.gguf", "blk.1"]),
        (model(Fault::UnknownArchitecture), &["tiny.gguf: the", "mamba9", "supported: llama"]),
        (model(Fault::NoTensor("blk.1.ffn_up.weight")), &["no tensor blk.1.ffn_up.weight"]),
        (tempfile::tempdir().unwrap(), &["tiny.gguf", "No such file"]),
    ];
    for (dir, words) in cases {
        let before = files(dir.path());
        fails(&studio(dir.path(), "export tiny.gguf --form stablehlo --out bundle"), 1, words);
        assert_eq!(files(dir.path()), before);
    }
}

#[test]
fn a_place_that_takes_no_bundle_is_named() {
    let dir = model(Fault::None);
    let words = ["/proc/bundle", "choose a folder in another place"];
    fails(&studio(dir.path(), "export tiny.gguf --out /proc/bundle"), 1, &words);
    fails(
        &studio(dir.path(), "export tiny.gguf --out tiny.gguf/b"),
        1,
        &["tiny.gguf/b", "a file is in its place"],
    );
    fails(
        &studio(dir.path(), "compile tiny.gguf --target host"),
        1,
        &["tiny.gguf: a file, where a bundle's"],
    );
}

#[test]
fn an_export_says_when_its_tokenizer_is_not_known() {
    let known = model(Fault::None);
    assert!(!studio(known.path(), "export tiny.gguf --form stablehlo --out b").err.contains("note:"));
    let other = model(Fault::UnknownTokenizer);
    let ran = studio(other.path(), "export tiny.gguf --form stablehlo --out b");
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
    assert!(
        ran.err.contains("note: `studio run` can't run this bundle") && ran.err.contains("abacus"),
        "{}",
        ran.err
    );
}

#[test]
fn an_export_has_its_folder_to_itself_and_clears_what_a_killed_one_left() {
    let dir = model(Fault::None);
    let bundle = dir.path().join("bundle");
    fs::create_dir(&bundle).unwrap();
    fs::write(bundle.join(".model.irpa.4711.part"), "half").unwrap();
    fs::write(bundle.join(".mine.part"), "kept").unwrap();
    let other = fs::File::open(&bundle).unwrap();
    other.lock().unwrap();
    fails(
        &studio(dir.path(), "export tiny.gguf --form stablehlo --out bundle"),
        1,
        &["bundle: another export is writing there"],
    );
    assert_eq!(files(&bundle), [".mine.part", ".model.irpa.4711.part"]);
    drop(other);
    assert_eq!(studio(dir.path(), "export tiny.gguf --form stablehlo --out bundle").status, 0);
    let left = files(&bundle);
    assert!(
        left.contains(&".mine.part".to_owned()) && !left.contains(&".model.irpa.4711.part".to_owned()),
        "{left:?}"
    );
}

#[test]
fn a_full_disk_is_said_and_leaves_nothing_half_written() {
    let dir = model(Fault::None);
    let mut command = Command::new("bash");
    command.args(["-c", "ulimit -f 4; exec \"$@\"", "bash", env!("CARGO_BIN_EXE_studio")]);
    command.args(["export", "tiny.gguf", "--form", "stablehlo", "--out", "bundle"]);
    fails(&ran(&mut command, dir.path()), 1, &["bundle/model.", "ulimit -f"]);
    assert_eq!(files(&dir.path().join("bundle")), Vec::<String>::new());
}

#[test]
fn what_is_in_a_model_an_archive_and_a_text() {
    let dir = model(Fault::None);
    assert_eq!(
        studio(
            dir.path(),
            "export tiny.gguf --form stablehlo --out b --seq 8 --graphs redecode --safetensors"
        )
        .status,
        0
    );
    let json = |file: &str| -> Value {
        let ran = studio(dir.path(), &format!("inspect {file} --json"));
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
        serde_json::from_str(&ran.out).unwrap()
    };
    let gguf = json("tiny.gguf");
    assert_eq!(gguf["metadata"]["general.architecture"], "llama");
    assert_eq!(gguf["metadata"]["tokenizer.ggml.tokens"].as_array().unwrap().len(), 16);
    assert_eq!(gguf["tensors"].as_array().unwrap().len(), 20);
    assert_eq!(gguf["tensors"][0]["name"], "token_embd.weight");
    assert_eq!(gguf["tensors"][0]["dims"], serde_json::json!([16, 16]));
    let text = studio(dir.path(), "inspect tiny.gguf").out;
    assert!(
        text.starts_with("architecture  llama\n") && text.contains("blk.1.ffn_down.weight [16, 16]"),
        "{text}"
    );
    let (irpa, safetensors) = (json("b/model.irpa"), json("b/model.safetensors"));
    let names = |json: &Value| -> Vec<String> {
        let entries = json["parameters"].as_array().unwrap();
        let mut names: Vec<_> =
            entries.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&irpa), names(&safetensors));
    assert!(names(&irpa).contains(&"blk.0.attn_q.weight".to_owned()));
    let mlir = json("b/model.mlir");
    let main =
        mlir["functions"].as_array().unwrap().iter().find(|function| function["name"] == "main").unwrap();
    let signature = main["signature"].as_str().unwrap();
    assert!(signature.contains("tensor<1x8xi32>") && signature.contains("tensor<8xi32>"), "{signature}");
}

#[test]
fn what_the_numbers_of_a_tensor_are_like() {
    let dir = model(Fault::None);
    let ran = studio(dir.path(), "inspect tiny.gguf --tensor blk.1.ffn_down.weight --json");
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((found["type"].as_str(), found["elements"].as_u64()), (Some("F32"), Some(256)));
    let counts = found["histogram"]["counts"].as_array().unwrap();
    assert_eq!(counts.iter().filter_map(Value::as_u64).sum::<u64>(), 256);
    let text = studio(dir.path(), "inspect tiny.gguf --tensor blk.1.ffn_down.weight").out;
    assert!(text.starts_with("tensor        blk.1.ffn_down.weight\ntype          F32\n"), "{text}");

    let slip = studio(dir.path(), "inspect tiny.gguf --tensor blk.1.ffn_done.weight");
    fails(&slip, 1, &["no tensor blk.1.ffn_done.weight", "the nearest is blk.1.ffn_down.weight"]);
    fails(&studio(dir.path(), "inspect a.mlir --tensor x"), 2, &["--tensor is for .gguf files"]);
}

#[test]
fn what_a_texts_tokens_are() {
    let dir = model(Fault::None);
    let mut command = Command::new(env!("CARGO_BIN_EXE_studio"));
    // The tiny vocabulary has the letters a to p, by their place in the alphabet; nothing is there for a blank.
    let found = ran(command.args(["tokens", "tiny.gguf", "--text", "cab head", "--json"]), dir.path());
    assert_eq!((found.status, found.err.as_str()), (0, ""));
    let found: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!(found["ids"], serde_json::json!([2, 0, 1, 7, 4, 0, 3]));
    assert_eq!((&found["counts"]["words"], &found["counts"]["bytes"]), (&2.into(), &8.into()));
    assert_eq!((&found["tokens"][3]["text"], &found["tokens"][3]["bytes"]), (&"h".into(), &"68".into()));
    fs::write(dir.path().join("text"), "ab").unwrap();
    let text = studio(dir.path(), "tokens tiny.gguf --file text").out;
    assert!(text.contains("tokens        2, 2 different") && text.contains("normal        \"b\""), "{text}");

    // A bundle brings its model's tokenizer.
    assert_eq!(studio(dir.path(), "export tiny.gguf --form stablehlo --out b").status, 0);
    let found: Value = serde_json::from_str(&studio(dir.path(), "tokens b --text ab --json").out).unwrap();
    assert_eq!(found["ids"], serde_json::json!([0, 1]));

    fs::write(dir.path().join("talk.json"), r#"{"role": "user"}"#).unwrap();
    let words = ["talk.json", "an array of objects with `role` and `content`"];
    fails(&studio(dir.path(), "tokens tiny.gguf --messages talk.json"), 1, &words);
    fails(&studio(dir.path(), "tokens tiny.gguf --text a --chat"), 1, &["no chat template", "tiny.gguf"]);
    fails(&studio(dir.path(), "tokens tiny.gguf"), 2, &["--help"]);
    fails(&studio(dir.path(), "tokens tiny.gguf --text a --no-answer"), 2, &["--chat and --messages"]);
    let unknown = model(Fault::UnknownTokenizer);
    let words = ["tokenizer.ggml.model: `abacus` is not supported", "tiny.gguf"];
    fails(&studio(unknown.path(), "tokens tiny.gguf --text a"), 1, &words);
}

#[test]
fn how_two_models_differ() {
    let dir = model(Fault::None);
    tiny::write(&dir.path().join("other.gguf"), Fault::NoTensor("blk.1.ffn_up.weight"));
    let found = studio(dir.path(), "diff tiny.gguf other.gguf --values --json");
    assert_eq!((found.status, found.err.as_str()), (0, ""));
    let found: Value = serde_json::from_str(&found.out).unwrap();
    let kinds = found["tensors"].as_array().unwrap().iter().filter(|pair| pair["kind"] == "only_first");
    assert_eq!(kinds.map(|pair| &pair["name"]).collect::<Vec<_>>(), ["blk.1.ffn_up.weight"]);
    let differences = found["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 19);
    assert!(differences.iter().all(|found| found["identical"] == true), "{differences:?}");
    let text = studio(dir.path(), "diff tiny.gguf tiny.gguf").out;
    assert!(text.contains("Tensors: all 20 have the same dimensions and types"), "{text}");

    let missing = studio(dir.path(), "diff tiny.gguf other.gguf --tensor blk.1.ffn_up.weight");
    fails(&missing, 1, &["the second model: tensor blk.1.ffn_up.weight", "other.gguf"]);
    fails(&studio(dir.path(), "diff tiny.gguf other.gguf --tensor x"), 1, &["neither model has a tensor x"]);
    fails(&studio(dir.path(), "diff tiny.gguf none.gguf"), 1, &["none.gguf"]);
}

#[test]
fn params_prints_what_iree_dump_parameters_prints() {
    let dir = model(Fault::None);
    assert_eq!(studio(dir.path(), "export tiny.gguf --form stablehlo --out b --safetensors").status, 0);
    let Some(tool) = tiny::tool("_runtime_libs/iree-dump-parameters") else { return };
    for file in ["b/model.irpa", "b/model.safetensors"] {
        let stock = ran(Command::new(&tool).arg(format!("--parameters={file}")), dir.path());
        assert_eq!(stock.status, 0, "{}", stock.err);
        let ours = studio(dir.path(), &format!("params {file}"));
        assert_eq!((ours.status, ours.out), (0, stock.out));
    }
}

#[test]
fn a_bundle_that_was_not_compiled_says_how() {
    let dir = model(Fault::None);
    assert_eq!(studio(dir.path(), "export tiny.gguf --form stablehlo --out b").status, 0);
    fails(&studio(dir.path(), "run b --tokens 1"), 1, &["studio compile b --target host"]);
    fails(&studio(dir.path(), "run nowhere --tokens 1"), 1, &["nowhere"]);
    fails(&studio(dir.path(), "compile nowhere --target host"), 1, &["nowhere"]);
}

#[test]
fn without_a_compiler_compile_and_doctor_say_how_to_get_it() {
    let dir = model(Fault::None);
    assert_eq!(studio(dir.path(), "export tiny.gguf --form stablehlo --out b").status, 0);
    let without = |args: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_studio"));
        command.args(args.split_whitespace()).env("IREE_COMPILE", "/nowhere/iree-compile");
        command.env("XDG_DATA_HOME", dir.path().join("data"));
        ran(&mut command, dir.path())
    };
    fails(&without("compile b --target host"), 1, &["/nowhere/iree-compile", "./dev studio"]);
    let doctor = without("doctor");
    assert_eq!(doctor.status, 1);
    assert!(doctor.out.contains("missing  compiler"), "{}", doctor.out);
}

#[test]
fn a_graph_is_an_outline_a_picture_or_json() {
    let dir = model(Fault::None);
    let outline = studio(dir.path(), "graph tiny.gguf --form stablehlo --weights f32 --context 16 --chunk 4");
    assert_eq!(outline.status, 0, "{}", outline.err);
    for words in ["takes token", "attention", "gives "] {
        assert!(outline.out.contains(words), "{words:?} is not in {}", outline.out);
    }
    let drawn = studio(dir.path(), "graph tiny.gguf --svg g.svg --expand-all --overlay flops --dark");
    assert_eq!((drawn.status, drawn.out.as_str()), (0, ""), "{}", drawn.err);
    let svg = std::fs::read_to_string(dir.path().join("g.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("q_proj"), "{svg}");
    let json: Value = serde_json::from_str(&studio(dir.path(), "graph tiny.gguf --json").out).unwrap();
    assert!(json.to_string().contains("dot_general"), "{json}");
    assert_eq!(studio(dir.path(), "export tiny.gguf --form stablehlo --weights f32 --out g").status, 0);
    assert_eq!(studio(dir.path(), "graph g --function prefill").status, 0, "a bundle's folder");
    fails(&studio(dir.path(), "graph g --function nothing"), 2, &["nothing", "prefill", "decode"]);
    fails(&studio(dir.path(), "graph tiny.gguf --svg g.svg --expand nowhere"), 2, &["nowhere"]);
}

#[test]
fn an_output_that_nobody_reads_is_no_failure() {
    let dir = model(Fault::None);
    let mut command = Command::new("bash");
    command.args(["-c", "\"$1\" inspect tiny.gguf | true; echo ${PIPESTATUS[0]}", "bash"]);
    let ran = ran(command.arg(env!("CARGO_BIN_EXE_studio")), dir.path());
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("0\n", ""));
}
