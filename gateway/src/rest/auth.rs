//! Who calls: the account of the API key in the `Authorization` header.

use axum::extract::FromRequestParts;
use errand_domain::AccountId;
use http::header::AUTHORIZATION;
use http::request::Parts;
use std::sync::Arc;

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::keys;

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
