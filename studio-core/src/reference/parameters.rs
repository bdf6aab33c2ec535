//! The table of parameters.

use super::{code, table};
use crate::graph::RowOrder;
use crate::manifest::Manifest;
use crate::params::element::mlir_name;
use crate::params::plan::{Conversion, Plan, PlannedParam, TensorConversion};

/// The section of the page.
pub(super) fn section(manifest: &Manifest, plan: &Plan) -> String {
    let total = plan.params().iter().fold(0u64, |sum, param| sum.saturating_add(param.size_bytes));
    format!(
        "## Parameters\n\n{} in scope `{}`, {total} bytes. Shapes are row-major; a matrix of the source has its rows' \
         length first.\n\n{}",
        plan.params().len(),
        manifest.parameter_scope,
        table(
            ["Name", "Type", "Bytes", "Source tensor", "Stored as", "Conversion"],
            plan.params().iter().map(row)
        ),
    )
}

fn row(param: &PlannedParam) -> [String; 6] {
    let dims: String = param.shape.iter().map(|dim| format!("{dim}x")).collect();
    let ty = code(&format!("tensor<{dims}{}>", mlir_name(param.element_type)));
    let [source, format, conversion] = match &param.conversion {
        Conversion::Values(_) => [String::new(), String::new(), "computed at export".to_owned()],
        Conversion::Tensor(tensor) => [code(&tensor.tensor), tensor.format.name().to_owned(), steps(tensor)],
    };
    [code(&param.name), ty, param.size_bytes.to_string(), source, format, conversion]
}

fn steps(conversion: &TensorConversion) -> String {
    let mut steps = Vec::new();
    if let RowOrder::RopeHalves { head_count, head_dim } = conversion.row_order {
        steps.push(format!("pairs to halves in {head_count} heads of {head_dim} rows"));
    }
    if conversion.transpose {
        steps.push("transposed".to_owned());
    }
    let target = mlir_name(conversion.element_type);
    if !conversion.format.name().eq_ignore_ascii_case(target) {
        steps.push(format!("decoded to {target}"));
    }
    if steps.is_empty() { "none".to_owned() } else { steps.join(", ") }
}
