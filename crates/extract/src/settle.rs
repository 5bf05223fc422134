//! Where published and shown values differ: which of them is meant.

use serde_json::Value;

use crate::convert::convert;
use crate::fill::Candidate;
use crate::names::Kind;
use crate::page::Page;
use crate::schema::{Field, Shape};
use crate::visible::amounts;

/// Score from which a labelled identifier beats a published one: what customers are shown is the number in use.
const LABELLED_IDENTIFIER: f64 = 44.0;
/// Score from which a shown price beats a published one that the page shows nowhere.
const SURE_PRICE: f64 = 7.0;
/// How much surer a shown price must be than the places that show the published one, such as a struck-through price.
const SURER_BY: f64 = 2.5;
/// Shortest run of digits in an address that identifies a thing.
const ADDRESS_DIGITS_MIN: usize = 5;

/// Whether what the page shows has a say although a value is published.
#[must_use]
pub fn is_contested(field: &Field, published: &[Candidate]) -> bool {
    let is_single = !matches!(field.shape, Shape::List(_) | Shape::Record(_));
    if is_ingredients(field) {
        return published.first().is_some_and(|best| amounts_trail(&best.value) || are_run_together(&best.value));
    }
    is_single && matches!(field.concept.map(|concept| concept.id), Some("sku" | "name" | "availability" | "price"))
}

fn is_ingredients(field: &Field) -> bool {
    matches!(field.shape, Shape::List(_)) && field.concept.is_some_and(|concept| concept.id == "ingredients")
}

/// Share of a list's texts that makes a habit.
const HABIT: f64 = 0.6;

/// Whether the texts have their amounts at the end ("milk, 500 ml"), as data bases list them and recipes do not.
fn amounts_trail(list: &Value) -> bool {
    let texts = texts(list);
    amounts::share_of(&texts, amounts::trails) >= HABIT && amounts::share_of(&texts, amounts::leads) < 1.0 - HABIT
}

/// Whether the texts are of a script with letters but none has a space: amount and name may have been run together.
fn are_run_together(list: &Value) -> bool {
    let is_unspaced =
        |text: &str| !text.contains(char::is_whitespace) && text.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
    let texts = texts(list);
    texts.len() > 1 && amounts::share_of(&texts, is_unspaced) >= 1.0
}

fn without_spaces(list: &Value) -> Vec<String> {
    texts(list).iter().map(|text| text.split_whitespace().collect()).collect()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Ingredients that are published with their amounts at the end give way to as many that the page shows with them in front;
/// ones that are run together, to the same with amount and name apart.
fn settle_ingredients(out: &mut Vec<Candidate>, mut shown: Vec<Candidate>) {
    if let Some(published) = out.first() {
        let count = texts(&published.value).len();
        let trail = amounts_trail(&published.value);
        let plain = without_spaces(&published.value);
        for candidate in &mut shown {
            let texts = texts(&candidate.value);
            let leads = trail && texts.len() == count && amounts::share_of(&texts, amounts::leads) >= HABIT;
            let is_apart = candidate.value != published.value && without_spaces(&candidate.value) == plain;
            if leads || is_apart {
                candidate.score = published.score + 1.0;
                candidate.why.push_str("; the published ones have their amounts at the end or run together");
            }
        }
    }
    out.extend(shown);
}

/// How much more than the page's own data a shown value may be worth: the parts of a recipe lie apart in data, and only the page
/// puts amounts, names and notes together.
#[must_use]
pub fn shown_advantage(field: &Field) -> f64 {
    let is_recipe_list = matches!(field.shape, Shape::List(_))
        && matches!(field.concept.map(|concept| concept.id), Some("ingredients" | "instructions"));
    if is_recipe_list { 1.0 } else { 0.0 }
}

/// Whether the field's value depends on whether the page's subject can be had.
#[must_use]
pub fn minds_stock(field: &Field) -> bool {
    field.concept.is_some_and(|concept| matches!(concept.id, "price" | "currency"))
}

/// Adds the shown candidates to the published ones, with scores that make the right one win.
pub fn settle(
    page: &Page,
    field: &Field,
    out: &mut Vec<Candidate>,
    mut shown: Vec<Candidate>,
    is_out: bool,
    shown_score: &dyn Fn(f64) -> Option<f64>,
) {
    match field.concept.map(|concept| concept.id) {
        Some("sku") => {
            for candidate in &mut shown {
                if candidate.score >= LABELLED_IDENTIFIER && candidate.source != "text" {
                    candidate.score += 48.0;
                }
            }
            out.extend(shown);
            out.extend(from_address(page, field));
        }
        Some("ingredients") => settle_ingredients(out, shown),
        Some("currency") if is_out => {}
        Some("price") => settle_price(field, out, shown, is_out, shown_score),
        Some(_) | None => out.extend(shown),
    }
}

/// A published price that the page shows nowhere gives way to one that it shows as its main price. What cannot be had has no
/// price unless one is published.
fn settle_price(
    field: &Field,
    out: &mut Vec<Candidate>,
    mut shown: Vec<Candidate>,
    is_out: bool,
    shown_score: &dyn Fn(f64) -> Option<f64>,
) {
    let is_text = |candidate: &Candidate| candidate.source == "text";
    let is_nothing = |candidate: &Candidate| candidate.value.as_f64() == Some(0.0);
    if is_out && out.iter().all(is_nothing) {
        shown.retain(|candidate| !is_text(candidate));
    }
    if is_out {
        for candidate in out.iter_mut().filter(|candidate| is_nothing(candidate)) {
            candidate.score = -1.0;
            candidate.why = "nothing is sold for it now".to_owned();
        }
        out.retain(|candidate| candidate.score >= 0.0);
    }
    let is_number = matches!(field.shape, Shape::Number | Shape::Integer);
    let best_published = out.iter().map(|candidate| &candidate.value).next().cloned();
    let Some(published) = best_published.filter(|_| is_number) else {
        out.extend(shown);
        return;
    };
    let standing = published.as_f64().and_then(shown_score).unwrap_or(f64::NEG_INFINITY);
    for candidate in &mut shown {
        if candidate.score >= standing + SURER_BY
            && candidate.value != published
            && is_text(candidate)
            && candidate.score >= SURE_PRICE
        {
            candidate.score += 90.0;
            candidate.why.push_str("; the published price is shown nowhere as surely");
        }
    }
    out.extend(shown);
}

/// The number by which the page's address names its subject: the longest run of digits of the last parts of the path.
fn from_address(page: &Page, field: &Field) -> Option<Candidate> {
    let address = page.address.as_ref()?;
    let parts: Vec<&str> = address.path().split('/').filter(|part| !part.is_empty()).collect();
    let runs = parts.iter().rev().take(2).flat_map(|part| part.split(|c: char| !c.is_ascii_digit()));
    let longest = runs.filter(|run| run.len() >= ADDRESS_DIGITS_MIN).max_by_key(|run| run.len())?;
    let value = convert(page, field, &Value::String(longest.to_owned()))?;
    let is_known = field.concept.is_some_and(|concept| concept.kind == Kind::Identifier);
    is_known.then(|| Candidate::new(value, "url", 20.0, "the number in the page's address"))
}
