//! What a person reads of an action before it is approved.

use errand_domain::action::{Action, TypedText};
use url::Url;

use crate::observation::Element;

/// The action in a person's words; of a secret also whose page gets it, and where that page's form goes.
pub(super) fn describe(action: &Action, element: Option<&Element>) -> String {
    let what = action.describe();
    let (Action::Type { text: TypedText::Secret(_), .. }, Some(element)) = (action, element) else { return what };
    let what = format!("{what} of {}", host(&element.origin));
    let elsewhere = element.destinations.iter().filter(|destination| **destination != element.origin);
    let elsewhere: Vec<String> = elsewhere.map(|destination| host(destination)).collect();
    if elsewhere.is_empty() { what } else { format!("{what}, whose form goes to {}", elsewhere.join(" and to ")) }
}

/// Host, and port where it is not the scheme's own; what has no host is shown as it is.
fn host(origin: &str) -> String {
    let url = Url::parse(origin).ok();
    let parts = url.as_ref().and_then(|url| Some((url.host_str()?, url.port())));
    match parts {
        Some((host, Some(port))) => format!("{host}:{port}"),
        Some((host, None)) => host.to_owned(),
        None => origin.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::SecretName;

    #[test]
    fn a_secret_is_said_to_go_where_its_frame_and_form_are() {
        let field = |destinations: &[&str]| Element {
            role: "textbox".to_owned(),
            name: "Password".to_owned(),
            origin: "http://127.0.0.2:8080".to_owned(),
            destinations: destinations.iter().map(|destination| (*destination).to_owned()).collect(),
            ..Element::default()
        };
        let said = |element: &Element, text| describe(&Action::Type { target: element.target(), text }, Some(element));
        let secret = || TypedText::Secret(SecretName::parse("x").unwrap());
        let here = field(&["http://127.0.0.2:8080"]);
        assert_eq!(said(&here, secret()), r#"type [secret:x] into textbox "Password" of 127.0.0.2:8080"#);
        let there = field(&["http://127.0.0.2:8080", "https://evil.test", "mailto:"]);
        let wanted =
            r#"type [secret:x] into textbox "Password" of 127.0.0.2:8080, whose form goes to evil.test and to mailto:"#;
        assert_eq!(said(&there, secret()), wanted);
        assert_eq!(said(&there, TypedText::Plain("a".to_owned())), r#"type "a" into textbox "Password""#);
    }
}
