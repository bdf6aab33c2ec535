//! `studio diff`: two models side by side: metadata, tensors, and by how much their numbers differ.

mod report;

use super::outcome::{note, print, print_text};
use super::progress::Terminal;
use crate::model::{Model, Progress};
use anyhow::{Context, bail};
use clap::Args;
use report::Table;
use std::path::PathBuf;
use studio_core::compare::{self, CompareError, Differ, Difference, HeaderComparison, TensorPair};
use studio_core::statistics::StatisticsError;

/// Compares two models: what their metadata say, which tensors they have, and, if asked, by how much the numbers differ.
/// The status is 0 whether they differ or not.
#[derive(Debug, Args)]
pub(super) struct Diff {
    /// A model: what the other is measured by.
    #[arg(value_name = "FIRST.gguf")]
    first: PathBuf,
    /// The other.
    #[arg(value_name = "SECOND.gguf")]
    second: PathBuf,
    /// Go through the numbers of this tensor only. May be given several times.
    #[arg(long, value_name = "NAME", conflicts_with = "values")]
    tensor: Vec<String>,
    /// Go through the numbers of all tensors.
    #[arg(long)]
    values: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Diff {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let [first, second] = [&self.first, &self.second]
            .map(|path| Model::open(path).with_context(|| path.display().to_string()));
        let models = [first?, second?];
        let headers = compare::headers(&models[0].gguf, &models[1].gguf);
        let mut pairs: Vec<&TensorPair> = Vec::new();
        if self.values {
            pairs.extend(headers.tensors.iter().filter(|pair| pair.is_comparable()));
        }
        for name in &self.tensor {
            match headers.tensors.iter().find(|pair| pair.name == *name) {
                Some(pair) => pairs.push(pair),
                None => bail!("neither model has a tensor {name}. `studio inspect` lists a model's tensors"),
            }
        }
        let differences = self.differences(&models, &pairs)?;
        let table = Table {
            names: [&self.first, &self.second].map(|path| path.display().to_string()),
            sizes: models.map(|model| model.files.size_bytes()),
            headers: &headers,
            differences: &differences,
            asked: !pairs.is_empty(),
            single: !self.tensor.is_empty(),
        };
        if self.json {
            return print(format_args!("{}\n", serde_json::to_string_pretty(&table.json())?));
        }
        print_text(table.text())
    }

    fn differences(&self, models: &[Model; 2], pairs: &[&TensorPair]) -> anyhow::Result<Vec<Difference>> {
        let sources = [models[0].files.sources(), models[1].files.sources()];
        let elements =
            |pair: &&TensorPair| models[0].gguf.tensor(&pair.name).map_or(0, |tensor| tensor.elements());
        // Progress is counted in bytes of singles, which is what is compared.
        let all: u64 = pairs.iter().map(elements).sum();
        let (mut before, mut progress) = (0, Terminal::new());
        let mut differences = Vec::new();
        for pair in pairs {
            let place = || format!("{} and {}", self.first.display(), self.second.display());
            let mut differ = match Differ::new(&models[0].gguf, &models[1].gguf, &pair.name) {
                Ok(differ) => differ,
                // Among all tensors, one of a format without a decoder doesn't keep the others from being compared.
                Err(error @ CompareError::Tensor { source: StatisticsError::Decode { .. }, .. })
                    if self.values =>
                {
                    before += elements(pair);
                    note(format_args!("left out: {error}"));
                    continue;
                }
                Err(error) => return Err(error).with_context(place),
            };
            while differ.step(&sources[0], &sources[1]).with_context(place)? {
                progress.made(&pair.name, 4 * (before + differ.done()), 4 * all);
            }
            before += differ.elements();
            progress.made(&pair.name, 4 * before, 4 * all);
            differences.push(differ.finish());
        }
        progress.clear();
        Ok(differences)
    }
}

/// Whether two headers say the same.
fn alike(headers: &HeaderComparison) -> bool {
    headers.metadata.is_empty() && headers.tensors.iter().all(|pair| pair.kind() == compare::PairKind::Alike)
}
