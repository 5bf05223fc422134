//! Carries runs out in a browser, one step at a time. Stateless: all that a worker holds can be rebuilt from the log and
//! the run's blobs by any other worker.

pub mod answer;
mod captures;
mod chromium;
mod claim;
mod conclude;
mod config;
mod context;
mod departures;
pub mod driver;
mod error;
mod held;
mod limits;
mod loss;
mod opening;
mod pages;
mod phase;
mod planning;
mod pool;
mod profile;
mod reading;
mod refusal;
mod secret_place;
mod secrets;
mod sessions;
mod step;
mod turn;
mod worker;

pub use chromium::ChromiumDriver;
pub use config::{WorkerConfig, default_sessions};
pub use error::WorkerError;
pub use planning::{Planned, Planner, PlannerError, RulesPlanner};

use errand_store::{RunLog, Stores};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

use context::Context;
use driver::BrowserDriver;

/// Works until `shutdown`; returns when every step that was held has come to its end.
///
/// # Errors
/// When the work queue cannot be opened.
pub async fn run(
    config: WorkerConfig,
    stores: Stores,
    driver: Arc<dyn BrowserDriver>,
    planner: Arc<dyn Planner>,
    shutdown: CancellationToken,
) -> Result<(), WorkerError> {
    let runs = RunLog::new(&stores);
    let sessions = sessions::Sessions::new(config.sessions_max);
    let context = Context { config, stores, runs, driver, planner, sessions };
    worker::work(Arc::new(context), shutdown).await
}
