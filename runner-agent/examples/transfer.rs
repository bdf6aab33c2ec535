//! How fast a file goes to a hub, against a plain copy over TCP.
//!
//!     cargo run --release -p runner-agent --example transfer -- HUB_URL MEGABYTES ROUNDS
//!
//! Both read a file and write a new one at the other end of a loopback connection; the hub also checks what arrives,
//! hashes it and waits for the disk, and the plain copy doesn't. Interleaved; prints the medians in seconds, then how much
//! of an upload that was cut in the middle was sent again, and how much of a file that the hub has, in bytes.

#![expect(clippy::print_stdout, reason = "printing is what this program is for")]

use runner_agent::hub::{HubAddress, Link, LinkError, upload};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Instant;
use studio_protocol::{Artifact, Hash};
use tokio::sync::oneshot;

type Failure = Box<dyn Error + Send + Sync>;

/// Bytes that the plain copy reads and writes at once.
const PIECE_BYTES: usize = 1 << 20;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [url, megabytes, rounds] = &words[..] else {
        return Err("usage: transfer HUB_URL MEGABYTES ROUNDS".into());
    };
    let hub = HubAddress::parse(url, None)?;
    let (megabytes, rounds): (usize, u8) = (megabytes.parse()?, rounds.parse()?);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("file");
    let (mut uploads, mut copies) = (Vec::new(), Vec::new());
    let mut artifact = None;
    for round in 0..rounds {
        let made = write(&file, megabytes, round)?;
        let (mut link, _) = Link::open(&hub, "bench-transfer").await?;
        let start = Instant::now();
        let sent = upload(&mut link, 1, &file, &made, |_, _| ()).await?.sent_bytes;
        uploads.push(start.elapsed().as_secs_f64());
        if sent != made.size_bytes {
            return Err("the hub has this file: give it an empty data folder".into());
        }
        let start = Instant::now();
        copy(&file, &folder.path().join("copy"))?;
        copies.push(start.elapsed().as_secs_f64());
        fs::remove_file(folder.path().join("copy"))?;
        artifact = Some(made);
    }
    let (mut link, _) = Link::open(&hub, "bench-transfer").await?;
    let last = artifact.ok_or("at least one round")?;
    let again = upload(&mut link, 1, &file, &last, |_, _| ()).await?.sent_bytes;
    let resumed = resumed(&hub, &file, megabytes, rounds).await?;
    println!("{} {} {resumed} {again}", median(&mut uploads), median(&mut copies));
    Ok(())
}

/// Cuts an upload when half of it is there, and gives the part of the rest that is sent then.
async fn resumed(hub: &HubAddress, file: &Path, megabytes: usize, seed: u8) -> Result<f64, Failure> {
    let artifact = write(file, megabytes, seed)?;
    let (mut link, _) = Link::open(hub, "bench-transfer").await?;
    let (cut, half) = oneshot::channel();
    let (mut cut, mut there) = (Some(cut), 0);
    let begun = upload(&mut link, 1, file, &artifact, |received, size| {
        there = received;
        if received * 2 >= size
            && let Some(cut) = cut.take()
        {
            _ = cut.send(());
        }
    });
    tokio::select! {
        biased;
        _ = half => {}
        ended = begun => { ended?; }
    }
    drop(link);
    loop {
        let (mut link, _) = Link::open(hub, "bench-transfer").await?;
        match upload(&mut link, 1, file, &artifact, |_, _| ()).await {
            // What was on its way when the link was cut may have arrived.
            Ok(rest) => return Ok(rest.sent_bytes as f64 / (artifact.size_bytes - there) as f64),
            Err(LinkError::Refused(error)) => return Err(error.into()),
            Err(_) => {}
        }
    }
}

/// A file that the hub has never seen.
fn write(path: &Path, megabytes: usize, seed: u8) -> Result<Artifact, Failure> {
    let mut file = File::create(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; PIECE_BYTES];
    let mut stream =
        blake3::Hasher::new().update(&std::process::id().to_le_bytes()).update(&[seed]).finalize_xof();
    for _ in 0..megabytes {
        stream.fill(&mut piece);
        hasher.update(&piece);
        file.write_all(&piece)?;
    }
    file.sync_all()?;
    let blake3 = Hash::from_bytes(*hasher.finalize().as_bytes());
    Ok(Artifact { blake3, size_bytes: (megabytes * PIECE_BYTES) as u64 })
}

/// A copy over a loopback connection.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let mut target = File::create(to)?;
    let receiver = thread::spawn(move || -> io::Result<()> {
        let (mut stream, _) = listener.accept()?;
        pump(&mut stream, &mut target)
    });
    let mut stream = TcpStream::connect(address)?;
    pump(&mut File::open(from)?, &mut stream)?;
    drop(stream);
    receiver.join().unwrap_or_else(|_panic| Err(io::Error::other("the receiver failed")))
}

fn pump(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match from.read(&mut piece)? {
            0 => return Ok(()),
            count => to.write_all(&piece[..count])?,
        }
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
