//! The fourth step: run the compiled model.

use super::dispatches::Dispatches;
use super::lab::Siblings;
use super::output::Output;
use super::past_runs::PastRuns;
use super::prompt::PromptPanel;
use super::step::Step;
use super::vector::Vector;
use leptos::prelude::*;

/// The run's panel.
#[component]
pub(crate) fn Run() -> impl IntoView {
    view! {
        <Step
            id="run"
            number=4
            title="Run"
            lead="Tokens as they come, with what they cost."
            waits_for="Compile the bundle first."
        >
            <PromptPanel/>
            <Output/>
            <Dispatches/>
            <Siblings kind="run"/>
            <Vector/>
            <PastRuns/>
        </Step>
    }
}
