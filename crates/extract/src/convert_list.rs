//! Lists from what was found: arrays, how-to sections and item lists taken apart, and text that holds several items.

use serde_json::Value;

use crate::convert::convert;
use crate::page::Page;
use crate::published::property;
use crate::schema::{Field, Shape};
use crate::text::clean;

/// Most items of one list.
pub const ITEMS_MAX: usize = 5000;

/// A list of converted items; none if nothing in it fits.
#[must_use]
pub fn list(page: &Page, item: &Field, value: &Value) -> Option<Value> {
    let mut items: Vec<Value> = Vec::new();
    let is_apart = is_told_apart(item, value);
    let mut stack: Vec<&Value> = vec![value];
    while let Some(next) = stack.pop() {
        if items.len() >= ITEMS_MAX {
            break;
        }
        match next {
            Value::Array(inner) => stack.extend(inner.iter().rev()),
            Value::Object(_) if !matches!(item.shape, Shape::Record(_)) && steps(next).is_some() => {
                stack.extend(steps(next))
            }
            Value::String(text) if splits(item) && !is_apart => items.extend(
                split_list(item, text).into_iter().filter_map(|part| convert(page, item, &Value::String(part))),
            ),
            other => items.extend(convert(page, item, other)),
        }
    }
    halve_repeated(&mut items);
    let mut unique: Vec<Value> = Vec::new();
    let keeps_repeats = matches!(item.concept.map(|concept| concept.id), Some("ingredients" | "instructions"))
        || matches!(item.shape, Shape::Number | Shape::Integer);
    for item in items {
        if keeps_repeats || items_are_few(&unique) && !unique.contains(&item) || !items_are_few(&unique) {
            unique.push(item);
        }
    }
    (!unique.is_empty()).then_some(Value::Array(unique))
}

/// Ingredients that are published one by one: a line break in one of them only parts its amount from its name.
fn is_told_apart(item: &Field, value: &Value) -> bool {
    let is_ingredients = item.concept.is_some_and(|concept| concept.id == "ingredients");
    let texts = value.as_array().map_or(0, |items| items.iter().filter(|item| item.is_string()).count());
    is_ingredients && texts > 1
}

/// A list published twice over on one page is one list.
fn halve_repeated(items: &mut Vec<Value>) {
    let half = items.len() / 2;
    if half > 0 && items.len().is_multiple_of(2) && items.get(..half) == items.get(half..) {
        items.truncate(half);
    }
}

/// Removing repeats compares all with all, so only short lists.
fn items_are_few(items: &[Value]) -> bool {
    items.len() < 500
}

/// The inner list of a how-to section or an item list.
fn steps(value: &Value) -> Option<&Value> {
    property(value, "itemListElement")
        .or_else(|| property(value, "item"))
        .filter(|inner| inner.is_object() || inner.is_array())
}

fn splits(item: &Field) -> bool {
    matches!(item.shape, Shape::Text)
        && matches!(
            item.concept.map(|concept| concept.id),
            Some("keywords" | "ingredients" | "instructions" | "category" | "cuisine")
        )
}

fn split_list(item: &Field, text: &str) -> Vec<String> {
    let by_lines = matches!(item.concept.map(|concept| concept.id), Some("ingredients" | "instructions"));
    let decoded = crate::text::decode_entities(text);
    if by_lines {
        let broken = decoded
            .replace("<br>", "\n")
            .replace("<br/>", "\n")
            .replace("<br />", "\n")
            .replace("</p>", "\n")
            .replace("</li>", "\n");
        return broken.split('\n').map(clean).filter(|part| !part.is_empty()).collect();
    }
    decoded.split([',', ';', '，', '、']).map(clean).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Options, extract};

    #[test]
    fn rows_published_one_by_one_are_one_ingredient_each() {
        let html = r#"<table itemscope itemtype="https://schema.org/Recipe"><tr itemprop="recipeIngredient"><td>1</td><td>onion</td></tr>
            <tr itemprop="recipeIngredient"><td>40 g</td><td>butter</td></tr></table>"#;
        let schema = json!({"properties": {"ingredients": {"type": "array", "items": {"type": "string"}}}});
        let got = extract(html, "https://example.com/", &schema, &Options::default()).expect("a usable schema");
        assert_eq!(got.data["ingredients"], json!(["1 onion", "40 g butter"]));
    }
}
