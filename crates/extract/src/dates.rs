//! Dates and durations: ISO 8601 durations to units, and the date spellings that are beyond doubt to RFC 3339.

/// Seconds of an ISO 8601 duration such as `PT1H30M`; also reads `1 h 30 min` and `90 minutes`.
#[must_use]
pub fn duration_seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    iso_duration(text).or_else(|| spoken_duration(text)).filter(|seconds| seconds.is_finite())
}

fn iso_duration(text: &str) -> Option<f64> {
    let body = text.strip_prefix(['P', 'p'])?;
    let mut seconds = 0.0;
    let mut in_time = false;
    let mut number = String::new();
    let mut any = false;
    for c in body.chars() {
        match c.to_ascii_uppercase() {
            'T' => in_time = true,
            c if c.is_ascii_digit() => number.push(c),
            '.' | ',' => number.push('.'),
            unit => {
                let value: f64 = std::mem::take(&mut number).parse().ok()?;
                seconds += value * iso_unit(unit, in_time)?;
                any = true;
            }
        }
    }
    (any && number.is_empty()).then_some(seconds)
}

fn iso_unit(unit: char, in_time: bool) -> Option<f64> {
    match (unit, in_time) {
        ('H', _) => Some(3600.0),
        ('M', true) => Some(60.0),
        ('S', _) => Some(1.0),
        ('D', _) => Some(86_400.0),
        ('W', _) => Some(604_800.0),
        ('M', false) => Some(2_629_800.0),
        ('Y', _) => Some(31_557_600.0),
        _ => None,
    }
}

/// Numbers followed by unit words, in the languages that recipes and job offers are often in.
fn spoken_duration(text: &str) -> Option<f64> {
    let text = crate::numbers::normalise(text).to_lowercase();
    let mut seconds = 0.0;
    let mut any = false;
    let mut rest = text.as_str();
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = rest.get(start..)?;
        let len = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
        let value: f64 = rest.get(..len)?.trim_end_matches(['.', ',']).replace(',', ".").parse().ok()?;
        rest = rest.get(len..)?;
        let word: String =
            rest.trim_start_matches([' ', '-', '\u{a0}']).chars().take_while(|c| c.is_alphabetic()).collect();
        if let Some(unit) = spoken_unit(&word) {
            seconds += value * unit;
            any = true;
        }
    }
    any.then_some(seconds)
}

fn spoken_unit(word: &str) -> Option<f64> {
    match word {
        "m" | "mn" | "λεπτά" | "λεπτο" | "λεπτό" | "dk" | "dakika" | "perc" | "phút" | "دقيقة" | "دقائق" | "דקות"
        | "分" | "分钟" | "分鐘" | "분" | "хв" | "мин" | "минут" | "минуты" => Some(60.0),
        "h" | "hr" | "hrs" | "std" | "u" | "uur" | "uren" | "t" | "時間" | "小时" | "小時" | "시간" | "ч" | "час"
        | "часа" | "часов" | "godz" | "ore" | "ora" | "ώρα" | "ώρες" | "saat" | "óra" | "giờ" | "ساعة" | "שעה"
        | "שעות" => Some(3600.0),
        "s" | "sec" | "secs" | "秒" | "сек" => Some(1.0),
        "d" | "日" => Some(86_400.0),
        _ if word.starts_with("min") => Some(60.0),
        _ if ["hour", "stund", "heure", "hora", "timme", "time", "godzin", "hodin"]
            .iter()
            .any(|start| word.starts_with(start)) =>
        {
            Some(3600.0)
        }
        _ if word.starts_with("second") || word.starts_with("sekund") => Some(1.0),
        _ if ["day", "tag", "jour", "día", "giorn", "dag"].iter().any(|start| word.starts_with(start)) => {
            Some(86_400.0)
        }
        _ => None,
    }
}

/// A date for `format: date`: the calendar day as written, never moved by a zone.
#[must_use]
pub fn to_date(text: &str) -> Option<String> {
    let parts = read(text)?;
    Some(format!("{:04}-{:02}-{:02}", parts.year, parts.month, parts.day))
}

/// A date with time for `format: date-time`; only if the text has a zone, since none is invented.
#[must_use]
pub fn to_date_time(text: &str) -> Option<String> {
    let parts = read(text)?;
    let (time, zone) = (parts.time?, parts.zone?);
    Some(format!("{:04}-{:02}-{:02}T{time}{zone}", parts.year, parts.month, parts.day))
}

struct Parts {
    year: i16,
    month: i8,
    day: i8,
    time: Option<String>,
    zone: Option<String>,
}

fn read(text: &str) -> Option<Parts> {
    let text = crate::numbers::normalise(text.trim());
    let (year, month, day, rest) = iso_day(&text).or_else(|| named_day(&text)).or_else(|| dotted_day(&text))?;
    jiff::civil::Date::new(year, month, day).ok()?;
    let (time, zone) = clock(&rest);
    Some(Parts { year, month, day, time, zone })
}

/// `2024-03-09…`, `2024/3/9`, `2024年3月9日`, `20240309`.
fn iso_day(text: &str) -> Option<(i16, i8, i8, String)> {
    let digits = |from: &str| from.bytes().take_while(u8::is_ascii_digit).count();
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let body = text.get(start..)?;
    if digits(body) == 8 {
        return Some((
            body.get(..4)?.parse().ok()?,
            body.get(4..6)?.parse().ok()?,
            body.get(6..8)?.parse().ok()?,
            body.get(8..)?.to_owned(),
        ));
    }
    if digits(body) != 4 {
        return None;
    }
    let rest = body.get(4..)?.trim_start().strip_prefix(['-', '/', '.', '年', '년'])?.trim_start();
    let month = digits(rest);
    let after = rest.get(month..)?.trim_start().strip_prefix(['-', '/', '.', '月', '월'])?.trim_start();
    let day = digits(after);
    Some((
        body.get(..4)?.parse().ok()?,
        rest.get(..month)?.parse().ok()?,
        after.get(..day)?.parse().ok()?,
        after.get(day..)?.to_owned(),
    ))
}

const MONTHS: &[(&str, i8)] = &[
    ("jan", 1),
    ("ene", 1),
    ("gen", 1),
    ("янв", 1),
    ("feb", 2),
    ("fév", 2),
    ("fev", 2),
    ("фев", 2),
    ("mar", 3),
    ("mär", 3),
    ("maa", 3),
    ("мар", 3),
    ("apr", 4),
    ("abr", 4),
    ("avr", 4),
    ("апр", 4),
    ("may", 5),
    ("mai", 5),
    ("maj", 5),
    ("mag", 5),
    ("mei", 5),
    ("мая", 5),
    ("май", 5),
    ("jun", 6),
    ("juin", 6),
    ("giu", 6),
    ("июн", 6),
    ("jul", 7),
    ("juil", 7),
    ("lug", 7),
    ("июл", 7),
    ("aug", 8),
    ("aoû", 8),
    ("ago", 8),
    ("авг", 8),
    ("sep", 9),
    ("set", 9),
    ("сен", 9),
    ("oct", 10),
    ("okt", 10),
    ("out", 10),
    ("ott", 10),
    ("окт", 10),
    ("nov", 11),
    ("ноя", 11),
    ("dec", 12),
    ("dez", 12),
    ("déc", 12),
    ("dic", 12),
    ("дек", 12),
];

/// `9 March 2024`, `March 9, 2024`, `9. März 2024`, `Sat, 09 Mar 2024 10:00:00 GMT`.
fn named_day(text: &str) -> Option<(i16, i8, i8, String)> {
    let lower = text.to_lowercase();
    let word = lower.split(|c: char| !c.is_alphabetic()).find_map(|word| {
        let month = MONTHS.iter().rev().find(|(name, _)| word.starts_with(name))?;
        (word.len() >= 3).then_some((word.to_owned(), month.1))
    })?;
    let mut numbers: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for part in lower.split(|c: char| !c.is_ascii_digit()) {
        if !part.is_empty() {
            numbers.push((at, part));
        }
        at += part.len() + lower.get(at + part.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    let year_at = numbers.iter().position(|(_, digits)| digits.len() == 4)?;
    let day = numbers.iter().find(|(_, digits)| digits.len() <= 2)?.1.parse().ok()?;
    let (place, digits) = numbers.get(year_at)?;
    let rest = lower.get(place + digits.len()..)?.to_uppercase();
    Some((digits.parse().ok()?, word.1, day, rest))
}

/// `09.03.2024`: with points, day first everywhere. With slashes only when one number cannot be a month.
fn dotted_day(text: &str) -> Option<(i16, i8, i8, String)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let body = text.get(start..)?;
    let end = body.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '/' | '-'))).unwrap_or(body.len());
    let head = body.get(..end)?;
    let mark = head.chars().find(|c| !c.is_ascii_digit())?;
    let parts: Vec<i16> = head.split(mark).map_while(|part| part.parse().ok()).collect();
    let [first, second, year] = parts.as_slice() else { return None };
    if *year < 1000 {
        return None;
    }
    let rest = body.get(end..)?.to_owned();
    let (first, second) = (i8::try_from(*first).ok()?, i8::try_from(*second).ok()?);
    match mark {
        '.' => Some((*year, second, first, rest)),
        _ if first > 12 => Some((*year, second, first, rest)),
        _ if second > 12 || first == second => Some((*year, first, second, rest)),
        _ => None,
    }
}

/// A time and its zone after a date.
fn clock(rest: &str) -> (Option<String>, Option<String>) {
    let Some(start) = rest.find(|c: char| c.is_ascii_digit()) else { return (None, None) };
    let body = rest.get(start..).unwrap_or("");
    let len = body.find(|c: char| !(c.is_ascii_digit() || c == ':' || c == '.')).unwrap_or(body.len());
    let digits = body.get(..len).unwrap_or("").trim_end_matches('.');
    if !digits.contains(':') {
        return (None, None);
    }
    let time = if digits.matches(':').count() == 1 { format!("{digits}:00") } else { digits.to_owned() };
    let time = if time.find(':') == Some(1) { format!("0{time}") } else { time };
    if time.parse::<jiff::civil::Time>().is_err() {
        return (None, None);
    }
    let tail = body.get(len..).unwrap_or("").trim();
    (Some(time), zone(tail))
}

fn zone(tail: &str) -> Option<String> {
    let upper = tail.to_uppercase();
    if upper.starts_with('Z') || upper.starts_with("GMT") || upper.starts_with("UTC") {
        return Some("Z".to_owned());
    }
    let sign = upper.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let digits: String =
        upper.chars().skip(1).take_while(|c| c.is_ascii_digit() || *c == ':').filter(char::is_ascii_digit).collect();
    match digits.len() {
        4 => Some(format!("{sign}{}:{}", digits.get(..2)?, digits.get(2..)?)),
        2 => Some(format!("{sign}{digits}:00")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_iso_and_in_words() {
        assert_eq!(duration_seconds("PT1H30M"), Some(5400.0));
        assert_eq!(duration_seconds("P0DT0H45M0S"), Some(2700.0));
        assert_eq!(duration_seconds("1 h 30 min"), Some(5400.0));
        assert_eq!(duration_seconds("45 Minuten"), Some(2700.0));
        assert_eq!(duration_seconds("1 ώρα 5 λεπτά"), Some(3900.0));
        assert_eq!(duration_seconds("soon"), None);
        assert_eq!(duration_seconds("PT"), None);
    }

    #[test]
    fn dates_become_rfc_3339_without_an_invented_zone() {
        assert_eq!(to_date("2024-03-09T10:00:00+01:00").as_deref(), Some("2024-03-09"));
        assert_eq!(to_date("March 9, 2024").as_deref(), Some("2024-03-09"));
        assert_eq!(to_date("9. März 2024").as_deref(), Some("2024-03-09"));
        assert_eq!(to_date("09.03.2024").as_deref(), Some("2024-03-09"));
        assert_eq!(to_date("2024年3月9日").as_deref(), Some("2024-03-09"));
        assert_eq!(to_date("03/04/2024"), None);
        assert_eq!(to_date_time("2024-03-09 10:00"), None);
        assert_eq!(to_date_time("Sat, 09 Mar 2024 10:00:00 GMT").as_deref(), Some("2024-03-09T10:00:00Z"));
        assert_eq!(to_date_time("2024-03-09T10:00:00.5+0100").as_deref(), Some("2024-03-09T10:00:00.5+01:00"));
    }
}
