//! Keys that promise content before it is made.

use crate::params::archive::Layout;
use crate::params::element::mlir_name;
use crate::params::plan::{Conversion, Plan, TensorConversion};
use crate::params::tiles::TileConversion;
use blake3::Hasher;

/// Changes whenever the conversions give other bytes than before.
const CONVERSION_VERSION: u32 = 1;

/// The key of a file that is made.
pub(super) fn of_bytes(name: &str, bytes: &[u8]) -> String {
    format!("{name}-{}", blake3::hash(bytes))
}

/// The key of a file that is made of the GGUF's weights: everything that its bytes depend on, hashed. What they don't
/// depend on, such as a function's name, is left out, so that the same parameters are uploaded once.
pub(super) fn of_parameters(name: &str, source_blake3: &str, plan: &Plan, layout: &Layout) -> String {
    let mut hasher = Hasher::new();
    text(&mut hasher, &format!("{name} {CONVERSION_VERSION} {}", env!("CARGO_PKG_VERSION")));
    text(&mut hasher, source_blake3);
    hasher.update(&(layout.head.len() as u64).to_le_bytes());
    hasher.update(&layout.head);
    for param in plan.params() {
        text(&mut hasher, mlir_name(param.element_type));
        match &param.conversion {
            Conversion::Values(values) => {
                text(&mut hasher, "values");
                values.iter().for_each(|value| {
                    hasher.update(&value.to_le_bytes());
                });
            }
            Conversion::Tensor(TensorConversion { source, transpose, .. }) => {
                text(&mut hasher, &source.tensor);
                text(&mut hasher, &format!("{:?} {transpose}", source.row_order));
            }
            Conversion::Tiles(TileConversion { source, format }) => {
                text(&mut hasher, &source.tensor);
                text(&mut hasher, &format!("{:?} tiles {}", source.row_order, format.name()));
            }
        }
    }
    format!("{name}-{}", hasher.finalize())
}

/// Hashes a text such that no two lists of texts give the same.
fn text(hasher: &mut Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}
