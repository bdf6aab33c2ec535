//! All boxes as a list, for those who don't see the canvas.

use super::stage::Stage;
use leptos::prelude::*;
use studio_graph::{DrawnBox, Item};

/// The most boxes that are listed: what is open further says so itself.
const MOST: usize = 400;

/// The list.
#[component]
pub(super) fn Outline(stage: Stage) -> impl IntoView {
    let shown = RwSignal::new(false);
    let list = move || {
        if !shown.get() {
            return ().into_any();
        }
        let (rows, total) = stage.with(|explorer| {
            let boxes = &explorer.drawing().boxes;
            let row = |drawn: &DrawnBox| (drawn.item, drawn.depth, words(drawn));
            (boxes.iter().take(MOST).map(row).collect::<Vec<_>>(), boxes.len())
        });
        let more = (total > MOST).then(|| view! { <p class="dim">{format!("and {} more boxes; search for them, or close some scopes", total - MOST)}</p> });
        let rows = rows.into_iter().map(|(item, depth, words)| row(stage, item, depth, words)).collect_view();
        view! { <ul class="graph-list" data-testid="graph-list">{rows}</ul>{more} }.into_any()
    };
    view! {
        <details class="graph-outline" on:toggle=move |event| shown.set(event_target::<web_sys::Element>(&event).has_attribute("open"))>
            <summary data-testid="graph-outline">"The same as a list"</summary>
            {list}
        </details>
    }
}

fn row(stage: Stage, item: Item, depth: u32, words: String) -> impl IntoView {
    let chosen = move || stage.with(|explorer| explorer.chosen() == Some(item)).then_some("true");
    let choose = move |_| {
        stage.change(|inner| inner.explorer.choose(Some(item)));
        stage.show_chosen();
    };
    view! {
        <li style:padding-inline-start=format!("{}rem", f64::from(depth.min(12)) * 1.25)>
            <button class="quiet" aria-current=chosen on:click=choose>{words}</button>
        </li>
    }
}

/// What a box says, in a line.
pub(super) fn words(drawn: &DrawnBox) -> String {
    let mut words = drawn.title.clone();
    let state = if drawn.look.is_open() {
        "open"
    } else if drawn.look.is_scope() {
        "closed"
    } else {
        ""
    };
    for part in [drawn.detail.as_str(), drawn.note.as_str(), state] {
        if !part.is_empty() {
            words.push_str(", ");
            words.push_str(part);
        }
    }
    for chip in &drawn.chips {
        words.push_str(", ");
        words.push_str(&chip.text);
        if !chip.detail.is_empty() {
            words.push(' ');
            words.push_str(&chip.detail);
        }
    }
    words
}
