//! Lists from what was found: arrays, how-to sections and item lists taken apart, and text that holds several items.

use serde_json::Value;

use crate::convert::convert;
use crate::page::Page;
use crate::published::property;
use crate::schema::{Field, Shape};
use crate::text::clean;

/// Most items of one list.
pub const ITEMS_MAX: usize = 5000;

/// Fewest numbers in a row that take a text apart.
const NUMBERED_MIN: usize = 3;

/// A list of converted items; none if nothing in it fits.
#[must_use]
pub fn list(page: &Page, item: &Field, value: &Value) -> Option<Value> {
    let mut items: Vec<Value> = Vec::new();
    let is_text = !matches!(item.shape, Shape::Record(_));
    let is_apart = is_told_apart(item, value);
    let mut stack: Vec<&Value> = vec![value];
    while let Some(next) = stack.pop() {
        if items.len() >= ITEMS_MAX {
            break;
        }
        match next {
            Value::Array(inner) => stack.extend(inner.iter().rev()),
            Value::Object(_) if is_text && is_of(item, "instructions") && told(next).is_some() => {
                let Some((name, rest)) = told(next) else { continue };
                stack.push(rest);
                stack.extend(name);
            }
            Value::Object(_) if is_text && steps(next).is_some() => stack.extend(steps(next)),
            Value::String(text) if splits(item) && !is_apart => items.extend(
                split_list(item, text).into_iter().filter_map(|part| convert(page, item, &Value::String(part))),
            ),
            other => items.extend(convert(page, item, other)),
        }
    }
    // What has no letter and no digit is left over from faulty markup.
    items.retain(|item| item.as_str().is_none_or(|text| text.chars().any(char::is_alphanumeric)));
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
    let texts = value.as_array().map_or(0, |items| items.iter().filter(|item| item.is_string()).count());
    is_of(item, "ingredients") && texts > 1
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

fn is_of(item: &Field, id: &str) -> bool {
    item.concept.is_some_and(|concept| concept.id == id)
}

/// A how-to section or step taken apart: its name, unless that is a mere number or the beginning of the text, and the rest.
fn told(value: &Value) -> Option<(Option<&Value>, &Value)> {
    let rest = steps(value).or_else(|| property(value, "text").filter(|text| text.is_string()))?;
    let name = property(value, "name").filter(|name| {
        let name = clean(name.as_str().unwrap_or("")).to_lowercase();
        let start = name.trim_end_matches(['.', '…', ' ']);
        let text = clean(rest.as_str().unwrap_or("")).to_lowercase();
        !start.is_empty() && !text.starts_with(start) && !is_number_of_step(start)
    });
    Some((name, rest))
}

/// "Step 2", "Étape 2", "2".
#[must_use]
pub fn is_number_of_step(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    (1..=2).contains(&words.len())
        && words.last().is_some_and(|word| word.trim_end_matches([':', ')', '.']).chars().all(char::is_numeric))
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
    let decoded = crate::entities::decode_entities(text);
    if by_lines {
        let broken = decoded
            .replace("<br>", "\n")
            .replace("<br/>", "\n")
            .replace("<br />", "\n")
            .replace("</p>", "\n")
            .replace("</li>", "\n");
        let lines: Vec<String> = broken.split('\n').map(clean).filter(|part| !part.is_empty()).collect();
        return match lines.as_slice() {
            [only] => numbered_steps(only).unwrap_or(lines),
            _ => lines,
        };
    }
    decoded.split([',', ';', '，', '、']).map(clean).filter(|part| !part.is_empty()).collect()
}

/// "1. … 2. … 3. …" in one line taken apart at its numbers, in one pass.
fn numbered_steps(text: &str) -> Option<Vec<String>> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    let mut begins_word = true;
    let mut wanted = "1".to_owned();
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let mark = if begins_word && c.is_ascii_digit() { mark_len(text.get(at..)?, &wanted) } else { None };
        if let Some(len) = mark {
            starts.push((at, at + len));
            if starts.len() == ITEMS_MAX {
                break;
            }
            wanted = (starts.len() + 1).to_string();
            at += len;
            begins_word = true;
        } else {
            at += c.len_utf8();
            begins_word = c.is_whitespace() || matches!(c, '。' | '.');
        }
    }
    let begins = starts.first().is_some_and(|(at, _)| *at == 0);
    if !begins || starts.len() < NUMBERED_MIN {
        return None;
    }
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    Some(starts.iter().zip(ends).filter_map(|((_, start), end)| Some(clean(text.get(*start..end)?))).collect())
}

/// The length of a number with its mark at the beginning of a text, if no digit follows: "3." but not "3.5".
fn mark_len(text: &str, number: &str) -> Option<usize> {
    let rest = text.strip_prefix(number)?;
    let after = rest.strip_prefix(['.', ')', '、'])?;
    (!after.starts_with(|c: char| c.is_ascii_digit())).then_some(text.len() - after.len())
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

    fn steps(published: serde_json::Value) -> serde_json::Value {
        let block = json!({"@context": "https://schema.org", "@type": "Recipe", "name": "Soup", "recipeInstructions": published});
        let html = format!("<script type=\"application/ld+json\">{block}</script>");
        let schema = json!({"properties": {"instructions": {"type": "array", "items": {"type": "string"}}}});
        let got = extract(&html, "https://example.com/", &schema, &Options::default()).expect("a usable schema");
        got.data["instructions"].clone()
    }

    #[test]
    fn steps_are_their_text_and_names_that_say_more_stand_before_it() {
        let step = |name: &str, text: &str| json!({"@type": "HowToStep", "name": name, "text": text});
        let section = json!({"@type": "HowToSection", "name": "For the dough", "itemListElement":
            [step("Mix flour and...", "Mix flour and water."), step("Step 2", "Knead."), step("Rest", "Leave it for an hour.")]});
        assert_eq!(
            steps(json!([section])),
            json!(["For the dough", "Mix flour and water.", "Knead.", "Rest", "Leave it for an hour."])
        );
    }

    #[test]
    fn numbered_steps_in_one_line_are_taken_apart() {
        assert_eq!(steps(json!("1.切丁 2.加1.5勺盐 3.炒熟")), json!(["切丁", "加1.5勺盐", "炒熟"]));
        assert_eq!(steps(json!("Add 1. Then 2. Stir")), json!(["Add 1. Then 2. Stir"]));
    }
}
