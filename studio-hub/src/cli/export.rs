//! `studio export`: a GGUF becomes a bundle in a folder.

use super::{
    options::{ExportArgs, words},
    outcome::note,
    progress::Terminal,
};
use crate::model::{self, Exported, ModelFiles};
use clap::Args;
use gguf_file::Gguf;
use std::{path::PathBuf, time::Instant};

/// Exports a GGUF as StableHLO with its parameters, tokenizer, manifest and reference page.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The model; of a split one, any part.
    #[arg(value_name = "MODEL.gguf")]
    model: PathBuf,
    /// The folder for the bundle; it is made where it doesn't exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    options: ExportArgs,
}

impl Export {
    pub(super) fn run(self) -> anyhow::Result<()> {
        // What is wrong whatever the model is, is said before one is looked for.
        self.options.options(None)?;
        let start = Instant::now();
        let model = ModelFiles::open(&self.model)?;
        let mut progress = Terminal::new();
        let options = |gguf: &Gguf| Ok(self.options.options(Some(gguf))?);
        let Exported { manifest, tokenizer_problem, removed } =
            model::export(&model, &options, &self.out, &mut progress)?;
        progress.clear();
        let idle = self.options.without_effect(&manifest.options);
        if !idle.is_empty() {
            note(format_args!(
                "note: {} had no effect, being for graphs that this export doesn't have",
                idle.join(", ")
            ));
        }
        if !removed.is_empty() {
            note(format_args!("removed {}, of the bundle that was there before", removed.join(", ")));
        }
        let bytes: u64 = manifest.files.iter().map(|file| file.size_bytes).sum();
        let (seconds, files) = (start.elapsed().as_secs_f64(), manifest.files.len() + 1);
        note(format_args!(
            "{}: {}; {files} files, {} MB in {seconds:.1} s",
            self.out.display(),
            words(&manifest.options),
            bytes.div_ceil(1_000_000)
        ));
        if let Some(memory) = manifest.memory {
            let total = memory.total_bytes().div_ceil(1_000_000);
            note(format_args!("a run takes {total} MB of memory: {}", memory.parts()));
        }
        if let Some(error) = tokenizer_problem {
            note(format_args!(
                "note: `studio run` can't run this bundle for want of its tokenizer, other programs may: {error}"
            ));
        }
        Ok(())
    }
}
