//! The cpu form of the real model: weights as they are in the GGUF, computed by kernels that travel in the module.

use e2e::{Scratch, compare, iree_tool, reference, scratch, smollm2, smollm2_as, studio};
use runner_agent::{BundleFiles, engine};
use std::path::Path;
use std::process::Command;

/// Prose of 196 tokens.
const TEXT: &str = include_str!("cpu_form/bicycle.txt");

const THREADS: [u32; 2] = [1, 2];

/// A chunk that the text is no multiple of.
const LENGTHS: [&str; 6] = ["--seq", "64", "--context", "256", "--chunk", "24"];

struct Exported {
    folder: Scratch,
    bundle: BundleFiles,
}

impl Exported {
    fn new(name: &str, model: &Path, options: &[&str]) -> Self {
        let folder = scratch(name);
        let form = ["--form", "cpu", "--weights", "keep"];
        studio::export_and_compile(model, &folder, &[&form[..], options, &LENGTHS].concat());
        let bundle = BundleFiles::open(&folder).expect("the export is a bundle");
        Self { folder, bundle }
    }

    fn forced(&self, tokens: &[u32], threads: u32, path: engine::Path) -> engine::Forced {
        let module = self.folder.join("host.vmfb");
        engine::teacher_forced(&self.bundle, &module, tokens, Some(threads), path)
            .expect("running the module over the text")
    }

    fn distance(&self, want: &[f32], got: &engine::Forced) -> compare::Distance {
        compare::logits(want, &got.logits.concat(), self.bundle.manifest().model.vocabulary_size as usize)
    }
}

/// With f32 activations nothing is rounded: llama.cpp gives the same from the same weights in F32.
#[test]
fn f32_activations_give_the_logits_of_the_weights() {
    let tokens = reference::tokens(&smollm2(), TEXT);
    let options = ["--activations", "f32", "--cache", "f32"];
    let exported = Exported::new("cpu-f32", &smollm2(), &options);
    let want = reference::logits(&smollm2_as("F32"), &tokens, &exported.folder);
    let got = exported.forced(&tokens, 2, engine::Path::Decode);
    let distance = exported.distance(&want, &got);
    println!("f32 activations: {distance:?}");
    assert!(distance.mean_kl < 1e-8 && distance.max_relative < 1e-4, "{distance:?}");

    let chunked = exported.forced(&tokens, 2, engine::Path::Prefill);
    let at_ends: Vec<f32> =
        chunked.positions.iter().flat_map(|&position| got.logits[position].clone()).collect();
    let distance = exported.distance(&at_ends, &chunked);
    assert!(distance.mean_kl < 1e-8, "chunks, the last one not full, against single tokens: {distance:?}");
}

/// llama.cpp, too, makes activations bytes before it multiplies. Small differences grow from layer to layer in both, so
/// what can be asked is that ours are as close to the weights as llama.cpp's.
#[test]
fn int8_activations_are_as_close_to_the_weights_as_those_of_llama_cpp() {
    let tokens = reference::tokens(&smollm2(), TEXT);
    let exported = Exported::new("cpu-int8", &smollm2(), &[]);
    let exact = reference::logits(&smollm2_as("F32"), &tokens, &exported.folder);
    let theirs = reference::logits(&smollm2(), &tokens, &exported.folder);
    let vocabulary = exported.bundle.manifest().model.vocabulary_size as usize;
    let got = exported.forced(&tokens, 2, engine::Path::Decode);
    let (ours, theirs) = (exported.distance(&exact, &got), compare::logits(&exact, &theirs, vocabulary));
    println!("from the weights: ours {ours:?}, llama.cpp's {theirs:?}");
    assert!(ours.mean_kl < 1.25 * theirs.mean_kl && ours.mean_kl < 5e-3, "{ours:?}, llama.cpp {theirs:?}");
    assert!(ours.top1_agreement >= theirs.top1_agreement.max(0.95), "{ours:?}, llama.cpp {theirs:?}");

    let alone = exported.forced(&tokens, 1, engine::Path::Decode);
    assert_eq!(alone.logits, got.logits, "any number of threads gives the same bits");
    let [one, two] = THREADS.map(|threads| exported.forced(&tokens, threads, engine::Path::Prefill));
    assert_eq!(one.logits, two.logits, "in chunks, too");
}

/// Every block format, as llama.cpp's own quantiser makes it. The same export with f32 activations, which the test above
/// holds to llama.cpp, says what the weights give.
#[test]
fn every_format_is_computed_as_closely_as_llama_cpp_does() {
    for format in ["Q8_0", "Q4_0", "Q5_0", "Q5_1", "Q4_K_M", "Q5_K_M", "Q6_K", "F16"] {
        let model = smollm2_as(format);
        let tokens = reference::tokens(&model, TEXT);
        let exact = Exported::new("cpu-format-f32", &model, &["--activations", "f32", "--cache", "f32"]);
        let want = exact.forced(&tokens, 2, engine::Path::Decode).logits.concat();
        let theirs = reference::logits(&model, &tokens, &exact.folder);
        let vocabulary = exact.bundle.manifest().model.vocabulary_size as usize;
        let theirs = compare::logits(&want, &theirs, vocabulary);
        let int8 = Exported::new("cpu-format", &model, &[]);
        let ours = int8.distance(&want, &int8.forced(&tokens, 2, engine::Path::Decode));
        println!("{format}, from its weights: ours {ours:?}, llama.cpp's {theirs:?}");
        assert!(theirs.mean_kl < 1e-2, "{format}: {theirs:?}");
        // F16 is multiplied without rounding anything to bytes; what is left is the cache in f16.
        let limit = (1.25 * theirs.mean_kl).max(1e-6);
        assert!(ours.mean_kl < limit, "{format}: ours {ours:?}, llama.cpp's {theirs:?}");
        assert!(ours.top1_agreement >= 0.93, "{format}: {ours:?}");
    }
}

/// All sets of kernels do the same arithmetic, but for the order of sums.
#[test]
fn sets_of_kernels_agree() {
    let tokens = reference::tokens(&smollm2(), TEXT);
    let exact = ["--activations", "f32", "--cache", "f32"];
    let measure =
        Exported::new("cpu-avx512", &smollm2(), &[&["--kernels", "avx512vnni"], &exact[..]].concat());
    let want = measure.forced(&tokens[..64], 2, engine::Path::Decode).logits.concat();
    for kernels in ["avx2", "portable"] {
        let options = [&["--kernels", kernels], &exact[..]].concat();
        let exported = Exported::new(&format!("cpu-{kernels}"), &smollm2(), &options);
        let distance = exported.distance(&want, &exported.forced(&tokens[..64], 2, engine::Path::Decode));
        assert!(distance.mean_kl < 1e-8, "{kernels}: {distance:?}");
    }
}

/// The redecode contract and kv name the same tokens, and IREE's own tool drives the module.
#[test]
fn redecode_and_the_stock_runner_agree_with_decode() {
    let options = ["--activations", "f32", "--cache", "f32", "--graphs", "redecode,kv"];
    let exported = Exported::new("cpu-redecode", &smollm2(), &options);
    let tokens = &reference::tokens(&smollm2(), TEXT)[..64];
    let decoded = exported.forced(tokens, 2, engine::Path::Decode);
    let whole = exported.forced(tokens, 2, engine::Path::Redecode);
    assert_eq!(whole.next, decoded.next);

    let words: Vec<String> = tokens.iter().map(u32::to_string).collect();
    let output = Command::new(iree_tool("iree-run-module"))
        .arg(format!("--module={}", exported.folder.join("host.vmfb").display()))
        .arg(format!("--parameters=model={}", exported.folder.join("model.irpa").display()))
        .args(["--device=local-task", "--function=main", "--print_statistics=false"])
        .arg(format!("--input=1x64xi32={}", words.join(" ")))
        .output()
        .expect("starting IREE's tool");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout);
    let line = printed.lines().find_map(|line| line.strip_prefix("64xi32=")).expect("one result");
    let next: Vec<u32> = line.split_whitespace().map(|word| word.parse().expect("an id")).collect();
    assert_eq!(next, decoded.next);
}

/// The whole module, for the longest context asked for, compiles in the time and size that the page promises.
#[test]
fn a_long_context_works() {
    let folder = scratch("cpu-long");
    let options = ["--form", "cpu", "--weights", "keep", "--context", "8192", "--graphs", "kv"];
    studio::export_and_compile(&smollm2(), &folder, &options);
    let size = std::fs::metadata(folder.join("host.vmfb")).expect("it was compiled").len();
    assert!(size < 1_000_000, "the module has {size} bytes");
    let bundle = BundleFiles::open(&folder).expect("the export is a bundle");
    let text = reference::tokens(&smollm2(), TEXT);
    let tokens: Vec<u32> = text.iter().copied().cycle().take(8192).collect();
    let module = folder.join("host.vmfb");
    let forced = engine::teacher_forced(&bundle, &module, &tokens, Some(2), engine::Path::Prefill)
        .expect("running the module over a long text");
    // By now it knows the text by heart.
    let right = forced
        .positions
        .iter()
        .zip(&forced.next)
        .filter(|&(&position, &next)| tokens.get(position + 1).is_none_or(|&token| token == next));
    assert!(right.count() + 2 >= forced.positions.len(), "{:?}", forced.next);
}
