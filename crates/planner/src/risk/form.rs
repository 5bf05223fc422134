//! What submitting a form does: by where it goes, how, and what it sends. The words of its button only ever make it worse,
//! but for the steps of a flow.

use super::address::{self, Address};
use super::lexicon::{self, Hint};
use super::{Verdict, loose_enter, money, risky, safe, script};
use crate::controls;
use crate::goal::meaning::Meaning;
use crate::observation::{Element, Form, Observation, SentControl};
use crate::words;

/// A form and the button that sends it, taken apart.
struct Submission<'a> {
    form: &'a Form,
    button: &'a Element,
    /// What its button says; empty for Enter in a form without one.
    hint: Hint,
    fields: Vec<&'a Element>,
    meanings: Vec<Meaning>,
    /// Where it goes, with the parameters that it sends by GET.
    address: Option<Address>,
    page: Option<Address>,
}

/// Submitting a form by this button (or by Enter in this field).
pub(super) fn submit(button: &Element, form: &Form, observation: &Observation) -> Verdict {
    let it = Submission::new(button, form, observation);
    if it.meanings.iter().any(|meaning| meaning.is_payment()) {
        return risky(format!("it sends payment details to {}", it.target()));
    }
    match form.method.as_str() {
        "" if controls::is_field(button) => loose_enter(button, observation),
        "dialog" | "" => script::press(button, observation),
        "get" => it.get(),
        _ => it.post(),
    }
}

impl<'a> Submission<'a> {
    fn new(button: &'a Element, form: &'a Form, observation: &'a Observation) -> Self {
        // A button that sends its form elsewhere has a variant of it; the fields stand in the form itself.
        let group = form.variant_of.or(button.form);
        let is_of_form = |element: &&Element| element.form == group && controls::is_field(element);
        let fields: Vec<&Element> = observation.elements.iter().filter(is_of_form).collect();
        let meanings = fields.iter().filter_map(|field| controls::meaning(field)).collect();
        let hint = if controls::is_field(button) { Hint::Unknown } else { script::hint(button) };
        let (address, page) = (Address::parse(&form.action), Address::parse(&observation.url));
        Self { form, button, hint, fields, meanings, address, page }
    }

    /// GET asks for a page. Scripts often take over a form without a method, so personal fields and committing words count.
    fn get(&self) -> Verdict {
        let sent = self.form.sent.iter().map(|control| (control.name.clone(), control.value.clone()));
        if Address::parse(&self.form.action).is_some_and(|address| address.with(sent).commits_by_get()) {
            return risky(format!("opening {} already changes something", self.target()));
        }
        let is_search = self.meanings.contains(&Meaning::Search);
        let is_personal = self.is_personal();
        match self.hint {
            Hint::Commits if (is_search || !is_personal) && self.is_filter_submit() => {
                safe("it asks for a page by GET")
            }
            Hint::Commits => risky(format!("its name {:?} says that it commits something", self.button.name)),
            Hint::Harmless if is_personal && !is_search && lexicon::is_ambiguous(&self.button.name) => {
                risky(format!("it sends personal fields to {}", self.target()))
            }
            Hint::Enters | Hint::Unknown if is_personal && !is_search && !self.is_sign_in() => {
                risky(format!("it sends personal fields to {}", self.target()))
            }
            Hint::Advances | Hint::Harmless | Hint::Enters | Hint::Unknown => safe("it asks for a page by GET"),
        }
    }

    /// A POST changes something unless its shape is one of the few that do not.
    fn post(&self) -> Verdict {
        let (Some(address), Some(page)) = (&self.address, &self.page) else {
            return risky("it posts the form to an unknown place");
        };
        let why = if !address.is_of_site(page) {
            "which is another site"
        } else if address.is_sign_out() && self.fields.is_empty() {
            return safe("it signs out");
        } else if address.is_cart() && !self.is_personal() || self.puts_into_cart() && !address.commits() {
            return safe("it changes the cart");
        } else if address.commits() {
            "whose address says that it commits something"
        } else if self.sends_amount() {
            "with a sum or what it is for"
        } else if self.is_sign_in() {
            return safe("it signs in");
        } else if self.is_search(address, page) {
            return safe("it is a search or a filter");
        } else if address.is_consent() && self.is_all_choices() {
            return safe("it answers a consent banner");
        } else if address.is_preference() && self.is_all_choices() {
            return safe("it chooses how the site is shown");
        } else if matches!(self.hint, Hint::Advances | Hint::Harmless) && address.is_flow() {
            return safe("it goes on to the next step of a flow, without payment details");
        } else {
            "and what that does is unknown"
        };
        risky(format!("it posts the form to {}, {why}", self.target()))
    }

    fn is_personal(&self) -> bool {
        self.meanings.iter().any(|meaning| meaning.is_personal())
    }

    /// `Submit` on a GET form without personal fields is how plain filters are written.
    fn is_filter_submit(&self) -> bool {
        words::is_any(&words::stems(&self.button.name), &["submit", "send", "apply"])
    }

    /// Only boxes, choices and numbers, or nothing at all.
    fn is_all_choices(&self) -> bool {
        let is_choice = |field: &&Element| !controls::is_text(field) || field.input_type.as_deref() == Some("number");
        self.fields.iter().all(is_choice)
    }

    /// A control of the form is named as shops name putting something into the cart.
    fn puts_into_cart(&self) -> bool {
        let mut names =
            self.form.sent.iter().map(|control| control.name.as_str()).chain(self.button.control_name.as_deref());
        !self.is_personal() && names.any(address::is_cart_name)
    }

    /// Search boxes alone; or, without any text of a person's, a search's or filter's address or a filter's button on its own
    /// page.
    fn is_search(&self, address: &Address, page: &Address) -> bool {
        if self.hint == Hint::Commits || self.has_password() {
            return false;
        }
        let is_box = |field: &&Element| controls::meaning(field) == Some(Meaning::Search) || !controls::is_text(field);
        let has_box = self.meanings.contains(&Meaning::Search);
        let filters = self.hint == Hint::Harmless
            && self.is_all_choices()
            && !self.fields.is_empty()
            && address.is_same_page(page);
        has_box && self.fields.iter().all(is_box)
            || address.is_search() && !self.is_personal()
            || filters && !is_settings(page)
    }

    fn has_password(&self) -> bool {
        self.fields.iter().any(|field| field.input_type.as_deref() == Some("password"))
    }

    /// A user's name and password once, or the one code or name that a sign-in asks for by itself, sent to a place that signs
    /// in or by a button that says so.
    fn is_sign_in(&self) -> bool {
        let texts = self.fields.iter().filter(|field| controls::is_text(field)).count();
        let passwords = self.fields.iter().filter(|field| field.input_type.as_deref() == Some("password")).count();
        let is_credential = |meaning: &Meaning| {
            matches!(
                meaning,
                Meaning::Username | Meaning::Email | Meaning::Password | Meaning::OneTimeCode | Meaning::Phone
            )
        };
        let is_current = self.fields.iter().any(|field| field.autocomplete.as_deref() == Some("current-password"));
        let name = words::stems(&self.button.name);
        let signs_in =
            words::has_any(&name, &["login", "anmelden", "connexion", "einloggen", "logg inn", "accedi", "entrar"]);
        let is_there = self.address.as_ref().is_some_and(Address::is_session) || signs_in || is_current;
        let registers = words::has_any(
            &name,
            &["register", "signup", "create account", "change", "update", "delete", "pay", "transfer", "confirm"],
        );
        let has_right_fields = match passwords {
            1 => texts <= 3,
            0 => texts == 1 && (signs_in || self.meanings.contains(&Meaning::OneTimeCode)),
            _ => false,
        };
        is_there && has_right_fields && !registers && self.meanings.iter().all(is_credential) && !self.sends_amount()
    }

    /// A hidden control names a sum, or whom it goes to: what looks like a search or a sign-in then moves money.
    fn sends_amount(&self) -> bool {
        let names_amount = |name: &str| {
            let stems = words::identifier_stems(name);
            words::has_any(
                &stems,
                &[
                    "amount",
                    "total",
                    "price",
                    "sum",
                    "payee",
                    "iban",
                    "recipient",
                    "donation",
                    "fee",
                    "plan",
                    "quantity",
                    "qty",
                    "tip",
                ],
            )
        };
        let is_amount = |control: &SentControl| {
            control.is_hidden && (names_amount(&control.name) || !money::amounts(&control.value).is_empty())
        };
        let own = self.button.control_name.as_deref().is_some_and(names_amount);
        own || self.form.sent.iter().any(is_amount)
    }

    fn target(&self) -> String {
        url::Url::parse(&self.form.action).map_or_else(
            |_| "its page".to_owned(),
            |url| format!("{}{}", url.host_str().unwrap_or_default(), url.path()),
        )
    }
}

/// Where choices are kept: their form looks like a filter's.
fn is_settings(page: &Address) -> bool {
    page.is_about(&["setting", "account", "profile", "preference", "admin", "config", "option", "notification"])
}
