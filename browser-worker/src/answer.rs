//! The built-in planner's text answer: what was found, in plain words, or what the last page shows.

use errand_domain::page::PageSnapshot;
use serde_json::Value;

/// An answer is a summary, not the page.
const ANSWER_CHARS_MAX: usize = 1_500;
/// Records of a list that are written out.
const RECORDS_MAX: usize = 20;
/// Lines of a page that answer a goal without structure.
const LINES_MAX: usize = 12;

/// Writes the answer from the data, or from the last page when there is none; `None` when no page was seen.
#[must_use]
pub fn write(goal: &str, data: Option<&Value>, pages: &[PageSnapshot]) -> Option<String> {
    let from_data = data.map(in_words).filter(|text| !text.is_empty());
    let answer = from_data.or_else(|| pages.last().map(|page| from_page(goal, page)));
    answer.map(|answer| cut(&answer))
}

fn in_words(data: &Value) -> String {
    match data {
        Value::Object(fields) => {
            let told: Vec<String> = fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| field_in_words(name, value))
                .collect();
            told.join("; ")
        }
        Value::Array(items) => list_in_words(items),
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => data.to_string(),
    }
}

fn field_in_words(name: &str, value: &Value) -> String {
    let label = name.replace('_', " ");
    match value {
        Value::Array(items) => format!("{label}:\n{}", list_in_words(items)),
        Value::Object(_) => format!("{label} ({})", in_words(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => format!("{label}: {}", in_words(value)),
    }
}

fn list_in_words(items: &[Value]) -> String {
    let lines: Vec<String> =
        items.iter().take(RECORDS_MAX).enumerate().map(|(i, item)| format!("{}. {}", i + 1, in_words(item))).collect();
    lines.join("\n")
}

/// The lines that share words with the goal, in page order; the first lines when none do.
fn from_page(goal: &str, page: &PageSnapshot) -> String {
    let wanted: Vec<String> = words(goal).collect();
    let lines: Vec<&str> = page.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let score = |line: &str| words(line).filter(|word| wanted.contains(word)).count();
    let mut best: Vec<(usize, usize)> =
        lines.iter().enumerate().map(|(place, line)| (score(line), place)).filter(|(score, _)| *score > 0).collect();
    best.sort_by_key(|(score, place)| (std::cmp::Reverse(*score), *place));
    best.truncate(LINES_MAX);
    best.sort_by_key(|(_, place)| *place);
    let chosen: Vec<&str> = if best.is_empty() {
        lines.iter().take(LINES_MAX).copied().collect()
    } else {
        best.iter().map(|(_, place)| lines[*place]).collect()
    };
    format!("{} ({}):\n{}", page.title, page.url, chosen.join("\n"))
}

/// Words of four letters and more, in lower case: shorter ones say little.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    const WORD_CHARS_MIN: usize = 4;
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= WORD_CHARS_MIN)
        .map(str::to_lowercase)
}

fn cut(answer: &str) -> String {
    if answer.chars().count() <= ANSWER_CHARS_MAX {
        return answer.to_owned();
    }
    let mut short: String = answer.chars().take(ANSWER_CHARS_MAX - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page(text: &str) -> PageSnapshot {
        PageSnapshot {
            url: "https://example.com/".to_owned(),
            base_url: "https://example.com/".to_owned(),
            title: "Shop".to_owned(),
            text: text.to_owned(),
            links: vec![],
            html: String::new(),
            http_status: Some(200),
        }
    }

    #[test]
    fn data_is_told_field_by_field_without_what_was_not_found() {
        let data = json!({"order_number": "BM-1", "total": 24.5, "note": null});
        assert_eq!(write("g", Some(&data), &[]).unwrap(), "order number: BM-1; total: 24.5");
    }

    #[test]
    fn without_data_the_lines_that_match_the_goal_answer_it() {
        let text = "Welcome\nOpening hours: 9 to 5\nImprint";
        let answer = write("What are the opening hours?", None, &[page(text)]).unwrap();
        assert_eq!(answer, "Shop (https://example.com/):\nOpening hours: 9 to 5");
    }

    #[test]
    fn a_run_that_saw_no_page_has_no_answer_from_pages() {
        assert_eq!(write("g", None, &[]), None);
    }
}
