//! What a page gives for a schema, whether that is all, and which of two pages gives more. Pure but for the thread that
//! parsing takes.

use errand_extract::{Extracted, Options, SchemaError, extract, readable};
use serde_json::Value;
use url::Url;

use crate::schema::ReadSchema;
use crate::tools::{Page, ToolError};

/// A page with what it gave.
#[derive(Debug)]
pub(crate) struct Weighed {
    pub page: Page,
    /// Its title and text.
    pub shown: errand_extract::Page,
    /// Absent without a schema.
    pub extracted: Option<Extracted>,
    /// Properties found in published data or behind an exact label.
    pub firm: usize,
    pub is_complete: bool,
}

/// Weighs on a thread for long work, which a caller that goes away does not stop: `held` is kept until its end.
///
/// # Errors
/// When the thread died.
pub(crate) async fn weigh_apart(
    page: Page,
    schema: Option<ReadSchema>,
    held: impl Send + 'static,
) -> Result<Weighed, ToolError> {
    let weighing = tokio::task::spawn_blocking(move || {
        let weighed = weigh(page, schema.as_ref());
        drop(held);
        weighed
    });
    let weighed = weighing.await.map_err(ToolError::Died)?;
    Ok(weighed.expect("a `ReadSchema` is one that the extractor takes"))
}

fn weigh(page: Page, schema: Option<&ReadSchema>) -> Result<Weighed, SchemaError> {
    let shown = readable(&page.html, &page.url);
    let Some(schema) = schema else {
        return Ok(Weighed { page, shown, extracted: None, firm: 0, is_complete: true });
    };
    let extracted = extract(&page.html, &page.url, schema.json(), &Options::default())?;
    let firm = extracted.sources.values().filter(|source| is_firm(source)).count();
    let is_empty = is_empty_search(&page.url, schema.json(), &extracted);
    let is_complete = is_complete(schema.json(), &extracted, firm) && !is_empty;
    Ok(Weighed { page, shown, firm, is_complete, extracted: Some(extracted) })
}

/// Published data and exactly labelled values; the rest is read from how the page looks (SPEC §5). A value put together
/// from several sources is as weak as the weakest of them.
fn is_firm(source: &str) -> bool {
    let is_weak = |part: &str| ["text", "record"].iter().any(|weak| part.starts_with(weak));
    !source.split(" + ").any(is_weak)
}

/// A page on which nothing firm was found has not shown yet what it is about, required or not.
fn is_complete(schema: &Value, extracted: &Extracted, firm: usize) -> bool {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let has = |name: &str| extracted.sources.get(name).is_some_and(|source| is_firm(source));
    firm > 0 && required.iter().filter_map(Value::as_str).all(has)
}

/// A search that gave none of the lists asked for: its results may come by script (SPEC §5).
fn is_empty_search(url: &str, schema: &Value, extracted: &Extracted) -> bool {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let is_list = |schema: &Value| schema["type"] == "array" || schema["items"].is_object();
    let mut lists = properties.filter(|(_, schema)| is_list(schema)).map(|(name, _)| name).peekable();
    is_search(url) && lists.peek().is_some() && !lists.any(|name| extracted.sources.contains_key(name))
}

/// By the words that search forms commonly use in addresses.
fn is_search(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let in_path = url.path_segments().is_some_and(|mut parts| parts.any(|part| part.eq_ignore_ascii_case("search")));
    let names = ["q", "query", "search", "s", "keyword", "keywords", "term"];
    in_path || url.query_pairs().any(|(name, _)| names.iter().any(|known| name.eq_ignore_ascii_case(known)))
}

/// The earlier tool's page wins a tie.
pub(crate) fn fills_more(page: &Weighed, best: &Weighed) -> bool {
    let total = |page: &Weighed| page.extracted.as_ref().map_or(0, |extracted| extracted.found);
    (page.firm, total(page)) > (best.firm, total(best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PUBLISHED: &str = "<script type=\"application/ld+json\">{\"@type\": \"Product\", \"name\": \"Lamp\", \
         \"offers\": {\"price\": 5}}</script>";

    fn weighed(url: &str, html: &str, schema: Value) -> Weighed {
        let page = Page { url: url.to_owned(), html: html.to_owned(), is_cut: false };
        weigh(page, Some(&ReadSchema::new(schema).unwrap())).unwrap()
    }

    #[test]
    fn a_page_is_complete_when_required_properties_are_published_not_when_they_only_look_so() {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
            "required": ["price"]});
        let url = "https://shop.example/";
        let published = weighed(url, PUBLISHED, schema.clone());
        let shown = weighed(url, "<h1>Lamp</h1><p>$5.00</p>", schema);
        assert!(published.is_complete);
        assert!(!shown.is_complete);
        assert!(fills_more(&published, &shown) && !fills_more(&shown, &published));
    }

    #[test]
    fn a_sum_is_firm_only_if_all_its_parts_are() {
        for (source, wanted) in [
            ("jsonld:product.offers.price", true),
            ("jsonld:recipe.prepTime + table:Cook time", true),
            ("jsonld:recipe.prepTime + text", false),
            ("text + jsonld:recipe.prepTime", false),
            ("records", false),
        ] {
            assert_eq!(is_firm(source), wanted, "{source}");
        }
    }

    #[test]
    fn a_search_without_results_is_incomplete_and_another_page_without_its_list_is_not() {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "reviews": {"type": "array",
            "items": {"type": "object", "properties": {"quote": {"type": "string"}}}}}});
        for (url, is_complete) in [
            ("https://shop.example/find?q=lamp", false),
            ("https://shop.example/search/lamp", false),
            ("https://shop.example/lamp", true),
        ] {
            assert_eq!(weighed(url, PUBLISHED, schema.clone()).is_complete, is_complete, "{url}");
        }
    }
}
