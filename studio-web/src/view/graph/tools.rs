//! The bar above the stage: which function, search, colours, reach, zoom, files.

use super::save;
use super::stage::Stage;
use crate::page::App;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use studio_graph::{Direction, Item, Match, Measure, Overlay};

/// The bar.
#[component]
pub(super) fn Tools(stage: Stage, full: RwSignal<bool>, search: NodeRef<html::Input>) -> impl IntoView {
    view! {
        <div class="graph-tools">
            <Functions stage/>
            <Search stage input=search/>
            <Colors stage/>
            <Reach stage/>
            <div class="graph-buttons" role="group" aria-label="View">
                <button class="quiet" title="Zoom out (−)" aria-label="Zoom out" on:click=move |_| stage.zoom(1.0 / 1.4)>"−"</button>
                <button class="quiet" title="Zoom in (+)" aria-label="Zoom in" on:click=move |_| stage.zoom(1.4)>"+"</button>
                <button class="quiet" title="See all (0)" data-testid="graph-fit" on:click=move |_| stage.fit()>"Fit"</button>
                <button class="quiet" data-testid="graph-open-all" on:click=move |_| {
                    stage.change(|inner| inner.explorer.open_all(true));
                    stage.begin();
                }>"Open all"</button>
                <button class="quiet" data-testid="graph-close-all" on:click=move |_| {
                    stage.change(|inner| inner.explorer.open_all(false));
                    stage.begin();
                }>"Close all"</button>
                <button class="quiet" data-testid="graph-svg" on:click=move |_| save::svg(stage)>"SVG"</button>
                <button class="quiet" data-testid="graph-png" on:click=move |_| save::png(stage)>"PNG"</button>
                <button class="quiet" data-testid="graph-full" aria-pressed=move || full.get().to_string() on:click=move |_| full.update(|full| *full = !*full)>
                    {move || if full.get() { "Back to the page" } else { "Whole window" }}
                </button>
            </div>
        </div>
    }
}

#[component]
fn Functions(stage: Stage) -> impl IntoView {
    let names: Vec<String> = stage.peek(|inner| {
        inner.explorer.module().functions().iter().map(|function| function.name().to_owned()).collect()
    });
    let several = names.len() > 1;
    let options = names
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            let chosen = move || stage.with(|explorer| explorer.function_index() == index);
            view! { <option value=index.to_string() prop:selected=chosen>{name}</option> }
        })
        .collect_view();
    let change = move |event: ev::Event| {
        if let Ok(index) = event_target_value(&event).parse() {
            stage.change(|inner| inner.explorer.set_function(index));
            stage.begin();
        }
    };
    view! {
        <label class="graph-tool" hidden=!several>
            <span class="label">"Function"</span>
            <select data-testid="graph-function" on:change=change>{options}</select>
        </label>
    }
}

#[component]
fn Search(stage: Stage, input: NodeRef<html::Input>) -> impl IntoView {
    let query = RwSignal::new(String::new());
    let marked = RwSignal::new(0_usize);
    let matches = move || query.with(|query| stage.with(|explorer| explorer.search(query)));
    let go = move |item: Item| {
        stage.reveal(item);
        query.set(String::new());
        if let Some(canvas) = stage.canvas.get_untracked() {
            drop(canvas.focus());
        }
    };
    let keys = move |event: ev::KeyboardEvent| {
        let (matches, _) = untrack(matches);
        match event.key().as_str() {
            "ArrowDown" => marked.update(|at| *at = (*at + 1).min(matches.len().saturating_sub(1))),
            "ArrowUp" => marked.update(|at| *at = at.saturating_sub(1)),
            "Enter" => {
                if let Some(found) = matches.get(marked.get_untracked()) {
                    go(found.item);
                }
            }
            "Escape" => {
                query.set(String::new());
                if let Some(canvas) = stage.canvas.get_untracked() {
                    drop(canvas.focus());
                }
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let list = move || {
        let (matches, total) = matches();
        if query.with(|query| query.trim().is_empty()) {
            return ().into_any();
        }
        let words = match total {
            0 => "Nothing has all of these words in its name, operation, type or scope.".to_owned(),
            total if total > matches.len() => format!("The first {} of {total}", matches.len()),
            total => format!("{total} found"),
        };
        let rows = matches
            .into_iter()
            .enumerate()
            .map(|(at, Match { item, title, detail })| {
                view! {
                    <li
                        role="option"
                        id=format!("graph-match-{at}")
                        data-testid="graph-match"
                        aria-selected=move || (marked.get() == at).to_string()
                        on:mousedown=move |event| { event.prevent_default(); go(item); }
                    >
                        <code>{title}</code><span class="dim">{detail}</span>
                    </li>
                }
            })
            .collect_view();
        view! {
            <div class="graph-matches">
                <p class="dim" role="status">{words}</p>
                <ul role="listbox" id="graph-matches" aria-label="Found">{rows}</ul>
            </div>
        }
        .into_any()
    };
    view! {
        <div class="graph-search">
            <input
                type="search"
                class="search"
                data-testid="graph-search"
                role="combobox"
                aria-label="Search the graph by name, operation, shape or type"
                aria-controls="graph-matches"
                aria-expanded=move || (!query.with(String::is_empty)).to_string()
                aria-activedescendant=move || format!("graph-match-{}", marked.get())
                placeholder="Search: dot_general, 576x49152, blk.7 ( / )"
                node_ref=input
                prop:value=move || query.get()
                on:input=move |event| { marked.set(0); query.set(event_target_value(&event)); }
                on:keydown=keys
                on:blur=move |_| query.set(String::new())
            />
            {list}
        </div>
    }
}

#[component]
fn Colors(stage: Stage) -> impl IntoView {
    let app = App::get();
    let profile = app.profile();
    Effect::new(move |_| stage.change(|inner| inner.explorer.set_profile(profile.get())));
    let timed = move || profile.with(Option::is_some);
    let time_title = move || match timed() {
        true => {
            "One call, by the last run that timed its dispatches; a dispatch's time is shared out by FLOPs"
        }
        false => "Run the model with “Time each dispatch” first",
    };
    let change = move |event: ev::Event| {
        let measure = match event_target_value(&event).as_str() {
            "bytes" => Some(Measure::Bytes),
            "flops" => Some(Measure::Flops),
            "time" => Some(Measure::Time),
            _ => None,
        };
        stage.change(|inner| inner.explorer.set_measure(measure));
    };
    view! {
        <label class="graph-tool">
            <span class="label">"Colour"</span>
            <select data-testid="graph-colors" on:change=change>
                <option value="none">"none"</option>
                <option value="bytes">"parameter bytes"</option>
                <option value="flops">"FLOPs"</option>
                <option value="time" title=time_title prop:disabled=move || !timed()>
                    {move || if timed() { "time of a call" } else { "time of a call (run with it first)" }}
                </option>
            </select>
        </label>
    }
}

#[component]
fn Reach(stage: Stage) -> impl IntoView {
    let (hops, way) = (RwSignal::new(0_usize), RwSignal::new(Direction::Both));
    let apply =
        move || stage.change(|inner| inner.explorer.set_reach(hops.get_untracked(), way.get_untracked()));
    let set_hops = move |event: ev::Event| {
        hops.set(event_target_value(&event).parse().unwrap_or(0));
        apply();
    };
    let set_way = move |event: ev::Event| {
        way.set(match event_target_value(&event).as_str() {
            "inputs" => Direction::Inputs,
            "outputs" => Direction::Outputs,
            _ => Direction::Both,
        });
        apply();
    };
    view! {
        <label class="graph-tool">
            <span class="label">"Light up"</span>
            <select data-testid="graph-hops" on:change=set_hops>
                <option value="0">"edges"</option>
                <option value="1">"1 hop"</option>
                <option value="2">"2 hops"</option>
                <option value="3">"3 hops"</option>
                <option value="5">"5 hops"</option>
                <option value="1000000">"all"</option>
            </select>
        </label>
        <label class="graph-tool">
            <span class="sr">"Which way"</span>
            <select data-testid="graph-way" on:change=set_way>
                <option value="both">"both ways"</option>
                <option value="inputs">"inputs"</option>
                <option value="outputs">"outputs"</option>
            </select>
        </label>
    }
}

/// What the colours mean.
#[component]
pub(super) fn Legend(stage: Stage) -> impl IntoView {
    move || {
        let words = |overlay: &Overlay| (overlay.measure().title(), overlay.measure().words(overlay.most()));
        let (title, most) = stage.with(|explorer| explorer.overlay().map(words))?;
        Some(view! {
            <p class="graph-legend" data-testid="graph-legend" title=title><span>"0"</span><span class="graph-ramp" aria-hidden="true"></span><span>{most}</span></p>
        })
    }
}
