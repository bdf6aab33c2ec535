//! A fault of the program, told to the person instead of a page that no longer answers.

use crate::messages::FromWorker;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DedicatedWorkerGlobalScope;

/// In the page: fills and opens the panel that `index.html` keeps for this, without the page's own code.
pub(crate) fn show_in_page() {
    std::panic::set_hook(Box::new(|info| {
        let document = web_sys::window().and_then(|window| window.document());
        let element = |id: &str| document.as_ref().and_then(|document| document.get_element_by_id(id));
        if let Some(text) = element("panic-text") {
            text.set_text_content(Some(&info.to_string()));
        }
        if let Some(panel) = element("panic") {
            drop(panel.remove_attribute("hidden"));
        }
    }));
}

/// In the worker: tells the page, which then starts another worker.
pub(crate) fn tell_page() {
    std::panic::set_hook(Box::new(|info| {
        let message = FromWorker::Panicked { message: info.to_string() };
        // Reached anew: a hook must be Send, which a JavaScript value is not.
        let scope = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>();
        if let (Ok(scope), Ok(text)) = (scope, serde_json::to_string(&message)) {
            drop(scope.post_message(&JsValue::from_str(&text)));
        }
    }));
}
