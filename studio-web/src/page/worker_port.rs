//! The worker as the page holds it.

use crate::browser;
use crate::messages::{FromWorker, ToWorker};
use js_sys::{Array, Uint8Array};
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, File, MessageEvent, Worker, WorkerOptions, WorkerType};

/// A running worker. Dropping it ends the worker, whatever it is doing.
pub(crate) struct WorkerPort {
    worker: Worker,
    /// Whether it listens yet.
    ready: Cell<bool>,
    /// What it is told as soon as it listens.
    waiting: RefCell<Vec<Array>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl WorkerPort {
    /// Starts a worker that reports with this: a message, and the bytes that came with it.
    pub(crate) fn start(
        report: impl Fn(FromWorker, Option<Uint8Array>) + Clone + 'static,
    ) -> Result<Self, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name("export");
        let worker =
            Worker::new_with_options("worker.js", &options).map_err(|error| browser::words(&error))?;
        let failed = report.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let parts = Array::from(&event.data());
            let text = parts.get(0).as_string().unwrap_or_default();
            if let Ok(message) = serde_json::from_str(&text) {
                report(message, parts.get(1).dyn_into().ok());
            }
        });
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            let words = event.dyn_ref::<web_sys::ErrorEvent>().map(web_sys::ErrorEvent::message);
            let message = words
                .filter(|words| !words.is_empty())
                .unwrap_or_else(|| "it could not be loaded".to_owned());
            failed(FromWorker::Panicked { message }, None);
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // `worker.js` begins with it.
        worker.post_message(&wasm_bindgen::module()).map_err(|error| browser::words(&error))?;
        Ok(Self {
            worker,
            ready: Cell::new(false),
            waiting: RefCell::default(),
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// It listens now.
    pub(crate) fn on_ready(&self) {
        self.ready.set(true);
        for message in self.waiting.take() {
            drop(self.worker.post_message(&message));
        }
    }

    /// Tells it something.
    pub(crate) fn tell(&self, message: &ToWorker, files: &[File]) {
        let Ok(text) = serde_json::to_string(message) else { return };
        let parts = Array::of1(&JsValue::from_str(&text));
        for file in files {
            parts.push(file);
        }
        if self.ready.get() {
            drop(self.worker.post_message(&parts));
        } else {
            self.waiting.borrow_mut().push(parts);
        }
    }
}

impl Drop for WorkerPort {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
