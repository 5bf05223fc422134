use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::page::Link;
use crate::schema::OutputContract;

fn page(text: &str) -> PageSnapshot {
    PageSnapshot {
        url: "https://shop.example/mugs/".to_owned(),
        base_url: "https://shop.example/mugs/".to_owned(),
        title: "Mugs".to_owned(),
        text: text.to_owned(),
        links: Vec::new(),
        html: String::new(),
    }
}

fn with_links(mut page: PageSnapshot, links: &[(&str, &str)]) -> PageSnapshot {
    let link = |(text, url): &(&str, &str)| Link { text: (*text).to_owned(), url: (*url).to_owned() };
    page.links = links.iter().map(link).collect();
    page
}

fn contract(output_schema: Value) -> OutputContract {
    OutputContract::from_request(Some(&output_schema), None).unwrap().unwrap()
}

fn hint(place: &str, passage: Option<&str>) -> Hint {
    Hint { page_index: 0, place: place.to_owned(), passage: passage.map(str::to_owned) }
}

fn hints(given: &[(&str, Hint)]) -> Hints {
    given.iter().map(|(pointer, hint)| ((*pointer).to_owned(), hint.clone())).collect()
}

fn ground_on(pages: &[PageSnapshot], schema: Value, data: Value, hints: &Hints) -> Grounded {
    let evidence = Evidence { pages, answer: None, hints, reads_code: false };
    ground(&contract(schema), data, &evidence)
}

/// The value that a field of the type keeps on a page with that text.
fn kept(text: &str, kind: &str, value: Value) -> Value {
    ground_on(&[page(text)], json!({"v": kind}), json!({"v": value}), &Hints::new()).data["v"].clone()
}

fn kept_as(text: &str, schema: Value, value: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"v": schema}});
    ground_on(&[page(text)], schema, json!({"v": value}), &Hints::new()).data.get("v").cloned().unwrap_or_default()
}

// Strings

#[test]
fn a_string_that_stands_on_a_page_is_kept_and_another_is_null() {
    assert_eq!(kept("A Blue Mug, hand made", "string", json!("Blue Mug")), json!("Blue Mug"));
    assert_eq!(kept("A Blue Mug, hand made", "string", json!("Red Mug")), Value::Null);
}

#[test]
fn white_space_case_unicode_quotes_and_dashes_do_not_matter() {
    for (text, value) in [
        ("Blue\n   Mug", "Blue Mug"),
        ("BLUE MUG", "Blue Mug"),
        ("Ada\u{2019}s \u{201C}Mug\u{201D} \u{2013} large", "Ada's \"Mug\" - large"),
        ("Cafe\u{301} \u{FF21}\u{FF22}\u{FF23}", "Café ABC"),
        ("Blue\u{A0}Mug\u{AD}s", "Blue Mugs"),
        ("Straße 5", "STRAßE 5"),
    ] {
        assert_eq!(kept(text, "string", json!(value)), json!(value), "{text}");
    }
}

#[test]
fn part_of_a_word_or_number_is_not_found() {
    assert_eq!(kept("Mugshot 1,299.00", "string", json!("Mug")), Value::Null);
    assert_eq!(kept("Mugshot 1,299.00", "string", json!("299.00")), Value::Null);
    assert_eq!(kept("Mugshot 19.99", "string", json!("19")), Value::Null);
}

#[test]
fn other_punctuation_between_the_same_words_is_found_but_other_symbols_are_not() {
    assert_eq!(
        kept("12 Main St\nSpringfield IL 62701", "string", json!("12 Main St, Springfield, IL 62701")),
        json!("12 Main St, Springfield, IL 62701")
    );
    assert_eq!(kept("Senior C++ developer", "string", json!("Senior C developer")), Value::Null);
    assert_eq!(kept("Save $5 today", "string", json!("Save 5% today")), Value::Null);
}

#[test]
fn scripts_without_spaces_are_found_inside_a_sentence() {
    assert_eq!(kept("価格は青いマグカップです", "string", json!("青いマグカップ")), json!("青いマグカップ"));
}

#[test]
fn the_title_and_the_text_of_links_count() {
    let page = with_links(page("nothing"), &[("Order now", "https://shop.example/order")]);
    let grounded = ground_on(
        &[page],
        json!({"t": "string", "l": "string"}),
        json!({"t": "Mugs", "l": "Order now"}),
        &Hints::new(),
    );
    assert_eq!(grounded.sources["/t"].place, "title");
    assert_eq!(grounded.sources["/l"].place, "link");
}

#[test]
fn an_email_address_and_a_telephone_number_behind_a_link_are_found() {
    let page = with_links(
        page("Write to us"),
        &[("Mail", "mailto:ada@shop.example?subject=x"), ("Call", "tel:+1-555-0100-20")],
    );
    let data = json!({"m": "ada@shop.example", "p": "+1 (555) 010020"});
    assert_eq!(ground_on(&[page], json!({"m": "string", "p": "string"}), data.clone(), &Hints::new()).data, data);
}

#[test]
fn a_price_with_currency_is_found_in_another_form_of_the_same() {
    assert_eq!(kept("Now $1,299.00", "string", json!("USD 1299")), json!("USD 1299"));
    assert_eq!(kept("Now $1,299.00", "string", json!("1299.00 €")), Value::Null);
    assert_eq!(kept("Now $1,299.00", "price in USD", json!("$1,299.00")), json!("$1,299.00"));
}

#[test]
fn an_empty_string_is_not_found() {
    assert_eq!(kept("text", "string", json!("")), Value::Null);
    assert_eq!(kept("a — b", "string", json!("—")), Value::Null);
}

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

// URLs

fn linked() -> PageSnapshot {
    with_links(
        page("See https://docs.example/start."),
        &[
            ("Blue", "https://shop.example/mugs/blue?size=L#reviews"),
            ("Home", "https://SHOP.example:443"),
            ("Item", "https://shop.example/item?id=1"),
        ],
    )
}

#[test]
fn a_url_is_one_that_stood_on_a_page_in_the_pages_form() {
    for (given, shown) in [
        ("https://shop.example/mugs/blue?size=L#reviews", "https://shop.example/mugs/blue?size=L#reviews"),
        ("https://shop.example/mugs/blue?size=L", "https://shop.example/mugs/blue?size=L#reviews"),
        ("blue?size=L", "https://shop.example/mugs/blue?size=L#reviews"),
        ("/item?id=1", "https://shop.example/item?id=1"),
        ("../item?id=1", "https://shop.example/item?id=1"),
        ("https://shop.example/", "https://SHOP.example:443"),
        ("shop.example/item?id=1", "https://shop.example/item?id=1"),
        ("https://shop.example/mugs", "https://shop.example/mugs/"),
        ("https://docs.example/start", "https://docs.example/start"),
    ] {
        let grounded = ground_on(&[linked()], json!({"url": "string"}), json!({ "url": given }), &Hints::new());
        assert_eq!(grounded.data, json!({ "url": shown }), "{given}");
    }
}

#[test]
fn a_url_that_stood_nowhere_is_null() {
    for given in [
        "https://shop.example/mugs/red",
        "https://shop.example/mugs/blue?size=L#other",
        "http://shop.example/item?id=1",
        "/item?id=2",
    ] {
        let schema = json!({"type": "object", "properties": {"link": {"type": "string", "format": "uri"}}});
        assert_eq!(ground_on(&[linked()], schema, json!({ "link": given }), &Hints::new()).data, json!({}), "{given}");
    }
}

#[test]
fn a_relative_url_is_resolved_against_the_base_element() {
    let mut page = with_links(page(""), &[("Item", "https://cdn.example/a/item")]);
    page.base_url = "https://cdn.example/a/".to_owned();
    let grounded = ground_on(&[page], json!({"href": "string"}), json!({"href": "item"}), &Hints::new());
    assert_eq!(grounded.data, json!({"href": "https://cdn.example/a/item"}));
    assert_eq!(grounded.sources["/href"].place, "link");
}

#[test]
fn plain_text_is_not_mistaken_for_a_relative_url() {
    let page = with_links(page("Blue"), &[("x", "https://shop.example/mugs/Blue")]);
    assert_eq!(
        ground_on(&[page], json!({"name": "string"}), json!({"name": "Blue"}), &Hints::new()).data,
        json!({"name": "Blue"})
    );
}

// Booleans, choices, counts

#[test]
fn a_boolean_needs_a_passage_that_stands_on_a_page() {
    let schema = json!({"in_stock": "boolean"});
    let data = json!({"in_stock": true});
    let ground =
        |hints: &Hints| ground_on(&[page("Blue Mug\nIn stock, ships today")], schema.clone(), data.clone(), hints).data;
    assert_eq!(ground(&Hints::new()), json!({"in_stock": null}));
    assert_eq!(ground(&hints(&[("/in_stock", hint("text", Some("In stock")))])), data);
    assert_eq!(ground(&hints(&[("/in_stock", hint("text", Some("Sold out")))])), json!({"in_stock": null}));
    assert_eq!(ground(&hints(&[("/in_stock", hint("jsonld:offers.availability", None))])), json!({"in_stock": null}));
}

#[test]
fn a_choice_counts_when_its_words_or_its_passage_stand_on_a_page() {
    let schema = json!({"type": "object", "properties": {"v": {"enum": ["in_stock", "sold_out"]}}});
    let ground =
        |text: &str, hints: &Hints| ground_on(&[page(text)], schema.clone(), json!({"v": "in_stock"}), hints).data;
    assert_eq!(ground("In stock", &Hints::new()), json!({"v": "in_stock"}));
    assert_eq!(ground("Ready to ship", &Hints::new()), json!({}));
    assert_eq!(
        ground("Ready to ship", &hints(&[("/v", hint("text", Some("ready to ship")))])),
        json!({"v": "in_stock"})
    );
}

#[test]
fn a_constant_is_no_exception() {
    assert_eq!(kept_as("Price 5 €", json!({"const": "USD"}), json!("USD")), Value::Null);
    assert_eq!(kept_as("Price 5 USD", json!({"const": "USD"}), json!("USD")), json!("USD"));
}

#[test]
fn a_count_is_the_length_of_the_list_beside_it() {
    let schema = json!({"job_count": "integer", "jobs": ["string"]});
    let data = json!({"job_count": 2, "jobs": ["Cook", "Baker", "Invented"]});
    let grounded = ground_on(&[page("Cook\nBaker")], schema.clone(), data, &Hints::new());
    assert_eq!(grounded.data, json!({"job_count": 2, "jobs": ["Cook", "Baker"]}));
    assert_eq!(grounded.sources["/job_count"].place, "count");
    let wrong = json!({"job_count": 3, "jobs": ["Cook", "Baker"]});
    assert_eq!(ground_on(&[page("Cook\nBaker")], schema, wrong, &Hints::new()).data["job_count"], Value::Null);
}

#[test]
fn a_count_may_cite_the_list_or_the_passage_that_was_counted() {
    let schema = json!({"open": "integer", "jobs": ["string"]});
    let data = json!({"open": 2, "jobs": ["Cook", "Baker"]});
    let text = "Cook apply now\nBaker apply now";
    for cited in [hint("count:/jobs", None), hint("count", Some("Apply now"))] {
        assert_eq!(ground_on(&[page(text)], schema.clone(), data.clone(), &hints(&[("/open", cited)])).data, data);
    }
    let cited = hints(&[("/open", hint("count", Some("Apply now")))]);
    assert_eq!(ground_on(&[page(text)], schema, json!({"open": 3, "jobs": []}), &cited).data["open"], Value::Null);
}

#[test]
fn a_number_in_words_counts_in_a_cited_passage() {
    let cited = hints(&[("/rooms", hint("text", Some("three bedrooms")))]);
    let grounded =
        ground_on(&[page("A flat with three bedrooms")], json!({"rooms": "integer"}), json!({"rooms": 3}), &cited);
    assert_eq!(grounded.data, json!({"rooms": 3}));
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

// The answer, pages, code

#[test]
fn the_runs_own_answer_counts_where_the_pages_show_what_it_speaks_of() {
    let pages = [page("The blue mug holds 12 oz. It is made of stoneware.")];
    let answer = "A blue stoneware mug that holds 12 oz. It costs 99 dollars and flies.";
    let evidence = Evidence { pages: &pages, answer: Some(answer), hints: &Hints::new(), reads_code: false };
    let ground = |text: &str| ground(&contract(json!({"summary": "string"})), json!({"summary": text}), &evidence);
    let grounded = ground("A blue stoneware mug that holds 12 oz");
    assert_eq!(grounded.sources["/summary"].place, "answer");
    assert_eq!(ground("It costs 99 dollars and flies.").data, json!({"summary": null}));
    assert_eq!(ground("A mug of blue stoneware").data, json!({"summary": null}));
}

#[test]
fn only_the_last_six_pages_count() {
    let pages: Vec<PageSnapshot> = (0..7).map(|number| page(&format!("page number{number}"))).collect();
    let ground =
        |value: &str| ground_on(&pages, json!({"v": "string"}), json!({ "v": value }), &Hints::new()).data["v"].clone();
    assert_eq!(ground("number0"), Value::Null);
    assert_eq!(ground("number1"), json!("number1"));
    assert_eq!(ground("number6"), json!("number6"));
}

#[test]
fn the_source_is_the_hinted_page_else_the_latest() {
    let mut pages = [page("Blue Mug"), page("Blue Mug")];
    pages[1].url = "https://shop.example/cart".to_owned();
    let schema = json!({"v": "string"});
    let latest = ground_on(&pages, schema.clone(), json!({"v": "Blue Mug"}), &Hints::new());
    assert_eq!(latest.sources["/v"], Source { url: "https://shop.example/cart".to_owned(), place: "text".to_owned() });
    let hinted = ground_on(&pages, schema, json!({"v": "Blue Mug"}), &hints(&[("/v", hint("table", None))]));
    assert_eq!(
        hinted.sources["/v"],
        Source { url: "https://shop.example/mugs/".to_owned(), place: "table".to_owned() }
    );
}

#[test]
fn a_hint_proves_nothing() {
    let cited = hints(&[("/v", hint("jsonld:name", Some("Invented"))), ("/n", hint("jsonld:offers.price", None))]);
    let grounded =
        ground_on(&[page("Blue")], json!({"v": "string", "n": "number"}), json!({"v": "Invented", "n": 5}), &cited);
    assert_eq!(grounded.data, json!({"v": null, "n": null}));
    assert_eq!(grounded.dropped, ["/v", "/n"]);
}

#[test]
fn page_code_counts_in_precise_mode_only() {
    let mut page = page("Blue Mug");
    page.html = r#"<script type="application/ld+json">{"name":"Blue Mug","gtin":"0012345678905","price":"12.50","url":"https:\/\/x.example\/a","inStock":true}</script>"#.to_owned();
    let schema = json!({"gtin": "string", "price": "number", "url": "string", "stock": "boolean"});
    let data = json!({"gtin": "0012345678905", "price": 12.5, "url": "https://x.example/a", "stock": true});
    let cited =
        hints(&[("/price", hint("jsonld:price", None)), ("/stock", hint("jsonld:inStock", Some("\"inStock\":true")))]);
    let pages = [page];
    let ground = |reads_code| {
        ground(
            &contract(schema.clone()),
            data.clone(),
            &Evidence { pages: &pages, answer: None, hints: &cited, reads_code },
        )
    };
    assert_eq!(ground(true).data, data);
    assert_eq!(ground(false).data, json!({"gtin": null, "price": null, "url": null, "stock": null}));
}

#[test]
fn a_bare_number_in_code_is_no_evidence() {
    let mut page = page("Blue Mug");
    page.html = "<div style=\"width: 37px\">".to_owned();
    let evidence = Evidence { pages: &[page], answer: None, hints: &Hints::new(), reads_code: true };
    assert_eq!(ground(&contract(json!({"n": "number"})), json!({"n": 37}), &evidence).data, json!({"n": null}));
}

// Pruning

#[test]
fn in_shorthand_nothing_found_stays_null_and_a_list_with_nothing_is_empty() {
    let schema =
        json!({"a": "string", "tags": ["string"], "rows": [{"x": "string"}], "seller": {"name": "string"}, "any": []});
    let data = json!({"a": "no", "tags": ["no"], "rows": [{"x": "no"}], "seller": {"name": "no"}, "any": null});
    let grounded = ground_on(&[page("")], schema.clone(), data, &Hints::new());
    assert_eq!(grounded.data, json!({"a": null, "tags": [], "rows": [], "seller": {"name": null}, "any": []}));
    assert_eq!(ground_on(&[page("")], schema, json!({}), &Hints::new()).data, grounded.data);
}

#[test]
fn in_json_schema_optional_fields_that_were_not_found_are_left_out() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"}, "brand": {"type": ["string", "null"]}, "note": {"type": ["string", "null"]},
            "rating": {"type": "object", "properties": {"value": {"type": "number"}}}, "tags": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["name", "brand"]
    });
    let data = json!({"note": "no", "name": "Mug", "rating": {"value": 4.5}, "tags": ["no"]});
    assert_eq!(
        ground_on(&[page("Mug")], schema, data, &Hints::new()).data,
        json!({"name": "Mug", "brand": null, "tags": []})
    );
}

#[test]
fn list_items_without_a_value_are_dropped_and_sources_move_with_the_others() {
    let schema = json!({"rows": [{"name": "string", "price": "number"}]});
    let data =
        json!({"rows": [{"name": "no", "price": 7}, {"name": "Blue Mug", "price": 7}, {"name": "Cup", "price": 5}]});
    let grounded = ground_on(&[page("Blue Mug\nCup 5")], schema, data, &Hints::new());
    assert_eq!(grounded.data, json!({"rows": [{"name": "Blue Mug", "price": null}, {"name": "Cup", "price": 5}]}));
    let places: Vec<&String> = grounded.sources.keys().collect();
    assert_eq!(places, ["/rows/0/name", "/rows/1/name", "/rows/1/price"]);
    assert_eq!(grounded.dropped, ["/rows/0/name", "/rows/0/price", "/rows/1/price"]);
}

#[test]
fn items_of_a_tuple_keep_their_positions() {
    let schema = json!({"type": "array", "prefixItems": [{"type": ["string", "null"]}, {"type": ["string", "null"]}]});
    assert_eq!(ground_on(&[page("b")], schema, json!(["a", "b"]), &Hints::new()).data, json!([null, "b"]));
}

#[test]
fn names_of_a_map_are_data_too() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let data = json!({"Color": "Blue", "Invented": "Blue"});
    assert_eq!(ground_on(&[page("Color: Blue")], schema, data, &Hints::new()).data, json!({"Color": "Blue"}));
}

#[test]
fn a_schema_that_requires_itself_is_filled_only_so_far() {
    let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]});
    let grounded = ground_on(&[page("x")], schema, json!({}), &Hints::new());
    assert!(grounded.data.to_string().len() < 1_000);
}

#[test]
fn a_shape_in_the_goal_is_grounded_without_a_schema() {
    let pages = [page("Cook in Paris\nBaker")];
    let data = json!([{"title": "Cook", "team": "no", "location": "Paris"}, {"title": "no"}]);
    let grounded =
        ground_unchecked(data, &Evidence { pages: &pages, answer: None, hints: &Hints::new(), reads_code: false });
    assert_eq!(grounded.data, json!([{"title": "Cook", "team": null, "location": "Paris"}]));
    assert_eq!(grounded.sources.len(), 2);
}

// Settling

fn strict() -> OutputContract {
    contract(json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"type": "number", "maximum": 100}},
        "required": ["name", "price"]
    }))
}

fn shop() -> [PageSnapshot; 1] {
    [page("Blue Mug $19.99 before $120")]
}

fn seen<'a>(pages: &'a [PageSnapshot], hints: &'a Hints) -> Evidence<'a> {
    Evidence { pages, answer: None, hints, reads_code: false }
}

#[test]
fn a_first_extraction_that_fits_is_settled_without_repair() {
    let (pages, hints) = (shop(), Hints::new());
    let raw = json!("```json\n{\"output\": {\"Name\": \"Blue Mug\", \"price\": \"$19.99\"}}\n```");
    let settlement = settle(&strict(), raw, &seen(&pages, &hints), |_| panic!("no repair"));
    assert_eq!(settlement.data, Some(json!({"name": "Blue Mug", "price": 19.99})));
    assert_eq!(settlement.data_error, None);
    assert_eq!(settlement.sources.len(), 2);
}

#[test]
fn one_that_does_not_fit_is_repaired_once_with_its_errors() {
    let (pages, hints) = (shop(), Hints::new());
    let settlement =
        settle(&strict(), json!({"name": "Blue Mug", "price": 120}), &seen(&pages, &hints), |violations| {
            assert_eq!(violations[0].pointer, "/price");
            Some((json!({"name": "Blue Mug", "price": 19.99}), Hints::new()))
        });
    assert_eq!(settlement.data, Some(json!({"name": "Blue Mug", "price": 19.99})));
}

#[test]
fn after_a_repair_that_does_not_fit_data_is_null_and_every_field_is_named() {
    let (pages, hints) = (shop(), Hints::new());
    let mut repairs = 0;
    let settlement = settle(&strict(), json!({"name": "Red Mug", "price": 120}), &seen(&pages, &hints), |_| {
        repairs += 1;
        Some((json!({"name": "Red Mug", "price": 120}), Hints::new()))
    });
    assert_eq!(repairs, 1);
    assert_eq!(settlement.data, None);
    assert!(settlement.sources.is_empty());
    let expected = "extracted data does not match the schema: /name: is required but was not found on the visited pages; \
        /price: 120 is greater than the maximum of 100";
    let told = settlement.data_error.unwrap();
    assert!(told.contains("/name: is required but was not found") && told.contains("/price: 120 is greater"), "{told}");
    assert_eq!(told.len(), expected.len(), "{told}");
}

#[test]
fn without_a_repair_the_first_errors_stand() {
    let (pages, hints) = (shop(), Hints::new());
    let settlement = settle(&strict(), json!({}), &seen(&pages, &hints), |_| None);
    assert!(settlement.data_error.unwrap().starts_with("extracted data does not match the schema: /"));
}

#[test]
fn hints_follow_data_out_of_its_wrapper() {
    let pages = [page("In stock")];
    let contract = contract(json!({"rows": [{"stock": "boolean"}]}));
    for (raw, pointer) in [
        (json!({"output": {"rows": [{"stock": true}]}}), "/output/rows/0/stock"),
        (json!({"output": {"rows": [{"stock": true}]}}), "/rows/0/stock"),
        (json!([{"stock": true}]), "/0/stock"),
    ] {
        let cited = hints(&[(pointer, hint("text", Some("in stock")))]);
        let settlement = settle(&contract, raw, &seen(&pages, &cited), |_| None);
        assert_eq!(settlement.data, Some(json!({"rows": [{"stock": true}]})), "{pointer}");
    }
}

#[test]
fn a_failed_run_keeps_what_was_found_without_required_fields() {
    let (pages, hints) = (shop(), Hints::new());
    let settlement = settle_partial(&strict(), json!({"name": "Blue Mug"}), &seen(&pages, &hints));
    assert_eq!(settlement.data, Some(json!({"name": "Blue Mug"})));
    assert_eq!(settlement.data_error, None);
}

#[test]
fn a_failed_run_keeps_no_value_that_breaks_the_schema() {
    let (pages, hints) = (shop(), Hints::new());
    let settlement = settle_partial(&strict(), json!({"name": "Blue Mug", "price": 120}), &seen(&pages, &hints));
    assert_eq!(settlement.data, Some(json!({"name": "Blue Mug", "price": null})));
    assert_eq!(settlement.sources.len(), 1);
}

#[test]
fn a_failed_run_that_found_nothing_has_no_data() {
    let (pages, hints) = (shop(), Hints::new());
    assert_eq!(settle_partial(&strict(), json!({"name": "Red"}), &seen(&pages, &hints)), Settlement::default());
    let shorthand = contract(json!({"name": "string"}));
    assert_eq!(settle_partial(&shorthand, json!({"name": "Red"}), &seen(&[], &hints)), Settlement::default());
}

#[test]
fn the_news_example_of_the_contract_settles() {
    let contract = contract(json!({"stories": [{"title": "string", "url": "string", "points": "integer"}]}));
    let text = "1. Show: A tiny database (example.com)\n57 points by ada 3 hours ago | 12 comments\n2. Ask: Which mug?\n1,204 points by bob";
    let front = with_links(
        page(text),
        &[("Show: A tiny database", "https://example.com/db"), ("Ask: Which mug?", "https://shop.example/item?id=2")],
    );
    let raw = json!({"stories": [
        {"title": "Show: A tiny database", "url": "https://example.com/db", "points": "57 points"},
        {"title": "Ask: Which mug?", "url": "/item?id=2", "points": 1204},
    ]});
    let (pages, hints) = ([front], Hints::new());
    let settlement = settle(&contract, raw, &seen(&pages, &hints), |violations| panic!("{violations:?}"));
    let expected = json!({"stories": [
        {"title": "Show: A tiny database", "url": "https://example.com/db", "points": 57},
        {"title": "Ask: Which mug?", "url": "https://shop.example/item?id=2", "points": 1204},
    ]});
    assert_eq!(settlement.data, Some(expected));
}

// Properties

fn values_of(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().flat_map(values_of).collect(),
        Value::Object(fields) => fields.values().flat_map(values_of).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Bool(_) | Value::Number(_) => vec![value.to_string()],
    }
}

proptest! {
    #[test]
    fn grounded_values_always_appear(words in prop::collection::vec("[a-z]{1,4}|[1-9][0-9]{0,2}", 1..12), claimed in prop::collection::vec("[a-z]{1,4}|[1-9][0-9]{0,2}", 0..8)) {
        let shown = page(&words.join(" "));
        let typed = |word: &String| word.parse::<i64>().map_or_else(|_| json!(word), |number| json!(number));
        let data = json!({"a": claimed.iter().map(typed).collect::<Vec<_>>(), "b": claimed.first()});
        let evidence = Evidence { pages: &[shown], answer: None, hints: &BTreeMap::new(), reads_code: false };
        let grounded = ground_unchecked(data, &evidence);
        for value in values_of(&grounded.data) {
            prop_assert!(words.contains(&value) || value == "mugs", "{value}");
        }
        let kept = values_of(&grounded.data).len();
        prop_assert_eq!(grounded.sources.len(), kept);
        let found = claimed.iter().filter(|word| words.contains(word) || *word == "mugs").count();
        prop_assert_eq!(grounded.data["a"].as_array().map_or(0, Vec::len), found);
    }

    #[test]
    fn grounding_never_panics_on_any_page(text in "\\PC{0,80}", title in "\\PC{0,20}", value in "\\PC{0,20}", number in any::<f64>()) {
        let mut shown = page(&text);
        shown.title = title;
        shown.html = text.clone();
        let data = json!({"url": value, "v": value, "n": number, "date": value});
        let evidence = Evidence { pages: &[shown], answer: Some(&text), hints: &BTreeMap::new(), reads_code: true };
        let _ = ground_unchecked(data, &evidence);
    }

    #[test]
    fn every_slice_of_words_of_a_page_is_found(words in prop::collection::vec("\\p{L}{1,6}", 2..10), from in 0_usize..9) {
        let from = from % words.len();
        let slice = words[from..].join(" ");
        prop_assume!(!super::fold(&slice).is_empty());
        prop_assert_eq!(kept(&words.join("\n"), "string", json!(slice)), json!(slice));
    }

    #[test]
    fn every_shown_price_is_found(cents in 1_u32..100_000_000) {
        let (whole, rest) = (cents / 100, cents % 100);
        let value = json!(f64::from(cents) / 100.0);
        let grouped = |separator: &str| -> String {
            let digits = whole.to_string();
            let head = digits.len() % 3;
            let mut groups: Vec<&str> = if head > 0 { vec![&digits[..head]] } else { Vec::new() };
            groups.extend((head..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
            groups.join(separator)
        };
        for text in [format!("${}.{rest:02}", grouped(",")), format!("{},{rest:02} €", grouped(".")), format!("{},{rest:02} kr", grouped("\u{a0}")), format!("{}.{rest:02}", grouped("'"))] {
            prop_assert_eq!(kept(&text, "number", value.clone()), value.clone(), "{}", text);
        }
    }
}
