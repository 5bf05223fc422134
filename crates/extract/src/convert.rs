//! From what was found to what the schema wants: text, numbers, booleans, dates, addresses and lists.

use serde_json::{Map, Number, Value};

use crate::booleans;
use crate::convert_list::{self, ITEMS_MAX};
use crate::currency;
use crate::dates;
use crate::names::{Kind, duration_unit};
use crate::numbers::{self, NumberHint};
use crate::page::Page;
use crate::published::{local, property};
use crate::schema::{Field, Shape};
use crate::text::{clean, fold};

/// Longest duration believed: a year, in seconds.
const DURATION_SECONDS_MAX: f64 = 366.0 * 86_400.0;
/// Deepest value followed for its text.
const DEPTH_MAX: usize = 6;

/// What a field's values are, by its concept or by what its name and format say.
#[must_use]
pub fn kind_of(field: &Field) -> Kind {
    if let Some(concept) = field.concept {
        return concept.kind;
    }
    let folded = fold(&field.name);
    let ends = |words: &[&str]| words.iter().any(|word| folded.ends_with(word));
    match field.format.as_str() {
        "uri" | "url" | "uri-reference" | "iri" => return Kind::Url,
        "date" | "date-time" => return Kind::Date,
        "duration" => return Kind::Duration,
        _ => {}
    }
    if ends(&["url", "link", "href"]) {
        Kind::Url
    } else if ends(&["price", "cost", "fee", "total", "amount", "subtotal", "tax", "shipping", "salary", "balance"]) {
        Kind::Price
    } else if ends(&["date", "time", "at"])
        && matches!(field.shape, Shape::Text)
        && !folded.ends_with("format")
        && !folded.ends_with("flat")
    {
        if folded.ends_with("at") && !folded.ends_with("edat") { Kind::Text } else { Kind::Date }
    } else if ends(&["number", "id", "code", "no"]) {
        Kind::Identifier
    } else if ends(&["image", "photo", "picture", "thumbnail", "img", "logo", "avatar"]) {
        Kind::Image
    } else if matches!(field.shape, Shape::Integer) || ends(&["count"]) {
        Kind::Count
    } else {
        Kind::Text
    }
}

/// Converts a found value to the field's shape; `None` when it does not fit.
#[must_use]
pub fn convert(page: &Page, field: &Field, value: &Value) -> Option<Value> {
    let converted = match &field.shape {
        Shape::Text => text_value(page, field, value),
        Shape::Number | Shape::Integer => number_value(page, field, value),
        Shape::Boolean => booleans::boolean(field, value).map(Value::Bool),
        Shape::Any => any(page, field, value),
        Shape::List(item) => convert_list::list(page, item, value),
        Shape::Record(fields) => record(page, fields, value),
    }?;
    fits_allowed(field, converted)
}

/// A value limited by `enum` must be one of it; the same words in another case or as a schema.org address count.
fn fits_allowed(field: &Field, value: Value) -> Option<Value> {
    if field.allowed.is_empty() || field.allowed.contains(&value) {
        return Some(value);
    }
    let wanted = fold(local(value.as_str()?));
    let same = |allowed: &&Value| allowed.as_str().is_some_and(|allowed| fold(allowed) == wanted);
    field.allowed.iter().find(same).cloned()
}

fn any(page: &Page, field: &Field, value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(_) => text_value(page, field, value),
        other => Some(other.clone()),
    }
}

fn text_value(page: &Page, field: &Field, value: &Value) -> Option<Value> {
    let kind = kind_of(field);
    let text = leaf_text(page, value, kind, 0)?;
    let text = match kind {
        Kind::Url | Kind::Image => page.absolute(&text)?,
        Kind::Currency => currency_code(page, &text)?,
        Kind::Date => date_text(field, text)?,
        Kind::Duration => duration_text(field, text),
        Kind::Availability => local(&text).to_owned(),
        Kind::Named => plain_name(field, &text)?,
        Kind::Text | Kind::Price | Kind::Count | Kind::Rating | Kind::Identifier => text,
    };
    (!text.is_empty()).then_some(Value::String(text))
}

/// A name without the label some pages publish with it; addresses and unfilled templates are no names.
fn plain_name(field: &Field, text: &str) -> Option<String> {
    let is_address = text.contains("://") || text.starts_with("www.");
    let is_template = text.starts_with('$') || text.contains("{{") || text.contains("${");
    let is_author = field.concept.is_some_and(|concept| concept.id == "author");
    let is_unnamed = is_author && !text.chars().any(char::is_alphabetic);
    if is_address || is_template || is_unnamed || text.starts_with('@') {
        return None;
    }
    let labels = field.concept.map(|concept| concept.labels).unwrap_or_default();
    match text.rsplit_once([':', '：']) {
        Some((label, rest))
            if !rest.trim().is_empty()
                && label.split_whitespace().next_back().is_some_and(|word| labels.contains(&fold(word).as_str())) =>
        {
            Some(rest.trim().to_owned())
        }
        Some(_) | None => Some(text.to_owned()),
    }
}

fn date_text(field: &Field, text: String) -> Option<String> {
    match field.format.as_str() {
        "date" => dates::to_date(&text),
        // Without a zone there is no RFC 3339 time, and none is invented: the date as it stands, and validation says so.
        "date-time" => dates::to_date_time(&text).or_else(|| dates::to_date(&text).map(|_| text)),
        _ => Some(text),
    }
}

fn duration_text(field: &Field, text: String) -> String {
    match (duration_unit(&field.name), dates::duration_seconds(&text)) {
        (Some(unit), Some(seconds)) => format_number(seconds / unit),
        _ => text,
    }
}

/// A number as text without a needless fraction.
#[must_use]
pub fn format_number(value: f64) -> String {
    json_number(value).map_or_else(String::new, |number| number.to_string())
}

/// A JSON number; whole values are written without a fraction.
#[must_use]
pub fn json_number(value: f64) -> Option<Number> {
    // Below 2^53 every whole double is exact.
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        #[expect(clippy::cast_possible_truncation, reason = "the bound above keeps it exact")]
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

/// The code that a currency text names: ISO as it is, a sign by the page's language and host.
#[must_use]
pub fn currency_code(page: &Page, text: &str) -> Option<String> {
    let upper = text.trim().to_uppercase();
    if let Some(code) = currency::code(&upper) {
        return Some(code.to_owned());
    }
    let found = currency::find(text)?;
    let code = currency::resolve(&found, &page.lang, &page.host);
    (!code.is_empty()).then(|| code.to_owned())
}

fn number_value(page: &Page, field: &Field, value: &Value) -> Option<Value> {
    let kind = kind_of(field);
    let number = match value {
        Value::Number(number) if kind != Kind::Duration => number.as_f64()?,
        Value::Number(number) => number.as_f64()?,
        Value::Bool(_) | Value::Null => return None,
        _ => text_number(page, field, kind, &leaf_text(page, value, kind, 0)?)?,
    };
    // An average's endless fraction says nothing more than its second decimal.
    let is_rating = field.concept.is_some_and(|concept| concept.id == "rating");
    let number = if is_rating { (number * 100.0).round() / 100.0 } else { number };
    let whole = matches!(field.shape, Shape::Integer);
    if whole && number.fract() != 0.0 {
        return None;
    }
    json_number(number).map(Value::Number)
}

fn text_number(page: &Page, field: &Field, kind: Kind, text: &str) -> Option<f64> {
    if kind == Kind::Duration || text.starts_with("PT") || text.starts_with("P0") {
        // Without a unit in the name, minutes are what people mean by "time".
        let unit = duration_unit(&field.name).unwrap_or(60.0);
        let seconds =
            dates::duration_seconds(text).or_else(|| text.trim().parse::<f64>().ok().map(|number| number * unit))?;
        // Faulty software publishes durations of decades.
        return (0.0..=DURATION_SECONDS_MAX).contains(&seconds).then_some(seconds / unit);
    }
    let price = matches!(kind, Kind::Price);
    if let Ok(plain) = text.trim().parse::<f64>()
        && plain.is_finite()
        && !(price && has_lone_group(text))
    {
        return Some(plain);
    }
    let hint = NumberHint {
        price,
        count: kind == Kind::Count,
        lang: (!page.lang.is_empty()).then_some(page.lang.as_str()),
        ..NumberHint::default()
    };
    numbers::parse_number(text, hint)
}

/// `1.299` as published text: three digits after the only point.
fn has_lone_group(text: &str) -> bool {
    text.trim().split_once('.').is_some_and(|(whole, rest)| rest.len() == 3 && whole != "0" && whole.len() <= 3)
}

/// The text of a published value: objects by their name, lists by their first item with text.
#[must_use]
pub fn leaf_text(page: &Page, value: &Value, kind: Kind, depth: usize) -> Option<String> {
    if depth > DEPTH_MAX {
        return None;
    }
    let text = match value {
        Value::String(text) => single_brackets(clean(text)),
        Value::Number(number) => number.as_f64().map_or_else(
            || number.to_string(),
            |value| if number.is_f64() { format_number(value) } else { number.to_string() },
        ),
        Value::Bool(answer) => answer.to_string(),
        Value::Array(items) => return array_text(page, items, kind, depth),
        Value::Object(_) => return object_text(page, value, kind, depth),
        Value::Null => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Publishers that bracket what already has brackets write `((so))`.
fn single_brackets(text: String) -> String {
    if text.contains("((") && text.contains("))") { text.replace("((", "(").replace("))", ")") } else { text }
}

fn array_text(page: &Page, items: &[Value], kind: Kind, depth: usize) -> Option<String> {
    let mut texts = items.iter().take(ITEMS_MAX).filter_map(|item| leaf_text(page, item, kind, depth + 1));
    if kind != Kind::Text {
        return texts.next();
    }
    let all: Vec<String> = texts.collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn object_text(page: &Page, value: &Value, kind: Kind, depth: usize) -> Option<String> {
    if let Some(address) = address_text(page, value, depth) {
        return Some(address);
    }
    let keys: &[&str] = match kind {
        Kind::Url => &["@value", "url", "@id", "href"],
        Kind::Image => &["@value", "url", "contentUrl", "src", "thumbnailUrl", "@id", "href", "image"],
        Kind::Price => {
            &["@value", "price", "value", "amount", "minValue", "median", "lowPrice", "current", "formatted"]
        }
        Kind::Identifier => &["@value", "value", "name", "@id"],
        Kind::Rating => &["@value", "ratingValue", "value", "average", "averageRating", "score", "rating", "name"],
        Kind::Count => &["@value", "value", "count", "ratingCount", "reviewCount", "name"],
        Kind::Date => &["@value", "value", "date", "name"],
        Kind::Text | Kind::Currency | Kind::Duration | Kind::Availability | Kind::Named => &[
            "@value",
            "name",
            "headline",
            "title",
            "text",
            "value",
            "label",
            "legalName",
            "alternateName",
            "description",
        ],
    };
    let text = keys.iter().find_map(|key| leaf_text(page, property(value, key)?, kind, depth + 1))?;
    let unit = property(value, "unitText")
        .and_then(Value::as_str)
        .filter(|_| kind == Kind::Text && property(value, "value").is_some());
    Some(match unit {
        Some(unit) => format!("{text} {}", clean(unit)),
        None => text,
    })
}

/// A postal address on one line.
fn address_text(page: &Page, value: &Value, depth: usize) -> Option<String> {
    let parts = ["streetAddress", "addressLocality", "addressRegion", "postalCode", "addressCountry"];
    let has_any = property(value, "streetAddress").is_some() || property(value, "addressLocality").is_some();
    if !has_any {
        return None;
    }
    let texts: Vec<String> =
        parts.iter().filter_map(|key| leaf_text(page, property(value, key)?, Kind::Named, depth + 1)).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

fn record(page: &Page, fields: &[Field], value: &Value) -> Option<Value> {
    let published = crate::published::Published { roots: Vec::new() };
    let ids = published.ids();
    let (map, found) = record_from(page, fields, value, &ids);
    (found > 0).then_some(Value::Object(map))
}

/// Fills an object's fields from one published object; gives how many were found.
#[must_use]
pub fn record_from<'a>(
    page: &Page,
    fields: &[Field],
    value: &'a Value,
    ids: &crate::published::Ids<'a>,
) -> (Map<String, Value>, usize) {
    let mut map = Map::new();
    let mut found = 0;
    for field in fields {
        let hit =
            crate::choose::field_values(ids, value, field).into_iter().find_map(|hit| convert(page, field, hit.value));
        if hit.is_some() {
            found += 1;
        }
        put(&mut map, field, hit);
    }
    (map, found)
}

/// Puts a field into its object: what was not found is null or empty where the schema demands the field, else left out.
pub fn put(map: &mut Map<String, Value>, field: &Field, value: Option<Value>) {
    let value = match (value, &field.shape) {
        (Some(value), _) => value,
        (None, _) if field.nullable => Value::Null,
        (None, Shape::List(_)) if field.required => Value::Array(Vec::new()),
        (None, _) => return,
    };
    map.insert(field.name.clone(), value);
}
