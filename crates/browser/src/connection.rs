//! The DevTools protocol over the browser's pipe: numbered commands, their answers, and events per session. Messages end
//! with a zero byte; sessions are flattened into one stream by `sessionId`.

use crate::limits::{CALL_TIMEOUT, MESSAGE_BYTES_MAX, OUTGOING_COMMANDS_MAX};
use crate::protocol::Command;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

/// Why a command has no answer.
#[derive(Debug, Error)]
pub(crate) enum CallError {
    #[error("the browser is gone")]
    Gone,
    #[error("the page is gone")]
    TargetGone,
    #[error("the page crashed")]
    Crashed,
    #[error("no answer to {method} in time")]
    Timeout { method: &'static str },
    #[error("{method} was refused: {message}")]
    Refused { method: &'static str, message: String },
    #[error("the answer to {method} is malformed")]
    Malformed {
        method: &'static str,
        #[source]
        source: serde_json::Error,
    },
}

/// What ends a pending command without an answer of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Loss {
    Browser,
    Target,
    Crash,
}

enum Answer {
    Result(Value),
    Refused(String),
    Lost(Loss),
}

/// Takes one event: it runs on the reading task, so it must be quick and must not wait.
pub(crate) type Listener = Arc<dyn Fn(&str, Value) + Send + Sync>;

/// A session of the protocol; `None` is the browser itself.
pub(crate) type SessionId = Option<Arc<str>>;

/// A handle on the connection; clones share it.
#[derive(Clone)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
}

/// A handle that does not keep the connection.
#[derive(Clone)]
pub(crate) struct WeakConnection(Weak<Shared>);

impl WeakConnection {
    pub(crate) fn upgrade(&self) -> Option<Connection> {
        self.0.upgrade().map(|shared| Connection { shared })
    }
}

struct Shared {
    outgoing: mpsc::Sender<Vec<u8>>,
    next_id: AtomicU64,
    table: Mutex<Table>,
    open: watch::Sender<bool>,
}

#[derive(Default)]
struct Table {
    closed: bool,
    pending: HashMap<u64, Pending>,
    listeners: HashMap<SessionId, Listener>,
    /// A crashed page's session stays, and answers nothing.
    crashed: BTreeSet<SessionId>,
}

impl Table {
    /// Sessions have a listener from their beginning to their end.
    fn knows(&self, session: &SessionId) -> bool {
        session.is_none() || self.listeners.contains_key(session)
    }
}

struct Pending {
    session: SessionId,
    answer: oneshot::Sender<Answer>,
}

/// The two tasks that own the pipe's ends; they stop when the pipe closes.
#[derive(Debug)]
pub(crate) struct Pumps {
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

impl Pumps {
    /// Waits for the tasks' end, once the browser is dead.
    pub(crate) async fn join(self) {
        let _ = self.reader.await;
        // The writer may wait for commands of sessions that are still held; none will be read.
        self.writer.abort();
        let _ = self.writer.await;
    }
}

#[derive(Deserialize)]
struct Incoming {
    id: Option<u64>,
    result: Option<Value>,
    error: Option<Refusal>,
    method: Option<String>,
    params: Option<Value>,
    #[serde(rename = "sessionId")]
    session: SessionId,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

impl Connection {
    /// Takes the pipe's ends and starts reading and writing.
    pub(crate) fn open(commands: pipe::Sender, answers: pipe::Receiver) -> (Self, Pumps) {
        let (outgoing, queue) = mpsc::channel(OUTGOING_COMMANDS_MAX);
        let shared = Arc::new(Shared {
            outgoing,
            next_id: AtomicU64::new(1),
            table: Mutex::default(),
            open: watch::Sender::new(true),
        });
        let reader = tokio::spawn(read_answers(answers, Arc::clone(&shared)));
        let writer = tokio::spawn(write_commands(commands, queue));
        (Self { shared }, Pumps { reader, writer })
    }

    pub(crate) fn downgrade(&self) -> WeakConnection {
        WeakConnection(Arc::downgrade(&self.shared))
    }

    /// Sends events of a session to the listener, until the session is forgotten.
    pub(crate) fn listen(&self, session: SessionId, listener: Listener) {
        self.shared.table().listeners.insert(session, listener);
    }

    /// Ends a session: its pending commands fail at once, its events are dropped.
    pub(crate) fn lose_session(&self, session: &SessionId, loss: Loss) {
        let mut table = self.shared.table();
        match loss {
            Loss::Crash => {
                table.crashed.insert(session.clone());
            }
            Loss::Target | Loss::Browser => {
                table.listeners.remove(session);
                table.crashed.remove(session);
            }
        }
        let lost: Vec<u64> = table.pending.iter().filter(|(_, p)| p.session == *session).map(|(id, _)| *id).collect();
        for id in lost {
            if let Some(pending) = table.pending.remove(&id) {
                let _ = pending.answer.send(Answer::Lost(loss));
            }
        }
    }

    /// Waits until the pipe is closed.
    pub(crate) async fn closed(&self) {
        let mut open = self.shared.open.subscribe();
        // The sender lives as long as `self`, so this ends only when the value turns false.
        let _ = open.wait_for(|open| !open).await;
    }

    /// Whether a session has neither ended nor been lost.
    pub(crate) fn knows(&self, session: &SessionId) -> bool {
        self.shared.table().knows(session)
    }

    /// Takes the browser for gone: what waits for it fails at once, and so does all that is asked later.
    pub(crate) fn give_up(&self) {
        self.shared.close();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.shared.table().closed
    }

    /// Sends a command without waiting for its answer; a full queue or a closed pipe drops it.
    pub(crate) fn post<C: Command>(&self, session: &SessionId, command: &C) {
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        if self.shared.outgoing.try_send(encode(id, session, command)).is_err() {
            tracing::debug!(method = C::METHOD, "browser command dropped");
        }
    }

    /// Sends a command and waits for its answer, at most [`CALL_TIMEOUT`].
    pub(crate) fn call<C: Command>(
        &self,
        session: &SessionId,
        command: &C,
    ) -> impl Future<Output = Result<C::Reply, CallError>> + Send + use<C> {
        self.call_within(session, command, CALL_TIMEOUT)
    }

    /// Queues a command at once, in the order of the calls; the returned future waits for its answer.
    pub(crate) fn call_within<C: Command>(
        &self,
        session: &SessionId,
        command: &C,
        patience: Duration,
    ) -> impl Future<Output = Result<C::Reply, CallError>> + Send + use<C> {
        let call = self.start(session, command);
        async move {
            let answer = match call {
                Err(loss) => Answer::Lost(loss),
                Ok(mut waiting) => match tokio::time::timeout(patience, &mut waiting.answer).await {
                    Ok(answer) => answer.unwrap_or(Answer::Lost(Loss::Browser)),
                    Err(_elapsed) => return Err(CallError::Timeout { method: C::METHOD }),
                },
            };
            decode::<C>(answer)
        }
    }

    fn start<C: Command>(&self, session: &SessionId, command: &C) -> Result<Waiting, Loss> {
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        let mut table = self.shared.table();
        if table.closed {
            return Err(Loss::Browser);
        }
        if table.crashed.contains(session) {
            return Err(Loss::Crash);
        }
        if !table.knows(session) {
            return Err(Loss::Target);
        }
        // Sent under the lock, so that commands leave in the order of their numbers.
        self.shared.outgoing.try_send(encode(id, session, command)).map_err(|_full_or_closed| Loss::Browser)?;
        table.pending.insert(id, Pending { session: session.clone(), answer: sender });
        Ok(Waiting { id, answer, shared: Arc::clone(&self.shared) })
    }
}

/// A command whose answer is awaited; dropping it forgets the command.
struct Waiting {
    id: u64,
    answer: oneshot::Receiver<Answer>,
    shared: Arc<Shared>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.shared.table().pending.remove(&self.id);
    }
}

impl Shared {
    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing panics while the table is locked, and a half-done insert is harmless.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deliver(&self, message: Incoming) {
        if let Some(id) = message.id {
            let answer = match message.error {
                Some(refusal) => Answer::Refused(refusal.message),
                None => Answer::Result(message.result.unwrap_or(Value::Null)),
            };
            let pending = self.table().pending.remove(&id);
            if let Some(pending) = pending {
                let _ = pending.answer.send(answer);
            }
            return;
        }
        let Some(method) = message.method else { return };
        let listener = self.table().listeners.get(&message.session).cloned();
        if let Some(listener) = listener {
            listener(&method, message.params.unwrap_or(Value::Null));
        }
    }

    fn close(&self) {
        let pending = {
            let mut table = self.table();
            table.closed = true;
            table.listeners.clear();
            std::mem::take(&mut table.pending)
        };
        for waiting in pending.into_values() {
            let _ = waiting.answer.send(Answer::Lost(Loss::Browser));
        }
        self.open.send_replace(false);
    }
}

fn encode<C: Command>(id: u64, session: &SessionId, command: &C) -> Vec<u8> {
    let mut message = json!({ "id": id, "method": C::METHOD, "params": command });
    if let Some(session) = session {
        message["sessionId"] = Value::from(session.as_ref());
    }
    let mut bytes = message.to_string().into_bytes();
    bytes.push(0);
    bytes
}

fn decode<C: Command>(answer: Answer) -> Result<C::Reply, CallError> {
    let method = C::METHOD;
    match answer {
        Answer::Result(value) => {
            serde_json::from_value(value).map_err(|source| CallError::Malformed { method, source })
        }
        Answer::Refused(message) => Err(CallError::Refused { method, message }),
        Answer::Lost(Loss::Browser) => Err(CallError::Gone),
        Answer::Lost(Loss::Target) => Err(CallError::TargetGone),
        Answer::Lost(Loss::Crash) => Err(CallError::Crashed),
    }
}

async fn read_answers(answers: pipe::Receiver, shared: Arc<Shared>) {
    let mut reader = BufReader::with_capacity(256 * 1024, answers);
    let mut message = Vec::new();
    loop {
        message.clear();
        let read = (&mut reader).take(MESSAGE_BYTES_MAX).read_until(0, &mut message).await;
        if read.is_err() || message.pop() != Some(0) {
            break;
        }
        match serde_json::from_slice(&message) {
            Ok(incoming) => shared.deliver(incoming),
            // The error's own words may quote the page.
            Err(error) => tracing::warn!(kind = ?error.classify(), "browser message is malformed"),
        }
    }
    shared.close();
}

async fn write_commands(mut commands: pipe::Sender, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = queue.recv().await {
        if commands.write_all(&message).await.is_err() {
            break;
        }
    }
}
