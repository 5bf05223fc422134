//! Gateways over one in-memory store.

use errand_domain::{AccountId, RunId, Timestamp};
use errand_gateway::{GatewayConfig, GatewayHandle, create_key, key_record, serve};
use errand_read::Reader;
use errand_store::memory::MemoryStore;
use errand_store::{RandomIds, RunLog, Stores, SystemClock};
use errand_vault::MasterKey;
use metrics_exporter_prometheus::PrometheusBuilder;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

use crate::client::Api;

pub const MASTER_KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// A gateway with its stores and the keys of two accounts.
#[derive(Debug)]
pub struct Harness {
    pub stores: Stores,
    pub runs: RunLog,
    pub api: Api,
    pub shutdown: CancellationToken,
    pub handle: Option<GatewayHandle>,
}

impl Harness {
    pub async fn start() -> Self {
        Self::on_stores(MemoryStore::new(4).stores(Arc::new(SystemClock), Arc::new(RandomIds))).await
    }

    pub async fn on_stores(stores: Stores) -> Self {
        let key = new_key(&stores, "default", false).await;
        Self::on(stores, key, config()).await
    }

    /// With a reader for `/v1/read`.
    pub async fn reading(reader: Reader) -> Self {
        Self::reading_within(reader, config().drain).await
    }

    /// With a reader, and so much time to end at shutdown.
    pub async fn reading_within(reader: Reader, drain: Duration) -> Self {
        let stores = MemoryStore::new(4).stores(Arc::new(SystemClock), Arc::new(RandomIds));
        let key = new_key(&stores, "default", false).await;
        Self::on(stores, key, GatewayConfig { reader: Some(reader), drain, ..config() }).await
    }

    /// Another gateway on the same stores.
    pub async fn another(&self) -> Self {
        Self::on(self.stores.clone(), self.api.key.clone(), config()).await
    }

    async fn on(stores: Stores, key: String, config: GatewayConfig) -> Self {
        let shutdown = CancellationToken::new();
        let handle = serve(config, stores.clone(), shutdown.clone()).await.unwrap();
        let api = Api { address: handle.address(), key };
        Self { runs: RunLog::new(&stores), stores, api, shutdown, handle: Some(handle) }
    }

    pub async fn api_of(&self, account: &str, operator: bool) -> Api {
        Api { key: new_key(&self.stores, account, operator).await, ..self.api.clone() }
    }

    /// Creates a run and gives its id.
    pub async fn create(&self, extra: Value) -> RunId {
        let answer = self.api.post("/v1/browser/runs", &body(extra)).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
        run_id(&answer.json())
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

fn config() -> GatewayConfig {
    let master_key = Arc::new(MasterKey::from_hex(MASTER_KEY).unwrap());
    let mut config = GatewayConfig::new("127.0.0.1:0".parse().unwrap(), master_key);
    config.metrics = Some(PrometheusBuilder::new().build_recorder().handle());
    config.models = vec!["small".to_owned()];
    config
}

async fn new_key(stores: &Stores, account: &str, operator: bool) -> String {
    let account = AccountId::parse(account).unwrap();
    let record = key_record(account, operator, "test", Timestamp::from_millis(0));
    let key = create_key(&*stores.keyvalue, record).await.unwrap();
    key.secret().expose_secret().to_owned()
}

pub fn run_id(run: &Value) -> RunId {
    RunId::parse(run["id"].as_str().unwrap()).unwrap()
}

pub fn path(run_id: &RunId) -> String {
    format!("/v1/browser/runs/{run_id}")
}

/// A run request with further fields.
pub fn body(extra: Value) -> Value {
    let mut body = json!({"goal": "Find the trims", "start_url": "https://example.com/cars"});
    for (name, value) in extra.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}
