//! Dates as goals write them, in the form that date fields take.

use crate::words;

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// `2027-03-05` for any date that [`parts`] understands.
pub(super) fn iso(text: &str) -> Option<String> {
    parts(text).map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"))
}

#[rustfmt::skip]
const MONTH_NAMES: &[&str] = &[
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
];

/// The ways to write a month, 1 to 12.
pub(super) fn month_names(month: u32) -> Vec<String> {
    let at = usize::try_from(month).unwrap_or(1).saturating_sub(1);
    let name = MONTH_NAMES.get(at).copied().unwrap_or_default();
    let short = name.get(..3).unwrap_or_default();
    vec![name.to_owned(), short.to_owned(), month.to_string(), format!("{month:02}")]
}

/// Year, month and day of `March 5, 2027`, `5 March 2027`, `03/05/2027` (month first) or `5.3.2027` (day first).
pub(super) fn parts(text: &str) -> Option<(u32, u32, u32)> {
    let parts = words::tokens(text);
    let [first, second, third] = parts.as_slice() else { return None };
    let (year, month, day) = if let Some(month) = month_of(first) {
        (number(third)?, month, number(ordinal(second))?)
    } else if let Some(month) = month_of(second) {
        (number(third)?, month, number(ordinal(first))?)
    } else if first.len() == 4 {
        (number(first)?, number(second)?, number(third)?)
    } else if text.contains('.') {
        (number(third)?, number(second)?, number(first)?)
    } else {
        (number(third)?, number(first)?, number(second)?)
    };
    let is_date = year >= 1000 && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some((year, month, day))
}

/// `18:30` for `6:30 pm`.
pub(super) fn clock(text: &str) -> Option<String> {
    let lower = text.to_lowercase().replace('.', "");
    let is_afternoon = lower.trim_end().ends_with("pm");
    let is_twelve_hours = is_afternoon || lower.trim_end().ends_with("am");
    let digits = lower.trim_end_matches(|c: char| c.is_alphabetic() || c.is_whitespace());
    let (hour, minute) = digits.split_once(':').unwrap_or((digits, "00"));
    let (hour, minute) = (number(hour.trim())?, number(minute.trim())?);
    let hour = match (is_twelve_hours, is_afternoon) {
        (true, true) => hour % 12 + 12,
        (true, false) => hour % 12,
        (false, _) => hour,
    };
    (hour < 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}

fn month_of(token: &str) -> Option<u32> {
    let start = token.get(..3)?;
    let at = MONTHS.iter().position(|month| *month == start)?;
    u32::try_from(at + 1).ok()
}

fn ordinal(token: &str) -> &str {
    ["st", "nd", "rd", "th"].iter().find_map(|suffix| token.strip_suffix(suffix)).unwrap_or(token)
}

fn number(token: &str) -> Option<u32> {
    token.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_ways_to_write_a_date_are_understood() {
        for text in ["2027-03-05", "March 5, 2027", "5 March 2027", "March 5th 2027", "03/05/2027", "5.3.2027"] {
            assert_eq!(iso(text).as_deref(), Some("2027-03-05"), "{text}");
        }
        assert_eq!(iso("next Tuesday"), None);
    }

    #[test]
    fn times_are_written_with_24_hours() {
        assert_eq!(clock("6:30 pm").as_deref(), Some("18:30"));
        assert_eq!(clock("12 am").as_deref(), Some("00:00"));
        assert_eq!(clock("9:05").as_deref(), Some("09:05"));
    }
}
