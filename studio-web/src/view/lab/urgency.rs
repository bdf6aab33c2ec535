//! How soon a job is done and how long it may take.

use crate::page::App;
use crate::state::lab::urgency::Urgency;
use leptos::prelude::*;

/// The choice, for whatever this page asks for next.
#[component]
pub(crate) fn UrgencyFields(
    /// What its fields' ids begin with.
    id: &'static str,
) -> impl IntoView {
    let app = App::get();
    let (priority_id, limit_id) = (format!("{id}-priority"), format!("{id}-limit"));
    let choose = move |write: fn(&mut Urgency, usize)| {
        move |event| {
            if let Ok(index) = event_target_value(&event).parse() {
                app.urgency.update(|urgency| write(urgency, index));
            }
        }
    };
    let priority = choose(|urgency, index| {
        if let Some((priority, _)) = Urgency::PRIORITIES.get(index) {
            urgency.priority = *priority;
        }
    });
    let limit = choose(|urgency, index| {
        if let Some((limit, _)) = Urgency::LIMITS.get(index) {
            urgency.time_limit_s = *limit;
        }
    });
    let priorities = Urgency::PRIORITIES.into_iter().enumerate().map(|(index, (of, words))| {
        let is_it = move || app.urgency.with(|urgency| urgency.priority == of);
        view! { <option value=index.to_string() prop:selected=is_it>{words}</option> }
    });
    let limits = Urgency::LIMITS.into_iter().enumerate().map(|(index, (of, words))| {
        let is_it = move || app.urgency.with(|urgency| urgency.time_limit_s == of);
        view! { <option value=index.to_string() prop:selected=is_it>{words}</option> }
    });
    view! {
        <div class="fields">
            <div class="field picker">
                <label for=priority_id.clone()>"Its turn among waiting jobs"</label>
                <select id=priority_id.clone() data-testid=priority_id on:change=priority>{priorities.collect_view()}</select>
            </div>
            <div class="field picker">
                <label for=limit_id.clone()>"Time limit"</label>
                <select id=limit_id.clone() data-testid=limit_id on:change=limit>{limits.collect_view()}</select>
            </div>
        </div>
    }
}
