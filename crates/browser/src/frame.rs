//! A frame that our script must enter by itself: the page's main frame, or one of another origin inside it. The script
//! runs in a world of its own: it sees the document, the page's code sees nothing of it and cannot change what it returns.

use crate::connection::{Connection, SessionId};
use crate::error::BrowserError;
use crate::input::Point;
use crate::limits::{CALL_TIMEOUT, STUCK_AFTER};
use crate::protocol::{
    Command, CreateIsolatedWorld, EnableDom, Evaluate, Evaluated, GetBoxModel, GetFrameOwner, TerminateExecution,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::hash::{BuildHasher, RandomState};
use std::pin::pin;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const WORLD_NAME: &str = "errand";
/// Chromium's words for an evaluation that was ended.
const ENDED_SCRIPT: &str = "Internal error";

/// The functions below `errand.` that the page script offers; installing it twice keeps the first. An element that the page
/// calls `errand` is a property of the window too, but not its own.
const SOURCE: &str = concat!(
    "if (!Object.hasOwn(globalThis, 'errand')) Object.defineProperty(globalThis, 'errand', { value: (() => { 'use strict';\nconst CHANNEL = '$CHANNEL$';\n",
    include_str!("script/safe.js"),
    include_str!("script/dom.js"),
    include_str!("script/name.js"),
    include_str!("script/element.js"),
    include_str!("script/text.js"),
    include_str!("script/form.js"),
    include_str!("script/look.js"),
    include_str!("script/act.js"),
    include_str!("script/state.js"),
    "\nreturn { pack, look, status, prepare, typed, refocus, select, findOption, isChecked, setChecked, scroll, quiet, mutated, markSecret, mask, unmask, storage, putStorage, formState, putFormState };\n})() });\n",
);

/// An event name no page can guess, by which the listener scan tells our world what it found.
static CHANNEL: LazyLock<String> = LazyLock::new(|| format!("{:016x}", RandomState::new().hash_one(SOURCE)));
static SCRIPT: LazyLock<String> = LazyLock::new(|| SOURCE.replace("$CHANNEL$", &CHANNEL));
static LISTENER_SCAN: LazyLock<String> =
    LazyLock::new(|| include_str!("script/listeners.js").replace("$CHANNEL$", &CHANNEL));

/// Where scripts run and input goes.
pub(crate) struct Frame {
    pub(crate) connection: Connection,
    pub(crate) session: SessionId,
    /// Frame id; Chromium gives the main frame, and a frame with its own process, the id of its target.
    pub(crate) id: String,
    /// It shares the session of the page, whose coordinates then hold for its input.
    is_inside: bool,
    /// The isolated world of the current document, as far as known.
    world: Mutex<Option<i64>>,
}

impl Frame {
    pub(crate) fn new(connection: Connection, session: SessionId, id: &str) -> Self {
        Self { connection, session, id: id.to_owned(), is_inside: false, world: Mutex::new(None) }
    }

    /// A frame of another origin that shares a process, and so a session, with the page it is in.
    pub(crate) fn inside(connection: Connection, session: SessionId, id: &str) -> Self {
        Self { is_inside: true, ..Self::new(connection, session, id) }
    }

    pub(crate) fn is_inside(&self) -> bool {
        self.is_inside
    }

    /// A place in the frame's own window as a place for input on its session.
    pub(crate) async fn to_session(&self, point: Point) -> Result<Point, BrowserError> {
        if !self.is_inside {
            return Ok(point);
        }
        let enabled = self.connection.call(&self.session, &EnableDom {});
        let owner = self.connection.call(&self.session, &GetFrameOwner { frame_id: &self.id });
        let (enabled, owner) = tokio::join!(enabled, owner);
        enabled.map_err(BrowserError::from)?;
        let backend_node_id = owner.map_err(BrowserError::from)?.backend_node_id;
        let model = self.call(&GetBoxModel { backend_node_id }).await?.model;
        let [left, top, ..] = model.content;
        Ok(Point { x: point.x + left, y: point.y + top })
    }

    /// The document was replaced; without being told, the next call finds out by itself.
    pub(crate) fn forget_world(&self) {
        *self.world() = None;
    }

    fn world(&self) -> MutexGuard<'_, Option<i64>> {
        // Holds a number: it cannot be half-written.
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a command to this frame's process and waits for its answer.
    pub(crate) async fn call<C: Command>(&self, command: &C) -> Result<C::Reply, BrowserError> {
        let answer = self.connection.call(&self.session, command);
        Ok(self.ending_endless_script(CALL_TIMEOUT, answer).await?)
    }

    /// Waits for an answer that takes `patience` at most. A script of the page that runs without end is ended meanwhile, as
    /// a person would from the browser's dialog; what it held up then goes on. Patience beyond the usual is for what is
    /// waited for.
    pub(crate) async fn ending_endless_script<T>(&self, patience: Duration, answer: impl Future<Output = T>) -> T {
        let mut answer = pin!(answer);
        let stuck_after = STUCK_AFTER + patience.saturating_sub(CALL_TIMEOUT);
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = tokio::time::sleep(stuck_after) => {}
        }
        tracing::debug!("a page is stuck, its script is ended");
        self.connection.post(&self.session, &TerminateExecution {});
        answer.await
    }

    /// Calls a function of the page script; its result comes back as JSON.
    pub(crate) async fn script<A, T>(&self, function: &str, argument: &A) -> Result<T, BrowserError>
    where
        A: Serialize + Sync,
        T: DeserializeOwned,
    {
        self.script_within(function, argument, CALL_TIMEOUT).await
    }

    /// As [`Frame::script`], with a deadline of its own. When the document changed since the world was made, the call has
    /// not run, and is made once more on the new document.
    pub(crate) async fn script_within<A, T>(
        &self,
        function: &str,
        argument: &A,
        patience: Duration,
    ) -> Result<T, BrowserError>
    where
        A: Serialize + Sync,
        T: DeserializeOwned,
    {
        let argument = serde_json::to_string(argument).map_err(malformed)?;
        let call = format!("errand.pack(errand.{function}({argument}))");
        parse(&self.run(&call, patience).await?)
    }

    /// Calls a function of the page script that promises something, and waits for that.
    pub(crate) async fn script_promise(
        &self,
        function: &str,
        arguments: &str,
        patience: Duration,
    ) -> Result<(), BrowserError> {
        let call = format!("errand.{function}({arguments})");
        self.ending_endless_script(patience, self.run(&call, patience)).await.map(|_resolved| ())
    }

    /// What ends a page's script may end ours instead; ours do the same when called again.
    async fn run(&self, call: &str, patience: Duration) -> Result<Evaluated, BrowserError> {
        match self.run_once(call, patience).await {
            Err(BrowserError::Refused { message, .. }) if message == ENDED_SCRIPT => {
                // It may have been ended before its functions were there.
                self.forget_world();
                self.run_once(call, patience).await
            }
            answer => answer,
        }
    }

    async fn run_once(&self, call: &str, patience: Duration) -> Result<Evaluated, BrowserError> {
        let known = *self.world();
        if let Some(world) = known {
            match self.evaluate(call, Some(world), patience).await {
                Err(BrowserError::Refused { message, .. }) if is_unknown_world(&message) => self.forget_world(),
                answer => return answer,
            }
        }
        let world = self.make_world().await?;
        self.evaluate(&format!("{}{call}", *SCRIPT), Some(world), patience).await
    }

    async fn make_world(&self) -> Result<i64, BrowserError> {
        let command = CreateIsolatedWorld { frame_id: &self.id, world_name: WORLD_NAME };
        let context = self.call(&command).await?.execution_context_id;
        *self.world() = Some(context);
        Ok(context)
    }

    /// Starts to mark the elements that have listeners, for the look that follows on the same connection.
    pub(crate) fn scan_listeners(&self) {
        self.connection.post(&self.session, &evaluation(&LISTENER_SCAN, None));
    }

    async fn evaluate(
        &self,
        expression: &str,
        world: Option<i64>,
        patience: Duration,
    ) -> Result<Evaluated, BrowserError> {
        // Ours may take its time on a large page, but not to begin.
        let begun = self.connection.call_within(&self.session, &evaluation("0", world), patience);
        let evaluated = self.connection.call_within(&self.session, &evaluation(expression, world), patience);
        let (_begun, evaluated) = tokio::join!(self.ending_endless_script(patience, begun), evaluated);
        let evaluated = evaluated?;
        match evaluated.exception_details {
            None => Ok(evaluated),
            Some(details) => {
                let description = details.exception.and_then(|exception| exception.description);
                Err(BrowserError::Script { message: description.unwrap_or(details.text) })
            }
        }
    }
}

/// In the page's own world there is the console's `getEventListeners`; nothing that comes from there is trusted.
fn evaluation(expression: &str, world: Option<i64>) -> Evaluate<'_> {
    Evaluate {
        expression,
        context_id: world,
        include_command_line_api: world.is_none(),
        await_promise: true,
        return_by_value: true,
        silent: true,
    }
}

fn parse<T: DeserializeOwned>(evaluated: &Evaluated) -> Result<T, BrowserError> {
    let text = evaluated.result.value.as_str().unwrap_or("null");
    serde_json::from_str(text).map_err(malformed)
}

fn malformed(source: serde_json::Error) -> BrowserError {
    BrowserError::Malformed { method: Evaluate::<'static>::METHOD, source }
}

/// Chromium's words for a context that went with its document, before anything was evaluated in it.
fn is_unknown_world(message: &str) -> bool {
    message.contains("Cannot find context")
}
