//! What a form field or a labelled fact is about: a name, a city, a password. Goals and fields are joined by it.

use crate::words::{has_any, has_phrase, is_any, stems};

/// The meanings that are known by themselves; everything else is matched by the words of its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    FullName,
    FirstName,
    MiddleName,
    LastName,
    Email,
    Phone,
    /// A whole address, or its street when the form has fields for the rest.
    Address,
    Street,
    /// Apartment, suite, floor.
    Street2,
    City,
    State,
    Zip,
    Country,
    Company,
    Username,
    Password,
    NewPassword,
    OneTimeCode,
    Subject,
    Message,
    Quantity,
    Product,
    Coupon,
    BirthDate,
    CardNumber,
    CardExpiry,
    CardCode,
    CardName,
    Search,
}

impl Meaning {
    /// Payment details: only a person, the goal or a secret gives them.
    #[must_use]
    pub fn is_payment(self) -> bool {
        matches!(self, Self::CardNumber | Self::CardExpiry | Self::CardCode | Self::CardName)
    }

    /// What belongs to one person: a form holding it is not a search or a filter.
    #[must_use]
    pub fn is_personal(self) -> bool {
        !matches!(
            self,
            Self::City
                | Self::State
                | Self::Country
                | Self::Zip
                | Self::Quantity
                | Self::Product
                | Self::Coupon
                | Self::Search
        )
    }
}

/// Phrases that name a meaning in a label; earlier lines win. English first, then common European words.
const LABELS: &[(Meaning, &[&str])] = &[
    (Meaning::CardCode, &["cvc", "cvv", "cvv2", "security code", "card code", "card verification"]),
    (Meaning::CardExpiry, &["expiry", "expiration", "expires", "valid until", "exp date", "mm yy"]),
    (Meaning::CardName, &["name on card", "cardholder", "card holder", "name on the card"]),
    (
        Meaning::CardNumber,
        &["card number", "credit card", "debit card", "iban", "account number", "kartennummer", "numero de carte"],
    ),
    (
        Meaning::OneTimeCode,
        &[
            "one time code",
            "verification code",
            "authentication code",
            "otp",
            "totp",
            "2fa code",
            "two factor code",
            "authenticator code",
        ],
    ),
    (
        Meaning::NewPassword,
        &[
            "new password",
            "confirm password",
            "repeat password",
            "password again",
            "retype password",
            "confirm your password",
        ],
    ),
    (Meaning::Password, &["password", "passphrase", "passwort", "mot de passe", "contrasena", "wachtwoord", "pin"]),
    (Meaning::Email, &["email", "courriel", "correo", "correo electronico", "mailadresse", "e mail adresse"]),
    (
        Meaning::Username,
        &[
            "username",
            "user id",
            "login name",
            "user",
            "login",
            "benutzername",
            "account name",
            "nickname",
            "screen name",
        ],
    ),
    (
        Meaning::LastName,
        &[
            "last name",
            "lastname",
            "surname",
            "family name",
            "lname",
            "nachname",
            "apellido",
            "apellidos",
            "cognome",
            "achternaam",
            "nom de famille",
        ],
    ),
    (Meaning::MiddleName, &["middle name", "middle initial", "middlename"]),
    (
        Meaning::FirstName,
        &["first name", "firstname", "given name", "forename", "fname", "vorname", "prenom", "voornaam"],
    ),
    (Meaning::Company, &["company", "organization", "business name", "employer", "firma", "entreprise", "empresa"]),
    (Meaning::Phone, &["phone", "mobile", "cell", "tel", "contact number", "telefon", "telefono", "handy"]),
    (Meaning::BirthDate, &["date of birth", "birth date", "birthday", "birthdate", "dob", "geburtsdatum", "born"]),
    (
        Meaning::Street2,
        &[
            "address line 2",
            "address 2",
            "address2",
            "addr 2",
            "line 2",
            "apartment",
            "apt",
            "suite",
            "unit",
            "flat",
            "street 2",
            "floor",
        ],
    ),
    (
        Meaning::Street,
        &[
            "address line 1",
            "address 1",
            "address1",
            "addr 1",
            "line 1",
            "street address",
            "street",
            "strasse",
            "rue",
            "calle",
            "house number",
        ],
    ),
    (Meaning::Zip, &["zipcode", "postal", "plz", "postleitzahl", "codigo postal", "postindex", "zip"]),
    (Meaning::City, &["city", "town", "suburb", "locality", "ort", "stadt", "ville", "ciudad", "citta", "plaats"]),
    (Meaning::Country, &["country", "nation", "land", "pays", "pais", "paese"]),
    (Meaning::State, &["state", "province", "region", "county", "bundesland", "provincia", "estado"]),
    (
        Meaning::Address,
        &["address", "adresse", "direccion", "indirizzo", "adres", "ship to", "deliver to", "delivery to"],
    ),
    (
        Meaning::Coupon,
        &["coupon", "promo code", "discount code", "voucher", "promotion code", "gift code", "gift card"],
    ),
    (
        Meaning::Quantity,
        &["quantity", "how many", "number of items", "units", "menge", "anzahl", "cantidad", "quantite", "aantal"],
    ),
    (Meaning::Subject, &["subject", "betreff", "sujet", "asunto", "subject line"]),
    (
        Meaning::Message,
        &[
            "message",
            "comment",
            "inquiry",
            "question",
            "how can we help",
            "feedback",
            "nachricht",
            "mensaje",
            "your request",
            "body",
            "tell us",
        ],
    ),
    (Meaning::Product, &["product", "item", "article to order", "produkt", "producto", "produit"]),
    (Meaning::Search, &["search", "suche", "buscar", "rechercher", "keyword", "query", "zoeken", "cerca"]),
];

/// Words beside `name` that still make it a person's whole name.
#[rustfmt::skip]
const NAME_QUALIFIERS: &[&str] = &[
    "your", "full", "complete", "customer", "recipient", "contact", "receiver", "buyer", "shipping", "billing",
    "delivery", "guest", "attendee", "person", "the", "applicant", "patient", "passenger", "student", "my", "of",
    "and", "first", "last", "enter", "please", "required", "here", "for", "order", "real", "legal", "to", "ship", "s",
    "sender", "member", "participant", "owner", "holder", "display", "address",
];

#[rustfmt::skip]
const FULL_NAME_LABELS: &[&str] = &[
    "recipient", "full name", "attention", "customer", "who is it for", "ordered by", "voller name", "nom complet",
    "nombre completo", "naam", "nombre", "nom",
];

/// The meaning of a label such as `Postcode` or `Your e-mail`, if it is a known one.
#[must_use]
pub fn of_label(label: &str) -> Option<Meaning> {
    of_stems(&stems(label))
}

/// The meaning of an identifier such as `shipping_fname`, if it is a known one.
#[must_use]
pub fn of_stems(words: &[String]) -> Option<Meaning> {
    if words.is_empty() {
        return None;
    }
    if is_full_name(words) {
        return Some(Meaning::FullName);
    }
    let found = LABELS.iter().find(|(_, phrases)| has_any(words, phrases)).map(|(meaning, _)| *meaning);
    found.filter(|meaning| is_plausible(*meaning, words))
}

fn is_full_name(words: &[String]) -> bool {
    if is_any(words, FULL_NAME_LABELS) || has_phrase(words, "full name") || has_phrase(words, "first and last name") {
        return true;
    }
    let name = crate::words::stem("name");
    let is_qualifier = |word: &String| NAME_QUALIFIERS.iter().any(|qualifier| crate::words::stem(qualifier) == *word);
    let is_part = has_any(words, &["first name", "last name"]);
    words.contains(&name) && !is_part && words.iter().all(|word| *word == name || is_qualifier(word))
}

/// Labels that hold a known word but mean something else.
fn is_plausible(meaning: Meaning, words: &[String]) -> bool {
    match meaning {
        Meaning::Address => !has_any(words, &["ip address", "web address", "same as", "wallet address"]),
        Meaning::State => !has_any(words, &["current state", "state your"]),
        Meaning::Username => words.len() <= 4,
        Meaning::Country => !has_any(words, &["country code"]),
        Meaning::Phone => !has_any(words, &["phone model", "phone type"]),
        Meaning::Product => words.len() <= 4 && !has_any(words, &["product name search"]),
        Meaning::City | Meaning::Zip => !has_any(words, &["same as"]),
        Meaning::FullName
        | Meaning::FirstName
        | Meaning::MiddleName
        | Meaning::LastName
        | Meaning::Email
        | Meaning::Street
        | Meaning::Street2
        | Meaning::Company
        | Meaning::Password
        | Meaning::NewPassword
        | Meaning::OneTimeCode
        | Meaning::Subject
        | Meaning::Message
        | Meaning::Quantity
        | Meaning::Coupon
        | Meaning::BirthDate
        | Meaning::CardNumber
        | Meaning::CardExpiry
        | Meaning::CardCode
        | Meaning::CardName
        | Meaning::Search => true,
    }
}

/// The meaning of an `autocomplete` token (HTML Living Standard, autofill field names).
#[must_use]
pub fn of_autocomplete(value: &str) -> Option<Meaning> {
    let token = value.split_ascii_whitespace().rev().find(|token| *token != "webauthn")?.to_ascii_lowercase();
    let meaning = match token.as_str() {
        "name" => Meaning::FullName,
        "given-name" => Meaning::FirstName,
        "additional-name" => Meaning::MiddleName,
        "family-name" => Meaning::LastName,
        "email" => Meaning::Email,
        "tel" | "tel-national" => Meaning::Phone,
        "street-address" => Meaning::Address,
        "address-line1" => Meaning::Street,
        "address-line2" | "address-line3" => Meaning::Street2,
        "address-level2" => Meaning::City,
        "address-level1" => Meaning::State,
        "postal-code" => Meaning::Zip,
        "country" | "country-name" => Meaning::Country,
        "organization" => Meaning::Company,
        "username" => Meaning::Username,
        "current-password" => Meaning::Password,
        "new-password" => Meaning::NewPassword,
        "one-time-code" => Meaning::OneTimeCode,
        "bday" => Meaning::BirthDate,
        "cc-number" => Meaning::CardNumber,
        "cc-exp" | "cc-exp-month" | "cc-exp-year" => Meaning::CardExpiry,
        "cc-csc" => Meaning::CardCode,
        "cc-name" => Meaning::CardName,
        _ => return None,
    };
    Some(meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_many_forms_are_understood() {
        for (label, meaning) in [
            ("Name", Meaning::FullName),
            ("Your full name *", Meaning::FullName),
            ("First and last name", Meaning::FullName),
            ("First name", Meaning::FirstName),
            ("Surname", Meaning::LastName),
            ("Postcode", Meaning::Zip),
            ("ZIP / Postal code", Meaning::Zip),
            ("State/Province", Meaning::State),
            ("Address line 1", Meaning::Street),
            ("Address line 2 (optional)", Meaning::Street2),
            ("Delivery address", Meaning::Address),
            ("E-mail address", Meaning::Email),
            ("Name on card", Meaning::CardName),
            ("Town / City", Meaning::City),
            ("Country", Meaning::Country),
            ("Country / Region *", Meaning::Country),
            ("County", Meaning::State),
            ("User name", Meaning::Username),
            ("Qty", Meaning::Quantity),
        ] {
            assert_eq!(of_label(label), Some(meaning), "{label}");
        }
    }

    #[test]
    fn labels_that_only_look_like_known_ones_are_left_alone() {
        for label in ["Bank statement", "Pet name", "Country code", "Favourite colour", "IP address"] {
            assert_eq!(of_label(label), None, "{label}");
        }
    }
}
