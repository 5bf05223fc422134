//! How a partition is followed, here and in the embedded store: read what is stored up to the newest finished append,
//! then wait for a newer one. A slow reader falls behind what is stored, not out of a buffer, and cannot miss a record.

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream};
use std::sync::Arc;
use tokio::sync::watch;

use crate::limits::TAIL_BUFFER_RECORDS;
use crate::log::{LogError, Position, Record, TailFrom, TailStream};

/// Stored records by partition.
#[async_trait]
pub(crate) trait TailSource: Send + Sync + 'static {
    /// At most `count_max` records after one position and up to another, oldest first.
    async fn between(
        &self,
        partition: u32,
        after: Position,
        up_to: Position,
        count_max: usize,
    ) -> Result<Vec<Record>, LogError>;
}

struct Tail<S> {
    source: Arc<S>,
    partition: u32,
    newest: watch::Receiver<Position>,
    last: Position,
}

/// Follows a partition whose newest finished append `newest` tells; the stream ends when its sender is gone.
pub(crate) fn follow<S: TailSource>(
    source: Arc<S>,
    partition: u32,
    newest: watch::Receiver<Position>,
    from: TailFrom,
) -> TailStream {
    let last = match from {
        TailFrom::Start => Position(0),
        TailFrom::After(position) => position,
        TailFrom::Now => *newest.borrow(),
    };
    let tail = Tail { source, partition, newest, last };
    stream::try_unfold(tail, |mut tail| async move {
        let records = tail.next_records().await?;
        Ok::<_, LogError>(Some((stream::iter(records.into_iter().map(Ok)), tail)))
    })
    .try_flatten()
    .boxed()
}

impl<S: TailSource> Tail<S> {
    /// Waits until there is at least one record.
    async fn next_records(&mut self) -> Result<Vec<Record>, LogError> {
        loop {
            let up_to = *self.newest.borrow_and_update();
            if up_to <= self.last {
                self.newest.changed().await.map_err(|_| closed())?;
                continue;
            }
            let records = self.source.between(self.partition, self.last, up_to, TAIL_BUFFER_RECORDS).await?;
            let is_complete = records.len() < TAIL_BUFFER_RECORDS;
            self.last = if is_complete { up_to } else { records.last().map_or(up_to, |record| record.position) };
            if !records.is_empty() {
                return Ok(records);
            }
        }
    }
}

fn closed() -> LogError {
    LogError::Unavailable { reason: "the store was closed".to_owned() }
}
