//! Reads the one variable part of a path; what is no text is refused in the API's own form.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

use crate::fault::Fault;

/// An id or a name, as it stands in the path.
#[derive(Debug)]
pub(crate) struct PathName(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let read = Path::<String>::from_request_parts(parts, state).await;
        read.map(|Path(name)| Self(name)).map_err(|_| Fault::invalid("the path is not valid UTF-8"))
    }
}
