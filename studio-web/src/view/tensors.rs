//! The tensor table: searched, sorted, and only the rows in sight in the document.

use super::formats::hue;
use super::survey::Survey;
use crate::messages::ModelReport;
use crate::page::App;
use crate::state::format;
use crate::state::tensors::{Column, Sorting, select, sight};
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;

/// Heights in pixels; `studio.css` has the same.
const ROW: f64 = 32.0;
const NARROW_ROW: f64 = 54.0;

const COLUMNS: [(Column, &str, &str); 4] = [
    (Column::Name, "Name", "col-name"),
    (Column::Dims, "Dimensions", "col-dims"),
    (Column::Format, "Type", "col-type"),
    (Column::Bytes, "Bytes", "col-bytes"),
];

/// The tensors.
#[component]
pub(crate) fn TensorTable(
    /// What the worker told.
    report: Arc<ModelReport>,
) -> impl IntoView {
    let query = RwSignal::new(String::new());
    let sorting = RwSignal::new(Sorting::default());
    let scroll = RwSignal::new((0.0, 480.0));
    let frame = NodeRef::<html::Div>::new();
    let row_height = row_height();

    let total = report.tensors.len();
    let searched = report.clone();
    let selected = Memo::new(move |_| query.with(|query| select(&searched.tensors, query, sorting.get())));
    let seen = Memo::new(move |_| {
        let (top, height) = scroll.get();
        sight(top, height, row_height.get(), selected.with(Vec::len))
    });
    // A new selection starts at its top.
    Effect::new(move |_| {
        selected.track();
        if let Some(frame) = frame.get() {
            frame.set_scroll_top(0);
        }
    });
    let scrolled = move |_| {
        if let Some(frame) = frame.get() {
            scroll.set((f64::from(frame.scroll_top()), f64::from(frame.client_height())));
        }
    };
    let space = move |rows: usize| format!("{}px", rows as f64 * row_height.get());
    let visible = move || {
        let seen = seen.get();
        selected.with(|rows| {
            let rows = rows.get(seen.first..seen.end).unwrap_or_default();
            rows.iter().copied().enumerate().map(|(at, row)| (seen.first + at, row)).collect::<Vec<_>>()
        })
    };
    let row = move |(at, index): (usize, usize)| row_view(&report, at, index);
    view! {
        <div class="table-tools">
            <input
                type="search"
                class="search"
                data-testid="tensor-search"
                aria-label="Search tensors by name, type or dimensions"
                placeholder="Search: attn q4_1, blk.12, 576x1536"
                prop:value=move || query.get()
                on:input=move |event| query.set(event_target_value(&event))
            />
            <p class="dim" role="status" data-testid="tensor-count">
                {move || match selected.with(Vec::len) {
                    found if found == total => format!("{total} tensors"),
                    found => format!("{found} of {total} tensors"),
                }}
            </p>
        </div>
        <p class="help">"Choose a tensor to see what its numbers are like."</p>
        <div class="look">
        <div class="table-frame" node_ref=frame tabindex="0" role="region" aria-label="Tensors" on:scroll=scrolled>
            <table class="tensors" data-testid="tensors" aria-rowcount=move || (selected.with(Vec::len) + 1).to_string()>
                <thead>
                    <tr aria-rowindex="1">{COLUMNS.map(|column| head(sorting, column)).collect_view()}<th class="col-share" scope="col">"Share"</th></tr>
                </thead>
                <tbody>
                    <tr class="space" aria-hidden="true" style:height=move || space(seen.get().first)></tr>
                    <For each=visible key=|row| *row children=row/>
                    <tr class="space" aria-hidden="true" style:height=move || space(selected.with(Vec::len).saturating_sub(seen.get().end))></tr>
                </tbody>
            </table>
            <Show when=move || selected.with(Vec::is_empty)>
                <p class="empty">"No tensor has all of these words in its name, type or dimensions."</p>
            </Show>
        </div>
        <Survey/>
        </div>
    }
}

fn row_view(report: &ModelReport, at: usize, index: usize) -> impl IntoView + use<> {
    let tensor = report.tensors[index].clone();
    let rank = report.card.formats.iter().position(|share| share.format == tensor.format).unwrap_or(0);
    let share = format::percent(tensor.bytes, report.card.tensor_bytes);
    let app = App::get();
    let (name, asked) = (tensor.name.clone(), tensor.name.clone());
    let looked_at = Memo::new(move |_| app.survey.with(|survey| survey.name() == Some(name.as_str())));
    view! {
        <tr
            aria-rowindex=(at + 2).to_string()
            data-testid="tensor-row"
            class:chosen=looked_at
            on:click=move |_| app.look_at(&asked)
        >
            // The row's click is the button's, too.
            <td class="col-name" title=tensor.name.clone()>
                <button class="tensor-name" aria-expanded=move || looked_at.get().to_string()>{tensor.name.clone()}</button>
            </td>
            <td class="col-dims">{format::dims(&tensor.dims)}</td>
            <td class="col-type"><span class=format!("swatch {}", hue(rank)) aria-hidden="true"></span>{tensor.format}</td>
            <td class="col-bytes" title=format!("{} bytes", format::grouped(tensor.bytes))>{format::bytes(tensor.bytes)}</td>
            <td class="col-share">{share}</td>
        </tr>
    }
}

fn head(
    sorting: RwSignal<Sorting>,
    (column, title, class): (Column, &'static str, &'static str),
) -> impl IntoView {
    let direction = move || match sorting.get() {
        now if now.column != column => "none",
        now if now.descending => "descending",
        _ => "ascending",
    };
    view! {
        <th class=class scope="col" aria-sort=direction>
            <button data-testid=format!("sort-{class}") on:click=move |_| sorting.update(|now| *now = now.pressed(column))>
                {title}<span class="arrow" aria-hidden="true"></span>
            </button>
        </th>
    }
}

/// The height of a row: two lines where the page is narrow.
fn row_height() -> RwSignal<f64> {
    let height = RwSignal::new(ROW);
    let measure = move || {
        let narrow =
            window().match_media("(max-width: 640px)").ok().flatten().is_some_and(|media| media.matches());
        height.set(if narrow { NARROW_ROW } else { ROW });
    };
    measure();
    let listener = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || listener.remove());
    height
}
