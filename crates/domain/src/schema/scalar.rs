//! Single values in the form the schema wants: numbers given as text, choices in another case, dates as RFC 3339.

use jiff::civil::{Date, Time};
use serde_json::{Number, Value};

use super::shape::Shape;
use super::types::Types;
use crate::ground::{clean, fold, only_day, only_number, only_time, rfc3339};

/// A number where the schema may want its text, or an integer.
pub(super) fn number(types: Types, number: Number) -> Value {
    let is_text = types.has(Types::STRING) && !types.has(Types::NUMBER);
    if is_text {
        return Value::String(number.to_string());
    }
    let is_integer = types.has(Types::INTEGER) && !types.has(Types::FRACTION);
    match number.as_f64() {
        Some(value) if is_integer && number.is_f64() && value.fract() == 0.0 => {
            whole(value).unwrap_or(Value::Number(number))
        }
        _ => Value::Number(number),
    }
}

/// The integer of a double that holds one exactly.
fn whole(value: f64) -> Option<Value> {
    const EXACT_MAX: f64 = 9_007_199_254_740_991.0;
    if value.abs() > EXACT_MAX {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked above to be a whole number that fits")]
    let integer = value as i64;
    Some(Value::from(integer))
}

/// A text where the schema wants text.
pub(super) fn text(shape: &Shape<'_>, text: &str, converts_dates: bool) -> Value {
    let trimmed = text.trim();
    let says_nothing = trimmed.is_empty() || trimmed.eq_ignore_ascii_case("null");
    if let Some(choices) = shape.choices() {
        return chosen(&choices, trimmed).unwrap_or_else(|| Value::from(trimmed));
    }
    if says_nothing && shape.permits_null() {
        return Value::Null;
    }
    let dated = if converts_dates { shape.format().and_then(|format| dated(format, trimmed)) } else { None };
    Value::String(dated.unwrap_or_else(|| trimmed.to_owned()))
}

/// The choice that is meant, when case and punctuation are all that differs.
fn chosen(choices: &[&Value], text: &str) -> Option<Value> {
    let letters = |text: &str| -> String { fold(text).chars().filter(|c| c.is_alphanumeric()).collect() };
    if choices.iter().any(|choice| choice.as_str() == Some(text)) {
        return None;
    }
    let wanted = letters(text);
    let is_meant = |choice: &&&Value| choice.as_str().is_some_and(|choice| letters(choice) == wanted);
    let meant: Vec<&&Value> = choices.iter().filter(is_meant).collect();
    match meant[..] {
        [only] if !wanted.is_empty() => Some((**only).clone()),
        _ => None,
    }
}

/// A number, a truth value or nothing, given as text where the schema has no room for text.
pub(super) fn from_text(types: Types, text: &str) -> Option<Value> {
    let cleaned = clean(text);
    if types.has(Types::NUMBER) {
        if let Some(token) = only_number(&cleaned) {
            let wants_whole = !types.has(Types::FRACTION);
            let reading = token.readings.iter().find(|reading| !wants_whole || reading.is_whole());
            return Some(Value::Number(reading?.to_json()?));
        }
        if !cleaned.contains(|c: char| c.is_ascii_digit()) && !types.has(Types::BOOLEAN) {
            return Some(Value::Null);
        }
    }
    if types.has(Types::BOOLEAN) {
        match cleaned.to_lowercase().as_str() {
            "true" | "yes" => return Some(Value::Bool(true)),
            "false" | "no" => return Some(Value::Bool(false)),
            _ => {}
        }
    }
    let says_nothing = cleaned.is_empty() || cleaned.eq_ignore_ascii_case("null");
    (says_nothing && types.has(Types::NULL)).then_some(Value::Null)
}

/// RFC 3339 for a text that shows one day or time; `None` when it is that already or shows none.
fn dated(format: &str, text: &str) -> Option<String> {
    let folded = fold(text);
    let moment = rfc3339(text);
    match format {
        "date" => moment.map_or_else(|| only_day(&folded), |moment| Some(moment.day)).map(|day| day.to_string()),
        "date-time" => match moment {
            Some(moment) if moment.time.is_some() => with_offset(text),
            Some(moment) => Some(instant(moment.day, Time::midnight())),
            None => Some(instant(only_day(&folded)?, only_time(&folded).unwrap_or(Time::midnight()))),
        },
        "time" if !text.contains(['Z', 'z', '+']) => {
            only_time(&folded).map(|time| format!("{}Z", time.strftime("%H:%M:%S")))
        }
        _ => None,
    }
}

fn instant(day: Date, time: Time) -> String {
    format!("{day}T{}Z", time.strftime("%H:%M:%S"))
}

/// A date and time with `T` and, when it names no offset, `Z`.
fn with_offset(text: &str) -> Option<String> {
    let (day, clock) = (text.get(..10)?, text.get(11..)?);
    let has_offset = clock.contains(['Z', 'z', '+', '-']);
    Some(format!("{day}T{clock}{}", if has_offset { "" } else { "Z" }))
}
