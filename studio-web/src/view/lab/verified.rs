//! How far a module's logits are from llama.cpp's, and where they are farthest.

use crate::state::format;
use leptos::prelude::*;
use studio_protocol::{Distances, Position, VerifyReport};

/// The comparison of logits.
#[component]
pub(crate) fn Verified(
    /// What was found.
    report: VerifyReport,
) -> impl IntoView {
    let (class, words) = match report.passed {
        true => ("verdict good", "Its logits are near enough to llama.cpp’s"),
        false => ("verdict bad", "Its logits are too far from llama.cpp’s"),
    };
    let limits = report.limits;
    let columns = [
        ("decode", Some(&report.decode)),
        ("prefill", Some(&report.prefill)),
        ("llama.cpp against itself", report.eager_against_itself.as_ref()),
    ];
    let columns: Vec<(&str, &Distances)> =
        columns.into_iter().filter_map(|(name, found)| Some((name, found?))).collect();
    let heads =
        columns.iter().map(|(name, _)| view! { <th scope="col" class="num">{*name}</th> }).collect_view();
    let row = |label: &'static str, read: &dyn Fn(&Distances) -> String| {
        let cells =
            columns.iter().map(|(_, found)| view! { <td class="num">{read(found)}</td> }).collect_view();
        view! { <tr><th scope="row">{label}</th>{cells}</tr> }
    };
    let share = |share: f64| format!("{:.2} %", share * 100.0);
    let rows = [
        row("Positions", &|found| found.positions.to_string()),
        row("Mean KL divergence, nats", &|found| format!("{:.2e}", found.mean_kl)),
        row("Largest difference of a logit", &|found| format!("{:.4}", found.max_abs_logit_diff)),
        row("Same most likely token", &|found| share(found.top1_agreement)),
        row("The same where llama.cpp is clear", &|found| {
            format!("{} of {}", share(found.top1_agreement_above_margin), found.positions_above_margin)
        }),
    ];
    let worst = report.decode.worst.iter().map(worst_row).collect_view();
    view! {
        <section class="verified" aria-label="Logits" data-testid="verified">
            <p class=class data-testid="verdict"><span class="dot" aria-hidden="true"></span>{words}</p>
            <div class="table-frame free" tabindex="0" role="region" aria-label="Distances">
                <table class="plain"><thead><tr><td></td>{heads}</tr></thead><tbody>{rows.collect_view()}</tbody></table>
            </div>
            <p class="help">{format!(
                "What passes: a mean KL of {:.1e} nats, {} of positions alike, and all where the most likely token leads by more than {}. Against {} of {}.",
                limits.mean_kl, share(limits.top1_agreement), limits.margin, report.eager.version, report.against.rsplit('/').next().unwrap_or_default()
            )}</p>
            <h3 class="compare-head">"The worst positions"</h3>
            <div class="table-frame free" tabindex="0" role="region" aria-label="The worst positions">
                <table class="plain" data-testid="worst">
                    <thead><tr>
                        <th scope="col" class="num">"Position"</th><th scope="col" class="num">"Token"</th><th scope="col" class="num">"KL, nats"</th>
                        <th scope="col" class="num">"Largest |Δ|"</th><th scope="col" class="num">"Compiled says"</th><th scope="col" class="num">"llama.cpp says"</th>
                        <th scope="col" class="num">"Its lead"</th>
                    </tr></thead>
                    <tbody>{worst}</tbody>
                </table>
            </div>
        </section>
    }
}

fn worst_row(at: &Position) -> impl IntoView + use<> {
    let differs = at.compiled != at.eager;
    view! {
        <tr data-testid="worst-row">
            <td class="num">{format::grouped(u64::from(at.position))}</td>
            <td class="num">{at.token}</td>
            <td class="num">{format!("{:.2e}", at.kl)}</td>
            <td class="num">{format!("{:.4}", at.max_abs_logit_diff)}</td>
            <td class=if differs { "num worse" } else { "num" }>{at.compiled}</td>
            <td class="num">{at.eager}</td>
            <td class="num">{format!("{:.3}", at.eager_margin)}</td>
        </tr>
    }
}
