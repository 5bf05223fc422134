//! Any bytes as a page: no panic, and what is called valid validates.
#![no_main]

use errand_extract::{Options, explain, extract, readable};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|data: &[u8]| {
    let html = String::from_utf8_lossy(data);
    let schema = json!({"type": "object", "required": ["name", "items"], "properties": {
        "name": {"type": ["string", "null"]}, "price": {"type": "number"}, "currency": {"type": "string"}, "sku": {"type": "string"},
        "availability": {"type": "string"}, "published": {"type": "string", "format": "date"}, "total_time_minutes": {"type": "integer"},
        "available": {"type": "boolean"}, "ingredients": {"type": "array", "items": {"type": "string"}},
        "items": {"type": "array", "items": {"type": "object", "properties": {"title": {"type": "string"}, "url": {"type": "string"}, "points": {"type": "integer"}}}}}});
    let got = extract(&html, "https://example.com/a/123456", &schema, &Options::default()).expect("the schema is usable");
    assert!(got.data.is_object() && got.found <= got.of);
    let _ = explain(&html, "not an address", &schema, &Options { visible: false, limit: Some(2) });
    let _ = readable(&html, "https://example.com/");
});
