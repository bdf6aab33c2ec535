//! Lines from a pipe whose other end may print anything.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The most bytes that are kept of a line; the rest of it is read and dropped.
const MAX_LINE_BYTES: usize = studio_protocol::MAX_MESSAGE_BYTES;

/// Reads a pipe line by line. Dropping the future of [`next`](Self::next) loses nothing.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: Option<BufReader<R>>,
    line: Vec<u8>,
    started: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// A reader of a pipe; none is an empty one.
    pub(super) fn new(pipe: Option<R>) -> Self {
        Self { reader: pipe.map(BufReader::new), line: Vec::new(), started: false }
    }

    /// The next line without its end, `None` after the last. What is not UTF-8 is replaced.
    pub(super) async fn next(&mut self) -> Option<io::Result<String>> {
        loop {
            let reader = self.reader.as_mut()?;
            let bytes = match reader.fill_buf().await {
                Ok(bytes) => bytes,
                Err(error) => {
                    self.reader = None;
                    return Some(Err(error));
                }
            };
            if bytes.is_empty() {
                self.reader = None;
                return self.started.then(|| Ok(self.take()));
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let room = MAX_LINE_BYTES - self.line.len();
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            self.started = true;
            let used = end.map_or(bytes.len(), |end| end + 1);
            reader.consume(used);
            if end.is_some() {
                return Some(Ok(self.take()));
            }
        }
    }

    fn take(&mut self) -> String {
        self.started = false;
        let line = std::mem::take(&mut self.line);
        String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(Some(bytes));
        let mut found = Vec::new();
        while let Some(line) = lines.next().await {
            found.push(line.unwrap());
        }
        found
    }

    #[tokio::test]
    async fn lines_end_with_newlines_or_with_the_pipe() {
        assert_eq!(all(b"").await, Vec::<String>::new());
        assert_eq!(all(b"a\n\nb\r\nc").await, ["a", "", "b", "c"]);
        assert_eq!(all(b"a\n").await, ["a"]);
    }

    #[tokio::test]
    async fn what_is_not_utf8_is_replaced() {
        assert_eq!(all(b"a\xffb\n").await, ["a\u{fffd}b"]);
    }

    #[tokio::test]
    async fn a_line_without_an_end_takes_bounded_memory() {
        let mut bytes = vec![b'x'; MAX_LINE_BYTES + 100];
        bytes.extend_from_slice(b"\nnext\n");
        let found = all(&bytes).await;
        assert_eq!(found[0].len(), MAX_LINE_BYTES);
        assert_eq!(found[1], "next");
    }
}
