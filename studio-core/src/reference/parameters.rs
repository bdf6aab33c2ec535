//! The table of parameters.

use super::{code, table};
use crate::graph::RowOrder;
use crate::manifest::{Manifest, file_name};
use crate::params::archive::{Layout, Place};
use crate::params::element::mlir_name;
use crate::params::plan::{Conversion, Plan, PlannedParam, TensorConversion, TensorSource};
use crate::params::tiles::TileConversion;
use crate::tiles::Fidelity;

/// The section of the page.
pub(super) fn section(manifest: &Manifest, plan: &Plan, layout: &Layout) -> String {
    let total = plan.params().iter().fold(0u64, |sum, param| sum.saturating_add(param.size_bytes));
    let rows = layout.places.iter().map(|place| row(place, &plan.params()[place.item]));
    format!(
        "## Parameters\n\n{} in scope `{}`, {total} bytes, where they lie in `{}`. Shapes are row-major; a matrix of \
         the source has its rows' length first.\n\n{}",
        plan.params().len(),
        manifest.parameter_scope,
        file_name::IRPA,
        table(["Start", "End", "Bytes", "Name", "Type", "Source tensor", "Stored as", "Conversion"], rows),
    )
}

fn row(place: &Place, param: &PlannedParam) -> [String; 8] {
    let dims: String = param.shape.iter().map(|dim| format!("{dim}x")).collect();
    let ty = code(&format!("tensor<{dims}{}>", mlir_name(param.element_type)));
    let [source, format, conversion] = match &param.conversion {
        Conversion::Values(_) => [String::new(), String::new(), "computed at export".to_owned()],
        Conversion::Tensor(tensor) => from_tensor(&tensor.source, steps(tensor)),
        Conversion::Tiles(tiles) => from_tensor(&tiles.source, tile_steps(tiles)),
    };
    let (start, end) = (place.offset, place.offset.saturating_add(place.size_bytes));
    let [start, end, size_bytes] = [start, end, place.size_bytes].map(|bytes| bytes.to_string());
    [start, end, size_bytes, code(&param.name), ty, source, format, conversion]
}

fn from_tensor(source: &TensorSource, steps: Vec<String>) -> [String; 3] {
    let steps = if steps.is_empty() { "none".to_owned() } else { steps.join(", ") };
    [code(&source.tensor), source.format.name().to_owned(), steps]
}

fn reordered(source: &TensorSource) -> Vec<String> {
    let mut steps: Vec<String> =
        source.taken.iter().map(|taken| format!("rows {} to {} of it", taken.start, taken.end - 1)).collect();
    steps.extend(match source.row_order {
        RowOrder::AsStored => None,
        RowOrder::RopeHalves { head_count, head_dim } => {
            Some(format!("pairs to halves in {head_count} heads of {head_dim} rows"))
        }
        RowOrder::PartialHalves { head_count, head_dim, rotated } => Some(format!(
            "halves of the {rotated} turned rows apart in {head_count} heads of {head_dim} rows"
        )),
    });
    steps
}

fn tile_steps(conversion: &TileConversion) -> Vec<String> {
    let mut steps = reordered(&conversion.source);
    let format = conversion.format.ggml_name();
    steps.push(match conversion.fidelity() {
        Fidelity::Kept => format!("kept, in tiles of {format}"),
        Fidelity::Exact => format!("the same values, in tiles of {format}"),
        Fidelity::Rounded => format!("rounded, in tiles of {format}"),
    });
    steps
}

fn steps(conversion: &TensorConversion) -> Vec<String> {
    let mut steps = reordered(&conversion.source);
    if conversion.transpose {
        steps.push("transposed".to_owned());
    }
    let target = mlir_name(conversion.element_type);
    if !conversion.source.format.name().eq_ignore_ascii_case(target) {
        steps.push(format!("decoded to {target}"));
    }
    steps
}
