//! Runs our script on a page, in a world of its own: it sees the document, the page's code sees nothing of it and cannot
//! change what it returns.

use crate::error::BrowserError;
use crate::limits::CALL_TIMEOUT;
use crate::page::Page;
use crate::protocol::{Command, CreateIsolatedWorld, Evaluate, Evaluated};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

const WORLD_NAME: &str = "errand";

/// The functions below `errand.` that the page script offers; installing it twice keeps the first.
const SCRIPT: &str = concat!(
    "globalThis.errand ??= (() => { 'use strict';\n",
    include_str!("script/dom.js"),
    include_str!("script/name.js"),
    include_str!("script/element.js"),
    include_str!("script/text.js"),
    include_str!("script/form.js"),
    include_str!("script/look.js"),
    include_str!("script/act.js"),
    include_str!("script/state.js"),
    "\nreturn { look, status, prepare, typed, refocus, select, findOption, isChecked, setChecked, scroll, quiet, mutated, markSecret, mask, unmask, storage, putStorage, formState, putFormState };\n})();\n",
);

impl Page {
    /// Calls a function of the page script; its result comes back as JSON.
    pub(crate) async fn script<A, T>(&self, function: &str, argument: &A) -> Result<T, BrowserError>
    where
        A: Serialize + Sync,
        T: DeserializeOwned,
    {
        self.script_within(function, argument, CALL_TIMEOUT).await
    }

    /// As [`Page::script`], with a deadline of its own. When the document changed since the world was made, the call has
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
        let call = format!("JSON.stringify(errand.{function}({argument}))");
        let known = self.state().world;
        if let Some(world) = known {
            match self.evaluate(&call, world, patience).await {
                Err(BrowserError::Refused { message, .. }) if is_unknown_world(&message) => self.state().world = None,
                answer => return parse(&answer?),
            }
        }
        let world = self.make_world().await?;
        parse(&self.evaluate(&format!("{SCRIPT}{call}"), world, patience).await?)
    }

    /// Waits in the page until its document rests; see `quiet` in the page script.
    pub(crate) async fn script_promise(
        &self,
        function: &str,
        arguments: &str,
        patience: Duration,
    ) -> Result<(), BrowserError> {
        let call = format!("errand.{function}({arguments})");
        let known = self.state().world;
        let (world, expression) = match known {
            Some(world) => (world, call),
            None => (self.make_world().await?, format!("{SCRIPT}{call}")),
        };
        self.evaluate(&expression, world, patience).await.map(|_resolved| ())
    }

    async fn make_world(&self) -> Result<i64, BrowserError> {
        let commits = self.state().commits;
        let created = self.call(&CreateIsolatedWorld { frame_id: &self.target_id, world_name: WORLD_NAME }).await?;
        let mut state = self.state();
        if state.commits == commits {
            state.world = Some(created.execution_context_id);
        }
        Ok(created.execution_context_id)
    }

    async fn evaluate(&self, expression: &str, world: i64, patience: Duration) -> Result<Evaluated, BrowserError> {
        self.check_alive()?;
        let command = Evaluate {
            expression,
            context_id: Some(world),
            include_command_line_api: false,
            await_promise: true,
            return_by_value: true,
            user_gesture: false,
        };
        let evaluated = self.connection().call_within(&self.session, &command, patience).await?;
        match evaluated.exception_details {
            None => Ok(evaluated),
            Some(details) => {
                let description = details.exception.and_then(|exception| exception.description);
                Err(BrowserError::Script { message: description.unwrap_or(details.text) })
            }
        }
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
