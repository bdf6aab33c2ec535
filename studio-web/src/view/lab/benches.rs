//! The measurements of the history: over time, and those that are chosen side by side.

use super::comparison::{Comparison, MetricChoice};
use super::timeline::Timeline;
use super::when::when;
use crate::page::App;
use crate::state::lab::history::outcome_words;
use crate::state::lab::measure::{Measured, Metric};
use crate::state::lab::route::Route;
use leptos::prelude::*;
use studio_protocol::{JobId, JobRecord};

/// The measurements.
#[component]
pub(super) fn Benches() -> impl IntoView {
    let app = App::get();
    let metric = RwSignal::new(Metric::default());
    let wanted = RwSignal::new(None::<String>);
    let chosen = Memo::new(move |_| {
        app.route.with(|route| match route {
            Route::Compare(ids) => ids.clone(),
            Route::Steps | Route::Runners | Route::Jobs | Route::Job(_) => Vec::new(),
        })
    });
    let records = Memo::new(move |_| {
        let is_measured = |record: &&JobRecord| Measured::of_record(record).is_some();
        app.benches.with(|benches| benches.iter().flatten().filter(is_measured).cloned().collect::<Vec<_>>())
    });
    let models = Memo::new(move |_| {
        let mut models: Vec<String> = Vec::new();
        records.with(|records| {
            for record in records {
                if !models.contains(&record.model) {
                    models.push(record.model.clone());
                }
            }
        });
        models
    });
    // The model that was asked for, that of the first chosen, or that of the newest.
    let model = Memo::new(move |_| {
        let of_chosen = || {
            let id = chosen.with(|ids| ids.first().copied())?;
            records.with(|records| {
                records.iter().find(|record| record.job == id).map(|record| record.model.clone())
            })
        };
        wanted
            .get()
            .or_else(of_chosen)
            .or_else(|| models.with(|models| models.first().cloned()))
            .unwrap_or_default()
    });
    let of_model = Memo::new(move |_| {
        let model = model.get();
        records.with(|records| {
            records.iter().filter(|record| record.model == model).cloned().collect::<Vec<_>>()
        })
    });
    let over_time = Memo::new(move |_| {
        of_model.with(|records| records.iter().filter_map(Measured::of_record).collect::<Vec<_>>())
    });
    let side_by_side = Memo::new(move |_| {
        chosen.with(|ids| {
            records.with(|records| {
                let of = |id: &JobId| {
                    records.iter().find(|record| record.job == *id).and_then(Measured::of_record)
                };
                ids.iter().filter_map(of).collect::<Vec<_>>()
            })
        })
    });
    let options = move || {
        models
            .get()
            .into_iter()
            .map(|name| {
                let is_chosen = name == model.get_untracked();
                view! { <option value=name.clone() prop:selected=is_chosen>{name.clone()}</option> }
            })
            .collect_view()
    };
    let row = move |record: JobRecord| {
        let id = record.job;
        let is_chosen = move || chosen.with(|ids| ids.contains(&id));
        let toggle = move |_| {
            let mut ids = chosen.get_untracked();
            match ids.iter().position(|of| *of == id) {
                Some(at) => drop(ids.remove(at)),
                None => ids.push(id),
            }
            app.turn_to(&Route::Compare(ids));
        };
        let runner = record.runner.as_ref().map(|runner| runner.name.clone()).unwrap_or_default();
        let words = record.outcome.as_ref().map(outcome_words).unwrap_or_default();
        view! {
            <tr data-testid="bench-row">
                <td><input type="checkbox" aria-label=format!("Compare {runner}, {}", when(record.created_ms)) prop:checked=is_chosen on:change=toggle/></td>
                <td class="num"><a href=Route::Job(id).hash()>{when(record.created_ms)}</a></td>
                <td>{runner.clone()}</td>
                <td class="job-words">{words}</td>
            </tr>
        }
    };
    let known = move || app.benches.with(Option::is_some);
    view! {
        <section class="panel" aria-label="Measurements">
            <Show when=move || records.with(|records| !records.is_empty()) fallback=move || view! {
                <Show when=known>
                    <p class="empty" data-testid="benches-empty">"Nothing was measured yet. The step "<a href="#measure">"Measure"</a>" of a model does it, or "<code>"studio bench --runner NAME"</code>"."</p>
                </Show>
            }>
                <div class="table-tools">
                    <select aria-label="Model" data-testid="bench-model" on:change=move |event| wanted.set(Some(event_target_value(&event)))>{options}</select>
                    <MetricChoice metric measured=over_time/>
                </div>
                <Timeline measured=over_time metric/>
                <div class="table-frame free" tabindex="0" role="region" aria-label="Measurements of this model, the newest first">
                    <table class="plain benches">
                        <thead><tr><th scope="col">"Compare"</th><th scope="col">"When"</th><th scope="col">"Runner"</th><th scope="col">"Decode"</th></tr></thead>
                        <tbody><For each=move || of_model.get() key=|record| record.job children=row/></tbody>
                    </table>
                </div>
                <Show when=move || side_by_side.with(Vec::is_empty)>
                    <p class="note">"Tick measurements to see them side by side."</p>
                </Show>
            </Show>
        </section>
        <Show when=move || side_by_side.with(|chosen| !chosen.is_empty())>
            <section class="panel" aria-label="Side by side"><Comparison measured=side_by_side/></section>
        </Show>
    }
}
