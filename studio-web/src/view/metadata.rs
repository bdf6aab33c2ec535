//! The metadata table.

use crate::messages::ModelReport;
use crate::state::metadata::select;
use leptos::prelude::*;
use std::sync::Arc;

/// The most rows in the document; a search finds the others.
const MOST_ROWS: usize = 400;

/// The metadata.
#[component]
pub(crate) fn MetadataTable(
    /// What the worker told.
    report: Arc<ModelReport>,
) -> impl IntoView {
    let query = RwSignal::new(String::new());
    let searched = report.clone();
    let total = report.metadata.len();
    let selected = Memo::new(move |_| query.with(|query| select(&searched.metadata, query)));
    let count = move || match selected.with(Vec::len) {
        found if found > MOST_ROWS => {
            format!("The first {MOST_ROWS} of {found} entries: search for the others")
        }
        found if found == total => format!("{total} entries"),
        found => format!("{found} of {total} entries"),
    };
    let row = move |index: usize| {
        let entry = report.metadata[index].clone();
        view! {
            <tr>
                <th scope="row">{entry.key}</th>
                <td class="kind">{entry.kind}</td>
                <td><div class="value">{entry.value}</div></td>
            </tr>
        }
    };
    view! {
        <div class="table-tools">
            <input
                type="search"
                class="search"
                data-testid="metadata-search"
                aria-label="Search metadata by key or value"
                placeholder="Search: rope, chat_template, smollm"
                prop:value=move || query.get()
                on:input=move |event| query.set(event_target_value(&event))
            />
            <p class="dim" role="status">{count}</p>
        </div>
        <div class="table-frame" tabindex="0" role="region" aria-label="Metadata">
            <table class="metadata" data-testid="metadata">
                <thead><tr><th scope="col">"Key"</th><th scope="col">"Type"</th><th scope="col">"Value"</th></tr></thead>
                <tbody>
                    <For
                        each=move || selected.with(|rows| rows.iter().copied().take(MOST_ROWS).collect::<Vec<_>>())
                        key=|index| *index
                        children=row
                    />
                </tbody>
            </table>
            <Show when=move || selected.with(Vec::is_empty)>
                <p class="empty">"No entry has all of these words in its key or value."</p>
            </Show>
        </div>
    }
}
