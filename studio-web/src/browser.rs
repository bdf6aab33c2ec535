//! The few things that both a window and a worker offer under different names.

use js_sys::{Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, Performance, WorkerGlobalScope};

thread_local! {
    /// Looked up once: asking a worker for its window is an exception thrown and caught.
    static PERFORMANCE: Option<Performance> = match web_sys::window() {
        Some(window) => window.performance(),
        None => js_sys::global().dyn_into::<WorkerGlobalScope>().ok().and_then(|scope| scope.performance()),
    };
}

/// Milliseconds on a clock that only goes forward.
pub(crate) fn now_ms() -> f64 {
    PERFORMANCE.with(|performance| performance.as_ref().map_or(0.0, Performance::now))
}

/// Waits.
pub(crate) async fn sleep_ms(ms: u32) {
    let promise = Promise::new(&mut |resolve, _| {
        let global = js_sys::global();
        let timer =
            Reflect::get(&global, &"setTimeout".into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
        if let Some(timer) = timer {
            // A timer that could not be set would only mean no wait.
            drop(timer.call2(&global, &resolve, &JsValue::from(ms)));
        }
    });
    drop(JsFuture::from(promise).await);
}

/// Lets the browser deliver what came in meanwhile. `setTimeout` would wait 4 ms each time.
pub(crate) async fn yield_now() {
    let Ok(channel) = MessageChannel::new() else { return };
    let promise = Promise::new(&mut |resolve, _| {
        channel.port1().set_onmessage(Some(&resolve));
        if channel.port2().post_message(&JsValue::NULL).is_err() {
            drop(resolve.call0(&JsValue::UNDEFINED));
        }
    });
    drop(JsFuture::from(promise).await);
    channel.port1().close();
}

/// The bytes at an address of the page's own origin; in words what went wrong.
pub(crate) async fn fetch(url: &str) -> Result<Vec<u8>, String> {
    let global = js_sys::global();
    let call = |of: &JsValue, name: &str, argument: Option<&JsValue>| {
        let function = Reflect::get(of, &name.into()).and_then(JsCast::dyn_into::<Function>)?;
        match argument {
            Some(argument) => function.call1(of, argument),
            None => function.call0(of),
        }
    };
    let wait = async |promise: Result<JsValue, JsValue>| {
        let promise = promise.and_then(JsCast::dyn_into::<Promise>).map_err(|error| words(&error))?;
        JsFuture::from(promise).await.map_err(|error| words(&error))
    };
    let response = wait(call(&global, "fetch", Some(&url.into()))).await?;
    let status = Reflect::get(&response, &"status".into()).ok().and_then(|status| status.as_f64());
    if status != Some(200.0) {
        return Err(format!("the hub answered {}", status.unwrap_or_default()));
    }
    let buffer = wait(call(&response, "arrayBuffer", None)).await?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// Where the hub's websocket is, seen from where this code was loaded.
pub(crate) fn hub_url() -> String {
    let (protocol, host) = match web_sys::window() {
        Some(window) => (window.location().protocol().ok(), window.location().host().ok()),
        None => match js_sys::global().dyn_into::<WorkerGlobalScope>() {
            Ok(scope) => (Some(scope.location().protocol()), Some(scope.location().host())),
            Err(_) => (None, None),
        },
    };
    let scheme = if protocol.as_deref() == Some("https:") { "wss" } else { "ws" };
    format!("{scheme}://{}/ws", host.unwrap_or_default())
}

/// Bytes of this instance's wasm memory.
pub(crate) fn memory_bytes() -> u64 {
    (core::arch::wasm32::memory_size::<0>() as u64) << 16
}

/// A JavaScript error in words.
pub(crate) fn words(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}

/// Changes the part of the address behind `#`, without a step in the history.
pub(crate) fn replace_address(address: &str) {
    let history = Reflect::get(&js_sys::global(), &"history".into()).unwrap_or_default();
    let replace = Reflect::get(&history, &"replaceState".into()).ok();
    if let Some(replace) = replace.and_then(|replace| replace.dyn_into::<Function>().ok()) {
        // A browser that refuses, for it was asked too often, keeps the address before.
        drop(replace.call3(&history, &JsValue::NULL, &"".into(), &address.into()));
    }
}
