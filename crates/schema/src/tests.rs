//! Hostile schemas and hostile data end within their bounds; honest ones are judged as before.

use serde_json::{Map, Value, json};
use std::time::Instant;

use super::*;

fn compiled(schema: &Value) -> Validator {
    Validator::compile(schema, Formats::Checked).unwrap()
}

fn refused(schema: &Value) -> String {
    Validator::compile(schema, Formats::Checked).unwrap_err().reason
}

/// `levels` schemas, each of which is `wide` references to the next one within `keyword`.
fn fan(keyword: &str, wide: usize, levels: usize) -> Value {
    let level = |level: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        (format!("d{level}"), json!({ keyword: vec![next; wide] }))
    };
    let mut defs: Map<String, Value> = (0..levels).map(level).collect();
    defs.insert(format!("d{levels}"), json!({"type": "integer"}));
    json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs})
}

#[test]
fn a_schema_that_asks_for_too_many_checks_is_refused_at_once() {
    for (keyword, wide, levels) in [("oneOf", 4, 12), ("anyOf", 8, 30), ("allOf", 2, 40), ("oneOf", 4, 8)] {
        let began = Instant::now();
        assert_eq!(refused(&fan(keyword, wide, levels)), "it asks for more than 20000 checks of one value");
        assert!(began.elapsed().as_secs() < 2, "{keyword}");
    }
    assert!(compiled(&fan("oneOf", 4, 5)).check(&json!({"x": "a"})).is_err());
}

#[test]
fn a_fan_through_the_data_is_refused_too() {
    let level = |level: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        (format!("d{level}"), json!({"oneOf": [{"properties": {"x": next}}, {"properties": {"x": next}}]}))
    };
    let mut defs: Map<String, Value> = (0..30).map(level).collect();
    defs.insert("d30".to_owned(), json!({"type": "integer"}));
    let schema = json!({"type": "object", "$ref": "#/$defs/d0", "$defs": defs});
    assert_eq!(refused(&schema), "it asks for more than 20000 checks of one value");
}

#[test]
fn looking_again_for_what_was_not_evaluated_counts() {
    let nested = (0..14).fold(
        json!({"properties": {"a": {}}}),
        |inner, _| json!({"anyOf": [inner, {"$ref": "#/$defs/any"}], "unevaluatedProperties": false}),
    );
    let mut schema = nested;
    schema["$defs"] = json!({"any": {"type": "object"}});
    assert!(refused(&schema).contains("checks of one value"));
}

#[test]
fn a_long_chain_of_references_is_refused_before_a_stack_is_used_up() {
    let link = |level: usize| (format!("d{level}"), json!({"$ref": format!("#/$defs/d{}", level + 1)}));
    let mut defs: Map<String, Value> = (0..400).map(link).collect();
    defs.insert("d400".to_owned(), json!({"type": "integer"}));
    let schema = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs});
    assert_eq!(refused(&schema), "it leads through more than 128 schemas at one place");
}

#[test]
fn deep_data_under_a_schema_of_itself_ends_by_count() {
    let twice = json!({"properties": {"x": {"$ref": "#"}}});
    let validator = compiled(&json!({"type": "object", "allOf": [twice, twice]}));
    let deep = (0..60).fold(json!({}), |inner, _| json!({ "x": inner }));
    assert_eq!(validator.check(&deep).unwrap_err()[0].message, "takes too many checks to validate with this schema");
    let chain = (0..20).fold(json!({"properties": {"x": {"$ref": "#"}}}), |inner, _| json!({"allOf": [inner]}));
    let deep = (0..120).fold(json!({}), |inner, _| json!({ "x": inner }));
    assert!(compiled(&chain).check(&deep).is_err());
}

#[test]
fn the_deepest_check_that_is_made_fits_a_small_stack() {
    let validator = compiled(&json!({"properties": {"x": {"$ref": "#"}}, "type": "object"}));
    let fitting = (0..120).fold(json!({}), |inner, _| json!({ "x": inner }));
    let judged = std::thread::Builder::new().stack_size(2 << 20).spawn(move || validator.check(&fitting)).unwrap();
    assert_eq!(judged.join().unwrap(), Ok(()));
}

#[test]
fn patterns_that_fill_memory_together_are_refused() {
    let fields: Map<String, Value> = (0..60)
        .map(|field| (format!("f{field}"), json!({"pattern": format!("^\\p{{L}}{{{}}}$", 10 + field)})))
        .collect();
    let told = refused(&json!({ "properties": fields }));
    assert_eq!(told, "its patterns are too large; the largest begins with \"^\\\\p{L}{69}$\"");
}

#[test]
fn a_pattern_on_many_long_texts_is_counted() {
    let validator = compiled(&json!({"type": "array", "items": {"pattern": "^(?=(a+)+$)(a|aa)+\\1b$"}}));
    let began = Instant::now();
    let told = validator.check(&json!(vec!["a".repeat(2_000); 1_000])).unwrap_err();
    assert_eq!(told[0].message, "takes too many checks to validate with this schema");
    let codes: Vec<String> = (0..2_000).map(|code| format!("AB-{code}")).collect();
    assert_eq!(compiled(&json!({"items": {"pattern": "^(?!XX)[A-Z]{2}-\\d+$"}})).check(&json!(codes)), Ok(()));
    assert!(began.elapsed().as_secs() < 10);
}

#[test]
fn failures_of_large_choices_are_not_all_kept() {
    let choice: Vec<Value> = (0..200).map(|least| json!({"type": "object", "minProperties": 1000 + least})).collect();
    let rows: Vec<Value> = (0..1_000).map(|row| json!({ "a": row })).collect();
    let validator = compiled(&json!({"items": {"oneOf": choice}}));
    assert_eq!(validator.check(&json!(rows)).unwrap_err(), [Violation::untold()]);
    assert!(validator.check(&json!([{"a": 1}])).unwrap_err()[0].pointer.starts_with("/0"));
}

#[test]
fn one_bad_row_among_many_is_still_named() {
    let row = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}});
    let validator = compiled(&json!({"type": "array", "items": row}));
    let mut rows: Vec<Value> = (0..80_000).map(|row| json!({"a": row, "b": "x"})).collect();
    rows[70_000] = json!({"a": "no", "b": "x"});
    assert_eq!(validator.check(&json!(rows)).unwrap_err()[0].pointer, "/70000/a");
}
