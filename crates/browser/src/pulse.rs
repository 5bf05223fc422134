//! Asks a browser again and again whether it is there, and gives it up when it is not. A process that was stopped, or that
//! the machine has no time for, answers nothing and closes nothing: without this each call would wait for its own end, and
//! a site would be blamed for it.

use crate::connection::{CallError, WeakConnection};
use crate::limits::{FROZEN_AFTER, PULSE_EVERY};
use crate::protocol::GetVersion;
use tokio::task::JoinHandle;

/// The task that asks; it ends with this value, or with the connection.
#[derive(Debug)]
pub(crate) struct Pulse(JoinHandle<()>);

impl Pulse {
    pub(crate) fn start(connection: WeakConnection) -> Self {
        Self(tokio::spawn(watch(connection)))
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn watch(weak: WeakConnection) {
    loop {
        tokio::time::sleep(PULSE_EVERY).await;
        let Some(connection) = weak.upgrade().filter(|connection| !connection.is_closed()) else { return };
        if let Err(CallError::Timeout { .. }) = connection.call_within(&None, &GetVersion {}, FROZEN_AFTER).await {
            tracing::warn!("browser is frozen and given up");
            connection.give_up();
            return;
        }
    }
}
