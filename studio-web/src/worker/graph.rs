//! Graphs for the explorer: of the model, from its header; of a dropped text.

use super::Model;
use super::read_at::BlobSource;
use crate::messages::Problem;
use gguf_file::ReadAt;
use studio_core::options::ExportOptions;
use studio_core::view;
use studio_graph::{Module, mlir};
use web_sys::File;

/// The graph of an export of a model.
pub(crate) fn of_model(model: &Model, options: &ExportOptions) -> Result<Module, Problem> {
    let graph = model.graph(options)?;
    Ok(view::module(&graph, &model.gguf))
}

/// The graph in a text.
pub(crate) fn of_text(file: Option<File>) -> Result<Module, Problem> {
    let Some(file) = file else { return Err(Problem::new("No file came with the question")) };
    let source = BlobSource::new(&file)?;
    let hint = "Drop a text of StableHLO, as this program, JAX or torch export it";
    let size = usize::try_from(source.len()).unwrap_or(usize::MAX);
    if size > mlir::MAX_BYTES {
        let words = format!("It has {size} bytes, where at most {} are read", mlir::MAX_BYTES);
        return Err(Problem::new(words).at(file.name()));
    }
    let mut bytes = vec![0; size];
    source.read_at(0, &mut bytes).map_err(|error| Problem::new(error.to_string()).at(file.name()))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| Problem::new(format!("It isn't text: {error}")).at(file.name()).hint(hint))?;
    mlir::parse(&text).map_err(|error| Problem::new(error.to_string()).at(file.name()).hint(hint))
}
