//! The tensors of both models: searched, sorted by their difference.

use crate::messages::ComparedModel;
use crate::page::App;
use crate::state::compare::{Column, Order, select};
use crate::state::format;
use leptos::prelude::*;
use std::sync::Arc;
use studio_core::compare::{Difference, PairKind, TensorFigures, TensorPair};

/// The most rows in the document; a search finds the others.
const MOST_ROWS: usize = 400;

/// What a column shows of a tensor.
type Figure = fn(&Difference) -> Option<String>;

const COLUMNS: [(Column, &str, Figure); 4] = [
    (Column::Relative, "RMSE / RMS", |found| found.relative_rmse.map(relative)),
    (Column::Max, "Max |Δ|", |found| found.max_abs.map(short)),
    (Column::Mean, "Mean |Δ|", |found| found.mean_abs.map(short)),
    (Column::Cosine, "Cosine", |found| found.cosine.map(cosine)),
];

/// The tensors.
#[component]
pub(super) fn PairTable(
    /// The second model, and what the headers say.
    model: Arc<ComparedModel>,
) -> impl IntoView {
    let app = App::get();
    let query = RwSignal::new(String::new());
    let differing = RwSignal::new(false);
    let order = RwSignal::new(Order::default());
    let total = model.headers.tensors.len();
    let searched = model.clone();
    let selected = Memo::new(move |_| {
        let pairs = &searched.headers.tensors;
        app.values
            .with(|values| query.with(|query| select(pairs, values, query, differing.get(), order.get())))
    });
    let count = move || match selected.with(Vec::len) {
        found if found > MOST_ROWS => {
            format!("The first {MOST_ROWS} of {found} tensors: search for the others")
        }
        found if found == total => format!("{total} tensors"),
        found => format!("{found} of {total} tensors"),
    };
    let row = move |index: usize| row_view(&model.headers.tensors[index]);
    view! {
        <div class="table-tools">
            <input type="search" class="search" data-testid="compare-search"
                aria-label="Search tensors by name, type or dimensions" placeholder="Search: attn q4_1, blk.12, 576x1536"
                prop:value=move || query.get() on:input=move |event| query.set(event_target_value(&event))/>
            <label class="inline-tick">
                <input type="checkbox" data-testid="only-differing" prop:checked=move || differing.get()
                    on:change=move |event| differing.set(event_target_checked(&event))/>
                "Only what differs"
            </label>
            <p class="dim" role="status" data-testid="compare-count">{count}</p>
        </div>
        <div class="table-frame" tabindex="0" role="region" aria-label="Tensors of both models">
            <table class="plain pairs" data-testid="pairs">
                <thead><tr>
                    <th scope="col" class="pair-name">"Name"</th><th scope="col">"Type"</th>
                    {COLUMNS.map(|(column, title, _)| head(order, column, title)).collect_view()}
                </tr></thead>
                <tbody>
                    <For each=move || selected.with(|rows| rows.iter().copied().take(MOST_ROWS).collect::<Vec<_>>())
                        key=|index| *index children=row/>
                </tbody>
            </table>
            <Show when=move || selected.with(Vec::is_empty)>
                <p class="empty">"No tensor is like that."</p>
            </Show>
        </div>
    }
}

fn head(order: RwSignal<Order>, column: Column, title: &'static str) -> impl IntoView {
    let direction = move || match order.get() {
        now if now.column != column => "none",
        now if now.ascending => "ascending",
        _ => "descending",
    };
    view! {
        <th class="num" scope="col" aria-sort=direction>
            <button data-testid=format!("order-{column:?}") on:click=move |_| order.update(|now| *now = now.pressed(column))>
                {title}<span class="arrow" aria-hidden="true"></span>
            </button>
        </th>
    }
}

fn row_view(pair: &TensorPair) -> impl IntoView + use<> {
    let app = App::get();
    let name = pair.name.clone();
    let cell = |(_, title, figure): (Column, &'static str, Figure)| {
        let name = pair.name.clone();
        let words = move || {
            app.values.with(|values| match values.found.get(&name) {
                None => String::new(),
                Some(Err(_)) => "?".to_owned(),
                Some(Ok(found)) if found.identical => "same".to_owned(),
                Some(Ok(found)) => figure(found).unwrap_or_else(|| "none".to_owned()),
            })
        };
        view! { <td class="num" data-title=title>{words}</td> }
    };
    let asked = pair.name.clone();
    // Why there are no numbers, or whatever else there is to say.
    let more = move || {
        app.values.with(|values| match values.found.get(&asked) {
            Some(Err(why)) => why.clone(),
            Some(Ok(found)) => format!(
                "{} of {} values are equal{}",
                format::grouped(found.equal),
                format::grouped(found.elements),
                match found.not_finite {
                    0 => String::new(),
                    count => format!(", {} are not finite", format::grouped(count)),
                }
            ),
            None => String::new(),
        })
    };
    view! {
        <tr data-testid="pair-row" title=more>
            <th scope="row" class="pair-name" title=name.clone()>{name.clone()}</th>
            <td class:differs=pair.kind() != PairKind::Alike>{sides(pair)}</td>
            {COLUMNS.map(cell).collect_view()}
        </tr>
    }
}

/// What a tensor is on either side, said once where it is the same.
fn sides(pair: &TensorPair) -> String {
    let one = |figures: &TensorFigures| format!("{} {}", figures.format, format::dims(&figures.dims));
    match (pair.kind(), &pair.first, &pair.second) {
        (PairKind::Type, Some(first), Some(second)) => format!("{} → {}", first.format, second.format),
        (PairKind::Shape, Some(first), Some(second)) => format!("{} → {}", one(first), one(second)),
        (PairKind::OnlyFirst, Some(only), _) => format!("only here: {}", one(only)),
        (PairKind::OnlySecond, _, Some(only)) => format!("only in the other: {}", one(only)),
        (_, Some(alike), _) | (_, None, Some(alike)) => alike.format.clone(),
        (_, None, None) => String::new(),
    }
}

fn relative(value: f64) -> String {
    match value {
        0.0 => "0 %".to_owned(),
        0.0001.. => format!("{:.2} %", value * 100.0),
        _ => format!("{:.1e} %", value * 100.0),
    }
}

/// What is nearly 1 is told by how much it isn't.
fn cosine(value: f64) -> String {
    match 1.0 - value {
        0.0 => "1".to_owned(),
        rest if rest < 1e-3 => format!("1 − {rest:.1e}"),
        _ => format!("{value:.6}"),
    }
}

fn short(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        0.001..1000.0 => format!("{value:.5}"),
        _ => format!("{value:.2e}"),
    }
}
