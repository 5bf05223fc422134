//! Where a value may come from: an object's own place, not its parent's; text, not buttons. All pages are written for these tests.

use errand_extract::{Extracted, Options, extract};
use serde_json::{Value, json};

fn read(html: &str, schema: Value) -> Extracted {
    extract(html, "https://example.com/page", &schema, &Options::default()).expect("the schema is usable")
}

fn read_fields(html: &str, fields: Value) -> Extracted {
    read(html, json!({"type": "object", "properties": fields}))
}

const TEAM: &str = "<title>Red Team</title><h1>Red Team</h1><p>City: Oslo</p>";

#[test]
fn an_object_without_a_place_of_its_own_does_not_repeat_its_parent() {
    let name = json!({"type": "string"});
    let parent = json!({"type": "object", "properties": {"name": name}});
    let schema =
        json!({"type": "object", "properties": {"name": name, "parent": parent}, "required": ["name", "parent"]});
    let got = read(TEAM, schema.clone());
    assert_eq!(got.data, json!({"name": "Red Team"}));
    assert_eq!(got.missing, ["parent"]);
    let got = read(&format!("{TEAM}<p>Parent: All Teams</p>"), schema);
    assert_eq!(got.data, json!({"name": "Red Team", "parent": {"name": "All Teams"}}));
}

#[test]
fn a_schema_that_refers_to_itself_is_filled_once() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "city": {"type": "string"}, "child": {"$ref": "#"}}});
    assert_eq!(read(TEAM, schema).data, json!({"name": "Red Team", "city": "Oslo"}));
}

#[test]
fn an_object_whose_parts_only_it_asks_for_is_read_from_the_page() {
    let order = json!({"type": "object", "properties": {"number": {"type": "string"}, "city": {"type": "string"}}});
    let got = read(TEAM, json!({"type": "object", "properties": {"name": {"type": "string"}, "order": order}}));
    assert_eq!(got.data, json!({"name": "Red Team", "order": {"city": "Oslo"}}));
}

#[test]
fn buttons_and_the_links_of_a_form_are_no_values() {
    let schema = json!({"type": "object", "properties": {"password": {"type": "string"}, "team": {"type": "string"}}});
    for form in [
        "<form><label>Password</label> <input type=password> <button>Log in</button></form>",
        "<form><p>Password</p><div><input type=password></div><a href=/forgot>Forgot it?</a></form>",
        "<div><b>Password</b> <button>Log in</button></div>",
        "<div><b>Password</b> <a class='btn btn-main' href=/login>Log in</a></div>",
        "<form><b>Password</b> <a href=/login>Log in</a></form>",
    ] {
        assert_eq!(read(form, schema.clone()).data, json!({}), "{form}");
    }
    let linked = "<p><b>Team</b> <a href=/red>Red Team</a></p>";
    assert_eq!(read(linked, schema).data, json!({"team": "Red Team"}));
}

#[test]
fn an_answer_to_in_stock_counts_and_not_the_question() {
    let wanted = json!({"in_stock": {"type": "boolean"}, "availability": {"type": "string"}});
    for (html, is_in_stock) in [
        ("<p>In stock: No</p>", false),
        ("<p>In stock: Yes</p>", true),
        ("<dl><dt>In stock</dt><dd>Sold out</dd></dl>", false),
        ("<table><tr><th>In stock</th><td>yes</td></tr></table>", true),
        ("<p>Sold out: no</p>", true),
        ("<p>In stock</p>", true),
        ("<p>Out of stock</p>", false),
    ] {
        let got = read_fields(&format!("<h1>Brass lamp</h1>{html}<p>Price: $5</p>"), wanted.clone());
        let availability = if is_in_stock { "InStock" } else { "OutOfStock" };
        assert_eq!(got.data, json!({"in_stock": is_in_stock, "availability": availability}), "{html}");
    }
    let got = read_fields("<h1>Lamp</h1><p>Available: Yes</p>", json!({"available": {"type": "boolean"}}));
    assert_eq!(got.data, json!({"available": true}));
}

#[test]
fn an_address_is_where_a_link_leads_and_never_its_words() {
    let wanted = json!({"website": {"type": "string", "format": "uri"}, "email": {"type": "string"}});
    let linked = r#"<dl><dt>Website</dt><dd><a href="https://acme.example/x">Acme</a></dd>
        <dt>Email</dt><dd><a href="mailto:hello@acme.example?subject=x">Write us</a></dd></dl>"#;
    assert_eq!(
        read_fields(linked, wanted.clone()).data,
        json!({"website": "https://acme.example/x", "email": "hello@acme.example"})
    );
    let inline = r#"<p>Website: <a href="https://acme.example/x">Acme</a></p>"#;
    assert_eq!(read_fields(inline, wanted.clone()).data["website"], "https://acme.example/x");
    let written = "<p>Website: https://acme.example/y</p><p>Email: hello@acme.example</p>";
    assert_eq!(
        read_fields(written, wanted.clone()).data,
        json!({"website": "https://acme.example/y", "email": "hello@acme.example"})
    );
    for words in ["<dl><dt>Website</dt><dd>coming soon</dd></dl>", "<p>Website: n/a</p>", "<p>Website: Acme</p>"] {
        assert_eq!(read_fields(words, wanted.clone()).data.get("website"), None, "{words}");
    }
}

#[test]
fn a_sign_is_kept_wherever_it_stands() {
    for (text, value) in
        [("$-5.00", -5.0), ("-$5.00", -5.0), ("–5", -5.0), ("€ -5", -5.0), ("3–5", 3.0), ("$10-$5", 10.0)]
    {
        let got = read_fields(&format!("<p>Balance: {text}</p>"), json!({"balance": {"type": "number"}}));
        assert_eq!(got.data["balance"].as_f64(), Some(value), "{text}");
    }
}

#[test]
fn a_time_is_a_date_at_least_and_its_fault_is_told() {
    let wanted = json!({"updated": {"type": "string", "format": "date-time"}});
    let got = |text: &str| read_fields(&format!("<dl><dt>Updated</dt><dd>{text}</dd></dl>"), wanted.clone());
    assert_eq!(got("2026-10-11T09:30:00Z").data, json!({"updated": "2026-10-11T09:30:00Z"}));
    assert_eq!(got("yesterday").data, json!({}));
    let day = got("2026-10-11");
    assert_eq!((&day.data, day.valid), (&json!({"updated": "2026-10-11"}), false));
}
