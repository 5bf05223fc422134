//! What an element's own attributes say about it: the words of its class, id and data attributes.

use crate::dom::{Dom, Id};
use crate::text::words;

/// Attributes whose words describe an element.
const DESCRIBING: &[&str] = &[
    "class",
    "id",
    "itemprop",
    "data-testid",
    "data-test",
    "data-qa",
    "data-field",
    "data-name",
    "data-role",
    "data-label",
    "data-key",
    "aria-label",
    "data-automation-id",
    "rel",
    "property",
];
/// Longest attribute value looked at; longer ones are generated.
const VALUE_BYTES_MAX: usize = 300;

/// The words of an element's describing attributes, lower case.
#[must_use]
pub fn own_words(dom: &Dom, id: Id) -> Vec<String> {
    let Some(element) = dom.element(id) else { return Vec::new() };
    let values = element
        .attrs
        .iter()
        .filter(|attr| DESCRIBING.contains(&&*attr.name.local) && attr.value.len() <= VALUE_BYTES_MAX);
    values.flat_map(|attr| words(&attr.value)).collect()
}

/// Whether an element lies in a part of the page that frames its subject. A header frames only what no main part is around.
#[must_use]
pub fn is_framing(dom: &Dom, id: Id) -> bool {
    let mut in_header = false;
    for at in std::iter::once(id).chain(dom.ancestors(id)) {
        match dom.name(at) {
            "nav" | "footer" | "aside" => return true,
            "header" => in_header = true,
            name => {
                if is_framing_role(dom.attr(at, "role")) {
                    return true;
                }
                if matches!(name, "main" | "article" | "section") {
                    in_header = false;
                }
            }
        }
    }
    in_header
}

fn is_framing_role(role: Option<&str>) -> bool {
    role.is_some_and(|role| matches!(role, "navigation" | "contentinfo" | "banner" | "complementary" | "dialog"))
}
