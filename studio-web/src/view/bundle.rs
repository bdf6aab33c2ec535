//! The last step: take the bundle home, whole or file by file.

use super::icon::Tray;
use super::step::Step;
use crate::page::App;
use crate::state::format;
use leptos::prelude::*;
use studio_protocol::{Artifact, module_file_name};

/// The download panel.
#[component]
pub(crate) fn Download() -> impl IntoView {
    view! {
        <Step
            id="bundle"
            number=6
            title="Bundle"
            lead="The files, for another machine or a phone."
            waits_for="Export a model first."
        >
            <Body/>
        </Step>
    }
}

#[component]
fn Body() -> impl IntoView {
    let app = App::get();
    let module = Memo::new(move |_| app.module());
    let body = move || {
        app.bundle.get().map(|bundle| {
            let module = module.get();
            let query = module.as_ref().map(|module| format!("?module={}", module.blake3)).unwrap_or_default();
            let zip = format!("/bundles/{}.zip{query}", bundle.hash);
            let reference = format!("/bundles/{}.html", bundle.hash);
            let total = bundle.size_bytes() + module.as_ref().map_or(0, |module| module.size_bytes);
            let files = bundle.files.iter().map(|file| file_row(&file.name, &file.artifact)).collect_view();
            let module = module.map(|module| file_row(&module_file_name(&app.target()), &module));
            view! {
                <div class="row">
                    <div class="grow">
                        <p class="bundle-title">{bundle.title.clone()}</p>
                        <p class="hash" title="BLAKE3 of manifest.json">{bundle.hash.to_string()}</p>
                    </div>
                    <a class="button" href=reference target="_blank" data-testid="reference">"Reference page"</a>
                    <a class="button primary" href=zip download="" data-testid="download-zip"><Tray/>{format!("Bundle as zip, {}", format::bytes(total))}</a>
                </div>
                <ul class="files" data-testid="files">{files}{module}</ul>
            }
        })
    };
    view! { {body} }
}

fn file_row(name: &str, artifact: &Artifact) -> impl IntoView + use<> {
    let href = format!("/artifacts/{}?name={name}", artifact.blake3);
    let name = name.to_owned();
    let saved_as = name.clone();
    let label = format!("Download {name}");
    let testid = format!("download-{name}");
    view! {
        <li>
            <a href=href download=saved_as aria-label=label data-testid=testid>{name}</a>
            <span class="dim num">{format::bytes(artifact.size_bytes)}</span>
            <code class="hash">{artifact.blake3.to_string()}</code>
        </li>
    }
}
