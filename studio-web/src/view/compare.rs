//! A second model beside the first: chosen, its header compared, then, if somebody wants to know, the numbers.

mod table;

use super::drop::files;
use super::problem::ProblemBox;
use super::progress::Bar;
use crate::messages::ComparedModel;
use crate::page::App;
use crate::state::compare::{CompareState, Values, ValuesState};
use crate::state::format;
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;
use studio_core::compare::{HeaderComparison, MetadataDifference, MetadataValue, ModelFigures, PairKind};
use table::PairTable;

/// The comparison.
#[component]
pub(crate) fn Compare() -> impl IntoView {
    let app = App::get();
    // While this is shown, a file that is dropped is to be compared with.
    app.compares.set(true);
    on_cleanup(move || app.compares.set(false));
    let body = move || {
        app.comparison.with(|comparison| match comparison {
            CompareState::None => view! { <Chooser/> }.into_any(),
            CompareState::Reading { names, .. } => {
                let names = names.join(", ");
                view! {
                    <p class="reading" role="status"><span class="spinner" aria-hidden="true"></span>"Reading the header of "{names}</p>
                }
                .into_any()
            }
            CompareState::Failed(problem) => {
                view! { <ProblemBox problem=problem.clone() testid="compare-problem"/><Chooser/> }.into_any()
            }
            CompareState::Open { model, .. } => view! { <Compared model=model.clone()/> }.into_any(),
        })
    };
    view! { <div class="compare" data-testid="compare">{body}</div> }
}

/// Where the second model is dropped or chosen.
#[component]
fn Chooser() -> impl IntoView {
    let app = App::get();
    let input = NodeRef::<html::Input>::new();
    let choose = move |_| {
        if let Some(input) = input.get() {
            input.click();
        }
    };
    let chosen = move |_| {
        if let Some(input) = input.get() {
            app.compare_with(&files(input.files()));
            // So that the same file can be chosen again.
            input.set_value("");
        }
    };
    view! {
        <div class="drop small">
            <p class="drop-title">"Compare with another GGUF"</p>
            <p class="drop-help">"Drop it here, or the parts of a split model together: another quantisation, a finetune, a new version. It isn’t uploaded."</p>
            <button class="primary" data-testid="choose-other" on:click=choose>"Choose a file"</button>
            <input class="sr" type="file" accept=".gguf" multiple tabindex="-1" aria-label="GGUF files to compare with"
                data-testid="file-other" node_ref=input on:change=chosen/>
        </div>
    }
}

/// Both models.
#[component]
fn Compared(
    /// The second, and what the headers say.
    model: Arc<ComparedModel>,
) -> impl IntoView {
    let app = App::get();
    let file = match model.files.as_slice() {
        [only] => only.name.clone(),
        files => format!(
            "{} and {} more",
            files.first().map_or("", |file| &file.name),
            files.len().saturating_sub(1)
        ),
    };
    let differing = model.headers.metadata.clone();
    view! {
        <div class="card-head">
            <div>
                <h3 class="compare-title">"With "{model.title.clone()}</h3>
                <p class="file-name" data-testid="other-file">{file}</p>
            </div>
            <button class="quiet" data-testid="close-other" on:click=move |_| app.close_comparison()>"Another file"</button>
        </div>
        <Figures model=model.clone()/>
        <p class="note" data-testid="compare-verdict">{verdict(&model.headers)}</p>
        <Numbers/>
        <PairTable model=model.clone()/>
        {(!differing.is_empty()).then(|| view! { <Metadata entries=differing/> })}
    }
}

/// What both are, in a table of two columns.
#[component]
fn Figures(
    /// The second, and what the headers say.
    model: Arc<ComparedModel>,
) -> impl IntoView {
    let app = App::get();
    let bytes = |files: &[crate::messages::SourceFile]| files.iter().map(|file| file.size_bytes).sum::<u64>();
    let first_bytes =
        app.model.with_untracked(|model| model.open().map_or(0, |(_, card)| bytes(&card.files)));
    let (first, second) = (&model.headers.first, &model.headers.second);
    let form = |model: &ModelFigures| format!("GGUF v{}, {} endian", model.version, model.endian);
    let weights = |model: &ModelFigures| {
        let share = |share: &studio_core::compare::FormatFigures| {
            format!("{} {}", share.format, format::percent(share.bytes, model.tensor_bytes))
        };
        model.formats.iter().map(share).collect::<Vec<_>>().join(", ")
    };
    let rows = [
        ("File", format::bytes(first_bytes), format::bytes(bytes(&model.files))),
        ("Parameters", format::count(first.parameters), format::count(second.parameters)),
        ("Bytes of tensors", format::bytes(first.tensor_bytes), format::bytes(second.tensor_bytes)),
        ("Quantisation", weights(first), weights(second)),
        ("Format", form(first), form(second)),
    ];
    let row = |(label, first, second): (&'static str, String, String)| {
        let differs = first != second;
        view! { <tr class:differs=differs><th scope="row">{label}</th><td>{first}</td><td>{second}</td></tr> }
    };
    view! {
        <table class="plain both" data-testid="compare-figures">
            <thead><tr><td></td><th scope="col">"This model"</th><th scope="col">"The other"</th></tr></thead>
            <tbody>{rows.map(row).collect_view()}</tbody>
        </table>
    }
}

/// What the headers say, in a sentence or two.
fn verdict(headers: &HeaderComparison) -> String {
    let entries = match headers.metadata.len() {
        0 => format!("All {} metadata entries are equal.", headers.equal_entries),
        count => format!("{count} of {} metadata entries differ.", headers.equal_entries + count as u64),
    };
    let of = |kind: PairKind| headers.tensors.iter().filter(|pair| pair.kind() == kind).count();
    let parts = [
        (PairKind::Type, "of another type"),
        (PairKind::Shape, "of another shape"),
        (PairKind::OnlyFirst, "only here"),
        (PairKind::OnlySecond, "only in the other"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(kind, _)| of(*kind) > 0)
        .map(|(kind, words)| format!("{} {words}", of(kind)))
        .collect();
    let tensors = match parts.as_slice() {
        [] => format!("All {} tensors have the same shapes and types.", headers.tensors.len()),
        parts => format!("Of {} tensors, {}.", headers.tensors.len(), parts.join(", ")),
    };
    format!("{entries} {tensors}")
}

/// Begins and ends the comparison of numbers, and says how far it is.
#[component]
fn Numbers() -> impl IntoView {
    let app = App::get();
    let counts = Memo::new(move |_| app.values.with(Values::counts));
    let running =
        Memo::new(move |_| app.values.with(|values| matches!(values.state, ValuesState::Running { .. })));
    let share = Memo::new(move |_| {
        app.values.with(|values| match values.state {
            ValuesState::Running { share, .. } => share,
            _ => 0.0,
        })
    });
    let words = move || {
        let (all, same) = counts.get();
        let state = app.values.with(|values| values.state.clone());
        match state {
            ValuesState::Idle => "By how much the numbers differ takes reading both files.".to_owned(),
            ValuesState::Running { .. } => format!("{all} tensors compared"),
            ValuesState::Cancelled => format!("Stopped after {all} tensors; {same} are the same bytes."),
            ValuesState::Done => format!("{all} tensors compared; {same} are the same bytes."),
            ValuesState::Failed(_) => format!("It ended after {all} tensors."),
        }
    };
    let again = move || match app.values.with(|values| values.state == ValuesState::Idle) {
        true => "Compare the numbers",
        false => "Compare them again",
    };
    let problem = move || {
        app.values.with(|values| match &values.state {
            ValuesState::Failed(problem) => {
                Some(view! { <ProblemBox problem=problem.clone() testid="values-problem"/> })
            }
            _ => None,
        })
    };
    view! {
        <div class="row">
            <Show when=move || running.get() fallback=move || view! {
                <button class="primary" data-testid="compare-values" on:click=move |_| app.compare_values()>{again}</button>
            }>
                <button class="danger" data-testid="cancel-values" on:click=move |_| app.cancel_values()>"Stop"</button>
            </Show>
            <p class="dim" role="status" data-testid="values-status">{words}</p>
        </div>
        <Show when=move || running.get()>
            <Bar label="Numbers compared" fraction=share testid="values-bar"/>
        </Show>
        {problem}
    }
}

/// The entries that differ.
#[component]
fn Metadata(
    /// The entries.
    entries: Vec<MetadataDifference>,
) -> impl IntoView {
    let value = |value: &Option<MetadataValue>| match value {
        Some(value) => {
            let (shown, kind) = (value.value.clone(), value.kind.clone());
            view! { <div class="value">{shown}</div><span class="kind">{kind}</span> }.into_any()
        }
        None => view! { <span class="dim">"not there"</span> }.into_any(),
    };
    let row = |entry: &MetadataDifference| {
        view! {
            <tr>
                <th scope="row">{entry.key.clone()}</th>
                <td>{value(&entry.first)}</td>
                <td>{value(&entry.second)}</td>
            </tr>
        }
    };
    view! {
        <h4 class="compare-head">"Metadata that differ"</h4>
        <div class="table-frame free" tabindex="0" role="region" aria-label="Metadata that differ">
            <table class="metadata both" data-testid="compare-metadata">
                <thead><tr><th scope="col">"Key"</th><th scope="col">"This model"</th><th scope="col">"The other"</th></tr></thead>
                <tbody>{entries.iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}
