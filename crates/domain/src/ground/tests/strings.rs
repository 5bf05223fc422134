//! Text: how it is compared, and where it may stand.

use serde_json::{Value, json};

use super::*;

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
fn fractions_and_units_are_found_with_or_without_a_space() {
    for (text, value) in [
        ("1 \u{BD} tsp salt", "1\u{BD} tsp salt"),
        ("1 1/2 tsp salt", "1\u{BD} tsp salt"),
        ("500g flour", "500 g flour"),
    ] {
        assert_eq!(kept(text, "string", json!(value)), json!(value), "{text}");
    }
    assert_eq!(kept("A4 paper", "string", json!("4 paper")), Value::Null);
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
fn a_described_price_is_given_as_the_page_shows_it() {
    for value in [json!("19.99"), json!("$19.99")] {
        assert_eq!(kept("Blue Mug\n$19.99\n5 left", "price in USD", value), json!("$19.99"));
    }
    assert_eq!(kept("89,95 € plus shipping", "the price as shown, with currency", json!("89.95")), json!("89,95 €"));
    assert_eq!(kept("SKU 19.99 or $19.99", "string", json!("19.99")), json!("19.99"));
    assert_eq!(kept("Rated 4.5", "price in USD", json!("4.5")), json!("4.5"));
}

#[test]
fn a_sign_alone_is_found() {
    assert_eq!(kept("Price in €", "string", json!("€")), json!("€"));
    assert_eq!(kept("★★★★☆ rating", "string", json!("★★★★☆")), json!("★★★★☆"));
    assert_eq!(kept("Price in €", "string", json!("$")), Value::Null);
}

#[test]
fn an_empty_string_is_not_found() {
    assert_eq!(kept("text", "string", json!("")), Value::Null);
    assert_eq!(kept("a — b", "string", json!("—")), Value::Null);
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
