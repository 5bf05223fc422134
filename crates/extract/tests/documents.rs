//! Documents that are a JSON value. All are written for these tests.

use errand_extract::{Extracted, Options, extract};
use serde_json::{Value, json};

fn read(html: &str, schema: Value) -> Extracted {
    extract(html, "https://example.com/page", &schema, &Options::default()).expect("the schema is usable")
}

#[test]
fn a_json_document_is_read_from_its_value() {
    let document = json!({"id": 7, "title": "ignored <b>", "name": "Ada", "address": {"city": "Oslo"}, "tags": ["a", "b"], "note": "name: Bob"});
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "id": {"type": "integer"}, "city": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}}, "address": {"type": "object", "properties": {"city": {"type": "string"}}}}});
    let wanted = json!({"name": "Ada", "id": 7, "city": "Oslo", "tags": ["a", "b"], "address": {"city": "Oslo"}});
    let escaped = document.to_string().replace('<', "&lt;");
    let shown = format!(
        "<html><head><meta charset=utf-8></head><body><pre>{escaped}</pre><div class=json-formatter-container></div></body></html>"
    );
    for html in [document.to_string(), shown] {
        let got = read(&html, schema.clone());
        assert_eq!(got.data, wanted, "{html}");
        assert_eq!(got.sources["name"], "json:name");
    }
}

#[test]
fn a_json_array_is_the_list_that_is_asked_for() {
    let item = json!({"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}});
    let schema = json!({"type": "object", "properties": {"products": {"type": "array", "items": item}}});
    let got = read(r#"[{"name": "Lamp", "price": 3.5}, {"name": "Desk"}]"#, schema);
    assert_eq!(got.data, json!({"products": [{"name": "Lamp", "price": 3.5}, {"name": "Desk"}]}));
}
