//! The export's websocket, which lives in a worker of its own: `static/socket.js` says why.

use crate::browser;
use crate::hub::socket::SocketEvent;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use std::{cell::RefCell, rc::Rc};
use studio_protocol::ClientMessage;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, MessageEvent, Worker, WorkerOptions};

/// The close code that browsers give to a connection which ended without a word.
const ABNORMAL: u16 = 1006;

/// An open or opening websocket. Dropping it closes it.
pub(crate) struct Relay {
    worker: Worker,
    /// Buffers of frames that were sent, for those to come: fresh memory costs more than the copy into it.
    spare: Rc<RefCell<Vec<ArrayBuffer>>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Relay {
    /// Begins to open a socket to the hub that this page came from.
    pub(crate) fn open(report: impl Fn(SocketEvent) + Clone + 'static) -> Result<Self, String> {
        let options = WorkerOptions::new();
        options.set_name("socket");
        let worker =
            Worker::new_with_options("socket.js", &options).map_err(|error| browser::words(&error))?;
        let failed = report.clone();
        let spare = Rc::new(RefCell::new(Vec::new()));
        let returned = Rc::clone(&spare);
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let parts = Array::from(&event.data());
            match parts.get(1).dyn_into::<ArrayBuffer>() {
                Ok(buffer) => returned.borrow_mut().push(buffer),
                Err(_) => event_of(&parts).into_iter().for_each(&report),
            }
        });
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            failed(SocketEvent::Closed { code: ABNORMAL, reason: String::new() });
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.post_message(&browser::hub_url().into()).map_err(|error| browser::words(&error))?;
        Ok(Self { worker, spare, _on_message: on_message, _on_error: on_error })
    }

    /// Says something. A socket that is closing swallows it; its `Closed` tells.
    pub(crate) fn say(&self, message: &ClientMessage) {
        if let Ok(text) = serde_json::to_string(message) {
            drop(self.worker.post_message(&JsValue::from_str(&text)));
        }
    }

    /// Sends a binary frame. A socket that is closing swallows it; its `Closed` tells.
    pub(crate) fn send(&self, frame: &[u8]) {
        let fitting =
            self.spare.borrow_mut().pop().filter(|buffer| buffer.byte_length() as usize == frame.len());
        let buffer = fitting.unwrap_or_else(|| ArrayBuffer::new(frame.len() as u32));
        Uint8Array::new(&buffer).copy_from(frame);
        let handed_over = Array::of1(&buffer);
        drop(self.worker.post_message_with_transfer(&buffer, &handed_over));
    }
}

/// What `socket.js` tells.
fn event_of(parts: &Array) -> Option<SocketEvent> {
    Some(match parts.get(0).as_string()?.as_str() {
        "open" => SocketEvent::Open,
        "message" => SocketEvent::message(&parts.get(1).as_string()?),
        "closed" => SocketEvent::Closed {
            code: parts.get(1).as_f64()? as u16,
            reason: parts.get(2).as_string().unwrap_or_default(),
        },
        _ => return None,
    })
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
