//! The guard at work: it hears of every request of a session's windows, frames and workers, and answers the browser.

use super::{Commits, Guard, HeldRequest, Outgoing, RequestPaused, Sender, Verdict};
use crate::connection::{Connection, SessionId};
use crate::limits::WIRE_PATIENCE;
use crate::protocol::{ContinueRequest, EnableFetch, FailRequest, RequestPattern};
use crate::wire::{Departure, Wire};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// Kinds of requests that may do something; pictures, styles and code only load.
const WATCHED: [&str; 6] = ["Document", "XHR", "Fetch", "Ping", "Other", "CSPViolationReport"];

/// Errors of connections that never came about, so that nothing was sent (`net_error_list.h`).
const NEVER_SENT: [&str; 8] = [
    "ERR_NAME_NOT_RESOLVED",
    "ERR_CONNECTION_REFUSED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_TUNNEL_CONNECTION_FAILED",
    "ERR_SSL",
    "ERR_CERT",
];

/// What happened to a request, for the one that sent it to be told.
pub(crate) type Told = Option<String>;

pub(crate) struct Watch {
    guard: Mutex<Guard>,
    wire: Option<Arc<dyn Wire>>,
    changes: watch::Sender<u64>,
}

/// Parameters of the Network domain's events about a request's end.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ended {
    request_id: String,
    #[serde(default)]
    error_text: String,
    #[serde(default)]
    canceled: bool,
    redirect_response: Option<Response>,
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

impl Watch {
    pub(crate) fn new(holds: bool, wire: Option<Arc<dyn Wire>>) -> Arc<Self> {
        Arc::new(Self { guard: Mutex::new(Guard::new(holds)), wire, changes: watch::Sender::new(0) })
    }

    pub(crate) fn guard(&self) -> MutexGuard<'_, Guard> {
        // Folding never panics half-way.
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of what is sent on a session from now on.
    pub(crate) fn start(connection: &Connection, session: &SessionId) {
        let patterns = WATCHED.iter().map(|&kind| RequestPattern { resource_type: kind }).collect();
        connection.post(session, &EnableFetch { patterns });
    }

    pub(crate) fn take_held(&self) -> Vec<HeldRequest> {
        self.guard().take_held()
    }

    pub(crate) fn begin(&self, commits: Commits, is_input: bool) {
        let given_up = self.guard().begin(commits, is_input);
        if let Some(wire) = &self.wire {
            given_up.iter().for_each(|url| wire.answered(url));
        }
    }

    /// Answers for a request that waits.
    pub(crate) fn paused(
        self: &Arc<Self>,
        connection: &Connection,
        session: &SessionId,
        params: Value,
        is_touched: bool,
    ) -> Told {
        let Ok(paused) = serde_json::from_value::<RequestPaused>(params) else { return None };
        let Some(outgoing) = paused.outgoing() else {
            connection.post(session, &ContinueRequest { request_id: &paused.request_id });
            return None;
        };
        let sender = Sender { is_touched, is_redirected: paused.redirected_request_id.is_some() };
        let what = format!("{} {}{}", outgoing.method, outgoing.target(), outgoing.url.path());
        let verdict = self.guard().judge(&outgoing, sender, Instant::now());
        match verdict {
            Verdict::Go => {
                self.allow(&outgoing);
                connection.post(session, &ContinueRequest { request_id: &paused.request_id });
                None
            }
            Verdict::Commit => {
                self.send_off(connection, session, paused, outgoing);
                None
            }
            Verdict::Hold => {
                fail(connection, session, &paused.request_id);
                Some(format!("{what} was held back"))
            }
            Verdict::Repeat => {
                fail(connection, session, &paused.request_id);
                Some(format!("{what} was sent before, and was not sent again"))
            }
        }
    }

    fn allow(&self, outgoing: &Outgoing) {
        if let Some(wire) = self.wire.as_ref().filter(|_wire| !outgoing.is_safe_method()) {
            wire.allow(&outgoing.method, &outgoing.url);
        }
    }

    /// Lets a committing request go, once the wire is ready for it.
    fn send_off(
        self: &Arc<Self>,
        connection: &Connection,
        session: &SessionId,
        paused: RequestPaused,
        outgoing: Outgoing,
    ) {
        if let Some(id) = &paused.network_id {
            self.answered(id);
            self.guard().leaves(id, &outgoing);
        }
        let Some(wire) = self.wire.clone() else {
            connection.post(session, &ContinueRequest { request_id: &paused.request_id });
            return;
        };
        let (connection, session) = (connection.clone(), session.clone());
        let is_watched = paused.network_id.is_some();
        // Ends with the wire's answer or its deadline.
        tokio::spawn(async move {
            let departure = Departure { method: &outgoing.method, url: &outgoing.url, is_watched };
            if tokio::time::timeout(WIRE_PATIENCE, wire.departs(departure)).await.is_err() {
                tracing::warn!("a committing request left before its connections were fresh");
            }
            connection.post(&session, &ContinueRequest { request_id: &paused.request_id });
        });
    }

    fn answered(&self, id: &str) {
        let url = self.guard().answered(id);
        if let (Some(url), Some(wire)) = (url, &self.wire) {
            wire.answered(&url);
        }
    }

    /// Takes in an event that may be the answer to a request, or the end of the wait for one.
    pub(crate) fn network_event(&self, method: &str, params: &Value) {
        if !matches!(
            method,
            "Network.responseReceived"
                | "Network.loadingFailed"
                | "Network.loadingFinished"
                | "Network.requestWillBeSent"
        ) {
            return;
        }
        // Almost every event is about another request.
        let id = params.get("requestId").and_then(Value::as_str).unwrap_or_default();
        let Some(what) = self.guard().what(id) else { return };
        let Ok(ended) = Ended::deserialize(params) else { return };
        if method == "Network.requestWillBeSent" && ended.redirect_response.is_none() {
            return;
        }
        let was_refused = self.was_refused(id);
        if let Some(how) = ended.loss(method, was_refused) {
            self.guard().lose(format!("{what} was sent, and {how}"));
        }
        self.answered(&ended.request_id);
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// The browser would have sent it again, which the wire did not let it.
    fn was_refused(&self, id: &str) -> bool {
        let url = self.guard().url(id);
        self.wire.as_ref().zip(url).is_some_and(|(wire, url)| wire.has_refused(&url))
    }

    /// Waits until what the action sent is answered, until the deadline at most; whether there was anything to wait for.
    pub(crate) async fn until_answered(&self, deadline: Instant) -> bool {
        if !self.guard().is_awaiting() {
            return false;
        }
        let mut changes = self.changes.subscribe();
        let answered = changes.wait_for(|_count| !self.guard().is_awaiting());
        let patience = deadline.saturating_duration_since(Instant::now());
        tokio::time::timeout(patience, answered).await.is_ok()
    }
}

impl Ended {
    /// How the connection ended, when nobody can know what the server did.
    fn loss(&self, method: &str, was_refused: bool) -> Option<String> {
        let egress = self.response.as_ref().and_then(|response| {
            let named = response.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("x-errand-egress"));
            named.map(|(_, word)| word.as_str())
        });
        match method {
            "Network.loadingFailed" if was_refused => Some("the browser would have sent it again".to_owned()),
            "Network.loadingFailed" => {
                let error = self.error_text.strip_prefix("net::").unwrap_or(&self.error_text);
                let was_given_up = self.canceled || error == "ERR_ABORTED";
                let was_never_sent = NEVER_SENT.iter().any(|known| error.starts_with(known));
                (!was_given_up && !was_never_sent).then(|| format!("its connection was lost ({error})"))
            }
            _ => match egress {
                Some("broken") => Some("its connection was lost".to_owned()),
                Some("repeated") => Some("the browser would have sent it again".to_owned()),
                Some(_) | None => None,
            },
        }
    }
}

/// As given up: the document that sent it stays.
fn fail(connection: &Connection, session: &SessionId, request_id: &str) {
    connection.post(session, &FailRequest { request_id, error_reason: "Aborted" });
}
