//! What the page shows: repeated records, labels, prices. All pages are written for these tests.

use errand_extract::{Options, extract};
use serde_json::{Value, json};

fn read(html: &str, schema: Value) -> errand_extract::Extracted {
    extract(html, "https://example.com/list/", &schema, &Options::default()).expect("the schema is usable")
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn stories_schema() -> Value {
    let optional = |kind: &str| json!({"type": [kind, "null"]});
    let item = json!({"type": "object", "properties": {"title": optional("string"), "url": optional("string"), "points": optional("integer")}, "required": ["title", "url", "points"]});
    json!({"type": "object", "properties": {"stories": {"type": "array", "items": item}}, "required": ["stories"]})
}

#[test]
fn stories_in_row_pairs_keep_their_own_points() {
    let html = r#"<html><body><table><tr><td><a href="/">Front page</a> <a href="/new">new</a> <a href="/past">past</a></td></tr><tr><td><table>
      <tr class="entry" id="1"><td class="rank">1.</td><td><a class="vote" href="/vote?1"></a></td><td class="title"><span><a href="https://a.example/one">A story about the first thing</a> <span class="site">(<a href="/from?a">a.example</a>)</span></span></td></tr>
      <tr><td colspan="2"></td><td class="sub"><span class="score">123 points</span> by <a href="/user?u1">u1</a> <a href="/item?1">2 hours ago</a> | <a href="/item?1">45 comments</a></td></tr><tr class="gap"></tr>
      <tr class="entry" id="2"><td class="rank">2.</td><td></td><td class="title"><span><a href="item?id=2">Company is hiring people who care</a></span></td></tr>
      <tr><td colspan="2"></td><td class="sub"><a href="/item?2">3 hours ago</a> | <a href="/hide?2">hide</a></td></tr><tr class="gap"></tr>
      <tr class="entry" id="3"><td class="rank">3.</td><td></td><td class="title"><span><a href="/local/three">Third story is local and long enough</a></span></td></tr>
      <tr><td colspan="2"></td><td class="sub"><span class="score">7 points</span> by <a href="/user?u3">u3</a> <a href="/item?3">1 hour ago</a> | <a href="/item?3">discuss</a></td></tr><tr class="gap"></tr>
      <tr><td colspan="2"></td><td><a href="/?p=2">More</a></td></tr></table></td></tr></table></body></html>"#;
    let got = read(html, stories_schema());
    assert_eq!(
        got.data["stories"],
        json!([
            {"title": "A story about the first thing", "url": "https://a.example/one", "points": 123},
            {"title": "Company is hiring people who care", "url": "https://example.com/list/item?id=2", "points": null},
            {"title": "Third story is local and long enough", "url": "https://example.com/local/three", "points": 7}
        ])
    );
    assert!(got.valid);
    assert_eq!(got.pointer_sources["/stories/0/title"], "record");
}

#[test]
fn stories_in_list_items_are_read_in_order() {
    let html = r#"<body><header><nav><ul><li><a href="/a">Alpha section</a></li><li><a href="/b">Beta section</a></li></ul></nav></header><main><ol>
      <li><article><h2><a href="/s/1">Bridges built of paper hold a car</a></h2><p class="meta"><span>88 points</span> by ada · 3 hours ago · <a href="/s/1#c">12 comments</a></p></article></li>
      <li><article><h2><a href="/s/2">A clock that never needs winding</a></h2><p class="meta"><span>54 points</span> by bob · 5 hours ago · <a href="/s/2#c">3 comments</a></p></article></li>
      <li><article><h2><a href="/s/3">Why the sea is boiling hot</a></h2><p class="meta"><span>31 points</span> by cyd · 9 hours ago · <a href="/s/3#c">0 comments</a></p></article></li>
      </ol></main><footer><ul><li><a href="/x">About us here</a></li><li><a href="/y">Contact us here</a></li></ul></footer></body>"#;
    let got = read(html, stories_schema());
    assert_eq!(
        got.data["stories"][1],
        json!({"title": "A clock that never needs winding", "url": "https://example.com/s/2", "points": 54})
    );
    assert_eq!(got.data["stories"].as_array().map(Vec::len), Some(3));
}

#[test]
fn an_order_confirmation_gives_number_total_and_currency() {
    let schema = object(
        json!({"order_number": {"type": ["string", "null"]}, "total": {"type": ["number", "null"]}, "currency": {"type": ["string", "null"]}}),
    );
    for html in [
        "<h1>Thank you, Ada!</h1><p>Order number: <strong>ABC-123</strong></p><p>Subtotal: $20.00</p><p>Total: <b>$24.50</b></p>",
        "<h1>Thanks</h1><dl><dt>Order number</dt><dd>ABC-123</dd><dt>Shipping</dt><dd>$4.50</dd><dt>Total</dt><dd>$24.50</dd></dl>",
        "<h1>Order placed</h1><table><tr><th>Order no.</th><td>ABC-123</td></tr><tr><th>Order total</th><td>$24.50</td></tr></table>",
        "<h1>Done</h1><p>Your order number is ABC-123.</p><p>The total is $24.50 and will be charged today.</p>",
        "<div><span>Order #</span><span>ABC-123</span></div><div><span>Total</span><span>$24.50</span></div>",
    ] {
        let got = read(html, schema.clone());
        assert_eq!(got.data, json!({"order_number": "ABC-123", "total": 24.5, "currency": "USD"}), "{html}");
    }
}

#[test]
fn a_tables_columns_become_fields() {
    let item = json!({"type": "object", "properties": {"title": {"type": "string"}, "team": {"type": "string"}, "location": {"type": "string"}}});
    let html = "<table><thead><tr><th>Position</th><th>Team</th><th>Location</th></tr></thead><tbody><tr><td>Engineer</td><td rowspan=2>Platform</td><td>Berlin</td></tr><tr><td>Designer</td><td>Paris</td></tr></tbody></table>";
    let got = read(html, object(json!({"positions": {"type": "array", "items": item}})));
    assert_eq!(
        got.data["positions"],
        json!([{"title": "Engineer", "team": "Platform", "location": "Berlin"}, {"title": "Designer", "team": "Platform", "location": "Paris"}])
    );
    assert_eq!(got.sources["positions"], "table");
}

#[test]
fn the_shown_price_is_not_the_struck_one_nor_shipping() {
    let html = "<body><h1>Brass lamp</h1><div class=product><del>$120.00</del> <span class=price>$89.95</span> <span class=shipping>Shipping $5.00</span></div><section><h2>You may also like</h2><ul><li><a href=/1>A</a> $10.00<li><a href=/2>B</a> $11.00<li><a href=/3>C</a> $12.00</ul></section>";
    let got = read(
        html,
        object(json!({"name": {"type": "string"}, "price": {"type": "number"}, "currency": {"type": "string"}})),
    );
    assert_eq!(got.data, json!({"name": "Brass lamp", "price": 89.95, "currency": "USD"}));
}
