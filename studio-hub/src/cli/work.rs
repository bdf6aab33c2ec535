//! Commands that wait for jobs: a runtime, and Ctrl-C as the job's cancellation.

use std::future::Future;
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
