//! An artifact from a hub into a file: what is there already is not asked for again.

use super::{
    HubAddress, LinkError,
    link::{connect, refused},
};
use http_body_util::{BodyExt, Empty};
use hyper::{
    Request, StatusCode,
    body::Bytes,
    client::conn::http1,
    header::{AUTHORIZATION, CONTENT_RANGE, HOST, RANGE},
};
use hyper_util::rt::TokioIo;
use std::{path::Path, time::Duration};
use studio_protocol::{Artifact, ErrorCode, Hash, WireError};
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt, SeekFrom},
    time::{error::Elapsed, timeout},
};

/// How long the hub may take to send more.
const PATIENCE: Duration = Duration::from_secs(30);

/// Brings an artifact into `part`, from where that ends, and gives its length when it is whole and its hash is right. A
/// file whose hash is wrong is emptied. `progress` hears how many bytes are there, of how many.
///
/// # Errors
///
/// [`LinkError::Refused`] for what trying again doesn't help: no such artifact, a wrong token, a full disk.
pub async fn download(
    hub: &HubAddress,
    hash: &Hash,
    part: &Path,
    mut progress: impl FnMut(u64, u64) + Send,
) -> Result<Artifact, LinkError> {
    let away = |reason: String| LinkError::Away { hub: hub.to_string(), reason };
    let late = |_: Elapsed| LinkError::Lost(format!("the hub sent nothing for {} s", PATIENCE.as_secs()));
    let failed = |error: std::io::Error| LinkError::Refused(disk(part, &error));
    let mut file = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(part)
        .await
        .map_err(failed)?;
    let (mut hasher, mut have) = (blake3::Hasher::new(), 0_u64);
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut buffer).await.map_err(failed)?;
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
        have += count as u64;
    }
    let stream = timeout(PATIENCE, connect(hub)).await.map_err(late)?;
    let stream = stream.map_err(|error| away(error.to_string()))?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| away(error.to_string()))?;
    let connection = tokio::spawn(connection);
    let request = Request::get(format!("/artifacts/{hash}"))
        .header(HOST, hub.host())
        .header(AUTHORIZATION, hub.authorization())
        .header(RANGE, format!("bytes={have}-"))
        .body(Empty::<Bytes>::new())
        .map_err(|error| away(error.to_string()))?;
    let answer = timeout(PATIENCE, sender.send_request(request)).await;
    let answer = answer.map_err(late)?.map_err(|error| away(error.to_string()))?;
    let of = match answer.status() {
        StatusCode::PARTIAL_CONTENT => {
            let range = answer.headers().get(CONTENT_RANGE).and_then(|value| value.to_str().ok());
            let of = range.and_then(|range| range.rsplit('/').next()?.parse::<u64>().ok());
            of.ok_or_else(|| LinkError::Lost("the hub doesn't say how long the artifact is".to_owned()))?
        }
        // Nothing is left to send: all of it is here, or more than all.
        StatusCode::RANGE_NOT_SATISFIABLE => have,
        StatusCode::NOT_FOUND => {
            let what = format!("the hub has no artifact {hash} any more");
            let error = WireError::new(ErrorCode::NotFound, what).hint("Export or upload it again");
            return Err(LinkError::Refused(error));
        }
        status => return Err(refused(hub, status)),
    };
    if answer.status() == StatusCode::PARTIAL_CONTENT {
        file.seek(SeekFrom::Start(have)).await.map_err(failed)?;
        let mut body = answer.into_body();
        while let Some(frame) = timeout(PATIENCE, body.frame()).await.map_err(late)? {
            let frame = frame.map_err(|error| LinkError::Lost(error.to_string()))?;
            let Some(bytes) = frame.data_ref() else { continue };
            file.write_all(bytes).await.map_err(failed)?;
            hasher.update(bytes);
            have += bytes.len() as u64;
            progress(have, of);
        }
    }
    connection.abort();
    file.flush().await.map_err(failed)?;
    if have < of {
        return Err(LinkError::Lost(format!("{have} of {of} bytes came")));
    }
    if hasher.finalize().as_bytes() != hash.as_bytes() {
        file.set_len(0).await.map_err(failed)?;
        return Err(LinkError::Lost(format!("what came is not artifact {hash}; it is fetched anew")));
    }
    file.sync_data().await.map_err(failed)?;
    Ok(Artifact { blake3: *hash, size_bytes: have })
}

/// A file that could not be written.
fn disk(path: &Path, error: &std::io::Error) -> WireError {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let full = matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge);
    let at = path.display().to_string();
    if full {
        return WireError::new(ErrorCode::NoSpace, "the runner's disk is full")
            .at(at)
            .hint("Free some space there: what was received is kept");
    }
    WireError::new(ErrorCode::Io, error.to_string()).at(at)
}
