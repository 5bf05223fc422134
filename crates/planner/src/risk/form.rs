//! What submitting a form does: by its method, its fields, its target, and last by the words of its button.

use url::Url;

use super::lexicon::{self, Hint};
use super::{Verdict, path_words, risky, safe, script_button};
use crate::controls;
use crate::goal::meaning::Meaning;
use crate::observation::{Element, Form, Observation};
use crate::words;

/// Submitting a form by this button (or by Enter in this field).
pub(super) fn submit(button: &Element, form: &Form, observation: &Observation) -> Verdict {
    let fields: Vec<&Element> = observation
        .elements
        .iter()
        .filter(|element| element.form == button.form && controls::is_field(element))
        .collect();
    let meanings: Vec<Meaning> = fields.iter().filter_map(|field| controls::meaning(field)).collect();
    let name = if controls::is_field(button) { "" } else { button.name.as_str() };
    let has_payment = meanings.iter().any(|meaning| meaning.is_payment());
    if has_payment && lexicon::hint(name) != Hint::Harmless {
        return risky(format!("it sends payment details to {}", target_name(form)));
    }
    if is_sign_in(name, &meanings, &fields) {
        return safe("it signs in");
    }
    match form.method.as_str() {
        "dialog" | "" => script_button(button, observation),
        "get" => get_form(name, form, &meanings, &fields),
        _ => post_form(name, form, &meanings, &fields),
    }
}

/// A password once, beside at most a user name and small options, and no word of registering.
fn is_sign_in(name: &str, meanings: &[Meaning], fields: &[&Element]) -> bool {
    let passwords = fields.iter().filter(|field| field.input_type.as_deref() == Some("password")).count();
    let is_new = meanings.contains(&Meaning::NewPassword);
    let others = meanings
        .iter()
        .filter(|meaning| {
            !matches!(
                meaning,
                Meaning::Username | Meaning::Email | Meaning::Password | Meaning::OneTimeCode | Meaning::Phone
            )
        })
        .count();
    let texts = fields.iter().filter(|field| controls::is_text(field)).count();
    let registers = words::has_any(
        &words::stems(name),
        &["register", "signup", "create account", "change", "update", "delete", "pay", "transfer", "confirm"],
    );
    let code_only = passwords == 0 && texts == 1 && meanings.contains(&Meaning::OneTimeCode);
    let says_login = words::has_any(&words::stems(name), &["login"]);
    let user_first = passwords == 0 && texts == 1 && says_login;
    (passwords == 1 && !is_new && others == 0 && texts <= 3 && !registers) || code_only || user_first
}

/// GET asks for a page. Scripts often take over a form without a method, so personal fields and committing words count.
fn get_form(name: &str, form: &Form, meanings: &[Meaning], fields: &[&Element]) -> Verdict {
    if meanings.contains(&Meaning::Search) || fields.is_empty() && lexicon::hint(name) != Hint::Commits {
        return safe("it is a search");
    }
    let is_personal = meanings.iter().any(|meaning| meaning.is_personal());
    match lexicon::hint(name) {
        Hint::Commits if is_filter_submit(name, is_personal) => safe("it asks for a page by GET"),
        Hint::Commits => risky(format!("its name {name:?} says that it commits something")),
        Hint::Harmless if is_personal && lexicon::is_ambiguous(name) => {
            risky(format!("it sends personal fields to {}", target_name(form)))
        }
        Hint::Advances | Hint::Harmless => safe("it asks for a page by GET"),
        Hint::Enters | Hint::Unknown if is_personal => {
            risky(format!("it sends personal fields to {}", target_name(form)))
        }
        Hint::Enters | Hint::Unknown => safe("it asks for a page by GET"),
    }
}

/// `Submit` on a GET form without personal fields is how plain filters are written.
fn is_filter_submit(name: &str, is_personal: bool) -> bool {
    !is_personal && words::is_any(&words::stems(name), &["submit", "send", "apply"])
}

/// A POST changes something unless it is one of the few known that do not.
fn post_form(name: &str, form: &Form, meanings: &[Meaning], fields: &[&Element]) -> Verdict {
    let is_search = !fields.is_empty()
        && meanings.len() == fields.len()
        && meanings.iter().all(|meaning| *meaning == Meaning::Search);
    let path = path_words(&form.action);
    let is_personal = meanings.iter().any(|meaning| meaning.is_personal());
    match lexicon::hint(name) {
        _ if is_cart_path(form) && !is_personal => safe("it changes the cart"),
        Hint::Commits | Hint::Enters => risky(format!("it posts the form to {}", target_name(form))),
        _ if lexicon::commits_by_path(&path) => risky(format!("it posts the form to {}", target_name(form))),
        Hint::Harmless if is_personal && lexicon::is_ambiguous(name) => {
            risky(format!("it posts personal fields to {}", target_name(form)))
        }
        Hint::Harmless => safe("its name says that nothing lasting comes of it"),
        _ if is_search => safe("it is a search"),
        Hint::Advances => safe("it goes on to the next step of a flow, without payment details"),
        Hint::Unknown if is_session_path(&path) => safe("it searches or signs in"),
        Hint::Unknown => risky(format!("it posts the form to {}, and what that does is unknown", target_name(form))),
    }
}

fn is_session_path(path: &[String]) -> bool {
    words::has_any(path, &["search", "login", "logout"])
}

/// Shops name the address that adds to the cart in few ways: `/cart/add`, `/newaddtocart`, `/basket/items`.
fn is_cart_path(form: &Form) -> bool {
    let path = Url::parse(&form.action).map(|url| url.path().to_lowercase()).unwrap_or_default();
    let letters: String = path.chars().filter(char::is_ascii_alphabetic).collect();
    let adds = [
        "addtocart",
        "cartadd",
        "cartitem",
        "addtobasket",
        "basketadd",
        "basketitem",
        "addtobag",
        "bagadd",
        "cartupdate",
        "updatecart",
        "cartchange",
        "cartremove",
    ];
    adds.iter().any(|name| letters.contains(name)) && !letters.contains("checkout")
}

fn target_name(form: &Form) -> String {
    Url::parse(&form.action)
        .map_or_else(|_| "its page".to_owned(), |url| format!("{}{}", url.host_str().unwrap_or_default(), url.path()))
}
