//! Reads query parameters; every fault names its parameter.

use axum::extract::{FromRequestParts, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use errand_domain::run::Status;
use http::request::Parts;
use std::convert::Infallible;

use crate::fault::Fault;

/// Parameters that may stand several times; of every other one a second value would be dropped without a word.
const LISTS: [&str; 2] = ["status", "type"];

/// Hands a request on when it has the parameters of its call only, each once.
pub(super) async fn check_parameters(known: &'static [&'static str], request: Request, next: Next) -> Response {
    let query = Query::read(request.uri().query().unwrap_or_default());
    match query.check(known) {
        Ok(()) => next.run(request).await,
        Err(fault) => fault.into_response(),
    }
}

/// The query's pairs, in order.
#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}

impl Query {
    pub(super) fn of(parts: &Parts) -> Self {
        Self::read(parts.uri.query().unwrap_or_default())
    }

    fn read(query: &str) -> Self {
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    fn check(&self, known: &[&str]) -> Result<(), Fault> {
        for (place, (name, _)) in self.0.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                return Err(Fault::field(name, format!("\"{name}\" is not a parameter of this call")));
            }
            let is_again = self.0[..place].iter().any(|(earlier, _)| earlier == name);
            if is_again && !LISTS.contains(&name.as_str()) {
                return Err(Fault::field(name, format!("\"{name}\" must be given once")));
            }
        }
        Ok(())
    }

    /// The value of a parameter; an empty one counts as absent.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// # Errors
    /// When the parameter is not a whole number in `min..=max`.
    pub(crate) fn integer(&self, name: &str, min: u64, max: u64) -> Result<Option<u64>, Fault> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (min..=max).contains(number));
        let fault = || Fault::field(name, format!("\"{name}\" must be an integer from {min} to {max}"));
        number.map(Some).ok_or_else(fault)
    }

    /// All values of a parameter; several may also stand in one, with commas between.
    pub(crate) fn list(&self, name: &str) -> Vec<&str> {
        let values = self.0.iter().filter(|(key, _)| key == name);
        values.flat_map(|(_, value)| value.split(',')).map(str::trim).filter(|value| !value.is_empty()).collect()
    }

    /// # Errors
    /// When one of them is not a status.
    pub(crate) fn statuses(&self, name: &str) -> Result<Vec<Status>, Fault> {
        self.list(name).into_iter().map(|text| read_status(name, text)).collect()
    }
}

const STATUSES: [Status; 6] =
    [Status::Running, Status::WaitingForHuman, Status::Succeeded, Status::Failed, Status::TimedOut, Status::Stopped];

fn read_status(name: &str, text: &str) -> Result<Status, Fault> {
    STATUSES.into_iter().find(|status| status.as_str() == text).ok_or_else(|| {
        let names: Vec<&str> = STATUSES.iter().map(|status| status.as_str()).collect();
        Fault::field(name, format!("\"{name}\" must be one of {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_does_not_know_and_what_stands_twice_is_named() {
        let refusal = |query: &str| Query::read(query).check(&["limit", "status"]).err().map(|fault| fault.message);
        assert_eq!(refusal("limit=1&status=failed&status=stopped"), None);
        assert_eq!(refusal("limit=1&offset=5").as_deref(), Some("\"offset\" is not a parameter of this call"));
        assert_eq!(refusal("Limit=1").as_deref(), Some("\"Limit\" is not a parameter of this call"));
        assert_eq!(refusal("li%6Dit=1&limit=1").as_deref(), Some("\"limit\" must be given once"));
    }

    #[test]
    fn a_number_outside_its_bounds_is_named() {
        let query = Query::read("wait=61&limit=&x=-1");
        let fault = query.integer("wait", 0, 60).unwrap_err();
        assert_eq!(fault.message, "\"wait\" must be an integer from 0 to 60");
        assert_eq!(query.integer("limit", 1, 50), Ok(None));
        assert!(query.integer("x", 0, 60).is_err());
    }

    #[test]
    fn lists_come_repeated_or_with_commas() {
        let query = Query::read("status=failed,stopped&status=running");
        let found = query.statuses("status").unwrap();
        assert_eq!(found, [Status::Failed, Status::Stopped, Status::Running]);
        assert!(Query::read("status=done").statuses("status").is_err());
    }
}
