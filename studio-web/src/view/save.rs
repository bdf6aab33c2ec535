//! Something that the page made, as a file.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlAnchorElement;

/// Saves what a `data:` URL holds under a name.
pub(crate) fn save(url: &str, name: &str) {
    if let Ok(link) = document().create_element("a")
        && let Ok(link) = link.dyn_into::<HtmlAnchorElement>()
    {
        link.set_href(url);
        link.set_download(name);
        link.click();
    }
}
