//! The websocket's manners: hello first, versions, sizes, messages that make no sense.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::{Hub, Socket};
use futures_util::SinkExt;
use studio_protocol::{ClientMessage, ErrorCode, HubMessage};
use tokio_tungstenite::tungstenite::Message;

async fn error(socket: &mut Socket) -> studio_protocol::WireError {
    match socket.hear().await {
        HubMessage::Error { error, .. } => error,
        other => panic!("no error but {other:?}"),
    }
}

#[tokio::test]
async fn another_version_is_refused_in_words() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let mut socket = hub.connect().await;
    socket.say(&ClientMessage::Hello { version: 99, client: "test".to_owned() }).await;
    let error = error(&mut socket).await;
    assert_eq!(error.code, ErrorCode::Version);
    assert_eq!(error.message, "the client speaks version 99 of the protocol, this hub 1");
    assert_eq!(socket.closed().await, 1008);
}

#[tokio::test]
async fn nothing_is_done_before_hello() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let mut socket = hub.connect().await;
    socket.say(&ClientMessage::JobCancel { job: 1 }).await;
    assert_eq!(error(&mut socket).await.message, "the first message is a hello");
    assert_eq!(socket.closed().await, 1008);
    let mut socket = hub.connect().await;
    socket.send(1, 0, b"x").await;
    assert_eq!(error(&mut socket).await.message, "the first message is a hello");
    assert_eq!(socket.closed().await, 1008);
}

#[tokio::test]
async fn a_message_without_sense_is_answered_and_the_connection_goes_on() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let mut socket = hub.greet().await;
    for text in ["", "{", "[]", r#"{"type":"dance"}"#, r#"{"type":"job_watch","job":-1,"after":0}"#] {
        socket.say_text(text).await;
        assert_eq!(error(&mut socket).await.code, ErrorCode::BadMessage, "{text}");
    }
    socket.0.send(Message::binary(vec![0; 12])).await.unwrap();
    assert_eq!(error(&mut socket).await.message, "a chunk has at least 13 bytes, this frame has 12");
    socket.say(&ClientMessage::JobWatch { job: 5, after: 0 }).await;
    assert_eq!(error(&mut socket).await.code, ErrorCode::NotFound);
    let long = format!("\"{}\"", "a".repeat(1 << 20));
    socket.0.send(Message::text(long)).await.unwrap();
    assert!(error(&mut socket).await.message.len() < 500, "a megabyte isn't sent back");
    socket.upload(1, "k", b"fine").await;
}

#[tokio::test]
async fn a_message_over_the_limit_ends_the_connection_and_not_the_hub() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let mut socket = hub.greet().await;
    // The hub may close before all of it is sent.
    drop(socket.0.send(Message::binary(vec![0; 5 << 20])).await);
    drop(socket);
    hub.greet().await.upload(1, "k", b"fine").await;
}

#[tokio::test]
async fn a_hub_that_ends_says_so() {
    let data = tempfile::tempdir().unwrap();
    let mut hub = Hub::start(data.path());
    let mut socket = hub.greet().await;
    let pid = hub.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(socket.closed().await, 1001);
    assert_eq!(hub.child.wait().unwrap().code(), Some(0));
}
