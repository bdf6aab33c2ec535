//! `studio export`: a GGUF becomes a bundle in a folder.

use super::{
    options::ExportArgs,
    outcome::{is_of_options, note},
    progress::Terminal,
};
use crate::model::{self, ModelFiles};
use clap::Args;
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
        let options = self.options.options(None)?;
        let start = Instant::now();
        let model = ModelFiles::open(&self.model)?;
        let mut progress = Terminal::new();
        let exported = match model::export(&model, &options, &self.out, &mut progress) {
            // Only now is the header known, which is read while the file is hashed: what is usual for this model may be
            // something else.
            Err(error) if is_of_options(&error) => match self.options.options(Some(&model.gguf()?))? {
                same if same == options => Err(error),
                others => model::export(&model, &others, &self.out, &mut progress),
            },
            exported => exported,
        };
        let (manifest, tokenizer_problem) = exported?;
        progress.clear();
        let bytes: u64 = manifest.files.iter().map(|file| file.size_bytes).sum();
        let (seconds, files) = (start.elapsed().as_secs_f64(), manifest.files.len() + 1);
        note(format_args!(
            "{}: {files} files, {} MB in {seconds:.1} s",
            self.out.display(),
            bytes / 1_000_000
        ));
        if let Some(error) = tokenizer_problem {
            note(format_args!(
                "note: `studio run` can't run this bundle for want of its tokenizer, other programs may: {error}"
            ));
        }
        Ok(())
    }
}
