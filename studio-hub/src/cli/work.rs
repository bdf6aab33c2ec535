//! Commands that wait for jobs: a runtime, and Ctrl-C as the job's cancellation.

use std::{future::Future, io};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

pub(super) type Cancel = CancellationToken;

/// Does the work; Ctrl-C or SIGTERM cancel the token that it gets.
pub(super) fn block_on<T, F>(work: impl FnOnce(Cancel) -> F) -> anyhow::Result<T>
where
    F: Future<Output = anyhow::Result<T>>,
{
    tokio::runtime::Runtime::new()?.block_on(async {
        let cancel = Cancel::new();
        cancel_on_signals(&cancel)?;
        work(cancel).await
    })
}

/// Makes a write past a limit on file sizes an error like that of a full disk. Left alone, the signal that comes
/// with it ends the process without a word.
pub(super) fn take_file_size_limits_as_errors() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _inside = runtime.enter();
    // The handler stays for as long as the process does.
    signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).map(drop)
}

/// Cancels the token at Ctrl-C or SIGTERM.
pub(super) fn cancel_on_signals(cancel: &Cancel) -> anyhow::Result<()> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let (mut signals, cancel) = (signal(kind)?, cancel.clone());
        tokio::spawn(async move {
            signals.recv().await;
            cancel.cancel();
        });
    }
    Ok(())
}
