//! Who calls: the account of the API key in the `Authorization` header.

use axum::extract::FromRequestParts;
use errand_domain::AccountId;
use http::header::AUTHORIZATION;
use http::request::Parts;
use std::sync::Arc;

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::keys;
use crate::rest::Query;
use crate::stream_tokens;

/// The caller of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    pub account: AccountId,
    /// Sees all accounts.
    pub operator: bool,
}

impl Caller {
    /// Whether this caller may see what belongs to `account`.
    pub(crate) fn may_see(&self, account: &AccountId) -> bool {
        self.operator || self.account == *account
    }
}

/// The caller of a live stream, by API key or by a stream token in `token`.
#[derive(Debug)]
pub(crate) struct StreamCaller {
    pub caller: Caller,
    /// Came with a token and nothing else of its own: pages of any origin may read the stream that it opens.
    pub by_token: bool,
}

impl FromRequestParts<Arc<App>> for StreamCaller {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Fault> {
        let query = Query::of(parts);
        let Some(token) = query.text("token") else {
            let caller = Caller::from_request_parts(parts, app).await?;
            return Ok(Self { caller, by_token: false });
        };
        if parts.headers.contains_key(AUTHORIZATION) {
            return Err(Fault::field("token", "give \"token\" or \"Authorization\", not both"));
        }
        Ok(Self { caller: stream_tokens::open(app, token)?, by_token: true })
    }
}

fn unauthorized(message: &str) -> Fault {
    Fault::new(FaultKind::Unauthorized, "unauthorized", message)
}

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Fault> {
        let missing = || unauthorized("an API key is required: \"Authorization: Bearer <api key>\"");
        let header = parts.headers.get(AUTHORIZATION).ok_or_else(missing)?;
        let text = header.to_str().map_err(|_| missing())?;
        let (scheme, key) = text.split_once(' ').ok_or_else(missing)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(missing());
        }
        let record = keys::find(&*app.stores.keyvalue, key.trim()).await?;
        let record = record.ok_or_else(|| unauthorized("the API key is not known"))?;
        Ok(Self { account: record.account, operator: record.operator })
    }
}
