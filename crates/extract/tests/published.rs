//! What the page publishes for machines. All pages are written for these tests.

use errand_extract::{Options, extract};
use serde_json::{Value, json};

fn read(html: &str, properties: Value) -> errand_extract::Extracted {
    let schema = json!({"type": "object", "properties": properties});
    extract(html, "https://shop.example/lamps/7", &schema, &Options::default()).expect("the schema is usable")
}

fn name_and_price() -> Value {
    json!({"name": {"type": "string"}, "price": {"type": "number"}})
}

#[test]
fn an_item_with_a_property_that_no_item_owns_is_still_the_pages() {
    let html = r#"<title>Desk lamp</title><div itemprop="mainEntityOfPage" itemscope itemtype="https://schema.org/Product">
        <h1 itemprop="name">Desk lamp</h1>
        <ul itemprop="offers" itemscope itemtype="https://schema.org/Offer"><li itemprop="price" content="34.50">£34.50</li></ul></div>
        <div itemscope itemtype="https://schema.org/Product"><a href="/lamps/8" itemprop="name">Floor lamp</a>
        <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><b itemprop="price">80.00</b></div></div>"#;
    let got = read(html, name_and_price());
    assert_eq!(got.data, json!({"name": "Desk lamp", "price": 34.5}));
    assert_eq!(got.pointer_sources["/price"], "microdata:product.offers.price");
}

#[test]
fn an_item_takes_what_itemref_names_and_leaves_what_other_items_hold() {
    let html = r#"<p id="far">Costs <data itemprop="price" value="12.25">a dozen</data></p>
        <div itemscope itemtype="https://schema.org/Product"><span itemprop="name alternateName">Lamp</span>
        <div itemprop="offers" itemscope itemtype="https://schema.org/Offer" itemref="far"></div>
        <div itemprop="brand" itemscope itemtype="https://schema.org/Brand"><span itemprop="name">Glow &amp; Co</span></div></div>"#;
    let got = read(html, json!({"name": {"type": "string"}, "brand": {"type": "string"}, "price": {"type": "number"}}));
    assert_eq!(got.data, json!({"name": "Lamp", "brand": "Glow & Co", "price": 12.25}));
}

#[test]
fn markup_for_browsers_without_scripts_is_no_text() {
    let html = r#"<div itemscope itemtype="https://schema.org/Recipe"><h1 itemprop="name">Soup <noscript>(without a picture) </noscript>of peas</h1>
        <p itemprop="recipeIngredient">1 onion <noscript>loose</noscript></p>
        <p itemprop="recipeIngredient">2 leeks <iframe src="c">no frames</iframe></p></div>"#;
    let list = json!({"type": "array", "items": {"type": "string"}});
    let got = read(html, json!({"name": {"type": "string"}, "ingredients": list}));
    assert_eq!(got.data, json!({"name": "Soup of peas", "ingredients": ["1 onion", "2 leeks"]}));
}

#[test]
fn a_template_is_no_part_of_the_page_but_a_shadow_tree_is() {
    let template = r#"<template><h1>{{name}}</h1><meta property="og:title" content="{{name}}">
        <script type="application/ld+json">{"@type": "Product", "name": "{{name}}", "offers": {"price": 1}}</script>
        <template><b>Price: $2</b></template></template>"#;
    let shadow =
        r#"<my-product><template shadowrootmode="open"><h1>Desk lamp</h1><p>Price: $34.50</p></template></my-product>"#;
    let got = read(&format!("{template}{shadow}"), name_and_price());
    assert_eq!(got.data, json!({"name": "Desk lamp", "price": 34.5}));
}

#[test]
fn parts_that_refer_to_each_other_do_not_hide_what_follows() {
    let refers = |at: usize, count: usize| {
        (1..5).map(|step| format!("{}", (at + step) % count + 3)).collect::<Vec<_>>().join(",")
    };
    let products: Vec<String> = (0..12).map(|at| format!(r#"{{"title":20,"related":{}}}"#, 21 + at)).collect();
    let related: Vec<String> = (0..12).map(|at| format!("[{}]", refers(at, 12))).collect();
    let list = (3..15).map(|at: usize| at.to_string()).collect::<Vec<_>>().join(",");
    let filler = ["0"; 5].join(",");
    let payload = format!(
        r#"[["Reactive",1],{{"featured":2,"offer":33}},[{list}],{},{filler},"Lamp",{},{{"mpn":34,"price":35}},"MP-77",12.5]"#,
        products.join(","),
        related.join(",")
    );
    let wanted = json!({"mpn": {"type": "string"}, "price": {"type": "number"}});
    let got =
        read(&format!(r#"<script type="application/json" id="__NUXT_DATA__">{payload}</script>"#), wanted.clone());
    assert_eq!(got.data, json!({"mpn": "MP-77", "price": 12.5}));

    let all = (0..20).map(|at| format!(r#"{{"__ref":"Item:{at}"}}"#)).collect::<Vec<_>>().join(",");
    let items: String = (0..20).map(|at| format!(r#""Item:{at}":{{"title":"Item {at}","like":[{all}]}},"#)).collect();
    let cache = format!(
        r#"{{{items}"ROOT_QUERY":{{"product":{{"__ref":"Main:1"}}}},"Main:1":{{"mpn":"MP-77","price":12.5}}}}"#
    );
    let got = read(&format!("<script>window.__APOLLO_STATE__={cache}</script>"), wanted);
    assert_eq!(got.data, json!({"mpn": "MP-77", "price": 12.5}));
}

#[test]
fn one_broken_json_block_does_not_lose_the_next() {
    let html = r#"<script type="application/ld+json">{"@type": "Product", "name": </script>
        <script type="Application/LD+JSON; charset=utf-8">/* ours */ {"@type": "schema:Product", "name": "Lamp",
        "offers": [{"@type": "Offer", "price": "19,90 €",},],};</script>"#;
    let got = read(html, name_and_price());
    assert_eq!(got.data, json!({"name": "Lamp", "price": 19.9}));
}
