use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{OutputContract, SchemaFault, normalise};

fn contract(output_schema: Value) -> OutputContract {
    OutputContract::from_request(Some(&output_schema), None).unwrap().unwrap()
}

fn format_contract(schema: Value) -> OutputContract {
    let output_format = json!({"type": "json_schema", "schema": schema});
    OutputContract::from_request(None, Some(&output_format)).unwrap().unwrap()
}

fn fault(output_schema: Value) -> SchemaFault {
    OutputContract::from_request(Some(&output_schema), None).unwrap_err()
}

fn failing(contract: &OutputContract, data: &Value) -> Vec<String> {
    contract.validate(data).unwrap_err().iter().map(ToString::to_string).collect()
}

// The request's fields

#[test]
fn neither_field_is_no_contract_and_null_is_not_given() {
    assert_eq!(OutputContract::from_request(None, None), Ok(None));
    assert_eq!(OutputContract::from_request(Some(&Value::Null), Some(&Value::Null)), Ok(None));
}

#[test]
fn both_fields_are_refused_by_name() {
    let schema = json!({"a": "string"});
    let format = json!({"type": "json_schema", "schema": {"type": "object"}});
    let fault = OutputContract::from_request(Some(&schema), Some(&format)).unwrap_err();
    assert_eq!(fault.to_string(), "give \"output_schema\" or \"output_format\", not both");
}

#[test]
fn a_schema_that_is_no_object_is_refused() {
    let fault = fault(json!(["string"]));
    assert_eq!(fault.to_string(), "\"output_schema\" must be an object");
    assert_eq!(fault.param(), "output_schema");
}

#[test]
fn a_schema_of_20_480_bytes_is_taken_and_one_byte_more_is_not() {
    let of_size = |bytes: usize| json!({"a": "x".repeat(bytes - r#"{"a":""}"#.len())});
    assert!(OutputContract::from_request(Some(&of_size(20_480)), None).is_ok());
    let fault = fault(of_size(20_481));
    assert_eq!(fault.to_string(), "\"output_schema\" must be at most 20480 bytes of JSON, not 20481");
}

#[test]
fn output_format_takes_only_a_json_schema() {
    let refused =
        |output_format: Value| OutputContract::from_request(None, Some(&output_format)).unwrap_err().to_string();
    assert_eq!(refused(json!({"type": "text"})), "\"output_format.type\" must be \"json_schema\"");
    assert_eq!(refused(json!({"type": "json_schema"})), "\"output_format.schema\" must be an object");
    let unknown = json!({"type": "json_schema", "schema": {}, "strict": true});
    assert_eq!(refused(unknown), "\"output_format\" has the unknown field \"strict\"");
    assert_eq!(refused(json!("json")), "\"output_format\" must be an object");
}

#[test]
fn output_format_is_never_shorthand() {
    let contract = format_contract(json!({"title": "string"}));
    assert!(!contract.is_shorthand());
    assert!(contract.validate(&json!(5)).is_ok());
}

// Faults in JSON Schemas

#[test]
fn a_bad_type_is_told_with_its_place() {
    let fault = fault(json!({"type": "object", "properties": {"price": {"type": "numbr"}}}));
    assert_eq!(
        fault.to_string(),
        "\"output_schema\" is not a usable JSON Schema: at \"/properties/price/type\": \"numbr\" is not a JSON Schema type"
    );
    assert_eq!(fault.reason(), "at \"/properties/price/type\": \"numbr\" is not a JSON Schema type");
}

#[test]
fn a_bad_pattern_is_told_with_its_place() {
    let told = fault(json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}})).to_string();
    assert!(told.starts_with("\"output_schema\" is not a usable JSON Schema: at \"/properties/a/pattern\":"), "{told}");
}

#[test]
fn keywords_of_the_wrong_form_are_told_with_their_place() {
    for (schema, place) in [
        (json!({"type": "object", "required": "name"}), "/required"),
        (json!({"type": "string", "minLength": -1}), "/minLength"),
        (json!({"type": "object", "properties": []}), "/properties"),
        (json!({"type": "array", "items": 5}), "/items"),
    ] {
        let told = fault(schema).to_string();
        assert!(told.contains(&format!("not a usable JSON Schema: at \"{place}\": ")), "{told}");
    }
}

#[test]
fn an_unknown_schema_uri_is_named() {
    let fault = fault(json!({"$schema": "https://example.com/my-draft", "type": "object"}));
    assert_eq!(
        fault.to_string(),
        "\"output_schema\" is not a usable JSON Schema: no schema with key or ref \"https://example.com/my-draft\""
    );
    let told = self::fault(json!({"$schema": "http://json-schema.org/draft-03/schema#"})).to_string();
    assert!(told.ends_with("no schema with key or ref \"http://json-schema.org/draft-03/schema#\""), "{told}");
}

#[test]
fn a_schema_uri_that_is_no_text_is_refused() {
    assert!(fault(json!({"$schema": 7})).to_string().contains("at \"/$schema\""));
}

#[test]
fn a_reference_out_of_the_document_is_named_and_never_fetched() {
    let told = fault(json!({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/x.json"}}})).to_string();
    let expected = "at \"/properties/a/$ref\": no schema with key or ref \"http://127.0.0.1:1/x.json\"";
    assert!(told.ends_with(expected), "{told}");
}

#[test]
fn a_reference_to_nowhere_is_named() {
    let told = fault(json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/nope"}}})).to_string();
    assert!(told.ends_with("at \"/properties/a/$ref\": no schema with key or ref \"#/$defs/nope\""), "{told}");
}

#[test]
fn references_without_end_are_refused() {
    for schema in [
        json!({"type": "object", "$ref": "#"}),
        json!({"type": "object", "allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}),
    ] {
        let told = fault(schema).to_string();
        assert!(told.contains("lead back to itself"), "{told}");
    }
}

#[test]
fn a_schema_nested_too_deep_is_refused() {
    let deep = (0..100).fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}));
    assert!(fault(deep).to_string().contains("nested more than 64 deep"));
}

#[test]
fn a_pattern_that_backtracks_for_ever_ends_as_a_violation() {
    let contract = contract(json!({"type": "string", "pattern": "^(?=(a+)+$)(a|aa)+\\1b$"}));
    assert!(contract.validate(&json!("a".repeat(5_000))).is_err());
}

#[test]
fn a_pattern_that_fills_memory_is_refused() {
    let told = fault(json!({"type": "string", "pattern": "(a{1000}){1000}"})).to_string();
    assert!(told.contains("at \"/pattern\""), "{told}");
}

// Drafts and keywords

#[test]
fn every_draft_of_the_contract_is_understood() {
    let exclusive_number = json!({"type": "number", "exclusiveMinimum": 5});
    for draft in [
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        let mut schema = exclusive_number.clone();
        schema["$schema"] = json!(draft);
        assert!(contract(schema).validate(&json!(5)).is_err(), "{draft}");
    }
    let draft_04 = json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "number", "minimum": 5, "exclusiveMinimum": true});
    assert!(contract(draft_04).validate(&json!(5)).is_err());
}

#[test]
fn without_a_schema_uri_it_is_2020_12() {
    let tuple = contract(json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}));
    assert!(tuple.validate(&json!(["a"])).is_ok());
    assert!(tuple.validate(&json!(["a", "b"])).is_err());
}

#[test]
fn references_enums_constants_bounds_and_patterns_are_honoured() {
    let contract = contract(json!({
        "type": "object",
        "properties": {
            "size": {"$ref": "#/$defs/size"},
            "kind": {"const": "mug"},
            "price": {"type": "number", "minimum": 0},
            "code": {"type": "string", "pattern": "^[A-Z]{3}$"}
        },
        "required": ["size"],
        "$defs": {"size": {"enum": ["small", "large"]}}
    }));
    assert!(contract.validate(&json!({"size": "large", "kind": "mug", "price": 1, "code": "ABC"})).is_ok());
    for (data, field) in [
        (json!({"size": "huge"}), "/size"),
        (json!({"size": "small", "kind": "cup"}), "/kind"),
        (json!({"size": "small", "price": -1}), "/price"),
        (json!({"size": "small", "code": "abcd"}), "/code"),
        (json!({}), "/size"),
    ] {
        let told = failing(&contract, &data);
        assert!(told[0].starts_with(field), "{told:?}");
    }
}

#[test]
fn format_is_checked_for_output_schema_and_a_note_for_output_format() {
    let schema = json!({"type": "object", "properties": {"day": {"type": "string", "format": "date"}}});
    let data = json!({"day": "soon"});
    assert!(contract(schema.clone()).validate(&data).is_err());
    assert!(format_contract(schema).validate(&data).is_ok());
}

#[test]
fn every_failing_field_is_named() {
    let contract = contract(json!({
        "type": "object",
        "properties": {"a": {"type": "number"}, "items": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}}},
        "required": ["a"]
    }));
    let told = failing(&contract, &json!({"a": "x", "items": [{}, {"b": 5}]}));
    assert_eq!(
        told,
        [
            "/a: \"x\" is not of type number",
            "/items/0/b: is required but was not found on the visited pages",
            "/items/1/b: 5 is not of type string"
        ]
    );
}

#[test]
fn a_null_where_none_may_stand_is_told_as_not_found() {
    let contract = contract(json!({"type": "object", "properties": {"a": {"type": "number"}}}));
    let violations = contract.validate(&json!({"a": null})).unwrap_err();
    assert!(violations[0].is_unfound);
    assert_eq!(violations[0].pointer, "/a");
}

#[test]
fn a_failing_branch_of_a_union_is_told_by_its_own_fields() {
    let contract = contract(json!({
        "type": "object",
        "properties": {"price": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}]}}
    }));
    let told = failing(&contract, &json!({"price": {}}));
    assert_eq!(told, ["/price/amount: is required but was not found on the visited pages"]);
}

// Shorthand

#[test]
fn only_four_top_level_names_make_it_json_schema() {
    for name in ["type", "properties", "items", "$schema"] {
        let value = if name == "type" {
            json!("object")
        } else if name == "properties" || name == "items" {
            json!({})
        } else {
            json!("https://json-schema.org/draft/2020-12/schema")
        };
        assert!(!contract(json!({ name: value })).is_shorthand(), "{name}");
    }
    assert!(contract(json!({"$ref": "string", "required": "string", "enum": ["string"]})).is_shorthand());
}

#[test]
fn type_names_mean_that_type_or_null() {
    let contract = contract(
        json!({"s": "string", "n": "number", "i": "integer", "b": "boolean", "a": "array", "o": "object", "z": "null"}),
    );
    let nothing = json!({"s": null, "n": null, "i": null, "b": null, "a": null, "o": null, "z": null});
    assert!(contract.validate(&nothing).is_ok());
    let something = json!({"s": "x", "n": 1.5, "i": 2, "b": true, "a": [1, "x"], "o": {"k": 1}, "z": null});
    assert!(contract.validate(&something).is_ok());
    let mut wrong = something.clone();
    wrong["i"] = json!(2.5);
    assert_eq!(failing(&contract, &wrong), ["/i: 2.5 is not of type null or integer"]);
}

#[test]
fn any_other_text_is_a_described_string() {
    let contract = contract(json!({"price": "price in USD", "String": "String"}));
    assert!(contract.validate(&json!({"price": "$19.99", "String": null})).is_ok());
    assert!(contract.validate(&json!({"price": 19.99, "String": null})).is_err());
    assert_eq!(contract.schema()["properties"]["price"]["description"], "price in USD");
}

#[test]
fn lists_hold_what_their_one_item_shows() {
    let contract =
        contract(json!({"tags": ["string"], "stories": [{"title": "string"}], "any": [], "grid": [["integer"]]}));
    assert!(
        contract.validate(&json!({"tags": ["a"], "stories": [{"title": "t"}], "any": [1, {}], "grid": [[1]]})).is_ok()
    );
    assert!(contract.validate(&json!({"tags": [], "stories": [], "any": [], "grid": []})).is_ok());
    assert!(contract.validate(&json!({"tags": null, "stories": [], "any": [], "grid": []})).is_err());
}

#[test]
fn objects_have_exactly_their_fields() {
    let contract = contract(json!({"seller": {"name": "string"}}));
    assert!(contract.validate(&json!({"seller": {"name": null}})).is_ok());
    assert!(contract.validate(&json!({"seller": {}})).is_err());
    assert!(contract.validate(&json!({"seller": {"name": "x", "age": 5}})).is_err());
    assert!(contract.validate(&json!({})).is_err());
}

#[test]
fn a_nested_field_may_be_called_type() {
    let contract = contract(json!({"product": {"type": "string", "items": ["string"]}}));
    assert!(contract.is_shorthand());
    assert!(contract.validate(&json!({"product": {"type": "mug", "items": ["a"]}})).is_ok());
}

#[test]
fn what_is_no_shorthand_is_told_with_its_place() {
    assert!(fault(json!({"a": {"b": 5}})).reason().starts_with("at \"/a/b\": 5 is not shorthand"));
    assert!(fault(json!({"a": [null]})).reason().starts_with("at \"/a/0\": null is not shorthand"));
    assert!(fault(json!({"a": true})).reason().starts_with("at \"/a\": true is not shorthand"));
    assert_eq!(
        fault(json!({"a": ["string", "number"]})).reason(),
        "at \"/a\": a list in shorthand shows one item, not 2"
    );
}

// Notes and the stored form

#[test]
fn top_level_names_are_noted_with_type_and_description() {
    let contract = contract(json!({"price": "price in USD", "points": "integer", "stories": [{"title": "string"}]}));
    let notes: Vec<(String, Option<String>, String)> =
        contract.top_level().into_iter().map(|note| (note.name, note.description, note.type_name)).collect();
    let expected = [
        ("price".to_owned(), Some("price in USD".to_owned()), "string".to_owned()),
        ("points".to_owned(), None, "integer".to_owned()),
        ("stories".to_owned(), None, "array".to_owned()),
    ];
    assert_eq!(notes, expected);
}

#[test]
fn notes_look_through_references_and_into_a_list() {
    let contract = contract(json!({
        "type": "array", "items": {"$ref": "#/$defs/job"},
        "$defs": {"job": {"type": "object", "properties": {"title": {"type": "string", "description": "of the job"}}}}
    }));
    let notes = contract.top_level();
    assert_eq!((notes[0].name.as_str(), notes[0].description.as_deref()), ("title", Some("of the job")));
}

#[test]
fn the_stored_form_is_what_the_client_gave() {
    for contract in [contract(json!({"a": "string"})), format_contract(json!({"type": "object"}))] {
        let text = serde_json::to_string(&contract).unwrap();
        let back: OutputContract = serde_json::from_str(&text).unwrap();
        assert_eq!(back, contract);
        assert_eq!(back.schema(), contract.schema());
        assert_eq!(back.is_shorthand(), contract.is_shorthand());
    }
    let shorthand = contract(json!({"a": "string"}));
    assert_eq!(shorthand.to_json(), json!({"output_schema": {"a": "string"}}));
}

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
    ] {
        assert_eq!(normalise(&contract, json!({"n": text}))["n"], number, "{text}");
    }
    assert_eq!(normalise(&contract, json!({"i": "1,299"}))["i"], json!(1299));
    assert_eq!(normalise(&contract, json!({"i": 57.0}))["i"], json!(57));
    assert_eq!(normalise(&contract, json!({"n": "10 to 20"}))["n"], json!("10 to 20"));
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
