//! What a request may ask for, and how it is told that it may not.

use serde_json::{Map, Value, json};

use super::*;

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
    assert!(told.ends_with("its patterns are too large; the largest begins with \"(a{1000}){1000}\""), "{told}");
}

/// `levels` schemas, each of which applies the next one twice.
fn doubling(levels: usize) -> Value {
    let twice = |level: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        (format!("d{level}"), json!({"allOf": [next, {"anyOf": [next]}]}))
    };
    let mut defs: Map<String, Value> = (0..levels).map(twice).collect();
    defs.insert(format!("d{levels}"), json!({"type": "object"}));
    json!({"type": "object", "$ref": "#/$defs/d0", "$defs": defs})
}

#[test]
fn a_short_schema_that_asks_for_endless_checks_is_refused_and_no_hang() {
    for levels in [20, 100] {
        let told = fault(doubling(levels)).to_string();
        assert!(told.starts_with("\"output_schema\" is not a usable JSON Schema: it "), "{told}");
    }
    assert!(contract(doubling(10)).validate(&json!({})).is_ok());
    let twice = json!({"properties": {"x": {"$ref": "#"}}});
    let recursive = contract(json!({"type": "object", "allOf": [twice, twice]}));
    let deep = (0..100).fold(json!({}), |inner, _| json!({ "x": inner }));
    assert_eq!(normalise(&recursive, deep.clone()), deep);
    assert!(recursive.validate(&deep).is_err());
}

#[test]
fn large_honest_data_is_not_too_much() {
    let contract = contract(json!({"rows": [{"a": "string", "b": "number", "c": {"d": "string"}}]}));
    let rows: Vec<Value> = (0..10_000).map(|row| json!({"a": "x", "b": row, "c": {"d": null}})).collect();
    assert!(contract.validate(&json!({ "rows": rows })).is_ok());
}
