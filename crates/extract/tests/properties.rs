//! Properties that hold for any input: no panic, bounded time, and values that say what they are.

use std::time::{Duration, Instant};

use errand_extract::numbers::NumberHint;
use errand_extract::{Options, extract, parse_number, readable};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Far more than any of these pages needs, in a debug build on a busy machine.
const TIME_MAX: Duration = Duration::from_secs(60);

fn schema() -> Value {
    let item = json!({"type": "object", "properties": {"title": {"type": "string"}, "url": {"type": "string"}, "points": {"type": "integer"}}});
    json!({"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}, "sku": {"type": "string"}, "items": {"type": "array", "items": item}}})
}

/// Pieces that pages are made of, in any order.
fn markup() -> impl Strategy<Value = String> {
    let pieces = [
        "<div>",
        "</div>",
        "<li>",
        "<ul>",
        "<table>",
        "<tr>",
        "<td rowspan=2>",
        "<a href='/x'>",
        "</a>",
        "<b>",
        "<h2>",
        "Price: ",
        "$12.50",
        "12 points",
        "<script type='application/ld+json'>",
        "{\"@type\":\"Product\",",
        "\"offers\":{\"price\":",
        "\"5\"}}",
        "</script>",
        "<p itemscope itemprop=name>",
        "<meta property=og:title content=T>",
        "Ü名前",
        "&amp;",
        "<!--",
        "-->",
        "<svg>",
        "<template>",
        "</table>",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_markup_is_read_without_panic_and_sources_point_at_values(html in markup()) {
        let got = extract(&html, "https://example.com/1", &schema(), &Options::default()).unwrap();
        prop_assert!(got.found <= got.of);
        for pointer in got.pointer_sources.keys() {
            prop_assert!(got.data.pointer(pointer).is_some_and(|value| !value.is_null()), "{pointer} in {}", got.data);
        }
        prop_assert!(readable(&html, "https://example.com/").links.len() <= html.len());
    }

    #[test]
    fn any_text_gives_a_finite_number_or_none(text in "\\PC{0,40}") {
        let number = parse_number(&text, NumberHint { price: true, ..NumberHint::default() });
        prop_assert!(number.is_none_or(f64::is_finite));
    }

    #[test]
    fn written_numbers_are_read_back(whole in 0u32..10_000_000, cents in 0u32..100) {
        let grouped = group(whole, ',');
        let want = f64::from(whole) + f64::from(cents) / 100.0;
        let english = parse_number(&format!("${grouped}.{cents:02}"), NumberHint::default()).unwrap();
        let german = parse_number(&format!("{},{cents:02} €", group(whole, '.')), NumberHint::default()).unwrap();
        prop_assert!((english - want).abs() < 1e-6 && (german - want).abs() < 1e-6);
    }

    #[test]
    fn strict_json_is_read_as_it_is(text in "\\PC{0,30}", number in any::<i32>()) {
        let value = json!({"a": [text, number, null, true]});
        prop_assert_eq!(errand_extract::json::parse(&value.to_string()).values, vec![value]);
    }
}

fn group(whole: u32, mark: char) -> String {
    let digits = whole.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(mark);
        }
        out.push(digit);
    }
    out
}

#[test]
fn hostile_pages_end_in_bounded_time() {
    let flat = format!("<ul>{}</ul>", "<li><a href=/x>Some title here</a> $5.00 12 points</li>".repeat(3000));
    let pages = [
        "<div>".repeat(100_000),
        "<b><i><a href=x>".repeat(30_000),
        "<p><font color=1>x</p>".repeat(5000),
        format!("<div {}>x", (0..60_000).map(|at| format!("a{at} ")).collect::<String>()),
        format!("<script type=application/ld+json>{}", "{\"a\":[".repeat(100_000)),
        "<td rowspan=65000 colspan=1000>1<tr>".repeat(3000),
        flat,
    ];
    for html in pages {
        let start = Instant::now();
        extract(&html, "https://example.com/", &schema(), &Options::default()).unwrap();
        assert!(start.elapsed() < TIME_MAX, "{} bytes took {:?}", html.len(), start.elapsed());
    }
}
