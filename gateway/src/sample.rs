//! A gateway's inside over the in-memory store, for unit tests.

use errand_domain::price::MicroUsd;
use errand_domain::run::{GatewayCommand, SchedulerCommand};
use errand_domain::{AccountId, RunId};
use errand_store::memory::MemoryStore;
use errand_store::{RandomIds, SystemClock};
use errand_vault::MasterKey;
use serde_json::json;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::GatewayConfig;
use crate::hub::Hub;
use crate::rest::Caller;
use crate::runs;

pub(crate) fn sample_app() -> App {
    let master_key = Arc::new(MasterKey::from_hex(&"07".repeat(32)).unwrap());
    let config = GatewayConfig::new("127.0.0.1:0".parse().unwrap(), master_key);
    let stores = MemoryStore::new(2).stores(Arc::new(SystemClock), Arc::new(RandomIds));
    App::new(config, stores, Hub::new(2), CancellationToken::new())
}

pub(crate) fn sample_caller() -> Caller {
    Caller { account: AccountId::parse("default").unwrap(), operator: false }
}

pub(crate) async fn create(app: &App) -> RunId {
    let body = json!({"goal": "g", "start_url": "https://example.com/"});
    let run = runs::create(app, &sample_caller(), None, &body).await.unwrap();
    RunId::parse(run["id"].as_str().unwrap()).unwrap()
}

pub(crate) async fn stop(app: &App, run_id: &RunId) {
    app.runs.execute(run_id, GatewayCommand::Stop).await.unwrap();
}

pub(crate) async fn settle(app: &App, run_id: &RunId) {
    let command = SchedulerCommand::SettleCharge { charge: MicroUsd(0) };
    app.runs.execute(run_id, command).await.unwrap();
}
