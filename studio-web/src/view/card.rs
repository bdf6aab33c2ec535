//! The model's card.

use super::formats::Formats;
use super::problem::ProblemBox;
use crate::messages::{Fact, ModelReport};
use crate::state::format::{self, sentence};
use leptos::prelude::*;
use std::sync::Arc;
use studio_core::family::FormSupport;

/// The card: what a person looks for first.
#[component]
pub(crate) fn Card(
    /// What the worker told.
    report: Arc<ModelReport>,
) -> impl IntoView {
    let card = &report.card;
    let file_bytes = card.files.iter().map(|file| file.size_bytes).fold(0, u64::saturating_add);
    let files = match card.files.as_slice() {
        [only] => only.name.clone(),
        files => format!(
            "{} and {} more",
            files.first().map_or("", |file| &file.name),
            files.len().saturating_sub(1)
        ),
    };
    let context = card.context_length.map_or_else(|| "not stated".to_owned(), format::grouped);
    let main_format = card.formats.first().map_or("none", |share| &share.format).to_owned();
    let verdict = if card.obstacles.is_empty() {
        view! {
            <p class="verdict good" data-testid="supported">
                <span class="dot" aria-hidden="true"></span>"Can be exported"
            </p>
        }
        .into_any()
    } else {
        view! {
            <p class="verdict bad" data-testid="unsupported">
                <span class="dot" aria-hidden="true"></span>"Cannot be exported yet"
            </p>
        }
        .into_any()
    };
    let obstacles = card
        .obstacles
        .iter()
        .map(|problem| view! { <ProblemBox problem=problem.clone() testid="obstacle"/> })
        .collect_view();
    let big = [
        ("Architecture", card.architecture.clone()),
        ("Parameters", format::count(card.parameter_count)),
        ("Mostly", main_format),
        ("Context", context),
        ("File", format::bytes(file_bytes)),
    ];
    let big = big
        .into_iter()
        .map(|(label, value)| view! { <div><dt>{label}</dt><dd>{value}</dd></div> })
        .collect_view();
    view! {
        <article class="card" data-testid="card" aria-label="The model's card">
            <header class="card-head">
                <div>
                    <h3>{card.title.clone()}</h3>
                    <p class="file-name">{files}</p>
                </div>
                {verdict}
            </header>
            {obstacles}
            <dl class="big">{big}</dl>
            {card.obstacles.is_empty().then(|| view! { <Support forms=card.forms.clone()/> })}
            <Formats shares=card.formats.clone() total=card.tensor_bytes/>
            <dl class="facts">{card.facts.iter().map(fact).collect_view()}</dl>
        </article>
    }
}

/// What can be made of the model: a line for each form, with its contracts or the reason why it can't be.
#[component]
fn Support(
    /// The forms.
    forms: Vec<FormSupport>,
) -> impl IntoView {
    let line = |support: &FormSupport| {
        let works: Vec<&str> = support
            .contracts
            .iter()
            .filter(|contract| contract.unsupported.is_none())
            .map(|contract| contract.contract.name())
            .collect();
        let (class, words) = match &support.unsupported {
            None => ("good", works.join(", ")),
            Some(reason) => ("bad", sentence(reason)),
        };
        view! {
            <li class=class>
                <span class="dot" aria-hidden="true"></span>
                <code>{support.form.clone()}</code>
                <span>{if class == "good" { "can be exported: " } else { "can’t be exported: " }}{words}</span>
            </li>
        }
    };
    view! {
        <section aria-label="Forms">
            <p class="label">"Forms and contracts"</p>
            <ul class="support" data-testid="forms">{forms.iter().map(line).collect_view()}</ul>
        </section>
    }
}

fn fact(fact: &Fact) -> impl IntoView + use<> {
    let Fact { label, value, key } = fact.clone();
    view! { <div title=key.unwrap_or_default()><dt>{label}</dt><dd>{value}</dd></div> }
}
