//! What holds for any input: the fuzz targets look for one that breaks it, and the tests read every one ever found.

use errand_extract::numbers::NumberHint;
use errand_extract::{Options, dates, explain, extract, parse_number, parse_price, readable, reads_as_by_tokenizer};
use serde_json::{Value, json};

/// Any bytes as a page: no panic, an object, and no more found than asked for.
pub fn html(bytes: &[u8]) {
    let html = String::from_utf8_lossy(bytes);
    assert!(reads_as_by_tokenizer(&html), "another tree than the tokenizer's");
    let text = json!({"type": "string"});
    let item = json!({"type": "object", "properties": {"title": text, "url": text, "points": {"type": "integer"}}});
    let schema = json!({"type": "object", "required": ["name", "items"], "properties": {
        "name": {"type": ["string", "null"]}, "price": {"type": "number"}, "currency": text, "sku": text,
        "availability": text, "published": {"type": "string", "format": "date"},
        "total_time_minutes": {"type": "integer"}, "available": {"type": "boolean"},
        "ingredients": {"type": "array", "items": text}, "items": {"type": "array", "items": item}}});
    let got =
        extract(&html, "https://example.com/a/123456", &schema, &Options::default()).expect("the schema is usable");
    assert!(got.data.is_object() && got.found <= got.of, "{} of {} in {}", got.found, got.of, got.data);
    for pointer in got.pointer_sources.keys() {
        assert!(got.data.pointer(pointer).is_some_and(|value| !value.is_null()), "{pointer} in {}", got.data);
    }
    let few = Options { visible: false, limit: Some(2) };
    explain(&html, "not an address", &schema, &few).expect("the schema is usable");
    assert!(readable(&html, "https://example.com/").links.len() <= html.len());
}

/// Any text as JSON: no panic, and strict JSON is read as it is, by the repair too.
pub fn json(text: &str) {
    let parsed = errand_extract::json::parse(text);
    let repaired = errand_extract::json::repaired(text);
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        assert!(!parsed.repaired);
        assert_eq!(parsed.values.first(), Some(&value));
        if value.is_object() || value.is_array() {
            assert_eq!(repaired.first(), Some(&value));
        }
    }
    if let Some((_, end)) = errand_extract::json::literal(text, None) {
        assert!(text.is_char_boundary(end), "a literal of {end} bytes");
    }
}

/// Any text as number, price, date and duration: no panic, and no infinite number.
pub fn numbers(text: &str) {
    let price = NumberHint { price: true, lang: Some("de"), ..NumberHint::default() };
    let count = NumberHint { count: true, decimal: Some(','), ..NumberHint::default() };
    for hint in [NumberHint::default(), price, count] {
        assert!(parse_number(text, hint).is_none_or(f64::is_finite), "{hint:?}");
    }
    assert!(parse_price(text, Some(text), None).amount.is_none_or(f64::is_finite));
    assert!(dates::duration_seconds(text).is_none_or(f64::is_finite));
    let _dates = (dates::to_date(text), dates::to_date_time(text));
    let _text = errand_extract::text::clean(text);
}
