//! Who is to carry something out: a machine, a label, or all.

use crate::page::App;
use crate::state::lab::place::Place;
use leptos::prelude::*;

/// The choice; nothing while the hub's own runner is the only one.
#[component]
pub(crate) fn Picker(
    /// Its id, by which tests find it too.
    id: &'static str,
    /// What is chosen.
    place: RwSignal<Place>,
) -> impl IntoView {
    let app = App::get();
    let choices = Memo::new(move |_| app.link.with(|link| Place::choices(link.runners())));
    let options = move || {
        // A label or a runner that went keeps its place, so that nothing else is taken unasked.
        let mut choices = choices.get();
        let chosen = place.get();
        if choices.iter().all(|(of, _)| *of != chosen) {
            let words = format!("{}, not there", chosen.value().replace(':', " "));
            choices.push((chosen.clone(), words));
        }
        choices
            .into_iter()
            .map(|(of, words)| view! { <option value=of.value() prop:selected=of == chosen>{words}</option> })
            .collect_view()
    };
    view! {
        <Show when=move || choices.with(|choices| choices.len() > 1) || place.with(|place| *place != Place::Local)>
            <div class="field picker">
                <label for=id>"Where"</label>
                <select id=id data-testid=id on:change=move |event| place.set(Place::of(&event_target_value(&event)))>
                    {options}
                </select>
            </div>
        </Show>
    }
}
