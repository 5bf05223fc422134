//! JSON Pointers (RFC 6901): how a place in data or in a schema is named.

/// The pointer of a member or element below `parent`.
#[must_use]
pub fn child(parent: &str, token: &str) -> String {
    let escaped = token.replace('~', "~0").replace('/', "~1");
    format!("{parent}/{escaped}")
}

/// A place as it is shown in messages.
#[must_use]
pub fn shown(pointer: &str) -> String {
    if pointer.is_empty() { "at the top level".to_owned() } else { format!("at \"{pointer}\"") }
}
