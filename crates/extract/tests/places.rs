//! Where a value may come from: an object's own place, not its parent's; text, not buttons. All pages are written for these tests.

use errand_extract::{Extracted, Options, extract};
use serde_json::{Value, json};

fn read(html: &str, schema: Value) -> Extracted {
    extract(html, "https://example.com/page", &schema, &Options::default()).expect("the schema is usable")
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
