//! Which value of the goal belongs into which field.

use errand_domain::SecretName;
use errand_domain::action::TypedText;

use super::context::Context;
use super::dates;
use crate::controls;
use crate::goal::meaning::{self, Meaning};
use crate::observation::Element;
use crate::words;

/// The text for a field, when the goal, an answer or a secret gives one. `group` holds the fields beside it.
pub(super) fn text_for(context: &Context<'_>, field: &Element, group: &[&Element]) -> Option<TypedText> {
    let meaning = controls::meaning(field);
    let by_meaning = meaning.and_then(|meaning| by_meaning(context, meaning, field, group));
    let by_label = || by_label(context, field, meaning).map(|value| typed(context, &value));
    let by_kind = || date_or_time(context, field).or_else(|| only_text(context, field, group)).map(TypedText::Plain);
    let value = by_meaning.or_else(by_label).or_else(by_kind)?;
    match value {
        TypedText::Plain(text) => Some(TypedText::Plain(fitted(field, &text))),
        TypedText::Secret(_) => Some(value),
    }
}

fn by_meaning(context: &Context<'_>, meaning: Meaning, field: &Element, group: &[&Element]) -> Option<TypedText> {
    let known = |meaning: Meaning| context.goal.facts.known.get(&meaning).cloned();
    let has = |wanted: Meaning| group.iter().any(|other| controls::meaning(other) == Some(wanted));
    match meaning {
        Meaning::Username | Meaning::Password | Meaning::NewPassword | Meaning::OneTimeCode => {
            credential(context, meaning)
        }
        Meaning::Email => known(Meaning::Email).map(|email| typed(context, &email)).or_else(|| {
            let is_sign_in = has(Meaning::Password) && !has(Meaning::Username);
            if is_sign_in { credential(context, Meaning::Username) } else { None }
        }),
        Meaning::FullName if has(Meaning::LastName) => known(Meaning::FirstName).map(TypedText::Plain),
        Meaning::Address | Meaning::Street => street(context, &has).map(TypedText::Plain),
        Meaning::Quantity if !is_wanted_row(context, field, group) => None,
        Meaning::Quantity => known(Meaning::Quantity)
            .and_then(|count| digits_of(&count))
            .or_else(|| item_quantity(context))
            .map(TypedText::Plain),
        Meaning::Product => item_name(context).map(TypedText::Plain),
        Meaning::Search => None,
        Meaning::Message => known(Meaning::Message).filter(|_| !is_note(field)).map(TypedText::Plain),
        Meaning::CardNumber | Meaning::CardExpiry | Meaning::CardCode | Meaning::CardName => {
            known(meaning).map(|value| typed(context, &value)).or_else(|| payment_secret(context, meaning))
        }
        Meaning::FullName
        | Meaning::FirstName
        | Meaning::MiddleName
        | Meaning::LastName
        | Meaning::Phone
        | Meaning::Street2
        | Meaning::City
        | Meaning::State
        | Meaning::Zip
        | Meaning::Country
        | Meaning::Company
        | Meaning::Subject
        | Meaning::Coupon
        | Meaning::BirthDate => known(meaning).map(|value| typed(context, &value)),
    }
}

/// The goal's message belongs into the only large field, whatever that is called.
fn only_text(context: &Context<'_>, field: &Element, group: &[&Element]) -> Option<String> {
    let is_large = |other: &Element| controls::kind(other) == controls::Kind::MultiLine;
    let large = group.iter().filter(|other| is_large(other)).count();
    let is_known = controls::meaning(field).is_some();
    let is_free = is_large(field) && large == 1 && !is_known && !is_note(field);
    if is_free && let Some(message) = context.goal.facts.known.get(&Meaning::Message) {
        return Some(message.clone());
    }
    // `Add "Buy milk" to the list`: one text, one field.
    let texts = group.iter().filter(|other| controls::is_text(other)).count();
    match context.goal.facts.quoted.as_slice() {
        [only] if texts == 1 && !is_known && item_name(context).is_none() => Some(only.clone()),
        _ => None,
    }
}

/// The ways to write the part of a date that a select asks for: day, month or year.
pub(super) fn date_part(context: &Context<'_>, field: &Element) -> Option<Vec<String>> {
    let label = words::stems(&format!("{} {}", field.name, field.control_name.as_deref().unwrap_or_default()));
    let prompt = field.options.first().map(|option| words::stems(option)).unwrap_or_default();
    let asks = |phrases: &[&'static str]| words::has_any(&label, phrases) || words::is_any(&prompt, phrases);
    let facts = &context.goal.facts;
    let date = facts.known.get(&Meaning::BirthDate).or_else(|| facts.dates.first())?;
    let (year, month, day) = dates::parts(date)?;
    if asks(&["day", "dd"]) {
        Some(vec![day.to_string(), format!("{day:02}")])
    } else if asks(&["month", "mm"]) {
        Some(dates::month_names(month))
    } else if asks(&["year", "yyyy"]) {
        Some(vec![year.to_string()])
    } else {
        None
    }
}

/// A date or time of the goal for a field that takes one, told apart by first and last when there are two.
fn date_or_time(context: &Context<'_>, field: &Element) -> Option<String> {
    let label = words::stems(controls::label(field));
    let is_last = words::has_any(&label, &["checkout", "until", "end", "return", "departure", "to"]);
    let among = |values: &[String]| if is_last { values.last().cloned() } else { values.first().cloned() };
    match field.input_type.as_deref() {
        Some("date") => among(&context.goal.facts.dates),
        Some("time") => among(&context.goal.facts.times),
        _ if words::has_any(&label, &["date", "day", "checkin", "check in"]) => among(&context.goal.facts.dates),
        _ if words::is_any(&label, &["time", "at", "hour"]) => among(&context.goal.facts.times),
        Some(_) | None => None,
    }
}

/// Notes for a courier are no messages.
fn is_note(field: &Element) -> bool {
    words::has_any(&words::stems(controls::label(field)), &["order note", "delivery note", "delivery instructions"])
}

/// The street, or the whole address when the form has no fields for the rest of it.
fn street(context: &Context<'_>, has: &dyn Fn(Meaning) -> bool) -> Option<String> {
    let known = &context.goal.facts.known;
    let street = known.get(&Meaning::Street);
    if !has(Meaning::City) && !has(Meaning::Zip) {
        return known.get(&Meaning::Address).or(street).cloned();
    }
    let street = street.or_else(|| known.get(&Meaning::Address))?;
    match known.get(&Meaning::Street2).filter(|_| !has(Meaning::Street2)) {
        Some(unit) if !street.contains(unit.as_str()) => Some(format!("{street}, {unit}")),
        Some(_) | None => Some(street.clone()),
    }
}

/// An order sheet has a quantity in every row: only the row of the item with its options is meant.
fn is_wanted_row(context: &Context<'_>, field: &Element, group: &[&Element]) -> bool {
    let is_quantity = |other: &&&Element| controls::meaning(other) == Some(Meaning::Quantity);
    let mut rows = group.iter().filter(is_quantity).peekable();
    let score = |row: &Element| {
        let words_of_row = words::content_stems(&format!("{} {} {}", row.name, row.section, row.near_text));
        let item = super::item_of(&context.goal).map_or(0, |item| words::coverage(&item.stems, &words_of_row));
        let options = context.goal.facts.labelled.iter();
        let named = options
            .filter(|fact| words::coverage(&words::content_stems(&fact.value), &words_of_row) == words::LIKENESS_MAX);
        item * 100 + u32::try_from(named.count()).unwrap_or(0)
    };
    let Some(best) = rows.peek().copied() else { return true };
    let best = rows.fold(*best, |best, row| if score(row) > score(best) { row } else { best });
    std::ptr::eq(best, field) || best.reference == field.reference
}

fn digits_of(count: &str) -> Option<String> {
    words::number(count.split_whitespace().next().unwrap_or_default()).map(|count| count.to_string())
}

fn item_quantity(context: &Context<'_>) -> Option<String> {
    super::item_of(&context.goal).and_then(|item| item.quantity).map(|count| count.to_string())
}

fn item_name(context: &Context<'_>) -> Option<String> {
    super::item_of(&context.goal).map(|item| item.name.clone()).filter(|name| !name.is_empty())
}

/// The fact whose label and the field's label say the same; the longest such label wins.
pub(super) fn by_label(context: &Context<'_>, field: &Element, meaning: Option<Meaning>) -> Option<String> {
    let labels = [
        words::content_stems(controls::label(field)),
        field.control_name.as_deref().map(words::identifier_stems).unwrap_or_default(),
        words::content_stems(&field.section),
    ];
    let is_choice = !controls::is_text(field);
    let fits = |label: &[String]| {
        let fact_meaning = meaning::of_stems(label);
        if fact_meaning.is_some() && fact_meaning != meaning {
            return false;
        }
        let (people, asked) = (is_about_people(label), is_about_people(&labels[0]));
        if people && asked {
            return true;
        }
        let is_named_by = |words: &Vec<String>| {
            !words.is_empty()
                && (words::coverage(label, words) == words::LIKENESS_MAX
                    || words::coverage(words, label) == words::LIKENESS_MAX)
        };
        is_named_by(&labels[0])
            || (!labels[1].is_empty() && is_named_by(&labels[1]))
            || (is_choice && is_named_by(&labels[2]))
    };
    let facts = context.goal.facts.labelled.iter().filter(|fact| !fact.label.is_empty() && fits(&fact.label));
    let mut best: Option<&crate::goal::Labelled> = None;
    for fact in facts {
        if best.is_none_or(|best| fact.label.len() > best.label.len()) {
            best = Some(fact);
        }
    }
    best.map(|fact| fact.value.clone())
}

/// How many come: forms ask for guests, people or the size of a party.
fn is_about_people(label: &[String]) -> bool {
    let is_of_some = words::has_any(label, &["adult", "child", "children", "kids", "infants"]);
    !is_of_some
        && words::has_any(
            label,
            &["guests", "people", "persons", "party size", "party", "diners", "covers", "passengers", "seats"],
        )
}

/// A value of the goal: text, or the name of a secret such as `[secret shop_password]`.
fn typed(context: &Context<'_>, value: &str) -> TypedText {
    named_secret(context, value).map_or_else(|| TypedText::Plain(value.to_owned()), TypedText::Secret)
}

fn named_secret(context: &Context<'_>, value: &str) -> Option<SecretName> {
    let inner = value.trim().trim_matches(['[', ']', '{', '}', '<', '>', ' ', '"']);
    let inner = ["the secret", "secret:", "secret"]
        .iter()
        .find_map(|prefix| inner.strip_prefix(prefix))
        .unwrap_or(inner)
        .trim();
    context.situation.secrets.iter().find(|secret| secret.as_str() == inner).cloned()
}

const PASSWORD_WORDS: &[&str] = &["password", "pass", "pwd", "passphrase", "pin", "pw", "passwd"];
const USER_WORDS: &[&str] = &["username", "user", "login", "email", "account", "id", "mail"];
const CODE_WORDS: &[&str] = &["totp", "otp", "2fa", "mfa", "code", "token"];

/// Sign-in details: from the goal, else the secret whose name says so.
fn credential(context: &Context<'_>, meaning: Meaning) -> Option<TypedText> {
    let known = |meaning: Meaning| context.goal.facts.known.get(&meaning).map(|value| typed(context, value));
    if matches!(meaning, Meaning::Password | Meaning::NewPassword) {
        known(Meaning::Password)
            .or_else(|| secret_named(context, PASSWORD_WORDS))
            .or_else(|| only_secret(context))
            .map(|text| as_secret_reference(context, text))
    } else if meaning == Meaning::OneTimeCode {
        known(Meaning::OneTimeCode).or_else(|| secret_named(context, CODE_WORDS))
    } else {
        known(Meaning::Username).or_else(|| known(Meaning::Email)).or_else(|| secret_named(context, USER_WORDS))
    }
}

/// `password [secret …]` that names no secret of the run is not typed as text.
fn as_secret_reference(context: &Context<'_>, text: TypedText) -> TypedText {
    match &text {
        TypedText::Plain(plain) if plain.starts_with('[') || plain == "secret" => {
            secret_named(context, PASSWORD_WORDS).unwrap_or(text)
        }
        TypedText::Plain(_) | TypedText::Secret(_) => text,
    }
}

fn secret_named(context: &Context<'_>, names: &[&str]) -> Option<TypedText> {
    let fits = |secret: &&SecretName| {
        let stems = words::identifier_stems(&secret.as_str().replace(['_', '-', '.'], " "));
        names.iter().any(|name| stems.contains(&words::stem(name)))
    };
    let is_password = |secret: &&SecretName| std::ptr::eq(names, PASSWORD_WORDS) || !is_password_name(secret);
    context.situation.secrets.iter().filter(fits).find(is_password).cloned().map(TypedText::Secret)
}

fn is_password_name(secret: &SecretName) -> bool {
    let stems = words::identifier_stems(&secret.as_str().replace(['_', '-', '.'], " "));
    PASSWORD_WORDS.iter().any(|name| stems.contains(&words::stem(name)))
}

/// One secret that is neither a user name nor a code must be the password.
fn only_secret(context: &Context<'_>) -> Option<TypedText> {
    let is_other = |secret: &SecretName| {
        let stems = words::identifier_stems(&secret.as_str().replace(['_', '-', '.'], " "));
        USER_WORDS.iter().chain(CODE_WORDS).any(|name| stems.contains(&words::stem(name)))
    };
    match context.situation.secrets {
        [only] if !is_other(only) => Some(TypedText::Secret(only.clone())),
        _ => None,
    }
}

/// Card details come from secrets whose names say so.
fn payment_secret(context: &Context<'_>, meaning: Meaning) -> Option<TypedText> {
    const NAMES: &[(Meaning, &[&str])] = &[
        (Meaning::CardNumber, &["card number", "card", "iban"]),
        (Meaning::CardExpiry, &["expiry", "expiration", "exp"]),
        (Meaning::CardCode, &["cvc", "cvv", "security code"]),
        (Meaning::CardName, &["card name", "cardholder", "card holder"]),
    ];
    let (_, wanted) = NAMES.iter().find(|(named, _)| *named == meaning)?;
    let fits = |secret: &&SecretName| {
        words::has_any(&words::identifier_stems(&secret.as_str().replace(['_', '-', '.'], " ")), wanted)
    };
    context.situation.secrets.iter().find(fits).cloned().map(TypedText::Secret)
}

/// The text in the form that the field's type takes.
fn fitted(field: &Element, text: &str) -> String {
    match field.input_type.as_deref() {
        Some("date") => dates::iso(text).unwrap_or_else(|| text.to_owned()),
        Some("time") => dates::clock(text).unwrap_or_else(|| text.to_owned()),
        Some("number") => digits_of(text).unwrap_or_else(|| text.to_owned()),
        _ if field.role == "spinbutton" => digits_of(text).unwrap_or_else(|| text.to_owned()),
        Some(_) | None => text.to_owned(),
    }
}

/// Whether the field already shows this text, whatever spaces or punctuation the page put in.
pub(super) fn shows(field: &Element, text: &str) -> bool {
    let compact = |text: &str| text.chars().filter(|c| c.is_alphanumeric() || *c == '@').collect::<String>();
    let value = field.value.as_deref().unwrap_or_default();
    value.trim() == text.trim() || (!value.is_empty() && compact(value) == compact(text))
}
