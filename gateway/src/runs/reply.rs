//! What a person tells a run: a reply to its pause, or stop.

use errand_domain::run::{GatewayCommand, Pause, Rejection, Reply};
use errand_store::CommandError;
use serde_json::Value;

use super::run_json;
use crate::app::App;
use crate::fault::Fault;
use crate::rest::Caller;

/// Ends the current pause; gives the run object after it.
///
/// # Errors
/// 409 when the run is not waiting, or waits in another pause; 400 when the body does not fit the pause.
pub(crate) async fn reply(app: &App, caller: &Caller, id: &str, body: &Value) -> Result<Value, Fault> {
    let run = app.visible_run(caller, id).await?.state;
    let not_waiting = if run.status().is_final() { Rejection::Finished } else { Rejection::NotWaiting };
    let pause = run.pause().ok_or(not_waiting)?;
    check_pause_number(pause, body)?;
    let (reply, _) = Reply::parse(body, pause.kind, &pause.options)?;
    // The reply was read for this pause, so it may end no other, even when the client named none.
    let command = GatewayCommand::Reply { pause: Some(pause.number), reply };
    let replied = app.runs.execute(&run.id, command).await?.state;
    run_json(app, &replied).await
}

/// A reply to an earlier pause is told so, whatever kind of reply that pause wanted.
fn check_pause_number(pause: &Pause, body: &Value) -> Result<(), Rejection> {
    let given = body.get("pause").and_then(Value::as_u64).and_then(|given| u32::try_from(given).ok());
    match given {
        Some(given) if given != pause.number => Err(Rejection::OtherPause { given, current: pause.number }),
        Some(_) | None => Ok(()),
    }
}

/// Stops the run; a finished one is given as it is.
///
/// # Errors
/// 404, 410, or what the store said.
pub(crate) async fn stop(app: &App, caller: &Caller, id: &str) -> Result<Value, Fault> {
    let run = app.visible_run(caller, id).await?.state;
    match app.runs.execute(&run.id, GatewayCommand::Stop).await {
        Ok(stopped) => run_json(app, &stopped.state).await,
        Err(CommandError::Rejected(Rejection::Finished)) => {
            let finished = app.visible_run(caller, id).await?.state;
            run_json(app, &finished).await
        }
        Err(error) => Err(error.into()),
    }
}
