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
    include_str!("script/secret.js"),
    include_str!("script/state.js"),
    "\nreturn { pack, look, status, prepare, typed, typeSecret, refocus, select, findOption, isChecked, setChecked, scroll, quiet, mutated, markSecret, mask, unmask, storage, putStorage, formState, putFormState };\n})() });\n",
);

/// An event name no page can guess, by which the listener scan tells our world what it found.
static CHANNEL: LazyLock<String> = LazyLock::new(|| format!("{:016x}", RandomState::new().hash_one(SOURCE)));
static SCRIPT: LazyLock<String> = LazyLock::new(|| SOURCE.replace("$CHANNEL$", &CHANNEL));
static LISTENER_SCAN: LazyLock<String> =
    LazyLock::new(|| include_str!("script/listeners.js").replace("$CHANNEL$", &CHANNEL));

/// How the page's scripts came to an end while an answer was awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScriptEnd {
    ByItself,
    /// One ran without end.
    ByUs,
}

/// What a call of the page script is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// It changes nothing that the page's code hears of more than once: done again, it does the same.
    Read,
    /// It fires the page's handlers, or moves the page: never done twice.
    Act,
}

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
        let (answer, _end) = self.ending_endless_script(CALL_TIMEOUT, answer).await;
        Ok(answer?)
    }

    /// Waits for an answer that takes `patience` at most. A script of the page that runs without end is ended meanwhile, as
    /// a person would from the browser's dialog; what it held up then goes on. Patience beyond the usual is for what is
    /// waited for.
    pub(crate) async fn ending_endless_script<T>(
        &self,
        patience: Duration,
        answer: impl Future<Output = T>,
    ) -> (T, ScriptEnd) {
        let mut answer = pin!(answer);
        let stuck_after = STUCK_AFTER + patience.saturating_sub(CALL_TIMEOUT);
        tokio::select! {
            biased;
            answer = &mut answer => return (answer, ScriptEnd::ByItself),
            () = tokio::time::sleep(stuck_after) => {}
        }
        tracing::debug!("a page is stuck, its script is ended");
        self.connection.post(&self.session, &TerminateExecution {});
        (answer.await, ScriptEnd::ByUs)
    }

    /// Calls a function of the page script that reads; its result comes back as JSON.
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
        parse(&self.run(&packed(function, argument)?, Purpose::Read, patience).await?)
    }

    /// Calls a function of the page script that fires the page's handlers or moves the page, once.
    ///
    /// # Errors
    /// [`BrowserError::ScriptEnded`] when a handler of the page ran without end.
    pub(crate) async fn script_once<A, T>(&self, function: &str, argument: &A) -> Result<T, BrowserError>
    where
        A: Serialize + Sync,
        T: DeserializeOwned,
    {
        parse(&self.run(&packed(function, argument)?, Purpose::Act, CALL_TIMEOUT).await?)
    }

    /// Calls a function of the page script that promises something, and waits for that.
    pub(crate) async fn script_promise(
        &self,
        function: &str,
        arguments: &str,
        patience: Duration,
    ) -> Result<(), BrowserError> {
        let call = format!("errand.{function}({arguments})");
        let run = self.run(&call, Purpose::Read, patience);
        let (resolved, _end) = self.ending_endless_script(patience, run).await;
        resolved.map(|_nothing| ())
    }

    /// What ends a page's script may end ours instead; what only reads is then called again.
    async fn run(&self, call: &str, purpose: Purpose, patience: Duration) -> Result<Evaluated, BrowserError> {
        match self.run_once(call, purpose, patience).await {
            Err(BrowserError::Refused { message, .. }) if message == ENDED_SCRIPT => {
                // It may have been ended before its functions were there.
                self.forget_world();
                match purpose {
                    Purpose::Read => self.run_once(call, purpose, patience).await,
                    Purpose::Act => Err(BrowserError::ScriptEnded),
                }
            }
            answer => answer,
        }
    }

    async fn run_once(&self, call: &str, purpose: Purpose, patience: Duration) -> Result<Evaluated, BrowserError> {
        let known = *self.world();
        if let Some(world) = known {
            match self.evaluate(call, world, purpose, patience).await {
                Err(BrowserError::Refused { message, .. }) if is_unknown_world(&message) => self.forget_world(),
                answer => return answer,
            }
        }
        let world = self.make_world().await?;
        self.evaluate(&format!("{}{call}", *SCRIPT), world, purpose, patience).await
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
        world: i64,
        purpose: Purpose,
        patience: Duration,
    ) -> Result<Evaluated, BrowserError> {
        let begun = self.connection.call_within(&self.session, &evaluation("0", Some(world)), patience);
        let evaluated = self.connection.call_within(&self.session, &evaluation(expression, Some(world)), patience);
        let evaluated = match purpose {
            // Ours may take its time on a large page, but not to begin.
            Purpose::Read => tokio::join!(self.ending_endless_script(patience, begun), evaluated).1,
            // The page's handlers run within it.
            Purpose::Act => {
                let both = async { tokio::join!(begun, evaluated).1 };
                self.ending_endless_script(patience, both).await.0
            }
        }?;
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

/// A call whose result comes back as JSON.
fn packed(function: &str, argument: &impl Serialize) -> Result<String, BrowserError> {
    let argument = serde_json::to_string(argument).map_err(malformed)?;
    Ok(format!("errand.pack(errand.{function}({argument}))"))
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
