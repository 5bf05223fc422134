//! What is left of the data after grounding, and how a run settles.

use serde_json::json;

use super::*;
use crate::schema::Violation;

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
fn a_number_for_a_described_price_becomes_the_price_as_shown() {
    let (pages, hints) = (shop(), Hints::new());
    let contract = contract(json!({"price": "price in USD"}));
    let settlement = settle(&contract, json!({"price": 19.99}), &seen(&pages, &hints), |_| None);
    assert_eq!(settlement.data, Some(json!({"price": "$19.99"})));
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
fn a_failed_run_that_saw_nothing_of_it_says_so() {
    let (pages, hints) = (shop(), Hints::new());
    let nothing = |settlement: Settlement| {
        assert_eq!(settlement.data, None);
        assert_eq!(settlement.data_error.as_deref(), Some("nothing of what was asked was shown"));
    };
    let shorthand = contract(json!({"name": "string"}));
    nothing(settle_partial(&shorthand, json!({"name": "Red"}), &seen(&[], &hints)));
    let mut missing = pages.clone();
    missing.iter_mut().for_each(|page| page.http_status = Some(404));
    nothing(settle_partial(&shorthand, json!({"name": null}), &seen(&missing, &hints)));
    nothing(settle_partial(&strict(), json!({"name": "Red"}), &seen(&pages, &hints)));
}

#[test]
fn fields_that_were_looked_for_and_are_absent_are_null() {
    let (pages, hints) = (shop(), Hints::new());
    let shorthand = contract(json!({"colour": "string"}));
    for raw in [json!({}), json!({"colour": null}), json!({"colour": "Mauve"})] {
        let settlement = settle_partial(&shorthand, raw, &seen(&pages, &hints));
        assert_eq!((settlement.data, settlement.data_error), (Some(json!({"colour": null})), None));
    }
}

#[test]
fn a_repair_that_leaves_values_out_does_not_hide_what_was_wrong_with_them() {
    let (pages, hints) = (shop(), Hints::new());
    let emptied = |_: &[Violation]| Some((json!({"name": "Blue Mug", "price": null}), Hints::new()));
    let settlement = settle(&strict(), json!({"name": "Blue Mug", "price": 120}), &seen(&pages, &hints), emptied);
    assert_eq!(settlement.data, None);
    let error = settlement.data_error.unwrap();
    assert!(error.starts_with("extracted data does not match the schema: ") && error.contains("120"), "{error}");
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
