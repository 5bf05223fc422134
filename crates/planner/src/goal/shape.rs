//! The shape of data that a goal itself asks for: `as a JSON list with title, team and location` (SPEC §2).

use regex::Regex;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

use super::clauses::with_plain_quotes;
use crate::words;

/// More keys than this is prose, not a shape.
const KEYS_MAX: usize = 30;

static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\bjson\s+(?P<kind>lists?|arrays?|objects?|records?)?(?:\s+of\s+(?P<of>(?:\w+\s+){0,3}?\w+))?\s*,?\s*(?:with|containing|having|that has|including|holding|whose)\s+(?P<keys>[^.;\n]+)").ok()
});

static PLAIN_LIST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\bjson\s+(?:list|array)\s+of\s+(?P<of>[\w ]+)").ok());

static OF_KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?P<keys>[\w' -]+(?:,\s*[\w' -]+)*,?\s+and\s+[\w' -]+|[\w' -]+)\s+as\s+(?:a\s+|an\s+)?json(?:\s+(?P<kind>list|array|object))?").ok()
});

/// What a list is called when the goal calls it nothing. `items` at the top would make the shape a JSON Schema.
const LIST_NAME: &str = "results";

/// More words than this are a sentence, not the name of a list.
const LIST_NAME_WORDS_MAX: usize = 4;

/// Keys at the top of a shape that would make it a JSON Schema (SPEC §2, shorthand).
const SCHEMA_KEYS: &[&str] = &["type", "properties", "items", "$schema"];

static NAMED_LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:return|give me|get|list|extract|tell me|collect|output|provide|fetch|show(?: me)?|find|report)\s+(?P<name>[\w' -]+?),?\s+as\s+(?:a\s+|an\s+)?json\b").ok()
});

/// The wanted shape as an `output_schema`, such as `{"positions": [{"title": "string"}]}`; `None` when the goal names
/// none. Shorthand has fields at its top, so a list stands in one field, named after its items.
#[must_use]
pub fn shape_in_goal(goal: &str) -> Option<Value> {
    let plain = with_plain_quotes(goal);
    let shape = bare_shape(&plain)?;
    match shape {
        Value::Array(_) => Some(json!({ list_name(&plain): shape })),
        Value::Object(fields) => Some(not_taken_for_schema(fields)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// `the open positions as a JSON list` and `a JSON list of open positions` are both `open_positions`.
fn list_name(goal: &str) -> String {
    let named = NAMED_LIST.as_ref().and_then(|pattern| pattern.captures(goal)).map(|found| found["name"].to_owned());
    let listed = PLAIN_LIST.as_ref().and_then(|pattern| pattern.captures(goal)).map(|found| {
        cut_at(&found["of"], &[" with", " contain", " having", " that ", " including", " for ", " from ", " on "])
            .to_owned()
    });
    let name = listed.or(named).map(|text| key_of(without_count(&text))).unwrap_or_default();
    let words = name.split('_').count();
    let is_pronoun = ["them", "it", "these", "those", "this", "that", "all", "everything", "objects", "strings"]
        .contains(&name.as_str());
    let is_usable = !name.is_empty() && words <= LIST_NAME_WORDS_MAX && !is_pronoun;
    if is_usable && !SCHEMA_KEYS.contains(&name.as_str()) { name } else { LIST_NAME.to_owned() }
}

/// `the top 3 stories` are stories.
fn without_count(text: &str) -> &str {
    let mut rest = text.trim();
    loop {
        let (first, after) = rest.split_once(' ').unwrap_or((rest, ""));
        let lower = first.to_lowercase();
        let counts = ["the", "all", "top", "first", "last", "latest", "most", "recent", "me", "every", "each", "of"];
        if after.is_empty() || !(counts.contains(&lower.as_str()) || words::number(&lower).is_some()) {
            return rest;
        }
        rest = after.trim_start();
    }
}

/// A field called `type` would make the shape a JSON Schema, so it becomes a whole one.
fn not_taken_for_schema(fields: Map<String, Value>) -> Value {
    let is_mistakable = SCHEMA_KEYS.iter().any(|key| fields.contains_key(*key));
    if !is_mistakable {
        return Value::Object(fields);
    }
    let schema_of = |shape: Value| match shape {
        Value::String(kind) => json!({"type": [kind, "null"]}),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => json!({}),
    };
    let properties: Map<String, Value> = fields.into_iter().map(|(key, shape)| (key, schema_of(shape))).collect();
    json!({"type": "object", "properties": properties})
}

/// The shape as the goal says it, a list or an object.
fn bare_shape(plain: &str) -> Option<Value> {
    if let Some(example) = example_in(plain) {
        return Some(example);
    }
    if let Some(found) = LIST.as_ref().and_then(|pattern| pattern.captures(plain)) {
        let keys = keys_in(&found["keys"])?;
        let kind = found.name("kind").map_or_else(|| kind_of_goal(plain), |kind| kind.as_str()).to_lowercase();
        return Some(shape_of(&keys, &kind));
    }
    if let Some(found) = PLAIN_LIST.as_ref().and_then(|pattern| pattern.captures(plain)) {
        let of = words::tokens(&found["of"]);
        return (!of.is_empty()).then(|| json!(["string"]));
    }
    let found = OF_KEYS.as_ref().and_then(|pattern| pattern.captures(plain))?;
    let kind = found.name("kind").map_or_else(|| kind_of_goal(plain), |kind| kind.as_str()).to_lowercase();
    let keys = keys_in(without_lead(&found["keys"]))?;
    Some(shape_of(&keys, &kind))
}

/// `as JSON` of several things is a list.
fn kind_of_goal(goal: &str) -> &'static str {
    let tokens = words::tokens(goal);
    let is_many = super::wanted_count(goal).is_some_and(|count| count > 1)
        || words::says_any(&tokens, &["them", "each", "every"]);
    if is_many { "list" } else { "object" }
}

fn shape_of(keys: &[String], kind: &str) -> Value {
    let fields: Map<String, Value> = keys.iter().map(|key| (key.clone(), json!(type_of(key)))).collect();
    let is_list = kind.starts_with("list") || kind.starts_with("array") || kind == "objects" || kind == "records";
    if is_list { json!([fields]) } else { Value::Object(fields) }
}

/// Names that count something; all else is taken as shown.
fn type_of(key: &str) -> &'static str {
    let last = key.rsplit('_').next().unwrap_or_default();
    let counts = ["points", "score", "votes", "upvotes", "comments", "count", "quantity", "rank", "position_number"];
    if counts.contains(&last) { "integer" } else { "string" }
}

/// A JSON example written in the goal, such as `[{"title": "...", "url": "..."}]`.
fn example_in(goal: &str) -> Option<Value> {
    let start = goal.find(['{', '['])?;
    let mut values = serde_json::Deserializer::from_str(&goal[start..]).into_iter::<Value>();
    let example = values.next()?.ok()?;
    let is_shape = match &example {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => items.iter().any(Value::is_object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    is_shape.then(|| as_shorthand(&example))
}

fn as_shorthand(example: &Value) -> Value {
    let types = ["string", "number", "integer", "boolean", "array", "object", "null"];
    match example {
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), as_shorthand(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.first().map_or_else(|| json!([]), |first| json!([as_shorthand(first)])),
        Value::String(text) if types.contains(&text.as_str()) => example.clone(),
        Value::String(_) | Value::Null => json!("string"),
        Value::Bool(_) => json!("boolean"),
        Value::Number(number) if number.is_i64() || number.is_u64() => json!("integer"),
        Value::Number(_) => json!("number"),
    }
}

/// Keys from `the title, the team and location for each`: lower-case words joined by `_`.
fn keys_in(text: &str) -> Option<Vec<String>> {
    let without_tail =
        cut_at(text, &[" for each", " of each", " for every", " of every", " from ", " then ", " sorted "]);
    let without_head = strip_head(without_tail);
    let separated = without_head.replace(" and ", ",").replace(" & ", ",").replace(" plus ", ",");
    let keys: Vec<String> = separated.split(',').map(key_of).filter(|key| !key.is_empty()).collect();
    let is_usable = !keys.is_empty() && keys.len() <= KEYS_MAX && keys.iter().all(|key| key.split('_').count() <= 4);
    is_usable.then_some(keys)
}

fn strip_head(text: &str) -> &str {
    let heads = [
        "the following keys:",
        "the following fields:",
        "the keys:",
        "the fields:",
        "keys:",
        "fields:",
        "the following:",
        "the keys ",
        "the fields ",
        "keys ",
        "fields ",
        "properties ",
        "columns ",
        "attributes ",
    ];
    let lower = text.to_ascii_lowercase();
    let trimmed_start = text.len() - text.trim_start().len();
    heads
        .iter()
        .find_map(|head| lower[trimmed_start..].starts_with(head).then(|| &text[trimmed_start + head.len()..]))
        .unwrap_or(text)
}

fn cut_at<'a>(text: &'a str, ends: &[&str]) -> &'a str {
    let lower = text.to_ascii_lowercase();
    let end = ends.iter().filter_map(|end| lower.find(end)).min().unwrap_or(text.len());
    &text[..end]
}

fn key_of(text: &str) -> String {
    let is_article = |word: &&str| {
        !matches!(word.to_ascii_lowercase().as_str(), "the" | "a" | "an" | "its" | "their" | "each" | "s")
    };
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .filter(is_article)
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}

/// `return the title, team and location` without its verb.
fn without_lead(text: &str) -> &str {
    let verbs = [
        "return ", "give me ", "get ", "list ", "extract ", "tell me ", "collect ", "output ", "provide ", "fetch ",
        "show ",
    ];
    let lower = text.to_ascii_lowercase();
    let start = verbs.iter().filter_map(|verb| lower.rfind(verb).map(|at| at + verb.len())).max().unwrap_or(0);
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_list_with_named_keys_is_a_list_of_objects() {
        let goal = "Open the careers page and return the open positions as a JSON list with title, team and location.";
        assert_eq!(
            shape_in_goal(goal),
            Some(json!({"open_positions": [{"title": "string", "team": "string", "location": "string"}]}))
        );
    }

    #[test]
    fn a_json_object_with_fields_is_an_object() {
        let goal = "Return a JSON object with the fields name, job title, and points.";
        assert_eq!(shape_in_goal(goal), Some(json!({"name": "string", "job_title": "string", "points": "integer"})));
    }

    #[test]
    fn an_example_in_the_goal_is_a_shape() {
        let goal = r#"Return [{"title": "...", "points": 12}] for the top stories"#;
        assert_eq!(shape_in_goal(goal), Some(json!({"results": [{"title": "string", "points": "integer"}]})));
    }

    #[test]
    fn keys_before_as_json_are_read_too() {
        assert_eq!(
            shape_in_goal("Give me the name, price and rating as JSON"),
            Some(json!({"name": "string", "price": "string", "rating": "string"}))
        );
    }

    #[test]
    fn several_things_as_json_are_a_list() {
        let goal = "What are the three most recent blog posts? Return them as JSON with title, date and url.";
        assert_eq!(
            shape_in_goal(goal),
            Some(json!({"results": [{"title": "string", "date": "string", "url": "string"}]}))
        );
    }

    #[test]
    fn every_way_to_ask_for_json_gives_a_usable_schema() {
        let open = json!([{"title": "string", "team": "string", "location": "string"}]);
        let keys = "title, team and location";
        for (goal, shape) in [
            (format!("return the open positions as a JSON list with {keys}"), json!({"open_positions": open})),
            (format!("Return the open positions as a JSON array with {keys}."), json!({"open_positions": open})),
            (format!("Get all jobs as a JSON list with {keys}"), json!({"jobs": open})),
            (format!("Give me a JSON list of open positions with {keys}"), json!({"open_positions": open})),
            (format!("Get the top 3 jobs as JSON with {keys}"), json!({"jobs": open})),
            (format!("Return the job as JSON with {keys}"), open[0].clone()),
            ("Give me a JSON list of book titles".to_owned(), json!({"book_titles": ["string"]})),
        ] {
            assert_eq!(shape_in_goal(&goal), Some(shape.clone()), "{goal}");
            let contract = errand_domain::schema::OutputContract::from_request(Some(&shape), None);
            assert!(matches!(contract, Ok(Some(_))), "{goal}: {contract:?}");
        }
    }

    #[test]
    fn a_field_called_type_makes_no_schema_of_a_shape() {
        let shape = shape_in_goal("Return the product as JSON with name and type").expect("a shape");
        assert_eq!(
            shape,
            json!({"type": "object", "properties": {"name": {"type": ["string", "null"]}, "type": {"type": ["string", "null"]}}})
        );
    }

    #[test]
    fn a_goal_without_a_shape_has_none() {
        assert_eq!(shape_in_goal("Get the top 3 stories on the front page."), None);
        assert_eq!(shape_in_goal("Order one Blue Mug (size large) for Ada Lovelace"), None);
    }
}
