//! The websocket to a hub, after hello.

use super::HubAddress;
use futures_util::{SinkExt, StreamExt};
use std::{io, time::Duration};
use studio_protocol::{
    ClientMessage, ErrorCode, HubMessage, MAX_MESSAGE_BYTES, Runner, VERSION, WireError,
    chunk::{HEADER_BYTES, MAX_PAYLOAD_BYTES},
};
use tokio::{
    net::TcpStream,
    time::{Instant, error::Elapsed, timeout, timeout_at},
};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        Error, Message,
        client::IntoClientRequest,
        http::{HeaderValue, StatusCode},
        protocol::WebSocketConfig,
    },
};

/// How long a hub may take to accept a connection and to answer hello.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long a hub may be silent: it sends pings four times as often.
const SILENCE: Duration = Duration::from_secs(60);

/// A connection to a hub. A message that `hear` was waiting for when its future was dropped isn't lost.
#[derive(Debug)]
pub struct Link {
    socket: WebSocketStream<TcpStream>,
    /// When the hub was last heard.
    heard: Instant,
}

/// What the hub said first.
#[derive(Debug, Clone)]
pub struct Welcome {
    /// Its name and version.
    pub hub: String,
    /// Its runners.
    pub runners: Vec<Runner>,
}

/// Why there is no connection, or none any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// Nobody answers there now.
    #[error("{hub} can't be reached: {reason}")]
    Away {
        /// The hub.
        hub: String,
        /// What the system says.
        reason: String,
    },
    /// The connection ended.
    #[error("the connection to the hub ended: {0}")]
    Lost(String),
    /// The hub doesn't want this client; trying again is no use.
    #[error(transparent)]
    Refused(WireError),
}

impl From<LinkError> for WireError {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Refused(error) => error,
            LinkError::Away { .. } => Self::new(ErrorCode::Io, error.to_string())
                .hint("Is the hub running? `studio serve` starts it and prints its address"),
            LinkError::Lost(_) => Self::new(ErrorCode::Io, error.to_string()),
        }
    }
}

fn lost(reason: impl ToString) -> LinkError {
    LinkError::Lost(reason.to_string())
}

impl Link {
    /// Connects and says hello; `client` is this program's name and version.
    pub async fn open(hub: &HubAddress, client: &str) -> Result<(Self, Welcome), LinkError> {
        let away = |reason: String| LinkError::Away { hub: hub.to_string(), reason };
        let late = |_: Elapsed| away(format!("no answer for {} s", PATIENCE.as_secs()));
        let stream = timeout(PATIENCE, connect(hub)).await.map_err(late)?;
        let stream = stream.map_err(|error| away(error.to_string()))?;
        let most = MAX_MESSAGE_BYTES.max(HEADER_BYTES + MAX_PAYLOAD_BYTES);
        let config = WebSocketConfig::default().max_message_size(Some(most)).max_frame_size(Some(most));
        let mut request = format!("ws://{}/ws", hub.host())
            .into_client_request()
            .map_err(|error| LinkError::Refused(not_an_address(hub, &error)))?;
        let authorization = HeaderValue::try_from(hub.authorization())
            .map_err(|error| LinkError::Refused(not_an_address(hub, &error)))?;
        request.headers_mut().insert("authorization", authorization);
        let opened = timeout(PATIENCE, client_async_with_config(request, stream, Some(config)));
        let socket = match opened.await.map_err(late)? {
            Ok((socket, _)) => socket,
            Err(Error::Http(response)) => return Err(refused(hub, response.status())),
            Err(error) => return Err(away(error.to_string())),
        };
        let mut link = Self { socket, heard: Instant::now() };
        link.say(&ClientMessage::Hello { version: VERSION, client: client.to_owned() }).await?;
        match timeout(PATIENCE, link.hear()).await.map_err(late)?? {
            HubMessage::Welcome { version: VERSION, hub, runners, .. } => {
                Ok((link, Welcome { hub, runners }))
            }
            HubMessage::Error { error, .. } => Err(LinkError::Refused(error)),
            other => Err(lost(format!("the hub began with something else: {other:?}"))),
        }
    }

    /// Says something.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), LinkError> {
        let text = serde_json::to_string(message).map_err(lost)?;
        self.put(Message::text(text)).await
    }

    /// Sends a chunk of an upload: its frame, as [`studio_protocol::chunk`] has it.
    pub async fn send(&mut self, frame: Vec<u8>) -> Result<(), LinkError> {
        self.put(Message::binary(frame)).await
    }

    async fn put(&mut self, message: Message) -> Result<(), LinkError> {
        let stuck = |_: Elapsed| lost(format!("the hub took nothing for {} s", SILENCE.as_secs()));
        timeout(SILENCE, self.socket.send(message)).await.map_err(stuck)?.map_err(lost)
    }

    /// The next message. A hub that says nothing for a minute, no ping either, is lost.
    pub async fn hear(&mut self) -> Result<HubMessage, LinkError> {
        loop {
            let silent = |_: Elapsed| lost(format!("nothing was heard for {} s", SILENCE.as_secs()));
            let said = timeout_at(self.heard + SILENCE, self.socket.next()).await.map_err(silent)?;
            self.heard = Instant::now();
            match said {
                Some(Ok(Message::Text(text))) => {
                    return serde_json::from_str(&text).map_err(|error| {
                        lost(format!("the hub said what this program doesn't know: {error}"))
                    });
                }
                Some(Ok(Message::Close(frame))) => {
                    let reason = frame.map(|frame| frame.reason.to_string()).unwrap_or_default();
                    return Err(lost(if reason.is_empty() {
                        "the hub closed it".to_owned()
                    } else {
                        reason
                    }));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(lost(error)),
                None => return Err(lost("the hub closed it")),
            }
        }
    }

    /// Says goodbye. What was said before arrives.
    pub async fn close(mut self) {
        // Where it can't be said any more the other side has gone already.
        drop(timeout(Duration::from_secs(2), self.socket.close(None)).await);
    }
}

/// A connection, without delay for small messages.
pub(super) async fn connect(hub: &HubAddress) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(hub.host()).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn not_an_address(hub: &HubAddress, error: &dyn std::error::Error) -> WireError {
    WireError::new(ErrorCode::BadMessage, format!("{hub} is not an address: {error}"))
}

/// What an answer that is no websocket means.
pub(super) fn refused(hub: &HubAddress, status: StatusCode) -> LinkError {
    let (code, words, hint) = match status {
        StatusCode::UNAUTHORIZED => (
            ErrorCode::BadMessage,
            "that is not this hub's token",
            "It is the part after ?token= of the address that `studio serve` printed, and in the file `token` in the \
             hub's data folder",
        ),
        StatusCode::FORBIDDEN => (
            ErrorCode::BadMessage,
            "the hub doesn't answer to this address",
            "Use the address that `studio serve` printed; through ssh, forward the same port",
        ),
        StatusCode::SERVICE_UNAVAILABLE => {
            return LinkError::Away {
                hub: hub.to_string(),
                reason: "too many connections are open".to_owned(),
            };
        }
        _ => {
            let what = format!("{hub} answered {status}: it is no hub of this version");
            return LinkError::Refused(WireError::new(ErrorCode::Version, what));
        }
    };
    LinkError::Refused(WireError::new(code, words).at(hub.to_string()).hint(hint))
}
