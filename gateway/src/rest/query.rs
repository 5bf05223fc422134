//! Reads query parameters; every fault names its parameter.

use axum::extract::FromRequestParts;
use errand_domain::run::Status;
use http::request::Parts;
use std::convert::Infallible;

use crate::fault::Fault;

/// The query's pairs, in order. Parameters that a call does not know are left alone.
#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::read(parts.uri.query().unwrap_or_default()))
    }
}

impl Query {
    fn read(query: &str) -> Self {
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// The first value of a parameter; an empty one counts as absent.
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
