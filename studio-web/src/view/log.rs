//! What a job printed, its end kept in sight while it grows.

use crate::page::JobSlot;
use leptos::html;
use leptos::prelude::*;

/// A job's log; nothing while it is empty.
#[component]
pub(crate) fn Log(
    /// The job.
    job: JobSlot,
) -> impl IntoView {
    let frame = NodeRef::<html::Pre>::new();
    let follow = RwSignal::new(true);
    let lines = Memo::new(move |_| {
        job.with(|job| job.as_ref().map_or((0, 0), |job| (job.log.len(), job.log_dropped)))
    });
    let text = move || {
        lines.track();
        job.with_untracked(|job| {
            job.as_ref().map(|job| {
                let dropped =
                    (job.log_dropped > 0).then(|| format!("({} lines before these)\n", job.log_dropped));
                let mut text = dropped.unwrap_or_default();
                for line in &job.log {
                    text.push_str(line);
                    text.push('\n');
                }
                text
            })
        })
    };
    Effect::new(move |_| {
        lines.track();
        if let (true, Some(frame)) = (follow.get_untracked(), frame.get()) {
            frame.set_scroll_top(frame.scroll_height());
        }
    });
    let scrolled = move |_| {
        if let Some(frame) = frame.get() {
            follow.set(frame.scroll_top() + frame.client_height() + 24 >= frame.scroll_height());
        }
    };
    view! {
        <Show when=move || lines.get().0 != 0>
            <pre class="log" node_ref=frame tabindex="0" role="log" aria-label="What the job printed" data-testid="log" on:scroll=scrolled>{text}</pre>
        </Show>
    }
}
