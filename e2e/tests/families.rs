//! Every architecture in both contracts and forms against llama.cpp, by tiny models with random weights.
//!
//! `BLESS=1 ./dev test families` writes docs/COVERAGE.md anew; without it the test checks that the page has the same
//! rows: figures differ a little from machine to machine.

mod families {
    pub(crate) mod coverage;
}

use e2e::{bundle, compare, reference, scratch, tiny};
use families::coverage::{self, Row};
use runner_agent::{BundleFiles, cpu_features, engine};
use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::Mutex,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};
use studio_core::manifest::file_name;
use studio_core::options::{
    Activations, CacheElement, CpuOptions, ExportOptions, Form, GraphKind, Kernels, Weights,
};
use tiny::{Recipe, Stored};

/// Tokens of the text: more than any window, and no multiple of the chunk.
const POSITIONS: usize = 22;

/// The largest difference of logits, as a share of their range, where both compute with the same numbers in f32.
const SAME_NUMBERS: f64 = 1e-4;
/// Where llama.cpp looks a GELU up in a table of f16, by an input that was rounded to f16: each has 11 bits.
const ROUNDED_GELU: f64 = 5e-4;

#[test]
fn every_architecture_agrees_with_llama_cpp() {
    let mut recipes = tiny::all();
    // For whoever works on one.
    if let Ok(only) = env::var("FAMILY") {
        recipes.retain(|recipe| recipe.architecture == only);
    }
    let tokens = tiny::tokens(POSITIONS);
    let folder = scratch("families");
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(recipe) = recipes.get(index) else { return };
                    let made = Case::new(recipe, &tokens, folder.join(index.to_string())).rows();
                    rows.lock().expect("no other case panicked").push((index, made));
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("no case panicked");
    rows.sort_by_key(|(index, _)| *index);
    let rows: Vec<Row> = rows.into_iter().flat_map(|(_, rows)| rows).collect();
    print!("{}", coverage::table(&rows));
    for row in &rows {
        if let Ok(agreement) = &row.agreement {
            assert!(agreement.difference < agreement.limit, "{row:?}");
        }
    }
    if env::var_os("FAMILY").is_none() {
        coverage::check_page(&rows);
    }
}

/// A tiny model in its files, and what llama.cpp says of it.
struct Case<'a> {
    recipe: &'a Recipe,
    tokens: &'a [u32],
    folder: PathBuf,
    /// llama.cpp's logits with `F32` weights, and with those of the blocks; of an encoder, the tokens' vector.
    plain: Vec<f32>,
    blocks: Vec<f32>,
}

impl<'a> Case<'a> {
    fn new(recipe: &'a Recipe, tokens: &'a [u32], folder: PathBuf) -> Self {
        fs::create_dir_all(&folder).expect("making the case's folder");
        for stored in [Stored::F32, Stored::Blocks, Stored::Decoded] {
            recipe.write(stored, &model(&folder, stored));
        }
        let says = |stored| match recipe.is_encoder {
            true => reference::embedding(&model(&folder, stored), tokens),
            false => reference::logits(&model(&folder, stored), tokens, &folder),
        };
        let (plain, blocks) = (says(Stored::F32), says(Stored::Decoded));
        Self { recipe, tokens, folder, plain, blocks }
    }

    fn rows(&self) -> Vec<Row> {
        let portable = self.options(Form::Stablehlo, Weights::F32);
        let exported = |stored| {
            let folder = self.folder.join(format!("stablehlo-{stored:?}"));
            bundle::export(&model(&self.folder, stored), &portable, &folder)
        };
        let [plain, blocks] = [Stored::F32, Stored::Blocks].map(exported);
        let [plain, blocks] =
            [plain, blocks].map(|bundle| bundle.expect("the portable form has every family"));
        let text = |bundle: &BundleFiles| {
            fs::read(bundle.path(file_name::MLIR).expect("a bundle has a text")).expect("reading it")
        };
        assert_eq!(text(&plain), text(&blocks), "the text doesn't depend on how weights are stored");
        let module = bundle::compile(&plain, &self.folder.join("stablehlo-F32"));
        let mut rows = self.judge("stablehlo", Stored::F32, Ok((&plain, &module)));
        rows.extend(self.judge("stablehlo", Stored::Blocks, Ok((&blocks, &module))));
        rows.extend(self.cpu_rows());
        rows.extend(self.rounded_row());
        rows
    }

    /// The kernels' form, weights as they are in the file, the cache in `f32`.
    fn cpu(&self, activations: Activations) -> ExportOptions {
        let kernels = Kernels::best(|feature| cpu_features().contains(&feature));
        let cpu = CpuOptions { kernels, activations, cache: CacheElement::F32 };
        self.options(Form::Cpu(cpu), Weights::Keep)
    }

    /// The kernels' form with activations made bytes before they are multiplied, which is usual. llama.cpp does the same:
    /// both are judged by how far they are from the exact logits. A rounding may turn the choice of an expert, which makes
    /// a position quite another one, in either: what counts is the median of all positions.
    fn rounded_row(&self) -> Option<Row> {
        /// What is allowed where llama.cpp rounds next to nothing.
        const LEAST: f64 = 1e-3;
        let stored = Stored::Blocks;
        let folder = self.folder.join("cpu-i8");
        let bundle =
            bundle::export(&model(&self.folder, stored), &self.cpu(Activations::I8), &folder).ok()?;
        let module = bundle::compile(&bundle, &folder);
        let forced = engine::teacher_forced(&bundle, &module, self.tokens, Some(1), engine::Path::Decode);
        let ours = self.differences(&forced.expect("running the module over the tokens").logits.concat());
        let theirs =
            self.differences(&reference::logits(&model(&self.folder, stored), self.tokens, &self.folder));
        let agreement =
            coverage::Agreement { difference: median(ours), limit: (3.0 * median(theirs)).max(LEAST) };
        Some(Row {
            architecture: self.recipe.architecture,
            variant: self.recipe.variant,
            contract: "kv",
            form: "cpu, bytes",
            formats: self.recipe.formats(),
            agreement: Ok(agreement),
        })
    }

    /// The largest difference of a position's logits from those of the blocks' numbers, as a share of these' range, for
    /// each position.
    fn differences(&self, got: &[f32]) -> Vec<f64> {
        let vocabulary = tiny::VOCABULARY;
        let rows = self.blocks.chunks_exact(vocabulary).zip(got.chunks_exact(vocabulary));
        rows.map(|(want, got)| compare::logits(want, got, vocabulary).max_relative).collect()
    }

    /// The kernels' form, with nothing rounded.
    fn cpu_rows(&self) -> Vec<Row> {
        let folder = self.folder.join("cpu-Blocks");
        let stored = Stored::Blocks;
        let options = self.cpu(Activations::F32);
        match bundle::export(&model(&self.folder, stored), &options, &folder) {
            Ok(bundle) => {
                let module = bundle::compile(&bundle, &folder);
                self.judge("cpu", stored, Ok((&bundle, &module)))
            }
            Err(reason) => self.judge("cpu", stored, Err(reason)),
        }
    }

    /// A row for each contract.
    fn judge(
        &self,
        form: &'static str,
        stored: Stored,
        made: Result<(&BundleFiles, &PathBuf), String>,
    ) -> Vec<Row> {
        let limit = if self.recipe.rounded_by_llama { ROUNDED_GELU } else { SAME_NUMBERS };
        let row = |contract, difference: Result<f64, String>| Row {
            architecture: self.recipe.architecture,
            variant: self.recipe.variant,
            contract,
            form,
            formats: match stored {
                Stored::F32 => vec!["F32"],
                Stored::Blocks | Stored::Decoded => self.recipe.formats(),
            },
            agreement: difference.map(|difference| coverage::Agreement { difference, limit }),
        };
        let want = if stored == Stored::F32 { &self.plain } else { &self.blocks };
        if self.recipe.is_encoder {
            return vec![row("embed", made.map(|(bundle, module)| self.embed(bundle, module, want)))];
        }
        let [kv, redecode] = match made {
            Err(reason) => [Err(reason.clone()), Err(reason)],
            Ok((bundle, module)) => {
                let kv = self.kv(bundle, module, want);
                let redecode = self.redecode(bundle, module, want, limit);
                [Ok(kv), redecode.map(|()| kv)]
            }
        };
        vec![row("kv", kv), row("redecode", redecode)]
    }

    /// How far the tokens' vector is from llama.cpp's.
    fn embed(&self, bundle: &BundleFiles, module: &Path, want: &[f32]) -> f64 {
        let got = engine::embedding(bundle, module, self.tokens, Some(1)).expect("running the module");
        compare::logits(want, &got, want.len()).max_relative
    }

    /// The least that holds the text.
    fn options(&self, form: Form, weights: Weights) -> ExportOptions {
        let graphs = match self.recipe.is_encoder {
            true => vec![GraphKind::Embed],
            false => vec![GraphKind::Redecode, GraphKind::Kv],
        };
        ExportOptions { weights, graphs, seq: 24, context: 24, chunk: 8, ..ExportOptions::of(form) }
    }

    /// How far the logits of `decode` at every position, and of `prefill` after every chunk, are from llama.cpp's.
    fn kv(&self, bundle: &BundleFiles, module: &Path, want: &[f32]) -> f64 {
        let vocabulary = tiny::VOCABULARY;
        let paths = [engine::Path::Decode, engine::Path::Prefill].map(|path| {
            let forced = engine::teacher_forced(bundle, module, self.tokens, Some(1), path);
            let forced = forced.expect("running the module over the tokens");
            let rows = forced.positions.iter().map(|&at| &want[at * vocabulary..][..vocabulary]);
            compare::logits(&rows.collect::<Vec<_>>().concat(), &forced.logits.concat(), vocabulary)
                .max_relative
        });
        paths[0].max(paths[1])
    }

    /// Checks that the whole sequence's next tokens are llama.cpp's, wherever its margin exceeds the limit.
    fn redecode(&self, bundle: &BundleFiles, module: &Path, want: &[f32], limit: f64) -> Result<(), String> {
        let forced = engine::teacher_forced(bundle, module, self.tokens, Some(1), engine::Path::Redecode);
        let next = forced.expect("running the module over the tokens").next;
        let clear = 2.0 * limit * compare::range(want);
        for (position, (row, &next)) in want.chunks_exact(tiny::VOCABULARY).zip(&next).enumerate() {
            let best = compare::best(row);
            let margin = f64::from(row[best] - row[next as usize]);
            assert!(
                margin <= clear,
                "{} {}, position {position}: token {next}, llama.cpp's is {best} by {margin}",
                self.recipe.architecture,
                self.recipe.variant,
            );
        }
        Ok(())
    }
}

/// The middle one.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::INFINITY)
}

fn model(folder: &Path, stored: Stored) -> PathBuf {
    folder.join(format!("{stored:?}.gguf"))
}
