//! Reads one run, at once or when it has something to tell.

use errand_domain::run::Run;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

use super::run_json;
use crate::app::App;
use crate::fault::Fault;
use crate::limits::RECHECK;
use crate::rest::Caller;

/// The run object: as soon as the run is paused or finished, when `wait` is over, or when the server shuts down.
///
/// # Errors
/// 404, 410, or what the store said.
pub(crate) async fn get(app: &App, caller: &Caller, id: &str, wait: Option<Duration>) -> Result<Value, Fault> {
    let mut run = app.visible_run(caller, id).await?.state;
    let Some(wait) = wait.filter(|_| !is_settled(&run)) else { return run_json(app, &run).await };
    let deadline = Instant::now() + wait;
    let mut watch = app.hub.watch(&run.id);
    loop {
        // Watched first, then loaded: a commit between the two wakes the watch.
        run = app.visible_run(caller, id).await?.state;
        if is_settled(&run) || Instant::now() >= deadline {
            return run_json(app, &run).await;
        }
        tokio::select! {
            () = watch.changed() => {}
            () = tokio::time::sleep_until(deadline.min(Instant::now() + RECHECK)) => {}
            () = app.shutdown.cancelled() => return run_json(app, &run).await,
        }
    }
}

/// Nothing will change until a person acts, or ever.
fn is_settled(run: &Run) -> bool {
    run.pause().is_some() || run.status().is_final()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{create, sample_app, sample_caller};

    #[tokio::test]
    async fn a_long_poll_answers_at_once_when_the_server_shuts_down() {
        let app = sample_app();
        let run_id = create(&app).await;
        let caller = sample_caller();
        let mut poll = Box::pin(get(&app, &caller, run_id.as_str(), Some(Duration::from_secs(60))));
        assert!(futures::poll!(poll.as_mut()).is_pending());
        app.shutdown.cancel();
        assert_eq!(poll.await.unwrap()["status"], "running");
    }
}
