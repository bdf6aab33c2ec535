//! Where a model is dropped or chosen. Files may be dropped anywhere on the page.

use super::icon::Tray;
use crate::page::App;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use web_sys::{DragEvent, File, FileList};

/// The drop zone.
#[component]
pub(crate) fn DropZone() -> impl IntoView {
    let app = App::get();
    let input = NodeRef::<html::Input>::new();
    let choose = move |_| {
        if let Some(input) = input.get() {
            input.click();
        }
    };
    let chosen = move |_| {
        if let Some(input) = input.get() {
            app.open_files(&files(input.files()));
            // So that the same file can be chosen again.
            input.set_value("");
        }
    };
    let Over(over) = expect_context();
    view! {
        <div class="drop" class:over=move || over.get() data-testid="drop">
            <Tray/>
            <p class="drop-title">"Drop a GGUF here"</p>
            <p class="drop-help">
                "The parts of a split model together; or an .mlir file, to see its graph, or a compiled .vmfb, to see what is in it. Nothing leaves this machine until you export, and then it goes to your own hub."
            </p>
            <button class="primary" data-testid="choose" on:click=choose>"Choose a file"</button>
            <input
                class="sr"
                type="file"
                accept=".gguf,.mlir,.vmfb"
                multiple
                tabindex="-1"
                aria-label="GGUF files, a text of StableHLO, or a compiled module"
                data-testid="file"
                id="file"
                node_ref=input
                on:change=chosen
            />
        </div>
        <ol class="story" aria-label="What happens then">
            <li><strong>"See"</strong>" its architecture, quantisation, tensors and metadata at once."</li>
            <li><strong>"Lower"</strong>" it in this tab, to StableHLO or to kernels for processors; weights stream to the hub as they are made."</li>
            <li><strong>"Compile"</strong>" it with IREE on the hub, the log in view."</li>
            <li><strong>"Run"</strong>" it: tokens as they come, timings beside them. Take the bundle home."</li>
        </ol>
    }
}

/// Whether files are over the page.
#[derive(Clone, Copy, Default)]
pub(crate) struct Over(RwSignal<bool>);

/// Takes files that are dropped anywhere on the page, also where a model is open: without this the browser would
/// leave the page and show the file.
#[component]
pub(crate) fn DropAnywhere() -> impl IntoView {
    let app = App::get();
    let Over(over) = expect_context();
    let drag = window_event_listener(ev::dragover, move |event: DragEvent| {
        event.prevent_default();
        if !over.get_untracked() {
            over.set(true);
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event: DragEvent| {
        if event.related_target().is_none() {
            over.set(false);
        }
    });
    let dropped = window_event_listener(ev::drop, move |event: DragEvent| {
        event.prevent_default();
        over.set(false);
        let files = files(event.data_transfer().and_then(|transfer| transfer.files()));
        match app.compares.get_untracked() {
            true => app.compare_with(&files),
            false => app.open_files(&files),
        }
    });
    on_cleanup(move || {
        drag.remove();
        leave.remove();
        dropped.remove();
    });
    let open = Memo::new(move |_| app.model.with(|model| model.open().is_some()));
    view! {
        <Show when=move || over.get() && open.get()>
            <div class="drop-over" aria-hidden="true"><p>{move || if app.compares.get() { "Drop to compare with this model" } else { "Drop to open this model instead" }}</p></div>
        </Show>
    }
}

pub(super) fn files(list: Option<FileList>) -> Vec<File> {
    list.map(|list| (0..list.length()).filter_map(|index| list.get(index)).collect()).unwrap_or_default()
}
