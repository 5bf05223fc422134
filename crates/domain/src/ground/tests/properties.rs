//! Properties of grounding on any page.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

// Properties

fn values_of(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().flat_map(values_of).collect(),
        Value::Object(fields) => fields.values().flat_map(values_of).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Bool(_) | Value::Number(_) => vec![value.to_string()],
    }
}

proptest! {
    #[test]
    fn grounded_values_always_appear(words in prop::collection::vec("[a-z]{1,4}|[1-9][0-9]{0,2}", 1..12), claimed in prop::collection::vec("[a-z]{1,4}|[1-9][0-9]{0,2}", 0..8)) {
        let shown = page(&words.join(" "));
        let typed = |word: &String| word.parse::<i64>().map_or_else(|_| json!(word), |number| json!(number));
        let data = json!({"a": claimed.iter().map(typed).collect::<Vec<_>>(), "b": claimed.first()});
        let evidence = Evidence { pages: &[shown], answer: None, hints: &BTreeMap::new(), reads_code: false };
        let grounded = ground_unchecked(data, &evidence);
        for value in values_of(&grounded.data) {
            prop_assert!(words.contains(&value) || value == "mugs", "{value}");
        }
        let kept = values_of(&grounded.data).len();
        prop_assert_eq!(grounded.sources.len(), kept);
        let found = claimed.iter().filter(|word| words.contains(word) || *word == "mugs").count();
        prop_assert_eq!(grounded.data["a"].as_array().map_or(0, Vec::len), found);
    }

    #[test]
    fn grounding_never_panics_on_any_page(text in "\\PC{0,80}", title in "\\PC{0,20}", value in "\\PC{0,20}", number in any::<f64>()) {
        let mut shown = page(&text);
        shown.title = title;
        shown.html = text.clone();
        let data = json!({"url": value, "v": value, "n": number, "date": value});
        let evidence = Evidence { pages: &[shown], answer: Some(&text), hints: &BTreeMap::new(), reads_code: true };
        let _ = ground_unchecked(data, &evidence);
    }

    #[test]
    fn every_slice_of_words_of_a_page_is_found(words in prop::collection::vec("\\p{L}{1,6}", 2..10), from in 0_usize..9) {
        let from = from % words.len();
        let slice = words[from..].join(" ");
        prop_assume!(!super::fold(&slice).is_empty());
        prop_assert_eq!(kept(&words.join("\n"), "string", json!(slice)), json!(slice));
    }

    #[test]
    fn every_shown_price_is_found(cents in 1_u32..100_000_000) {
        let (whole, rest) = (cents / 100, cents % 100);
        let value = json!(f64::from(cents) / 100.0);
        let grouped = |separator: &str| -> String {
            let digits = whole.to_string();
            let head = digits.len() % 3;
            let mut groups: Vec<&str> = if head > 0 { vec![&digits[..head]] } else { Vec::new() };
            groups.extend((head..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
            groups.join(separator)
        };
        for text in [format!("${}.{rest:02}", grouped(",")), format!("{},{rest:02} €", grouped(".")), format!("{},{rest:02} kr", grouped("\u{a0}")), format!("{}.{rest:02}", grouped("'"))] {
            prop_assert_eq!(kept(&text, "number", value.clone()), value.clone(), "{}", text);
        }
    }
}
