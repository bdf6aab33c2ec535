//! The page's connection to the hub, kept up: opened anew whenever it drops.

use super::resume::backoff_ms;
use super::socket::{Socket, SocketEvent, hello};
use crate::browser;
use futures_channel::mpsc;
use futures_util::StreamExt;
use std::{cell::RefCell, rc::Rc};
use studio_protocol::{ClientMessage, HubMessage};

/// Something that the link reports.
#[derive(Debug)]
pub(crate) enum LinkEvent {
    /// The hub said something; `welcome` is the first thing after each connection.
    Message(Box<HubMessage>),
    /// The hub is away.
    Away {
        /// Tries since it was last there.
        attempt: u32,
        /// The hub's own word, where it gave one.
        reason: Option<String>,
    },
}

/// A handle on the link; clones are the same link.
#[derive(Clone)]
pub(crate) struct Link {
    socket: Rc<RefCell<Option<Socket>>>,
}

impl Link {
    /// Opens the link and keeps it open as long as the page lives.
    pub(crate) fn start(report: impl Fn(LinkEvent) + 'static) -> Self {
        let link = Self { socket: Rc::default() };
        let keeper = link.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let mut attempt = 0;
            loop {
                let reason = keeper.connection(&report, &mut attempt).await;
                report(LinkEvent::Away { attempt, reason });
                browser::sleep_ms(backoff_ms(attempt)).await;
                attempt += 1;
            }
        });
        link
    }

    /// Says something, if the hub is there. What must not be lost is said again after a `welcome`.
    pub(crate) fn say(&self, message: &ClientMessage) {
        if let Some(socket) = self.socket.borrow().as_ref() {
            socket.say(message);
        }
    }

    /// One connection from its opening to its end; gives the reason for the end.
    async fn connection(&self, report: &impl Fn(LinkEvent), attempt: &mut u32) -> Option<String> {
        // Unbounded because a socket's events cannot be held back; the hub's own pace bounds it.
        let (sender, mut events) = mpsc::unbounded();
        let opened = Socket::open(move |event| drop(sender.unbounded_send(event)));
        let socket = match opened {
            Ok(socket) => socket,
            Err(words) => return Some(words),
        };
        *self.socket.borrow_mut() = Some(socket);
        let (mut reason, mut last_words) = (None, None);
        while let Some(event) = events.next().await {
            match event {
                SocketEvent::Open => self.say(&hello()),
                SocketEvent::Message(message) => {
                    if let HubMessage::Error { request: None, channel: None, job: None, error } = &*message {
                        last_words = Some(error.to_string());
                    }
                    if matches!(*message, HubMessage::Welcome { .. }) {
                        *attempt = 0;
                    }
                    report(LinkEvent::Message(message));
                }
                SocketEvent::Garbled(words) => {
                    reason =
                        Some(format!("The hub said something that this page does not understand ({words})"));
                    break;
                }
                SocketEvent::Closed { code, reason: words } => {
                    reason = match (words.is_empty(), code) {
                        (false, _) => Some(words),
                        (true, 1008) => Some("The hub refused this page".to_owned()),
                        (true, _) => last_words,
                    };
                    break;
                }
            }
        }
        *self.socket.borrow_mut() = None;
        reason
    }
}
