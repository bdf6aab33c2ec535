//! The second step: what to export, and the export.

use super::export_status::ExportStatus;
use super::field::{Segments, TextField, Tickbox};
use super::plan::Plan;
use super::step::Step;
use crate::page::App;
use crate::state::export::ExportState;
use crate::state::options::{Field, FormChoice, OptionsForm, Subject};
use leptos::prelude::*;
use studio_core::options::{Activations, CacheElement, Kernels, Weights};

/// The export's panel.
#[component]
pub(crate) fn Export() -> impl IntoView {
    view! {
        <Step
            id="export"
            number=2
            title="Export"
            lead="The graph as text with the weights beside it, made in this tab and streamed to the hub."
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
    let subject = Memo::new(move |_| {
        app.model.with(|model| model.open().map(|(_, card)| Subject::of(card))).unwrap_or(Subject::UNKNOWN)
    });
    let errors = Memo::new(move |_| app.form.with(|form| form.check().err().unwrap_or_default()));
    let error = move |field: Field| {
        Signal::derive(move || {
            errors.with(|errors| errors.iter().find(|(of, _)| *of == field).map(|(_, words)| words.clone()))
        })
    };
    let value = move |read: fn(&OptionsForm) -> String| Signal::derive(move || app.form.with(read));
    let set =
        move |write: fn(&mut OptionsForm, String)| move |text| app.form.update(|form| write(form, text));
    let form_choice = Memo::new(move |_| app.form.with(|form| form.form));
    let redecode = Signal::derive(move || app.form.with(|form| form.redecode));
    let kv = Signal::derive(move || app.form.with(|form| form.kv));
    let embed = Memo::new(move |_| app.form.with(|form| form.embed));
    let context_help = move || match subject.get().context_length {
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
                <legend>"Form"</legend>
                {move || {
                    let choices = FORMS.into_iter().filter(|(form, ..)| missing(app, *form).is_none()).collect();
                    view! {
                        <Segments
                            name="form" label="Form of the text" choices=choices
                            value=Signal::derive(move || app.form.with(|form| form.form))
                            on_change=move |form| app.form.update(|all| all.choose_form(form, subject.get_untracked()))
                        />
                    }
                }}
                <For each=move || FORMS.into_iter().filter_map(move |(form, ..)| Some((form.name(), missing(app, form)?))) key=|(form, _)| *form
                    children=|(form, reason)| view! { <p class="help" data-testid="form-missing">"No "<code>{form}</code>" form of this model: "{reason}</p> }/>
            </fieldset>
            <fieldset prop:disabled=move || running.get()>
                <legend>"Graphs"</legend>
                <Show when=move || embed.get()>
                    <p class="help" data-testid="graph-embed"><code>"embed"</code>": a text’s tokens in, its vector out."</p>
                </Show>
                <Show when=move || !embed.get()>
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
                </Show>
                <p class="help wrong" aria-live="polite">{move || error(Field::Graphs).get()}</p>
            </fieldset>
            <fieldset prop:disabled=move || running.get()>
                <legend>"Weights"</legend>
                {move || view! {
                    <Segments
                        name="weights" label="What the weights are stored as" choices=weights_of(form_choice.get())
                        value=Signal::derive(move || app.form.with(|form| form.weights))
                        on_change=move |weights| app.form.update(|form| form.weights = weights)
                    />
                }}
            </fieldset>
            <Show when=move || form_choice.get() == FormChoice::Cpu>
                <fieldset prop:disabled=move || running.get()>
                    <legend>"Kernels"</legend>
                    <Segments
                        name="kernels" label="Instruction set of the kernels" choices=KERNELS.to_vec()
                        value=Signal::derive(move || app.form.with(OptionsForm::taken_kernels))
                        on_change=move |kernels| app.form.update(|form| form.kernels = Some(kernels))
                    />
                </fieldset>
            </Show>
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
                    <Show when=move || redecode.get() || embed.get()>
                        <TextField id="seq" label="Sequence"
                            help=Signal::derive(move || if embed.get() { "Tokens of the longest text: all cost as much" } else { "Tokens of the redecode graph" }.to_owned())
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
                    <Show when=move || form_choice.get() == FormChoice::Stablehlo>
                        <Tickbox
                            id="safetensors"
                            label="Also as .safetensors"
                            help="The same parameters once more, for other tools."
                            value=Signal::derive(move || app.form.with(|form| form.safetensors))
                            on_change=move |on| app.form.update(|form| form.safetensors = on)
                        />
                    </Show>
                    <Show when=move || form_choice.get() == FormChoice::Cpu>
                        <p class="label">"Activations"</p>
                        <Segments
                            name="activations" label="What vectors are turned into before a product"
                            choices=ACTIVATIONS.to_vec()
                            value=Signal::derive(move || app.form.with(|form| form.activations))
                            on_change=move |activations| app.form.update(|form| form.activations = activations)
                        />
                        <p class="label">"Cache"</p>
                        <Segments
                            name="cache" label="What keys and values are kept in" choices=CACHE.to_vec()
                            value=Signal::derive(move || app.form.with(|form| form.cache))
                            on_change=move |cache| app.form.update(|form| form.cache = cache)
                        />
                    </Show>
                </fieldset>
            </details>
        </form>
    }
}

/// Why the open model can't have a form, where that is so.
fn missing(app: App, form: FormChoice) -> Option<String> {
    app.model.with(|model| {
        let (_, card) = model.open()?;
        card.forms.iter().find(|support| support.form == form.name())?.unsupported.clone()
    })
}

/// A choice: its value, its name and what it means.
type Choice<T> = (T, &'static str, &'static str);

const FORMS: [Choice<FormChoice>; 2] = [
    (
        FormChoice::Cpu,
        "cpu",
        "Our kernels travel in the text and read quantised weights as they are: the fastest on processors.",
    ),
    (
        FormChoice::Stablehlo,
        "stablehlo",
        "Nothing but StableHLO, for other compilers and processors of any kind; weights become floats.",
    ),
];

const KERNELS: [Choice<Kernels>; 5] = [
    (
        Kernels::Avx512Vnni,
        "avx512vnni",
        "x86-64 with AVX-512 and its dot products of bytes: servers, recent PCs.",
    ),
    (Kernels::Avx2, "avx2", "x86-64 with AVX2: PCs since 2013."),
    (
        Kernels::I8mm,
        "i8mm",
        "64-bit ARM with NEON's matrix products of bytes (ARMv8.6): phones since 2022, servers.",
    ),
    (
        Kernels::Dotprod,
        "dotprod",
        "64-bit ARM with NEON's dot products of bytes: phones since 2018, boards, servers.",
    ),
    (Kernels::Portable, "portable", "Every processor; slower."),
];

const ACTIVATIONS: [Choice<Activations>; 2] = [
    (Activations::I8, "i8", "Vectors become bytes before a product with quantised weights, as in llama.cpp."),
    (Activations::F32, "f32", "Vectors stay as they are: slower, and closest to the original."),
];

const CACHE: [Choice<CacheElement>; 2] = [
    (CacheElement::F16, "f16", "Half the memory. The usual choice."),
    (CacheElement::F32, "f32", "For comparing."),
];

const KEEP: Choice<Weights> =
    (Weights::Keep, "keep", "As they are in the file: every value is kept, and nothing becomes larger.");

const FLOATS: [Choice<Weights>; 3] = [
    (Weights::Bf16, "bf16", "Half the size of f32 with its range. The usual choice of floats."),
    (Weights::F16, "f16", "Half the size of f32, finer than bf16, with a smaller range."),
    (Weights::F32, "f32", "Exact, and twice the size: for comparing against the original."),
];

fn weights_of(form: FormChoice) -> Vec<Choice<Weights>> {
    let keep = (form == FormChoice::Cpu).then_some(KEEP);
    keep.into_iter().chain(FLOATS).collect()
}
