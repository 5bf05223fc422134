//! Notices when a connection has gone quiet: a stream that records its last byte, and a wait for silence.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Instant,
};

/// When bytes last moved, in milliseconds since the start.
#[derive(Debug)]
pub(crate) struct Activity {
    started: Instant,
    last_ms: AtomicU64,
}

impl Activity {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { started: Instant::now(), last_ms: AtomicU64::new(0) })
    }

    /// Ends once no byte has moved for `quiet`.
    pub(crate) async fn quiet_for(&self, quiet: Duration) {
        loop {
            let quiet_at = self.last() + quiet;
            if quiet_at <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(quiet_at).await;
        }
    }

    fn last(&self) -> Instant {
        self.started + Duration::from_millis(self.last_ms.load(Ordering::Relaxed))
    }

    fn record(&self) {
        let elapsed_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(elapsed_ms, Ordering::Relaxed);
    }
}

/// A stream whose reads and writes count as activity.
#[derive(Debug)]
pub(crate) struct Watched<S> {
    stream: S,
    activity: Arc<Activity>,
}

impl<S> Watched<S> {
    pub(crate) fn new(stream: S, activity: Arc<Activity>) -> Self {
        Self { stream, activity }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let result = ready!(Pin::new(&mut self.stream).poll_read(cx, buf));
        self.activity.record();
        Poll::Ready(result)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes));
        self.activity.record();
        Poll::Ready(result)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn silence_is_counted_from_the_last_byte_in_either_direction() {
        let activity = Activity::new();
        let (near, mut far) = tokio::io::duplex(64);
        let mut near = Watched::new(near, activity.clone());
        let begun = Instant::now();
        let quiet = Duration::from_secs(10);

        tokio::time::advance(Duration::from_secs(6)).await;
        near.write_all(b"x").await.unwrap();
        tokio::time::advance(Duration::from_secs(6)).await;
        far.write_all(b"y").await.unwrap();
        near.read_exact(&mut [0]).await.unwrap();
        activity.quiet_for(quiet).await;

        assert_eq!(begun.elapsed().as_secs(), 22);
    }
}
