//! The page: Leptos, client-side, and its export worker.
//!
//! Both are the same wasm: started in a window it shows the page, started in a worker it reads dropped files
//! and streams exports to the hub. What can be told without a browser is in [`state`], [`messages`] and
//! [`hub::resume`] and is tested natively; everything else exists only for wasm32.

#[cfg(target_arch = "wasm32")]
mod browser;
pub mod hub;
pub mod messages;
#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
mod panic;
pub mod report;
pub mod state;
#[cfg(target_arch = "wasm32")]
mod view;
pub mod wire;
#[cfg(target_arch = "wasm32")]
mod worker;

/// Starts the page or the worker, whichever this is.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen(start)]
pub fn start() {
    use wasm_bindgen::JsCast;
    match js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() {
        Ok(scope) => worker::start(scope),
        Err(_) => page::start(),
    }
}
