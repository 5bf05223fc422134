//! Tokens with which a browser's EventSource opens a live stream: it can set no header, and an API key in a URL would stand
//! in logs and histories for good.

use errand_domain::{AccountId, Timestamp};
use errand_vault::StreamGrant;
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::limits::STREAM_TOKEN_MS;
use crate::rest::Caller;

/// `{"object": "stream_token", "token", "expires_at"}`.
pub(crate) fn create(app: &App, caller: &Caller) -> Value {
    let expires_at_ms = app.stores.clock.now().as_millis().saturating_add(STREAM_TOKEN_MS);
    let account = caller.account.as_str().to_owned();
    let grant = StreamGrant { account, operator: caller.operator, expires_at_ms };
    let token = app.config.master_key.stream_token(&grant);
    let expires_at = Timestamp::from_millis(expires_at_ms).to_string();
    json!({"object": "stream_token", "token": token.expose_secret(), "expires_at": expires_at})
}

/// Whom a token speaks for.
///
/// # Errors
/// 401 when it opens nothing (any more).
pub(crate) fn open(app: &App, token: &str) -> Result<Caller, Fault> {
    let grant = app.config.master_key.open_stream_token(token, app.stores.clock.now().as_millis());
    let caller = grant.and_then(|grant| {
        let account = AccountId::parse(&grant.account).ok()?;
        Some(Caller { account, operator: grant.operator })
    });
    let unknown = "the stream token is not known or has expired; make another one";
    caller.ok_or_else(|| Fault::new(FaultKind::Unauthorized, "unauthorized", unknown))
}
