//! The second step: what to export, and the export.

use super::export_status::ExportStatus;
use super::field::{TextField, Tickbox};
use super::plan::Plan;
use super::step::Step;
use crate::page::App;
use crate::state::export::ExportState;
use crate::state::options::{Field, OptionsForm};
use leptos::prelude::*;
use studio_core::options::Weights;

/// The export's panel.
#[component]
pub(crate) fn Export() -> impl IntoView {
    view! {
        <Step
            id="export"
            number=2
            title="Export"
            lead="StableHLO with the weights beside it, made in this tab and streamed to the hub."
            waits_for="Open a model that can be exported."
        >
            <Body/>
        </Step>
    }
}

#[component]
fn Body() -> impl IntoView {
    let app = App::get();
    let has_model = Memo::new(move |_| app.model.with(|model| model.exportable().is_some()));
    view! {
        <Show
            when=move || has_model.get()
            fallback=|| view! { <p class="note">"This page was reloaded: the bundle is on the hub. Drop the model again to export it in another way."</p> }
        >
            <div class="two">
                <Form/>
                <div class="side"><Plan/><ExportStatus/></div>
            </div>
        </Show>
    }
}

#[component]
fn Form() -> impl IntoView {
    let app = App::get();
    let running = Memo::new(move |_| app.export.with(|export| matches!(export, ExportState::Running(_))));
    let context =
        Memo::new(move |_| app.model.with(|model| model.open().and_then(|(_, card)| card.context_length)));
    let errors =
        Memo::new(move |_| app.form.with(|form| form.check(context.get()).err().unwrap_or_default()));
    let error = move |field: Field| {
        Signal::derive(move || {
            errors.with(|errors| errors.iter().find(|(of, _)| *of == field).map(|(_, words)| words.clone()))
        })
    };
    let value = move |read: fn(&OptionsForm) -> String| Signal::derive(move || app.form.with(read));
    let set =
        move |write: fn(&mut OptionsForm, String)| move |text| app.form.update(|form| write(form, text));
    let redecode = Signal::derive(move || app.form.with(|form| form.redecode));
    let kv = Signal::derive(move || app.form.with(|form| form.kv));
    let context_help = move || match context.get() {
        Some(trained) => format!("Positions of the cache. The model was trained for {trained}"),
        None => "Positions of the cache".to_owned(),
    };
    let start = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        if errors.with_untracked(Vec::is_empty) {
            app.start_export();
        }
    };
    view! {
        <form id="export-form" on:submit=start>
            <fieldset prop:disabled=move || running.get()>
                <legend>"Graphs"</legend>
                <div class="choices">
                    <Tickbox
                        id="graph-kv"
                        label="kv: prefill and decode"
                        help="A cache on the device: each token costs the same however long the text. For running."
                        value=kv
                        on_change=move |on| app.form.update(|form| form.kv = on)
                    />
                    <Tickbox
                        id="graph-redecode"
                        label="redecode: the whole text again"
                        help="One function, tokens in, tokens out: what SKaiNET's iree-android runtime drives."
                        value=redecode
                        on_change=move |on| app.form.update(|form| form.redecode = on)
                    />
                </div>
                <p class="help wrong" aria-live="polite">{move || error(Field::Graphs).get()}</p>
            </fieldset>
            <fieldset prop:disabled=move || running.get()>
                <legend>"Weights"</legend>
                <div class="segments" role="radiogroup" aria-label="Element type of the weights">
                    {WEIGHTS.map(|weights| weight(app, weights)).collect_view()}
                </div>
                <p class="help">{move || WEIGHTS.iter().find(|(of, ..)| *of == app.form.with(|form| form.weights)).map(|(.., help)| *help)}</p>
            </fieldset>
            <fieldset prop:disabled=move || running.get()>
                <legend>"Lengths, in tokens"</legend>
                <div class="fields">
                    <Show when=move || kv.get()>
                        <TextField id="context" label="Context" help=Signal::derive(context_help)
                            value=value(|form| form.context.clone()) on_input=set(|form, text| form.context = text)
                            error=error(Field::Context) numeric=true/>
                        <TextField id="chunk" label="Prefill chunk" help="Prompt tokens that one call takes"
                            value=value(|form| form.chunk.clone()) on_input=set(|form, text| form.chunk = text)
                            error=error(Field::Chunk) numeric=true/>
                    </Show>
                    <Show when=move || redecode.get()>
                        <TextField id="seq" label="Sequence" help="Tokens of the redecode graph"
                            value=value(|form| form.seq.clone()) on_input=set(|form, text| form.seq = text)
                            error=error(Field::Seq) numeric=true/>
                    </Show>
                </div>
            </fieldset>
            <details class="more">
                <summary>"More"</summary>
                <fieldset prop:disabled=move || running.get()>
                    <Show when=move || redecode.get()>
                        <TextField id="function-name" label="Redecode function" help="Its name in the module"
                            value=value(|form| form.function_name.clone())
                            on_input=set(|form, text| form.function_name = text) error=error(Field::FunctionName)/>
                    </Show>
                    <Tickbox
                        id="safetensors"
                        label="Also as .safetensors"
                        help="The same parameters once more, for other tools."
                        value=Signal::derive(move || app.form.with(|form| form.safetensors))
                        on_change=move |on| app.form.update(|form| form.safetensors = on)
                    />
                </fieldset>
            </details>
        </form>
    }
}

const WEIGHTS: [(Weights, &str, &str); 3] = [
    (Weights::Bf16, "bf16", "Half the size of f32 with its range. The usual choice."),
    (Weights::F16, "f16", "Half the size of f32, finer than bf16, with a smaller range."),
    (Weights::F32, "f32", "Exact, and twice the size: for comparing against the original."),
];

fn weight(app: App, (weights, name, _): (Weights, &'static str, &'static str)) -> impl IntoView {
    let id = format!("weights-{name}");
    view! {
        <div class="segment">
            <input
                type="radio"
                name="weights"
                id=id.clone()
                data-testid=id.clone()
                prop:checked=move || app.form.with(|form| form.weights == weights)
                on:change=move |_| app.form.update(|form| form.weights = weights)
            />
            <label for=id>{name}</label>
        </div>
    }
}
