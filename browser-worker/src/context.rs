//! What every task of a worker is given.

use errand_store::{RunLog, Stores};
use std::sync::Arc;

use crate::config::WorkerConfig;
use crate::driver::BrowserDriver;
use crate::planning::Planner;
use crate::sessions::Sessions;

/// Shared by all tasks of one worker.
#[derive(Debug)]
pub struct Context {
    pub config: WorkerConfig,
    pub stores: Stores,
    pub runs: RunLog,
    pub driver: Arc<dyn BrowserDriver>,
    pub planner: Arc<dyn Planner>,
    pub sessions: Sessions,
}
