//! The thread that changes what is stored. It takes as many waiting requests as fit into one group, carries them out in
//! order, puts all on disk with one sync, moves the mark, and only then answers them and lets readers see them.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use tokio::sync::{mpsc, oneshot, watch};
use tracing::error;

use super::EmbeddedError;
use super::disk::DiskSync;
use super::folder::file_error;
use super::group::{Applier, Group, Request, refuse};
use super::mark::{Mark, MarkWriter};
use super::tables::Tables;
use crate::limits::WRITER_QUEUE_MAX;
use crate::log::Position;
use crate::sabotage::Sabotage;

/// Takes requests. The thread ends when this is dropped or closed.
#[derive(Debug)]
pub(super) struct Writer {
    requests: mpsc::Sender<Request>,
    thread: Mutex<Option<JoinHandle<()>>>,
    failed: watch::Receiver<bool>,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// The request was never taken.
    NotTaken,
    /// It was taken; the writer is gone, so what became of it is not known.
    Unknown,
}

/// Where the writer's files are.
#[derive(Debug)]
pub(super) struct FolderPaths {
    pub(super) path: PathBuf,
    pub(super) mark: PathBuf,
}

struct WriterThread {
    requests: mpsc::Receiver<Request>,
    applier: Applier,
    sync: Box<dyn DiskSync>,
    mark: MarkWriter,
    /// Whether something was stored that nobody was promised.
    is_unsynced: bool,
    newest: Vec<watch::Sender<Position>>,
    /// After a failed sync it is not known what is on disk, and another sync could not tell: only opening anew can.
    failure: Option<String>,
    /// Becomes true with the failure.
    failed: watch::Sender<bool>,
    sabotage: Option<Sabotage>,
}

impl Writer {
    /// Starts the thread; the receivers tell each partition's newest record that is on disk.
    pub(super) fn start(
        tables: Arc<Tables>,
        sync: Box<dyn DiskSync>,
        folder: &FolderPaths,
        partitions: u32,
        sabotage: Option<Sabotage>,
    ) -> Result<(Self, Vec<watch::Receiver<Position>>), EmbeddedError> {
        let path = folder.path.clone();
        let found: Result<Vec<Position>, _> = (0..partitions).map(|partition| tables.newest(partition)).collect();
        let positions =
            found.map_err(|error| EmbeddedError::Corrupt { folder: path.clone(), reason: error.to_string() })?;
        let newest: Vec<_> = positions.iter().map(|position| watch::Sender::new(*position)).collect();
        let receivers = newest.iter().map(watch::Sender::subscribe).collect();
        let (sender, requests) = mpsc::channel(WRITER_QUEUE_MAX);
        let applier = Applier { tables, positions, sabotage };
        let failed = watch::Sender::new(false);
        let failure_told = failed.subscribe();
        let mark = MarkWriter::open(&folder.mark).map_err(file_error(&folder.mark))?;
        let body =
            WriterThread { requests, applier, sync, mark, is_unsynced: false, newest, failure: None, failed, sabotage };
        let spawned = thread::Builder::new().name("store-writer".to_owned()).spawn(move || body.run());
        let thread = Mutex::new(Some(spawned.map_err(file_error(&path))?));
        Ok((Self { requests: sender, thread, failed: failure_told }, receivers))
    }

    /// Sends one request and waits for its answer. Giving up the wait does not take the request back.
    pub(super) async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Result<T, Unanswered> {
        let (answer, answered) = oneshot::channel();
        self.requests.send(request(answer)).await.map_err(|_| Unanswered::NotTaken)?;
        answered.await.map_err(|_| Unanswered::Unknown)
    }

    /// Waits until the writer can take nothing more; never ends while it can.
    pub(super) async fn failed(&self) {
        let mut failed = self.failed.clone();
        if failed.wait_for(|is_failed| *is_failed).await.is_err() {
            // The writer was closed: that is no failure.
            std::future::pending::<()>().await;
        }
    }

    pub(super) async fn close(&self) {
        // A writer that is gone already is closed.
        let _ = self.requests.send(Request::Close).await;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

impl WriterThread {
    fn run(mut self) {
        while let Some(first) = self.requests.blocking_recv() {
            let mut group = Group::default();
            self.take(first, &mut group);
            while group.has_room() {
                let Ok(next) = self.requests.try_recv() else { break };
                self.take(next, &mut group);
            }
            if group.is_last {
                // What was sent before this is still received.
                self.requests.close();
            }
            self.finish(group);
        }
        self.end();
    }

    /// Leaves the mark at the end of what is stored.
    fn end(mut self) {
        if self.failure.is_some() || self.sabotage == Some(Sabotage::SkipFlush) {
            return;
        }
        let synced = if self.is_unsynced { self.sync.sync() } else { Ok(()) };
        let mark = self.reached();
        if let Err(error) = synced.and_then(|()| self.mark.finish(&mark)) {
            // What was acknowledged is on disk, and so is a mark that is not ahead of it.
            error!(%error, "the store was not closed in order");
        }
    }

    fn reached(&self) -> Mark {
        Mark { changes: self.applier.tables.changes(), positions: self.applier.positions.clone() }
    }

    /// The runs' new keys first, then what is sealed under them, then the mark; keys go after what they opened.
    fn put_on_disk(&mut self, group: &Group) -> io::Result<()> {
        let keys = self.applier.tables.keys();
        keys.sync()?;
        self.sync.sync()?;
        for run_id in &group.erased {
            keys.destroy(run_id)?;
        }
        keys.sync()?;
        self.is_unsynced = false;
        let mark = self.reached();
        self.mark.write(&mark)
    }

    fn take(&mut self, request: Request, group: &mut Group) {
        let is_close = matches!(request, Request::Close);
        match &self.failure {
            Some(reason) if !is_close => refuse(request, reason),
            Some(_) | None => self.applier.apply(request, group),
        }
    }

    fn finish(&mut self, mut group: Group) {
        self.applier.store_appends(&mut group);
        self.is_unsynced = true;
        if group.failure.is_none() && group.needs_sync && self.sabotage != Some(Sabotage::SkipFlush) {
            group.failure = self.put_on_disk(&group).err().map(|error| error.to_string());
        }
        if let Some(reason) = group.failure.take() {
            error!(reason, "the store cannot write and takes no more until it is opened again");
            group.answer(Err(&reason));
            self.failure = Some(reason);
            self.failed.send_replace(true);
            return;
        }
        for (partition, position) in std::mem::take(&mut group.newest) {
            self.newest[partition as usize].send_replace(position);
        }
        group.answer(Ok(()));
    }
}
