//! Follows a run's events from the first to its end; a broken stream is taken up after the last event that was handled.

use errand_client::{Client, ClientError, Event};
use std::time::Duration;

/// A stream that breaks so often without a new event has no server behind it.
const STREAM_TRIES_MAX: u32 = 5;
const STREAM_PAUSE: Duration = Duration::from_secs(1);

/// Gives each event to `handle` once, until the run has finished or was deleted.
///
/// # Errors
/// When the server refuses, stays away, or sends something else; and what `handle` says.
pub async fn follow(
    client: &Client,
    id: &str,
    mut handle: impl AsyncFnMut(&Event) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut last_id: Option<String> = None;
    let mut tries = 0;
    loop {
        let broken = match stream(client, id, &mut last_id, &mut tries, &mut handle).await? {
            Ended::Finished => return Ok(()),
            Ended::Closed => None,
            Ended::Broken(error @ (ClientError::Http(_) | ClientError::TimedOut)) => Some(error),
            Ended::Broken(error) => return Err(error.into()),
        };
        tries += 1;
        if tries > STREAM_TRIES_MAX {
            let error = broken.map_or_else(|| anyhow::anyhow!("the server ends the stream"), anyhow::Error::from);
            return Err(error.context("the events cannot be followed"));
        }
        tokio::time::sleep(STREAM_PAUSE).await;
    }
}

enum Ended {
    /// The run's last event was handled.
    Finished,
    Closed,
    Broken(ClientError),
}

/// Handles one stream's events; each new one resets the tries.
async fn stream(
    client: &Client,
    id: &str,
    last_id: &mut Option<String>,
    tries: &mut u32,
    handle: &mut impl AsyncFnMut(&Event) -> anyhow::Result<()>,
) -> anyhow::Result<Ended> {
    let mut events = match client.event_stream(id, last_id.as_deref()).await {
        Ok(events) => events,
        Err(error) => return Ok(Ended::Broken(error)),
    };
    loop {
        let event = match events.next().await {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(Ended::Closed),
            Err(error) => return Ok(Ended::Broken(error)),
        };
        last_id.clone_from(&event.id);
        *tries = 0;
        handle(&event).await?;
        if matches!(event.kind.as_str(), "run.finished" | "run.deleted") {
            return Ok(Ended::Finished);
        }
    }
}
