//! A real hub on a free port, and the two ways to speak to it: raw HTTP and the websocket.

#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of this")]

use futures_util::{SinkExt, StreamExt};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};
use studio_protocol::{ClientMessage, Hash, HubMessage, VERSION, chunk::Chunk};
use tokio::time::timeout;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest, http::HeaderValue},
};

pub const STUDIO: &str = env!("CARGO_BIN_EXE_studio");

/// A running hub; it is killed when dropped.
pub struct Hub {
    pub child: Child,
    pub address: String,
    pub token: String,
    _stdout: BufReader<ChildStdout>,
}

impl Hub {
    /// Starts one on a free port with this data folder.
    pub fn start(data: &Path) -> Self {
        Self::start_with(data, Command::new(STUDIO))
    }

    /// The same, by a command that ends in `studio` or passes its arguments on to it.
    pub fn start_with(data: &Path, command: Command) -> Self {
        Self::start_with_options(data, command, "127.0.0.1:0", &[])
    }

    /// The same, at this address and with more options.
    pub fn start_with_options(data: &Path, mut command: Command, listen: &str, options: &[&str]) -> Self {
        let mut child = command
            .args(["serve", "--listen", listen, "--data"])
            .arg(data)
            .args(options)
            .env("STUDIO_CACHE", data.join("cache"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("not an address: {line:?}"));
        let (address, token) = url.split_once("/?token=").unwrap();
        Self { address: address.to_owned(), token: token.to_owned(), child, _stdout: stdout }
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a request as it is written here and gives status, head and body of the answer.
    pub fn request(&self, request_line: &str, headers: &[&str]) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let request = format!("{request_line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Answer::parse(&answer)
    }

    /// A request with everything that it needs.
    pub fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path}"), &[&self.host(), &self.bearer()])
    }

    pub fn host(&self) -> String {
        format!("Host: {}", self.address)
    }

    pub fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    /// A websocket, before hello.
    pub async fn connect(&self) -> Socket {
        let mut request = format!("ws://{}/ws", self.address).into_client_request().unwrap();
        let bearer = HeaderValue::from_str(&format!("Bearer {}", self.token)).unwrap();
        request.headers_mut().insert("authorization", bearer);
        Socket(connect_async(request).await.unwrap().0)
    }

    /// A websocket, after hello.
    pub async fn greet(&self) -> Socket {
        let mut socket = self.connect().await;
        socket.say(&ClientMessage::Hello { version: VERSION, client: "test".to_owned() }).await;
        assert!(matches!(socket.hear().await, HubMessage::Welcome { version: VERSION, .. }));
        socket
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // It may have ended before.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("an HTTP answer");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_ascii_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let raw = &bytes[end + 4..];
        let body = if head.contains("transfer-encoding: chunked") { unchunk(raw) } else { raw.to_vec() };
        Self { status, head, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

fn unchunk(mut raw: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = raw.windows(2).position(|window| window == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&raw[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&raw[end + 2..end + 2 + size]);
        raw = &raw[end + 2 + size + 2..];
    }
}

pub struct Socket(pub WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Socket {
    pub async fn say(&mut self, message: &ClientMessage) {
        self.say_text(&serde_json::to_string(message).unwrap()).await;
    }

    pub async fn say_text(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    pub async fn send(&mut self, channel: u32, offset: u64, payload: &[u8]) {
        self.0.send(Message::binary(Chunk { channel, offset, payload }.to_frame())).await.unwrap();
    }

    /// The next message; pings are passed over.
    pub async fn hear(&mut self) -> HubMessage {
        loop {
            match timeout(Duration::from_secs(60), self.0.next()).await.expect("a message in time") {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).unwrap(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("no message but {other:?}"),
            }
        }
    }

    /// Reads until the hub closes and gives the close code.
    pub async fn closed(&mut self) -> u16 {
        loop {
            match timeout(Duration::from_secs(20), self.0.next()).await.expect("an end in time") {
                Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
                Some(Ok(_)) => {}
                other => panic!("no close frame but {other:?}"),
            }
        }
    }

    /// Opens an upload and gives what the hub has of it.
    pub async fn open(&mut self, channel: u32, key: &str, size_bytes: u64) -> HubMessage {
        self.say(&ClientMessage::UploadOpen { channel, key: key.to_owned(), size_bytes, blake3: None }).await;
        self.hear().await
    }

    /// Uploads a whole artifact.
    pub async fn upload(&mut self, channel: u32, key: &str, bytes: &[u8]) -> Hash {
        let HubMessage::UploadState { received_bytes: 0, artifact: None, .. } =
            self.open(channel, key, bytes.len() as u64).await
        else {
            panic!("{key} is new");
        };
        for (index, payload) in bytes.chunks(1 << 20).enumerate() {
            self.send(channel, (index as u64) << 20, payload).await;
            assert!(matches!(self.hear().await, HubMessage::UploadAck { .. }));
        }
        self.say(&ClientMessage::UploadFinish { channel, blake3: Some(hash(bytes)) }).await;
        match self.hear().await {
            HubMessage::UploadDone { artifact, .. } => artifact.blake3,
            other => panic!("{other:?}"),
        }
    }
}

pub fn hash(bytes: &[u8]) -> Hash {
    Hash::from_bytes(*blake3::hash(bytes).as_bytes())
}

/// Bytes that don't repeat in any obvious way.
pub fn noise(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    bytes
}
