//! Dates and times as pages show them, compared as calendar days and clock times.

use std::collections::BTreeSet;

use jiff::civil::{Date, Time};

/// The days and times a text shows.
#[derive(Debug, Default)]
pub(crate) struct Calendar {
    pub days: BTreeSet<Date>,
    /// Month and day without a year.
    pub yearless: BTreeSet<(i8, i8)>,
    /// Hour and minute.
    pub times: BTreeSet<(i8, i8)>,
}

/// A date a client can read: RFC 3339 `full-date`, or the date of a `date-time` with its clock time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub day: Date,
    pub time: Option<Time>,
}

/// Reads RFC 3339: `2026-10-11`, `2026-10-11T09:40:00Z`.
pub(crate) fn rfc3339(text: &str) -> Option<Moment> {
    let day_text = text.get(..10)?;
    let is_dated = day_text.as_bytes()[4] == b'-' && day_text.as_bytes()[7] == b'-';
    let day: Date = if is_dated { day_text.parse().ok()? } else { return None };
    let rest = &text[10..];
    if rest.is_empty() {
        return Some(Moment { day, time: None });
    }
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let clock_end = clock.find(['Z', 'z', '+', '-']).unwrap_or(clock.len());
    let time: Time = clock[..clock_end].parse().ok()?;
    Some(Moment { day, time: Some(time) })
}

/// The one day a text shows, when no other reading is possible.
pub(crate) fn only_day(folded: &str) -> Option<Date> {
    let days = scan(folded).days;
    let mut days = days.into_iter();
    days.next().filter(|_| days.next().is_none())
}

/// The one clock time a text shows.
pub(crate) fn only_time(folded: &str) -> Option<Time> {
    let mut times = scan(folded).times.into_iter();
    let (hour, minute) = times.next().filter(|_| times.next().is_none())?;
    Time::new(hour, minute, 0, 0).ok()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'t> {
    Number {
        value: i16,
        digits: usize,
    },
    Word(&'t str),
    /// `-`, `.`, `/`, `:` or another separator; white space and commas are none.
    Mark(char),
}

/// All days and times of a folded text.
pub(crate) fn scan(folded: &str) -> Calendar {
    let parts = parts(folded);
    let mut calendar = Calendar::default();
    for at in 0..parts.len() {
        let ahead = &parts[at..];
        numeric_days(ahead, &mut calendar);
        named_days(ahead, &mut calendar);
        clock(ahead, &mut calendar);
    }
    calendar
}

fn parts(folded: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = folded;
    while let Some(c) = rest.chars().next() {
        let same = |matches: fn(char) -> bool| rest.find(|c: char| !matches(c)).unwrap_or(rest.len());
        let length = if c.is_ascii_digit() {
            let length = same(|c| c.is_ascii_digit());
            let value = if length <= 4 { rest[..length].parse().unwrap_or(-1) } else { -1 };
            parts.push(Part::Number { value, digits: length });
            length
        } else if c.is_alphabetic() {
            let length = if is_cjk_date(c) { c.len_utf8() } else { same(|c| c.is_alphabetic() && !is_cjk_date(c)) };
            parts.push(Part::Word(&rest[..length]));
            length
        } else {
            if !c.is_whitespace() && c != ',' {
                parts.push(Part::Mark(c));
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    parts
}

fn is_cjk_date(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '년' | '월' | '일')
}

fn numeric_days(ahead: &[Part<'_>], calendar: &mut Calendar) {
    use Part::{Mark, Number, Word};
    match *ahead {
        [
            Number { value: year, digits: 4 },
            Mark(first),
            Number { value: month, .. },
            Mark(second),
            Number { value: day, .. },
            ..,
        ] if first == second && matches!(first, '-' | '/' | '.') => {
            insert(calendar, year, month, day);
        }
        [
            Number { value: left, digits: 1 | 2 },
            Mark(first),
            Number { value: middle, digits: 1 | 2 },
            Mark(second),
            Number { value: year, digits },
            ..,
        ] if first == second && matches!(first, '-' | '/' | '.') && matches!(digits, 2 | 4) => {
            let year = full_year(year, digits);
            insert(calendar, year, middle, left);
            if first != '.' {
                insert(calendar, year, left, middle);
            }
        }
        [
            Number { value: year, digits: 4 },
            Word("年" | "년"),
            Number { value: month, .. },
            Word("月" | "월"),
            Number { value: day, .. },
            ..,
        ] => {
            insert(calendar, year, month, day);
        }
        _ => {}
    }
}

fn named_days(ahead: &[Part<'_>], calendar: &mut Calendar) {
    use Part::{Number, Word};
    // `11th of October`, `11. Oktober`, `Oct. 11th`: what stands between the parts is left out.
    let kept: Vec<Part<'_>> = ahead.iter().take(7).copied().filter(|part| !is_filler(part)).take(3).collect();
    match kept[..] {
        [Number { value: day, digits: 1 | 2 }, Word(name), ref rest @ ..] if month(name).is_some() => {
            with_year(calendar, rest, month(name).unwrap_or_default(), day);
        }
        [Word(name), Number { value: day, digits: 1 | 2 }, ref rest @ ..] if month(name).is_some() => {
            with_year(calendar, rest, month(name).unwrap_or_default(), day);
        }
        [Number { value: year, digits: 4 }, Word(name), Number { value: day, digits: 1 | 2 }] => {
            insert(calendar, year, month(name).unwrap_or_default(), day);
        }
        _ => {}
    }
}

fn is_filler(part: &Part<'_>) -> bool {
    matches!(part, Part::Mark('.' | '-' | '\'') | Part::Word("st" | "nd" | "rd" | "th" | "of" | "de" | "del" | "er"))
}

fn with_year(calendar: &mut Calendar, rest: &[Part<'_>], month: i16, day: i16) {
    match rest.first() {
        Some(Part::Number { value: year, digits: 4 }) => insert(calendar, *year, month, day),
        _ => {
            if let (Ok(month), Ok(day)) = (i8::try_from(month), i8::try_from(day)) {
                calendar.yearless.insert((month, day));
            }
        }
    }
}

fn insert(calendar: &mut Calendar, year: i16, month: i16, day: i16) {
    let (Ok(month), Ok(day)) = (i8::try_from(month), i8::try_from(day)) else { return };
    calendar.days.extend(Date::new(year, month, day));
}

/// Two-digit years as people mean them: 70–99 are the last century.
fn full_year(year: i16, digits: usize) -> i16 {
    match (digits, year) {
        (2, 70..) => 1900 + year,
        (2, _) => 2000 + year,
        _ => year,
    }
}

fn clock(ahead: &[Part<'_>], calendar: &mut Calendar) {
    use Part::{Mark, Number, Word};
    let (hour, minute, rest) = match *ahead {
        [Number { value: hour, digits: 1 | 2 }, Mark(':'), Number { value: minute, digits: 2 }, ref rest @ ..] => {
            (hour, minute, rest)
        }
        [Number { value: hour, digits: 1 | 2 }, ref rest @ ..] if matches!(rest.first(), Some(Word("am" | "pm"))) => {
            (hour, 0, rest)
        }
        _ => return,
    };
    let rest = match *rest {
        [Mark(':'), Number { .. }, ref after @ ..] => after,
        _ => rest,
    };
    let hour = match rest.first() {
        Some(Word("pm" | "p")) if hour < 12 => hour + 12,
        Some(Word("am" | "a")) if hour == 12 => 0,
        _ => hour,
    };
    if let (Ok(hour @ 0..=23), Ok(minute @ 0..=59)) = (i8::try_from(hour), i8::try_from(minute)) {
        calendar.times.insert((hour, minute));
    }
}

/// Month names and their usual short forms in English, German, French, Spanish, Italian, Dutch and Portuguese.
fn month(name: &str) -> Option<i16> {
    const NAMES: [&[&str]; 12] = [
        &[
            "january", "jan", "januar", "jänner", "janvier", "janv", "enero", "ene", "gennaio", "gen", "januari",
            "janeiro",
        ],
        &["february", "feb", "februar", "février", "févr", "febrero", "febbraio", "februari", "fevereiro", "fev"],
        &["march", "mar", "märz", "mär", "mars", "marzo", "maart", "mrt", "março"],
        &["april", "apr", "avril", "avr", "abril", "abr", "aprile"],
        &["may", "mai", "mayo", "maggio", "mag", "mei", "maio"],
        &["june", "jun", "juni", "juin", "junio", "giugno", "giu", "junho"],
        &["july", "jul", "juli", "juillet", "juil", "julio", "luglio", "lug", "julho"],
        &["august", "aug", "août", "agosto", "ago", "augustus"],
        &["september", "sep", "sept", "septembre", "septiembre", "settembre", "set", "setembro"],
        &["october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "ott", "outubro", "out"],
        &["november", "nov", "novembre", "noviembre", "novembro"],
        &["december", "dec", "dezember", "dez", "décembre", "déc", "diciembre", "dic", "dicembre", "dezembro"],
    ];
    let index = NAMES.iter().position(|names| names.contains(&name))?;
    i16::try_from(index + 1).ok()
}
