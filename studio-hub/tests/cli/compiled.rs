//! What the command line does with a real compiler: compile, run, refuse what a processor can't.

use super::*;

#[test]
fn a_bundle_is_compiled_once_and_run() {
    let Some(compiler) = tiny::compiler() else { return };
    let dir = model(Fault::None);
    let export = "export tiny.gguf --form stablehlo --weights f32 --out b --seq 8 --context 16 --chunk 4";
    assert_eq!(studio(dir.path(), export).status, 0);
    let with_cache = |args: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_studio"));
        command.args(args.split_whitespace()).env("IREE_COMPILE", &compiler);
        ran(command.env("STUDIO_CACHE", dir.path().join("cache")), dir.path())
    };
    let compiled = with_cache("compile b --target host");
    assert_eq!((compiled.status, compiled.out.as_str()), (0, "b/host.vmfb\n"), "{}", compiled.err);
    assert!(with_cache("compile b --target host").err.contains("found among"));
    let functions = studio(dir.path(), "inspect b/host.vmfb --json");
    let functions: Value = serde_json::from_str(&functions.out).unwrap();
    let names: Vec<_> = functions["functions"].as_array().unwrap().iter().map(|f| &f["name"]).collect();
    for name in ["main", "prefill", "decode"] {
        assert!(names.iter().any(|known| *known == name), "{name} is not in {names:?}");
    }
    let text = studio(dir.path(), "inspect b/host.vmfb").out;
    for words in ["Exported Functions:", "embedded-elf-", "| Dispatch\n", "| main_dispatch_0"] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    let json = with_cache("run b --tokens 1,2,3 -n 4 --threads 1 --json");
    assert_eq!((json.status, json.err.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(report["timings"]["prompt_tokens"], 3);
    let text = report["text"].as_str().unwrap();
    assert_eq!(text.len(), report["tokens"].as_array().unwrap().len());
    let plain = with_cache("run b --tokens 1,2,3 -n 4 --threads 1");
    assert_eq!((plain.status, plain.out), (0, format!("{text}\n")));
    let raw = with_cache("run b --prompt bcd --raw -n 4 --json");
    let raw: Value = serde_json::from_str(&raw.out).unwrap_or_else(|_| panic!("{}", raw.err));
    assert_eq!(raw["tokens"], report["tokens"]);
    let model = with_cache("run tiny.gguf --tokens 1,2,3 -n 4 --json");
    let model: Value = serde_json::from_str(&model.out).unwrap_or_else(|_| panic!("{}", model.err));
    assert_eq!(model["tokens"], report["tokens"]);
    // The same text with other weights: nothing is compiled again.
    tiny::write(&dir.path().join("nan.gguf"), Fault::NotNumbers);
    let export = export.replace("tiny.gguf", "nan.gguf").replace("--out b", "--out n");
    assert_eq!(studio(dir.path(), &export).status, 0);
    assert!(with_cache("compile n --target host").err.contains("found among"));
    fails(&with_cache("run n --tokens 1,2,3 -n 4"), 1, &["16 of the model's 16 scores", "not numbers"]);
    let full = with_cache("run b --tokens 1,2,3,4,5,6,7,8,9,10,11,12,13,14 -n 9");
    assert!(full.status == 0 && full.err.contains("stopped: the context is full"), "{}", full.err);
    let long = "1,".repeat(70) + "1";
    fails(&with_cache(&format!("run b --tokens {long}")), 1, &["16"]);
    fails(&with_cache("run b --tokens 16"), 1, &["16"]);
}

/// Without flags: kernels for this machine, weights as they are in the GGUF.
#[test]
fn the_usual_export_is_for_processors_and_is_refused_by_others() {
    let Some(compiler) = tiny::compiler() else { return };
    let dir = model(Fault::None);
    let with_cache = |args: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_studio"));
        command.args(args.split_whitespace()).env("IREE_COMPILE", &compiler);
        ran(command.env("STUDIO_CACHE", dir.path().join("cache")), dir.path())
    };
    assert_eq!(with_cache("export tiny.gguf --out b --context 16").status, 0);
    let path = dir.path().join("b/manifest.json");
    let manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let options = &manifest["options"];
    assert_eq!(
        [&options["form"], &options["weights"], &options["activations"], &options["cache"]],
        ["cpu", "keep", "i8", "f16"]
    );
    assert_eq!((&options["chunk"], &options["graphs"]), (&Value::from(16), &serde_json::json!(["kv"])));
    assert_eq!(manifest["kernels"]["set"], options["kernels"]);
    let reference = fs::read_to_string(dir.path().join("b/REFERENCE.md")).unwrap();
    assert!(reference.contains("kept, in tiles of F32"), "{reference}");
    let compiled = with_cache("compile b --target host");
    assert_eq!(compiled.status, 0, "{}", compiled.err);
    let run = with_cache("run b --tokens 1,2,3 -n 4");
    assert_eq!(run.status, 0, "{}", run.err);

    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["kernels"]["cpu_features"] = serde_json::json!(["telepathy"]);
    fs::write(&path, manifest.to_string()).unwrap();
    let refused = with_cache("run b --tokens 1,2,3 -n 4");
    fails(&refused, 1, &["this processor lacks telepathy", "Export the model again with --kernels"]);
}

/// Which parts of the graph dispatches come from is found out on the way, and the module is the one that iree-compile
/// makes of the text in one run.
#[test]
fn dispatches_are_told_with_the_parts_of_the_graph_that_they_compute() {
    let Some(compiler) = tiny::compiler() else { return };
    let dir = model(Fault::None);
    let with_cache = |args: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_studio"));
        command.args(args.split_whitespace()).env("IREE_COMPILE", &compiler);
        ran(command.env("STUDIO_CACHE", dir.path().join("cache")), dir.path())
    };
    let cases =
        [("stablehlo", " --weights f32", "layer 0–1 / mlp / gate_proj"), ("cpu", "", "embedding; layer 0–")];
    for (form, weights, part) in cases {
        let export = format!("export tiny.gguf --form {form}{weights} --out {form} --context 16 --chunk 4");
        assert_eq!(studio(dir.path(), &export).status, 0);
        assert_eq!(with_cache(&format!("compile {form} --target host")).status, 0);
        let bundle = dir.path().join(form);
        let manifest: Value =
            serde_json::from_slice(&fs::read(bundle.join("manifest.json")).unwrap()).unwrap();
        let flags = manifest["modules"][0]["flags"].as_array().unwrap();
        let stock = Command::new(&compiler)
            .arg(bundle.join("model.mlir"))
            .args(flags.iter().map(|flag| flag.as_str().unwrap()))
            .output()
            .expect("starting iree-compile");
        assert!(stock.status.success(), "{}", String::from_utf8_lossy(&stock.stderr));
        assert!(stock.stdout == fs::read(bundle.join("host.vmfb")).unwrap(), "{form}: the same bytes");

        let text = studio(dir.path(), &format!("inspect {form}/host.vmfb")).out;
        assert!(text.contains(&format!(" ← {part}")), "{text}");
        let run = with_cache(&format!("run {form} --tokens 1,2,3 -n 4 --threads 1 --profile --json"));
        let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err));
        let dispatches = report["dispatches"].as_array().unwrap();
        let decode = |dispatch: &&Value| dispatch["name"].as_str().unwrap().starts_with("decode_");
        assert!(dispatches.iter().any(|dispatch| decode(&dispatch)));
        for dispatch in dispatches.iter().filter(decode) {
            assert!(dispatch["scopes"].as_array().is_some_and(|scopes| !scopes.is_empty()), "{dispatch}");
        }
    }
    let run = with_cache("run cpu --tokens 1,2,3 -n 4 --profile --json").out;
    fs::write(dir.path().join("run.json"), run).unwrap();
    let draw = "graph tiny.gguf --svg times.svg --overlay time";
    let timed = format!("{draw} --times run.json --module cpu/host.vmfb");
    assert_eq!(studio(dir.path(), &timed).status, 0);
    let colours = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    assert_eq!(studio(dir.path(), "graph tiny.gguf --svg plain.svg").status, 0);
    assert_ne!(colours("times.svg"), colours("plain.svg"));
    fails(&studio(dir.path(), draw), 2, &["--overlay time needs --times RUN.json and --module FILE.vmfb"]);
    let never = timed.replace("graph", "graph --graphs redecode --seq 8");
    fails(&studio(dir.path(), &never), 1, &["the run never called main"]);

    let of = "cpu/host.dispatches.json";
    assert!(dir.path().join(of).is_file());
    // Printing flags of MLIR's could garble what passes between the halves.
    assert_eq!(with_cache("compile cpu --target host --flag --mlir-disable-threading").status, 0);
    assert!(!dir.path().join(of).exists(), "nothing is said of another module");
    assert!(studio(dir.path(), "inspect cpu/host.vmfb").out.contains("| decode_0\n"));
    let again = "export tiny.gguf --form stablehlo --weights f32 --out stablehlo --context 16 --chunk 4";
    assert_eq!(studio(dir.path(), again).status, 0);
    assert!(!dir.path().join("stablehlo/host.dispatches.json").exists(), "it goes with its module");
}
