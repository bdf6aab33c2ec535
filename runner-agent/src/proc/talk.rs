//! A process that is talked with: a line in, a line out.

use super::{Group, Lines, Process, Reader, Stream, Tie, command};
use std::{io, process::ExitStatus};
use tokio::{
    io::AsyncWriteExt,
    process::{Child, ChildStderr, ChildStdin, ChildStdout},
};

/// A process at work on lines. Dropping it kills its group.
#[derive(Debug)]
pub(crate) struct Talk {
    child: Child,
    group: Group,
    stdin: ChildStdin,
    out: Lines<ChildStdout>,
    err: Lines<ChildStderr>,
}

/// What came of waiting for a line.
#[derive(Debug)]
pub(crate) enum Said {
    /// A line on its standard output.
    Line(String),
    /// It has ended.
    Ended(ExitStatus),
}

impl Talk {
    /// Starts it; what [`Tie::Input`] holds is the first line it hears.
    pub(crate) async fn start(process: &Process) -> io::Result<Self> {
        let mut child = command(process).spawn()?;
        let group = Group::of(&child)?;
        let missing = || io::Error::other("the child has no pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let out = Lines::new(child.stdout.take());
        let err = Lines::new(child.stderr.take());
        let mut talk = Self { child, group, stdin, out, err };
        if let Tie::Input(line) = &process.tie {
            talk.say(line).await?;
        }
        Ok(talk)
    }

    /// Says a line. That it has ended is told by the next [`hear`](Self::hear).
    pub(crate) async fn say(&mut self, line: &str) -> io::Result<()> {
        match self.stdin.write_all(format!("{line}\n").as_bytes()).await {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Waits for a line. What it prints to standard error meanwhile goes to `reader`.
    pub(crate) async fn hear(&mut self, reader: &mut impl Reader) -> io::Result<Said> {
        loop {
            tokio::select! {
                biased;
                Some(line) = self.err.next() => reader.line(Stream::Err, line?).await,
                Some(line) = self.out.next() => return Ok(Said::Line(line?)),
                else => break,
            }
        }
        let status = self.child.wait().await?;
        self.group.kill();
        Ok(Said::Ended(status))
    }
}
