//! How much of the model each block format makes up.

use crate::messages::FormatShare;
use crate::state::format;
use leptos::prelude::*;

/// Colours that there are; further formats share the last one.
pub(crate) const HUES: usize = 7;

/// The mix, as a bar and in words.
#[component]
pub(crate) fn Formats(
    /// Largest first.
    shares: Vec<FormatShare>,
    /// Bytes of all tensors.
    total: u64,
) -> impl IntoView {
    let parts = shares
        .iter()
        .enumerate()
        .map(|(index, share)| {
            let width = if total == 0 { 0.0 } else { share.bytes as f64 * 100.0 / total as f64 };
            view! { <span class=hue(index) style:width=format!("{width:.3}%")></span> }
        })
        .collect_view();
    let words = shares
        .iter()
        .enumerate()
        .map(|(index, share)| {
            let tensors = if share.tensor_count == 1 { "tensor" } else { "tensors" };
            view! {
                <li>
                    <span class=format!("swatch {}", hue(index)) aria-hidden="true"></span>
                    <strong>{share.format.clone()}</strong>
                    <span>{format::percent(share.bytes, total)}</span>
                    <span class="dim">{format!("{} in {} {tensors}", format::bytes(share.bytes), share.tensor_count)}</span>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="mix" aria-label="Quantisation by bytes" data-testid="mix">
            <div class="mix-bar" aria-hidden="true">{parts}</div>
            <ul>{words}</ul>
        </section>
    }
}

/// The class that colours the format of this rank.
pub(crate) fn hue(index: usize) -> String {
    format!("hue-{}", index.min(HUES - 1))
}
