//! Habits of models that are undone.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

// Normalising

#[test]
fn fenced_json_in_a_text_is_read() {
    let contract = contract(json!({"a": "string"}));
    for text in [
        "```json\n{\"a\": \"x\"}\n```",
        "Here you are:\n```\n{\"a\": \"x\"}\n```\nDone.",
        "{\"a\": \"x\"}",
        "The answer is {\"a\": \"x\"} as asked.",
        "\"{\\\"a\\\": \\\"x\\\"}\"",
    ] {
        assert_eq!(normalise(&contract, json!(text)), json!({"a": "x"}), "{text}");
    }
}

#[test]
fn a_wrapping_output_is_taken_off_unless_the_schema_has_that_field() {
    let plain = contract(json!({"a": "string"}));
    for wrapper in ["output", "data", "result"] {
        assert_eq!(normalise(&plain, json!({ wrapper: {"a": "x"} })), json!({"a": "x"}));
        assert_eq!(normalise(&plain, json!({ wrapper: "{\"a\":\"x\"}" })), json!({"a": "x"}));
    }
    assert_eq!(normalise(&plain, json!({"output": {"data": {"a": "x"}}})), json!({"a": "x"}));
    let with_output = contract(json!({"output": {"a": "string"}}));
    assert_eq!(normalise(&with_output, json!({"output": {"a": "x"}})), json!({"output": {"a": "x"}}));
}

#[test]
fn a_bare_list_becomes_the_only_list_of_the_schema() {
    let contract = contract(json!({"stories": [{"title": "string"}]}));
    assert_eq!(normalise(&contract, json!([{"title": "x"}])), json!({"stories": [{"title": "x"}]}));
    assert_eq!(normalise(&contract, json!({"output": [{"title": "x"}]})), json!({"stories": [{"title": "x"}]}));
}

#[test]
fn a_wrapped_list_becomes_the_list_that_the_schema_is() {
    let contract = contract(json!({"type": "array", "items": {"type": "string"}}));
    assert_eq!(normalise(&contract, json!({"items": ["x"]})), json!(["x"]));
    assert_eq!(normalise(&contract, json!({"jobs": ["x"]})), json!(["x"]));
}

#[test]
fn an_object_given_as_text_is_read() {
    let contract = contract(json!({"seller": {"name": "string"}, "tags": ["string"]}));
    let raw = json!({"seller": "{\"name\": \"Ada\"}", "tags": "[\"a\"]"});
    assert_eq!(normalise(&contract, raw), json!({"seller": {"name": "Ada"}, "tags": ["a"]}));
}

#[test]
fn a_number_given_as_text_becomes_a_number() {
    let contract = contract(json!({"n": "number", "i": "integer"}));
    for (text, number) in [
        ("19.99", json!(19.99)),
        ("$1,299.00", json!(1299)),
        ("1.249,50 €", json!(1249.5)),
        ("1 249", json!(1249)),
        ("12,5", json!(12.5)),
        ("$.75", json!(0.75)),
        ("-3", json!(-3)),
        ("57 points", json!(57)),
        ("3k views", json!(3000)),
        ("$119. 95", json!(119.95)),
        ("1.837, 32 €", json!(1837.32)),
        ("iPhone 15 $799", json!(799)),
    ] {
        assert_eq!(normalise(&contract, json!({"n": text}))["n"], number, "{text}");
    }
    assert_eq!(normalise(&contract, json!({"i": "1,299"}))["i"], json!(1299));
    assert_eq!(normalise(&contract, json!({"i": 57.0}))["i"], json!(57));
    assert_eq!(normalise(&contract, json!({"n": "10 to 20 €"}))["n"], json!("10 to 20 €"));
    assert_eq!(normalise(&contract, json!({"n": "N/A"}))["n"], Value::Null);
}

#[test]
fn a_number_for_a_described_field_becomes_text() {
    let contract = contract(json!({"price": "price in USD"}));
    assert_eq!(normalise(&contract, json!({"price": 19.99})), json!({"price": "19.99"}));
}

#[test]
fn truth_values_given_as_text_become_truth_values() {
    let contract = contract(json!({"a": "boolean", "b": "boolean"}));
    assert_eq!(normalise(&contract, json!({"a": "Yes", "b": "false"})), json!({"a": true, "b": false}));
}

#[test]
fn choices_and_names_are_read_in_any_case() {
    let contract = contract(json!({
        "type": "object",
        "properties": {"order_number": {"type": "string"}, "stock": {"enum": ["in_stock", "out_of_stock"]}}
    }));
    let raw = json!({"orderNumber": "A1", "stock": "In Stock"});
    assert_eq!(normalise(&contract, raw), json!({"order_number": "A1", "stock": "in_stock"}));
}

#[test]
fn fields_that_the_schema_has_no_room_for_are_dropped() {
    let contract = contract(json!({"a": "string"}));
    assert_eq!(normalise(&contract, json!({"a": "x", "confidence": 0.9})), json!({"a": "x"}));
}

#[test]
fn dates_become_rfc_3339_where_the_schema_says_so() {
    let dated = json!({"type": "object", "properties": {"d": {"type": "string", "format": "date"}, "t": {"type": "string", "format": "date-time"}}});
    let raw = json!({"d": "11 October 2026", "t": "Oct 11, 2026 9:40 am"});
    assert_eq!(
        normalise(&contract(dated.clone()), raw.clone()),
        json!({"d": "2026-10-11", "t": "2026-10-11T09:40:00Z"})
    );
    assert_eq!(normalise(&format_contract(dated), raw.clone()), raw);
}

#[test]
fn an_ambiguous_date_is_left_as_it_is() {
    let contract = contract(json!({"type": "object", "properties": {"d": {"type": "string", "format": "date"}}}));
    assert_eq!(normalise(&contract, json!({"d": "10/11/2026"})), json!({"d": "10/11/2026"}));
    assert_eq!(normalise(&contract, json!({"d": "10/21/2026"})), json!({"d": "2026-10-21"}));
}

#[test]
fn a_single_value_for_a_list_becomes_a_list_of_one() {
    let contract = contract(json!({"tags": ["string"], "rows": [{"a": "string"}]}));
    let raw = json!({"tags": "red", "rows": {"a": "x"}});
    assert_eq!(normalise(&contract, raw), json!({"tags": ["red"], "rows": [{"a": "x"}]}));
}

// Properties

fn shorthand() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["string", "number", "integer", "boolean", "array", "object", "null"])
            .prop_map(Value::from),
        "[a-z ,]{0,12}".prop_map(Value::from),
        Just(json!([])),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|item| json!([item])),
            prop::collection::btree_map("[a-z_A-Z~/$]{0,6}", inner, 0..4).prop_map(object),
        ]
    })
}

fn object(fields: BTreeMap<String, Value>) -> Value {
    Value::Object(Map::from_iter(fields))
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2000_i64..2000).prop_map(Value::from),
        (-2000.0..2000.0).prop_map(Value::from),
        "[ a-z0-9.,$]{0,8}".prop_map(Value::from),
        prop::sample::select(vec![
            "null",
            "{\"a\":\"5\"}",
            "[1]",
            "```json\n{\"b\":1}\n```",
            "true",
            "2026-10-11",
            "Oct 11, 2026",
            "\"x\""
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(
                prop::sample::select(vec!["a", "b", "A", "output", "data"]).prop_map(str::to_owned),
                inner,
                0..4
            )
            .prop_map(object),
        ]
    })
}

proptest! {
    #[test]
    fn every_shorthand_translates_to_a_valid_schema_that_accepts_its_own_emptiness(fields in prop::collection::btree_map("[a-z_]{1,6}", shorthand(), 0..5)) {
        let sketch = object(fields);
        prop_assume!(!["type", "properties", "items"].iter().any(|key| sketch.get(key).is_some()));
        let contract = contract(sketch);
        prop_assert!(contract.is_shorthand());
        prop_assert!(jsonschema::meta::is_valid(contract.schema()));
        let empty = crate::ground::ground(&contract, json!({}), &crate::ground::Evidence { pages: &[], answer: None, hints: &BTreeMap::new(), reads_code: false });
        prop_assert_eq!(contract.validate(&empty.data), Ok(()));
    }

    #[test]
    fn normalising_twice_is_normalising_once(a in shorthand(), b in shorthand(), raw in any_json()) {
        let contract = contract(json!({"a": a, "b": b}));
        let once = normalise(&contract, raw);
        prop_assert_eq!(normalise(&contract, once.clone()), once);
    }

    #[test]
    fn normalising_leaves_valid_data_valid(a in shorthand(), raw in any_json()) {
        let contract = contract(json!({"a": a}));
        let data = json!({"a": raw});
        if contract.validate(&data).is_ok() {
            prop_assert_eq!(contract.validate(&normalise(&contract, data)), Ok(()));
        }
    }
}
