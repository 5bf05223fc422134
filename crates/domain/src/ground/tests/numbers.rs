//! Numbers, dates and currencies as pages show them.

use serde_json::{Value, json};

use super::*;

// Numbers

#[test]
fn a_number_is_found_in_every_locale_form() {
    for (text, value) in [
        ("Price: 1,299.00", json!(1299)),
        ("Preis: 1.249,50 €", json!(1249.5)),
        ("1 249 kr", json!(1249)),
        ("1\u{202F}249,50", json!(1249.5)),
        ("12,5 %", json!(12.5)),
        ("$.75", json!(0.75)),
        ("１２３", json!(123)),
        ("1.2k followers", json!(1200)),
        ("3.4M views", json!(3_400_000)),
        ("2 million people", json!(2_000_000)),
        ("CHF 1'299.50", json!(1299.5)),
        ("₹12,34,567.00", json!(1_234_567)),
        ("٣٤٥", json!(345)),
        ("57points", json!(57)),
        ("(42)", json!(42)),
        ("-5 °C", json!(-5)),
        ("\u{2212}5 °C", json!(-5)),
        ("-$5.00", json!(-5)),
        ("US$89.95", json!(89.95)),
        ("19,- kr", json!(19)),
        ("11.10.2026", json!(2026)),
        ("$19\n99", json!(19.99)),
        ("20x30 cm", json!(30)),
        ("#1234", json!(1234)),
        ("1.5億", json!(150_000_000)),
        ("1e3", json!(1000)),
        ("118, 99 TL", json!(118.99)),
        ("63 07 Lei", json!(63.07)),
        ("Rp 169.000", json!(169_000)),
    ] {
        assert_eq!(kept(text, "number", value.clone()), value, "{text}");
    }
}

#[test]
fn a_number_that_is_not_shown_is_null() {
    for (text, value) in [
        ("Price 19.99", 20.0),
        ("mp3 player", 3.0),
        ("id 9c2e4a", 9.0),
        ("19 99", 19.99),
        ("1,299.00", 299.0),
        ("11.10.2026", 11.1),
        ("5 apples", 50.0),
    ] {
        assert_eq!(kept(text, "number", json!(value)), Value::Null, "{text}");
    }
}

#[test]
fn large_integers_are_compared_exactly() {
    assert_eq!(
        kept("Order 9007199254740993", "integer", json!(9_007_199_254_740_993_u64)),
        json!(9_007_199_254_740_993_u64)
    );
    assert_eq!(kept("Order 9007199254740993", "integer", json!(9_007_199_254_740_992_u64)), Value::Null);
}

#[test]
fn cents_set_small_count_only_where_published_metadata_says_so() {
    let ground =
        |hints: &Hints| ground_on(&[page("$1999")], json!({"price": "number"}), json!({"price": 19.99}), hints).data;
    assert_eq!(ground(&Hints::new()), json!({"price": null}));
    assert_eq!(ground(&hints(&[("/price", hint("jsonld:product.offers.price", None))])), json!({"price": 19.99}));
}

// Dates

#[test]
fn a_date_is_found_in_every_shown_form() {
    for text in [
        "11 October 2026",
        "Oct 11, 2026",
        "October 11th, 2026",
        "11.10.2026",
        "10/11/2026",
        "11/10/2026",
        "2026-10-11",
        "2026/10/11",
        "11. Oktober 2026",
        "le 11 octobre 2026",
        "11 de octubre de 2026",
        "2026年10月11日",
        "11-Oct-2026",
        "Sunday, 11th of October 2026",
        "11/10/26",
    ] {
        assert_eq!(
            kept_as(text, json!({"type": "string", "format": "date"}), json!("2026-10-11")),
            json!("2026-10-11"),
            "{text}"
        );
        assert_eq!(kept(text, "string", json!("2026-10-11")), json!("2026-10-11"), "{text}");
    }
}

#[test]
fn a_date_that_is_not_shown_is_null() {
    for text in ["12 October 2026", "October 2026", "11 October 2025", "10.11.2026", "Oct 11"] {
        assert_eq!(kept(text, "string", json!("2026-10-11")), Value::Null, "{text}");
    }
}

#[test]
fn a_day_without_its_year_counts_when_the_page_shows_the_year() {
    assert_eq!(kept("Sat, Oct 11 — events of 2026", "string", json!("2026-10-11")), json!("2026-10-11"));
}

#[test]
fn a_time_that_is_not_shown_is_not_guessed() {
    let format = json!({"type": "string", "format": "date-time"});
    assert_eq!(
        kept_as("Oct 11, 2026 9:40 pm", format.clone(), json!("2026-10-11T21:40:00Z")),
        json!("2026-10-11T21:40:00Z")
    );
    assert_eq!(kept_as("Oct 11, 2026", format.clone(), json!("2026-10-11T21:40:00Z")), Value::Null);
    assert_eq!(kept_as("Oct 11, 2026", format, json!("2026-10-11T00:00:00Z")), json!("2026-10-11T00:00:00Z"));
}

#[test]
fn published_metadata_may_add_the_time_of_a_day_that_is_shown() {
    let schema = json!({"published": "string"});
    let data = json!({"published": "2026-10-11T09:40:21Z"});
    let by_metadata = hints(&[("/published", hint("jsonld:datePublished", None))]);
    let grounded = ground_on(&[page("Published Oct 11, 2026")], schema.clone(), data.clone(), &by_metadata);
    assert_eq!(grounded.data, data);
    assert_eq!(grounded.sources["/published"].place, "jsonld:datePublished");
    assert_eq!(ground_on(&[page("Published lately")], schema, data, &by_metadata).data, json!({"published": null}));
}

// Currency

fn currency_on(text: &str, code: &str, metadata: bool) -> Value {
    let cited =
        if metadata { hints(&[("/currency", hint("jsonld:offers.priceCurrency", None))]) } else { Hints::new() };
    let data = json!({"price": 89.95, "currency": code});
    ground_on(&[page(text)], json!({"price": "number", "currency": "string"}), data, &cited).data["currency"].clone()
}

#[test]
fn a_currency_code_is_shown_by_its_sign_or_by_itself() {
    for (text, code) in [
        ("$89.95", "USD"),
        ("US$ 89.95", "USD"),
        ("89.95 USD", "USD"),
        ("89,95 €", "EUR"),
        ("EUR 89,95", "EUR"),
        ("£89.95", "GBP"),
        ("A$89.95", "AUD"),
        ("89,95 zł", "PLN"),
        ("¥89.95", "JPY"),
        ("CHF 89.95", "CHF"),
        ("R$ 89,95", "BRL"),
        ("89 95 Lei", "RON"),
        ("89,95 тг.", "KZT"),
    ] {
        assert_eq!(currency_on(text, code, false), json!(code), "{text}");
    }
}

#[test]
fn a_currency_that_the_page_contradicts_is_null() {
    assert_eq!(currency_on("89.95", "USD", false), Value::Null);
    assert_eq!(currency_on("€89.95", "USD", false), Value::Null);
    assert_eq!(currency_on("€89.95 and shipping $5", "USD", true), Value::Null);
    assert_eq!(currency_on("A$89.95", "USD", false), Value::Null);
}

#[test]
fn published_metadata_decides_what_a_shared_sign_means_but_something_shown_must_agree() {
    assert_eq!(currency_on("$89.95", "AUD", false), Value::Null);
    assert_eq!(currency_on("$89.95", "AUD", true), json!("AUD"));
    assert_eq!(currency_on("89.95 kr", "SEK", true), json!("SEK"));
    assert_eq!(currency_on("89.95 kr", "SEK", false), Value::Null);
    assert_eq!(currency_on("€89.95", "AUD", true), Value::Null);
    assert_eq!(currency_on("$89.95. Prices in AUD.", "AUD", false), json!("AUD"));
}
