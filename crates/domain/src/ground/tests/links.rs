//! URLs, and values that need cited evidence.

use serde_json::{Value, json};

use super::*;

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
fn a_term_of_a_vocabulary_is_shown_by_its_passage() {
    let ground = |term: &str, hints: &Hints| {
        ground_on(
            &[page("Blue Mug\nOnly 3 left")],
            json!({"availability": "string"}),
            json!({"availability": term}),
            hints,
        )
        .data
    };
    let cited = |words: &str| hints(&[("/availability", hint("text", Some(words)))]);
    assert_eq!(ground("InStock", &cited("Only 3 left")), json!({"availability": "InStock"}));
    assert_eq!(ground("InStock", &cited("In stock")), json!({"availability": null}));
    assert_eq!(ground("InStock", &Hints::new()), json!({"availability": null}));
    assert_eq!(ground("Invented", &cited("Only 3 left")), json!({"availability": null}));
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
