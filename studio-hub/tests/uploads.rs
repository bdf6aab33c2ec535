//! Uploads over the real websocket, through kills, wrong bytes, full disks and second connections.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::{Hub, STUDIO, hash, noise};
use std::{fs, process::Command};
use studio_protocol::{ClientMessage, ErrorCode, HubMessage, WireError};

const MIB: usize = 1 << 20;

fn error_of(message: HubMessage, of: u32) -> WireError {
    match message {
        HubMessage::Error { channel: Some(channel), error, .. } if channel == of => error,
        other => panic!("no error but {other:?}"),
    }
}

fn ack(channel: u32, received_bytes: u64) -> HubMessage {
    HubMessage::UploadAck { channel, received_bytes }
}

fn state(channel: u32, received_bytes: u64) -> HubMessage {
    HubMessage::UploadState { channel, received_bytes, artifact: None }
}

#[tokio::test]
async fn a_whole_upload_becomes_an_artifact_and_an_equal_one_sends_nothing() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let bytes = noise(3 * MIB + 17);
    let mut socket = hub.greet().await;
    let artifact = socket.upload(1, "a.irpa", &bytes).await;
    assert_eq!(artifact, hash(&bytes));
    assert_eq!(fs::read(data.path().join("artifacts").join(artifact.to_string())).unwrap(), bytes);
    let again = socket.open(2, "a.irpa", bytes.len() as u64).await;
    let HubMessage::UploadState { artifact: Some(known), received_bytes, .. } = again else {
        panic!("{again:?}");
    };
    assert_eq!((known.blake3, received_bytes), (artifact, bytes.len() as u64));
    hub.kill();
    let hub = Hub::start(data.path());
    let again = hub.greet().await.open(1, "a.irpa", bytes.len() as u64).await;
    assert!(matches!(again, HubMessage::UploadState { artifact: Some(_), .. }), "{again:?}");
}

#[tokio::test]
async fn what_was_uploaded_before_a_kill_is_still_there_after_it() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let bytes = noise(5 * MIB);
    let mut socket = hub.greet().await;
    assert_eq!(socket.open(1, "k", bytes.len() as u64).await, state(1, 0));
    for index in 0..3 {
        socket.send(1, (index * MIB) as u64, &bytes[index * MIB..][..MIB]).await;
        assert_eq!(socket.hear().await, ack(1, ((index + 1) * MIB) as u64));
    }
    hub.kill();

    let hub = Hub::start(data.path());
    let mut socket = hub.greet().await;
    assert_eq!(socket.open(9, "k", bytes.len() as u64).await, state(9, 3 * MIB as u64));
    socket.send(9, 3 * MIB as u64, &bytes[3 * MIB..]).await;
    assert_eq!(socket.hear().await, ack(9, 5 * MIB as u64));
    socket.say(&ClientMessage::UploadFinish { channel: 9, blake3: Some(hash(&bytes)) }).await;
    assert!(matches!(socket.hear().await, HubMessage::UploadDone { .. }));
    assert_eq!(hub.get(&format!("/artifacts/{}", hash(&bytes))).body, bytes);
}

#[tokio::test]
async fn who_sends_all_bytes_need_not_hash_them_and_who_goes_on_has_to() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let bytes = noise(2 * MIB);
    let mut socket = hub.greet().await;
    assert_eq!(socket.open(1, "k", bytes.len() as u64).await, state(1, 0));
    socket.send(1, 0, &bytes[..MIB]).await;
    assert_eq!(socket.hear().await, ack(1, MIB as u64));
    // The same hub, another claim: what came before it may be of another sender.
    assert_eq!(socket.open(2, "k", bytes.len() as u64).await, state(2, MIB as u64));
    socket.send(2, MIB as u64, &bytes[MIB..]).await;
    socket.hear().await;
    socket.say(&ClientMessage::UploadFinish { channel: 2, blake3: None }).await;
    let error = error_of(socket.hear().await, 2);
    assert_eq!(error.code, ErrorCode::BadMessage, "{error}");
    // Nothing is lost by that.
    assert_eq!(socket.open(3, "k", bytes.len() as u64).await, state(3, 2 * MIB as u64));
    socket.say(&ClientMessage::UploadFinish { channel: 3, blake3: Some(hash(&bytes)) }).await;
    assert!(matches!(socket.hear().await, HubMessage::UploadDone { .. }));

    let other = noise(MIB + 5);
    assert_eq!(socket.open(4, "other", other.len() as u64).await, state(4, 0));
    socket.send(4, 0, &other).await;
    socket.hear().await;
    socket.say(&ClientMessage::UploadFinish { channel: 4, blake3: None }).await;
    let HubMessage::UploadDone { artifact, .. } = socket.hear().await else { panic!("it is whole") };
    assert_eq!(artifact.blake3, hash(&other));
    assert_eq!(hub.get(&format!("/artifacts/{}", hash(&other))).body, other);
}

#[tokio::test]
async fn a_torn_tail_is_found_out_by_the_hash_and_deleted() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let bytes = noise(2 * MIB);
    let part = data.path().join("uploads/k.part");
    let mut torn = bytes[..MIB].to_vec();
    torn[MIB - 1] ^= 1;
    fs::write(&part, torn).unwrap();
    let mut socket = hub.greet().await;
    assert_eq!(socket.open(1, "k", bytes.len() as u64).await, state(1, MIB as u64));
    socket.send(1, MIB as u64, &bytes[MIB..]).await;
    socket.hear().await;
    socket.say(&ClientMessage::UploadFinish { channel: 1, blake3: Some(hash(&bytes)) }).await;
    let error = error_of(socket.hear().await, 1);
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert!(error.message.contains(&hash(&bytes).to_string()), "{error}");
    assert!(!part.exists());
    assert_eq!(socket.upload(2, "k", &bytes).await, hash(&bytes));
}

#[tokio::test]
async fn chunks_out_of_order_or_past_the_end_are_refused_and_nothing_is_lost() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let mut socket = hub.greet().await;
    socket.open(1, "k", 10).await;
    socket.send(1, 0, b"01234").await;
    assert_eq!(socket.hear().await, ack(1, 5));
    socket.send(1, 4, b"45678").await;
    let error = error_of(socket.hear().await, 1);
    assert_eq!(error.message, "a chunk begins at byte 4 where byte 5 comes next");
    // What was on its way is passed over.
    socket.send(1, 9, b"9").await;
    assert_eq!(socket.open(2, "k", 10).await, state(2, 5));
    socket.send(2, 5, b"567890").await;
    assert!(error_of(socket.hear().await, 2).message.contains("past the announced end at 10"));
    assert_eq!(socket.open(3, "k", 10).await, state(3, 5));
    socket.say(&ClientMessage::UploadFinish { channel: 3, blake3: Some(hash(b"0123456789")) }).await;
    assert_eq!(error_of(socket.hear().await, 3).message, "5 of 10 bytes were received");
    socket.send(7, 0, b"x").await;
    assert_eq!(error_of(socket.hear().await, 7).message, "no upload is open on this channel");
}

#[tokio::test]
async fn keys_and_sizes_are_checked() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let mut socket = hub.greet().await;
    for key in ["", "../token", "A", &"k".repeat(129)] {
        assert_eq!(error_of(socket.open(1, key, 1).await, 1).code, ErrorCode::BadMessage, "{key}");
    }
    assert_eq!(error_of(socket.open(1, "k", u64::MAX).await, 1).code, ErrorCode::BadMessage);
    let disk = rustix::fs::statvfs(data.path()).unwrap();
    let too_much = disk.f_bavail * disk.f_frsize + (1 << 30);
    if too_much < 1 << 40 {
        let error = error_of(socket.open(1, "k", too_much).await, 1);
        assert_eq!(error.code, ErrorCode::NoSpace, "{error}");
    }
    assert_eq!(socket.open(1, "k", 0).await, state(1, 0));
    socket.say(&ClientMessage::UploadFinish { channel: 1, blake3: Some(hash(b"")) }).await;
    assert!(matches!(socket.hear().await, HubMessage::UploadDone { .. }));
}

#[tokio::test]
async fn the_newer_of_two_connections_takes_an_upload_over() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let (mut old, mut new) = (hub.greet().await, hub.greet().await);
    old.open(1, "k", 6).await;
    old.send(1, 0, b"abc").await;
    assert_eq!(old.hear().await, ack(1, 3));
    assert_eq!(new.open(5, "k", 6).await, state(5, 3));
    old.send(1, 3, b"XYZ").await;
    assert_eq!(error_of(old.hear().await, 1).code, ErrorCode::Busy);
    new.send(5, 3, b"def").await;
    assert_eq!(new.hear().await, ack(5, 6));
    new.say(&ClientMessage::UploadFinish { channel: 5, blake3: Some(hash(b"abcdef")) }).await;
    assert!(matches!(new.hear().await, HubMessage::UploadDone { .. }));
}

/// A shell that runs its arguments as a command under a limit on the size of files. The signal that comes with
/// it is ignored, so that a write fails as it does on a full disk.
fn under_file_limit(kib: usize) -> Command {
    let mut command = Command::new("bash");
    command.args(["-c", &format!("trap '' XFSZ; ulimit -f {kib}; exec \"$@\""), "bash", STUDIO]);
    command
}

#[tokio::test]
async fn a_full_disk_is_said_and_what_was_received_is_kept() {
    let data = tempfile::tempdir().unwrap();
    let bytes = noise(4 * MIB);
    let hub = Hub::start_with(data.path(), under_file_limit(2500));
    let mut socket = hub.greet().await;
    socket.open(1, "k", bytes.len() as u64).await;
    for index in 0..2 {
        socket.send(1, (index * MIB) as u64, &bytes[index * MIB..][..MIB]).await;
        assert_eq!(socket.hear().await, ack(1, ((index + 1) * MIB) as u64));
    }
    socket.send(1, 2 * MIB as u64, &bytes[2 * MIB..][..MIB]).await;
    let error = error_of(socket.hear().await, 1);
    assert_eq!(error.code, ErrorCode::NoSpace, "{error}");
    // The hub is still up, for others too.
    socket.upload(2, "small", b"small").await;
    hub.kill();

    let hub = Hub::start(data.path());
    let mut socket = hub.greet().await;
    let HubMessage::UploadState { received_bytes, .. } = socket.open(1, "k", bytes.len() as u64).await else {
        panic!("the upload is still there");
    };
    let from = usize::try_from(received_bytes).unwrap();
    assert!((2 * MIB..=2500 << 10).contains(&from), "{from}");
    socket.send(1, received_bytes, &bytes[from..]).await;
    socket.hear().await;
    socket.say(&ClientMessage::UploadFinish { channel: 1, blake3: Some(hash(&bytes)) }).await;
    assert!(matches!(socket.hear().await, HubMessage::UploadDone { .. }));
}
