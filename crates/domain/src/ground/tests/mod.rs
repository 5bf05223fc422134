//! Pages and claims that the tests of grounding share.

mod links;
mod numbers;
mod properties;
mod shapes;
mod strings;

use serde_json::{Value, json};

use super::*;
use crate::page::Link;
use crate::schema::OutputContract;

fn page(text: &str) -> PageSnapshot {
    PageSnapshot {
        url: "https://shop.example/mugs/".to_owned(),
        base_url: "https://shop.example/mugs/".to_owned(),
        title: "Mugs".to_owned(),
        text: text.to_owned(),
        links: Vec::new(),
        html: String::new(),
        http_status: Some(200),
    }
}

fn with_links(mut page: PageSnapshot, links: &[(&str, &str)]) -> PageSnapshot {
    let link = |(text, url): &(&str, &str)| Link { text: (*text).to_owned(), url: (*url).to_owned() };
    page.links = links.iter().map(link).collect();
    page
}

fn contract(output_schema: Value) -> OutputContract {
    OutputContract::from_request(Some(&output_schema), None).unwrap().unwrap()
}

fn hint(place: &str, passage: Option<&str>) -> Hint {
    Hint { page_index: 0, place: place.to_owned(), passage: passage.map(str::to_owned) }
}

fn hints(given: &[(&str, Hint)]) -> Hints {
    given.iter().map(|(pointer, hint)| ((*pointer).to_owned(), hint.clone())).collect()
}

fn ground_on(pages: &[PageSnapshot], schema: Value, data: Value, hints: &Hints) -> Grounded {
    let evidence = Evidence { pages, answer: None, hints, reads_code: false };
    ground(&contract(schema), data, &evidence)
}

/// The value that a field of the type keeps on a page with that text.
fn kept(text: &str, kind: &str, value: Value) -> Value {
    ground_on(&[page(text)], json!({"v": kind}), json!({"v": value}), &Hints::new()).data["v"].clone()
}

fn kept_as(text: &str, schema: Value, value: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"v": schema}});
    ground_on(&[page(text)], schema, json!({"v": value}), &Hints::new()).data.get("v").cloned().unwrap_or_default()
}
