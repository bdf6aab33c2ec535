//! A text's vector, and how near the texts before it are.

use super::save::save;
use crate::page::App;
use crate::state::format;
use crate::state::job::Job;
use crate::state::vector;
use leptos::prelude::*;

/// The vector of the present run; nothing where there is none.
#[component]
pub(crate) fn Vector() -> impl IntoView {
    let app = App::get();
    let there =
        Memo::new(move |_| app.run.with(|job| job.as_ref().is_some_and(|job| job.embedding().is_some())));
    let read = move |read: fn(&[f32]) -> String| {
        move || app.run.with(|job| job.as_ref().and_then(Job::embedding).map(read).unwrap_or_default())
    };
    let document = move || {
        app.run.with_untracked(|job| {
            let job = job.as_ref()?;
            Some(vector::json(&job.asked(), job.embedding()?))
        })
    };
    let copied = RwSignal::new(false);
    let copy = move |_| {
        if let Some(text) = document() {
            // Where the browser refuses, the file is there still.
            drop(window().navigator().clipboard().write_text(&text));
            copied.set(true);
            set_timeout(move || copied.set(false), std::time::Duration::from_secs(2));
        }
    };
    let download = move |_| {
        if let Some(text) = document() {
            let text = String::from(js_sys::encode_uri_component(&text));
            save(&format!("data:application/json;charset=utf-8,{text}"), "embedding.json");
        }
    };
    let asked = move || app.run.with(|job| job.as_ref().map(Job::asked).unwrap_or_default());
    view! {
        <Show when=move || there.get()>
            <section class="vector" aria-label="The text’s vector" data-testid="vector">
                <p class="said asked">{asked}</p>
                <dl class="figures">
                    <div><dt>"Numbers"</dt><dd data-testid="vector-dimension">{read(|vector| vector.len().to_string())}</dd></div>
                    <div><dt>"Length of the vector"</dt><dd data-testid="vector-norm">{read(|vector| format!("{:.4}", vector::norm(vector)))}</dd></div>
                </dl>
                <p class="numbers"><code data-testid="vector-beginning">{read(vector::beginning)}</code></p>
                <div class="row">
                    <button type="button" data-testid="vector-copy" on:click=copy>{move || if copied.get() { "Copied" } else { "Copy as JSON" }}</button>
                    <button type="button" data-testid="vector-download" on:click=download>"Download embedding.json"</button>
                </div>
                <Nearness/>
            </section>
        </Show>
    }
}

/// Earlier texts with their cosine to the present one, the nearest first.
#[component]
fn Nearness() -> impl IntoView {
    let app = App::get();
    let rows = Memo::new(move |_| {
        let present = app
            .run
            .with(|job| job.as_ref().and_then(Job::embedding).map(<[f32]>::to_vec))
            .unwrap_or_default();
        let mut rows: Vec<(u64, String, f64)> = app.past_runs.with(|runs| {
            let row =
                |job: &Job| Some((job.request, job.asked(), vector::cosine(&present, job.embedding()?)?));
            runs.iter().filter_map(row).collect()
        });
        rows.sort_by(|a, b| b.2.total_cmp(&a.2));
        rows
    });
    view! {
        <Show
            when=move || rows.with(|rows| !rows.is_empty())
            fallback=|| view! { <p class="help">"Run another text to see how near the two are."</p> }
        >
            <div class="table-frame free" tabindex="0" role="region" aria-label="Earlier texts">
                <table class="nearness">
                    <thead><tr><th scope="col">"Earlier text"</th><th scope="col" class="num">"Cosine"</th></tr></thead>
                    <tbody>
                        <For each=move || rows.get() key=|(request, _, cosine)| (*request, cosine.to_bits())
                            children=|(_, text, cosine)| view! {
                                <tr>
                                    <td class="past-text">{text}</td>
                                    <td class="num" data-testid="cosine">{format::cosine(cosine)}</td>
                                </tr>
                            }/>
                    </tbody>
                </table>
            </div>
        </Show>
    }
}
