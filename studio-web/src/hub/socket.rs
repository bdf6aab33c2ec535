//! A websocket that speaks the studio's protocol: messages in and out.

use crate::browser;
use studio_protocol::{ClientMessage, HubMessage};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{CloseEvent, Event, MessageEvent, WebSocket};

/// Something that a socket reports.
#[derive(Debug)]
pub(crate) enum SocketEvent {
    /// It is open: say hello.
    Open,
    /// The hub said something.
    Message(Box<HubMessage>),
    /// The hub said something that this version does not understand.
    Garbled(String),
    /// It is closed, or could not be opened. The last event of every socket.
    Closed {
        /// The websocket's close code.
        code: u16,
        /// The hub's word on it, often empty.
        reason: String,
    },
}

impl SocketEvent {
    /// What a text frame says.
    pub(crate) fn message(text: &str) -> Self {
        match serde_json::from_str(text) {
            Ok(message) => SocketEvent::Message(Box::new(message)),
            Err(error) => SocketEvent::Garbled(error.to_string()),
        }
    }
}

/// An open or opening websocket. Dropping it closes it.
pub(crate) struct Socket {
    socket: WebSocket,
    _on_open: Closure<dyn FnMut(Event)>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_close: Closure<dyn FnMut(CloseEvent)>,
}

impl Socket {
    /// Begins to open a socket to the hub that this page came from.
    pub(crate) fn open(report: impl Fn(SocketEvent) + Clone + 'static) -> Result<Self, String> {
        let socket = WebSocket::new(&browser::hub_url()).map_err(|error| browser::words(&error))?;

        let opened = report.clone();
        let on_open = Closure::<dyn FnMut(Event)>::new(move |_| opened(SocketEvent::Open));
        let got = report.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let text = event.data().as_string().unwrap_or_default();
            got(SocketEvent::message(&text));
        });
        let on_close = Closure::<dyn FnMut(CloseEvent)>::new(move |event: CloseEvent| {
            report(SocketEvent::Closed { code: event.code(), reason: event.reason() });
        });
        socket.set_onopen(Some(on_open.as_ref().unchecked_ref()));
        socket.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        socket.set_onclose(Some(on_close.as_ref().unchecked_ref()));
        Ok(Self { socket, _on_open: on_open, _on_message: on_message, _on_close: on_close })
    }

    /// Says something. A socket that is closing swallows it; its `Closed` tells.
    pub(crate) fn say(&self, message: &ClientMessage) {
        if let Ok(text) = serde_json::to_string(message) {
            drop(self.socket.send_with_str(&text));
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.socket.set_onopen(None);
        self.socket.set_onmessage(None);
        self.socket.set_onclose(None);
        drop(self.socket.close());
    }
}

/// The first message of every connection.
pub(crate) fn hello() -> ClientMessage {
    ClientMessage::Hello {
        version: studio_protocol::VERSION,
        client: concat!("studio-web ", env!("CARGO_PKG_VERSION")).to_owned(),
    }
}
