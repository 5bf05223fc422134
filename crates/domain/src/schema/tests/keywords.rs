//! What a schema or shorthand means.

use serde_json::json;

use super::*;

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
fn a_reduced_schema_has_the_same_shape_and_fewer_keywords() {
    let full = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["a"], "minProperties": 1,
        "properties": {"a": {"type": "string", "pattern": "^x", "description": "an x"}, "format": {"const": 5}, "c": {"oneOf": [{"$ref": "#/$defs/d"}]}},
        "$defs": {"d": {"type": "array", "items": {"type": "number", "minimum": 0}}}
    });
    let expected = json!({
        "type": "object", "required": ["a"],
        "properties": {"a": {"type": "string", "description": "an x"}, "format": {"enum": [5]}, "c": {"anyOf": [{"$ref": "#/$defs/d"}]}},
        "$defs": {"d": {"type": "array", "items": {"type": "number"}}}
    });
    assert_eq!(contract(full).reduced_schema(), expected);
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
