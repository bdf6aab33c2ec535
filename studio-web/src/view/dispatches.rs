//! What each dispatch of a run took, and which parts of the graph it computes.

use crate::page::App;
use crate::state::graph::link;
use crate::state::profile::{Parts, Row, rows};
use leptos::prelude::*;

/// The dispatches of the present run, where it timed them.
#[component]
pub(super) fn Dispatches() -> impl IntoView {
    let app = App::get();
    let (times, origins) = (app.dispatch_times(), app.origins());
    let there = Memo::new(move |_| times.with(|times| !times.is_empty()));
    let found = Memo::new(move |_| times.with(|times| rows(times, origins.get().as_deref())));
    let row = |Row { name, calls, total, each, share, parts }: Row| {
        let width = format!("{:.1}", share * 100.0);
        view! {
            <tr>
                <td class="num">{format!("{:.1} %", share * 100.0)}<svg class="share-bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true"><rect width=width height="3"/></svg></td>
                <td><PartsLink parts/></td>
                <td class="num">{total}</td>
                <td class="num">{calls}</td>
                <td class="num">{each}</td>
                <td><code>{name}</code></td>
            </tr>
        }
    };
    view! {
        <Show when=move || there.get()>
            <details class="more" open=true data-testid="dispatch-times">
                <summary>{move || format!("Where the time went: {} dispatches", found.with(Vec::len))}</summary>
                <div class="table-frame free" tabindex="0" role="region" aria-label="What each dispatch took">
                    <table class="times">
                        <thead><tr>
                            <th scope="col" class="num">"Share"</th><th scope="col">"Computes"</th><th scope="col" class="num">"Time"</th>
                            <th scope="col" class="num">"Calls"</th><th scope="col" class="num">"Each"</th><th scope="col">"Dispatch"</th>
                        </tr></thead>
                        <tbody>{move || found.get().into_iter().map(row).collect_view()}</tbody>
                    </table>
                </div>
                <p class="help">"From a dispatch’s first workgroup to the end of its last, over the whole run; loading is part of it. The graph can be coloured by it."</p>
            </details>
        </Show>
    }
}

/// Parts of the graph, as a link to the first of them in the explorer.
#[component]
pub(super) fn PartsLink(parts: Parts) -> impl IntoView {
    let Parts { words, first } = parts;
    match first {
        Some((function, path)) => view! {
            <a href=link::hash(&function, &path) title="Show it in the graph">{words}</a>
        }
        .into_any(),
        None => words.into_any(),
    }
}
