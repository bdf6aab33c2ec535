//! A tensor's numbers: extremes, mean, a histogram, the scales of its blocks, a picture of it.

use super::problem::ProblemBox;
use super::progress::Bar;
use crate::page::App;
use crate::state::format;
use crate::state::survey::{SurveyState, bars, pixels, zero_at};
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;
use studio_core::statistics::{Heat, Histogram, Scales, TensorStatistics};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, ImageData};

/// The tensor that is looked at, beside the table; nothing where there is none.
#[component]
pub(crate) fn Survey() -> impl IntoView {
    let app = App::get();
    let name = Memo::new(move |_| app.survey.with(|survey| survey.name().map(str::to_owned)));
    let body = move || {
        app.survey.with(|survey| match survey {
            SurveyState::None => ().into_any(),
            SurveyState::Running { share, .. } => {
                let share = *share;
                view! {
                    <p class="working" role="status">"Going through its numbers"</p>
                    <Bar label="Numbers gone through" fraction=share testid="survey-bar"/>
                }
                .into_any()
            }
            SurveyState::Failed { problem, .. } => {
                view! { <ProblemBox problem=problem.clone() testid="survey-problem"/> }.into_any()
            }
            SurveyState::Done(found) => view! { <Found found=found.clone()/> }.into_any(),
        })
    };
    view! {
        <Show when=move || name.with(Option::is_some)>
            <section class="survey" data-testid="survey" aria-label="The tensor's numbers" aria-live="polite">
                <header>
                    <h4>{move || name.get()}</h4>
                    <button class="quiet" data-testid="survey-close" on:click=move |_| app.close_survey()>"Close"</button>
                </header>
                {body}
            </section>
        </Show>
    }
}

#[component]
fn Found(
    /// The numbers.
    found: Arc<TensorStatistics>,
) -> impl IntoView {
    let number = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), short);
    let mut facts = vec![
        ("Min", number(found.min)),
        ("Max", number(found.max)),
        ("Mean", number(found.mean)),
        ("Standard deviation", number(found.std)),
        ("Zeros", part(found.zeros, found.elements)),
        ("Values", format::grouped(found.elements)),
    ];
    if found.nan + found.infinite > 0 {
        facts.push(("NaN", part(found.nan, found.elements)));
        facts.push(("Infinite", part(found.infinite, found.elements)));
    }
    let facts = facts
        .into_iter()
        .map(|(label, value)| view! { <div><dt>{label}</dt><dd>{value}</dd></div> })
        .collect_view();
    view! {
        <dl class="facts">{facts}</dl>
        <HistogramChart histogram=found.histogram.clone()/>
        {found.scales.clone().map(|scales| view! { <ScaleChart scales/> })}
        {found.heat.clone().map(|heat| view! { <HeatMap heat/> })}
    }
}

/// A number in six characters or so.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        0.001..1000.0 => format!("{value:.4}"),
        _ => format!("{value:.3e}"),
    }
}

fn part(count: u64, of: u64) -> String {
    match count {
        0 => "0".to_owned(),
        _ => format!("{} ({})", format::grouped(count), format::percent(count, of)),
    }
}

#[component]
fn HistogramChart(
    /// The counts.
    histogram: Histogram,
) -> impl IntoView {
    let words = format!(
        "Histogram of the values from {} to {}, in {} bins; heights are square roots",
        short(histogram.low),
        short(histogram.high),
        histogram.counts.len()
    );
    let zero = zero_at(&histogram).map(|at| view! { <line x1=at x2=at y1="0" y2="30"/> });
    view! {
        <figure class="chart" data-testid="survey-histogram">
            <svg viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label=words>
                <path d=bars(&histogram)/>{zero}
            </svg>
            <figcaption>
                <span>{short(histogram.low)}</span><span>"values, heights as square roots"</span><span>{short(histogram.high)}</span>
            </figcaption>
        </figure>
    }
}

#[component]
fn ScaleChart(
    /// The scales.
    scales: Scales,
) -> impl IntoView {
    let counts = scales.octaves.iter().map(|(_, blocks)| *blocks).collect();
    let chart = Histogram { low: 0.0, high: 1.0, counts };
    let edge = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), short);
    let spread = match (scales.min, scales.max) {
        (Some(min), Some(max)) => format!("block scales, a factor of {:.0}", max / min),
        _ => "block scales".to_owned(),
    };
    let flaws = [(scales.zeros, "are 0"), (scales.not_finite, "are not finite")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| {
            format!("{} of {} block scales {what}. ", format::grouped(count), format::grouped(scales.blocks))
        })
        .collect::<String>();
    let words = format!("{spread}: blocks by the power of two of their scale");
    view! {
        <figure class="chart small" data-testid="survey-scales">
            <svg viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label=words>
                <path d=bars(&chart)/>
            </svg>
            <figcaption><span>{edge(scales.min)}</span><span>{spread}</span><span>{edge(scales.max)}</span></figcaption>
        </figure>
        {(!flaws.is_empty()).then(|| view! { <p class="note">{flaws}</p> })}
    }
}

#[component]
fn HeatMap(
    /// The picture.
    heat: Heat,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    let words = format!(
        "The matrix in {} by {} parts: the darker, the larger the magnitudes",
        heat.rows, heat.columns
    );
    let (width, height) = (heat.columns.to_string(), heat.rows.to_string());
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        let context = canvas.get_context("2d").ok().flatten();
        let context = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok());
        let pixels = pixels(&heat);
        let image = ImageData::new_with_u8_clamped_array(Clamped(&pixels), heat.columns as u32);
        if let (Some(context), Ok(image)) = (context, image) {
            drop(context.put_image_data(&image, 0.0, 0.0));
        }
    });
    view! {
        <figure class="chart heat" data-testid="survey-heat">
            <canvas node_ref=canvas width=width height=height role="img" aria-label=words></canvas>
            <figcaption><span>"rows down, columns across"</span><span>"mean magnitude"</span></figcaption>
        </figure>
    }
}
