//! Numbers as pages show them: `1,299.00`, `1.249,50 €`, `1 249`, `$.75`, `1.2k`, and what each may mean.

use std::ops::Range;

use super::currency::{self, Shown};
use super::decimal::Decimal;

/// A number token of a cleaned text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberToken {
    /// What it may mean, the likeliest first: `1,299` is 1299, or 1.299 where a comma marks decimals.
    pub readings: Vec<Decimal>,
    pub currency: Option<Shown>,
    /// Bytes of the text that show it, with its currency.
    pub shown: Range<usize>,
    /// `$1999` where cents are set small: 19.99, only for published metadata to choose.
    pub small_cents: Option<Decimal>,
}

/// Digits of one number; a longer run is no number that data could hold.
const DIGITS_MAX: usize = 40;

/// All numbers of a cleaned text, in order.
pub(crate) fn scan(cleaned: &str) -> Vec<NumberToken> {
    let mut tokens = Vec::new();
    let bytes = cleaned.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !starts_number(bytes, at) {
            at += 1;
            continue;
        }
        let end = body_end(bytes, at);
        if is_embedded(cleaned, at) || is_identifier(bytes, end) {
            at = word_end(bytes, end);
            continue;
        }
        let (found, token_end) = token(cleaned, at, end);
        tokens.extend(found);
        at = token_end;
    }
    tokens
}

/// The one number that a text holds, by its likeliest reading: the only one, or the only one with a currency.
pub(crate) fn only_number(cleaned: &str) -> Option<NumberToken> {
    let mut tokens = scan(cleaned);
    if tokens.len() > 1 && cleaned.contains(' ') {
        tokens = scan(&joined_groups(cleaned));
    }
    if tokens.len() > 1 {
        // `26 to 50 €` is a range of prices; `iPhone 15 $799` is one price.
        let has_sign_before =
            |token: &NumberToken| !cleaned[token.shown.start..].starts_with(|c: char| c.is_ascii_digit());
        tokens.retain(|token| token.currency.is_some() && has_sign_before(token));
    }
    if tokens.len() == 1 { tokens.pop() } else { None }
}

/// `1 249,50` without the spaces of its thousands.
fn joined_groups(cleaned: &str) -> String {
    let chars: Vec<char> = cleaned.chars().collect();
    let is_digit = |index: usize| chars.get(index).is_some_and(char::is_ascii_digit);
    let is_group = |at: usize| {
        let has_three = (1..=3).all(|ahead| is_digit(at + ahead)) && !is_digit(at + 4);
        chars[at] == ' ' && at > 0 && is_digit(at - 1) && has_three
    };
    (0..chars.len()).filter(|at| !is_group(*at)).map(|at| chars[at]).collect()
}

fn is_digit_at(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_digit)
}

fn starts_number(bytes: &[u8], at: usize) -> bool {
    let leads_fraction = matches!(bytes[at], b'.' | b',') && is_digit_at(bytes, at + 1);
    let after_word =
        at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric() || bytes[before] >= 0x80);
    is_digit_at(bytes, at) || (leads_fraction && !after_word)
}

/// End of the digits and of the separators that stand between two of them.
fn body_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        let is_separator = bytes.get(at).is_some_and(|byte| matches!(byte, b'.' | b',' | b'\''));
        if is_digit_at(bytes, at) {
            at += 1;
        } else if is_separator && is_digit_at(bytes, at + 1) {
            at += 2;
        } else {
            return at;
        }
    }
}

/// Whether letters stand right before the digits that are no currency: `mp3`, `h2o`.
fn is_embedded(cleaned: &str, start: usize) -> bool {
    let before = &cleaned[..start];
    let letters = &before[before.trim_end_matches(char::is_alphabetic).len()..];
    let is_marker = matches!(letters, "" | "x" | "X" | "No" | "no" | "Nr" | "nr");
    let is_latin = letters.ends_with(|c: char| c.is_ascii_alphabetic());
    !is_marker && is_latin && currency::at_end(before).is_none()
}

/// Whether letters and more digits follow without a space: `9c2e4a` is a name, not 9; `20x30` is two numbers, `1e3` one.
fn is_identifier(bytes: &[u8], end: usize) -> bool {
    let letters = bytes[end..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_product = letters == 1 && matches!(bytes[end], b'x' | b'X' | b'e' | b'E');
    letters > 0 && !is_product && is_digit_at(bytes, end + letters)
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// What the digits mean, mostly one number, and where scanning goes on.
fn token(cleaned: &str, start: usize, end: usize) -> (Vec<NumberToken>, usize) {
    let (body, after) = (&cleaned[start..end], &cleaned[end..]);
    let groups: Vec<&str> = body.split(['.', ',', '\'']).collect();
    if groups.iter().map(|group| group.len()).sum::<usize>() > DIGITS_MAX {
        return (Vec::new(), end);
    }
    let (before, mut currency, shown) = with_currency(cleaned, start, end);
    let mut readings = readings(body, currency.is_some());
    let Some(likeliest) = readings.first().cloned() else {
        return (groups.into_iter().filter_map(|group| lone_number(group, start..end)).collect(), end);
    };
    let split = readings.iter().find(|reading| reading.is_whole()).and_then(|whole| split_cents(whole, after));
    currency = currency.or_else(|| Some(currency::at_start(split.as_ref()?.rest)?.0));
    let mut small_cents = currency.and_then(|_| small_cents(body));
    let mut token_end = end;
    match split {
        Some(split) if currency.is_some() && split.is_marked => {
            token_end = cleaned.len() - split.rest.len();
            readings.insert(0, split.value);
        }
        Some(split) if currency.is_some() => readings.push(split.value),
        Some(split) => small_cents = Some(split.value),
        None => {}
    }
    readings.extend(spaced_thousands(body, after));
    add_scaled(&mut readings, &likeliest, body, after);
    if is_negative(before) || is_negative(&cleaned[..start]) {
        let negated: Vec<Decimal> = readings.iter().map(Decimal::negated).collect();
        readings.splice(0..0, negated);
    }
    (vec![NumberToken { readings, currency, shown, small_cents }], token_end)
}

/// A part of digits that are no single number, such as the year of `11.10.2026`.
fn lone_number(digits: &str, shown: Range<usize>) -> Option<NumberToken> {
    let readings = vec![Decimal::new(digits, "")];
    (!digits.is_empty()).then_some(NumberToken { readings, currency: None, shown, small_cents: None })
}

/// The text before the number and its currency, that currency, and the bytes that show both.
fn with_currency(cleaned: &str, start: usize, end: usize) -> (&str, Option<Shown>, Range<usize>) {
    let before = &cleaned[..start];
    let unsigned = before.strip_suffix('-').unwrap_or(before);
    if let Some((currency, bytes)) = currency::at_end(unsigned) {
        let before = &unsigned[..unsigned.len() - bytes];
        return (before, Some(currency), before.len()..end);
    }
    let after = &cleaned[end..];
    // In `iPhone 15 $799` the sign is the next number's.
    let is_ours = |bytes: usize| !(after.starts_with(' ') && after[bytes..].starts_with(|c: char| c.is_ascii_digit()));
    match currency::at_start(after).filter(|(_, bytes)| is_ours(*bytes)) {
        Some((currency, bytes)) => (before, Some(currency), start..end + bytes),
        None => (before, None, start..end),
    }
}

/// Whether a minus sign ends the text and is no hyphen of a word.
fn is_negative(before: &str) -> bool {
    before.strip_suffix('-').is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

/// What digits with separators may mean; nothing when they are no single number (`11.10.2026`).
fn readings(body: &str, beside_currency: bool) -> Vec<Decimal> {
    let separators: Vec<char> = body.chars().filter(|c| !c.is_ascii_digit()).collect();
    let Some(last) = separators.last().copied() else {
        return vec![Decimal::new(body, "")];
    };
    let groups: Vec<&str> = body.split(['.', ',', '\'']).collect();
    let kinds: Vec<char> = separators[..separators.len() - 1].to_vec();
    let is_mixed = kinds.iter().any(|kind| *kind != last);
    if is_mixed {
        let are_alike = kinds.iter().all(|kind| *kind == kinds[0]);
        let (whole, fraction) = groups.split_at(groups.len() - 1);
        let is_number = are_alike && last != '\'' && are_thousands(whole);
        return if is_number { vec![Decimal::new(&whole.concat(), fraction[0])] } else { Vec::new() };
    }
    if separators.len() > 1 {
        return if are_thousands(&groups) { vec![Decimal::new(&groups.concat(), "")] } else { Vec::new() };
    }
    one_separator(last, groups[0], groups[1], beside_currency)
}

fn one_separator(separator: char, whole: &str, fraction: &str, beside_currency: bool) -> Vec<Decimal> {
    let decimal = Decimal::new(whole, fraction);
    let may_be_thousands = fraction.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0');
    let thousands = Decimal::new(&format!("{whole}{fraction}"), "");
    match separator {
        '\'' if may_be_thousands => vec![thousands],
        '\'' => Vec::new(),
        _ if !may_be_thousands => vec![decimal],
        '.' if !beside_currency => vec![decimal, thousands],
        _ => vec![thousands, decimal],
    }
}

/// `1|299|000`, or as in India `12|34|567`.
fn are_thousands(groups: &[&str]) -> bool {
    let [first, middle @ .., last] = groups else { return groups.len() == 1 };
    let is_first = (1..=3).contains(&first.len());
    let by_three = middle.iter().all(|group| group.len() == 3);
    let by_two = first.len() <= 2 && !middle.is_empty() && middle.iter().all(|group| group.len() == 2);
    is_first && last.len() == 3 && (by_three || by_two)
}

/// `1 249` and `1 249,50`: the digits that follow after single spaces, in threes.
fn spaced_thousands(body: &str, after: &str) -> Option<Decimal> {
    if body.len() > 3 || body.starts_with('0') {
        return None;
    }
    let mut whole = body.to_owned();
    let mut rest = after;
    while let Some(group) = rest.strip_prefix(' ').and_then(|next| next.get(..3)).filter(|group| is_all_digits(group)) {
        let next = &rest[4..];
        if next.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
        whole.push_str(group);
        rest = next;
    }
    if whole.len() == body.len() {
        return None;
    }
    let fraction: String = match rest.strip_prefix(['.', ',']) {
        Some(digits) => digits.chars().take_while(char::is_ascii_digit).take(DIGITS_MAX).collect(),
        None => String::new(),
    };
    Some(Decimal::new(&whole, &fraction))
}

fn is_all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `1.2k`, `3 million`, `1.5億`, `1e3`: the number times what follows it, likelier than the bare number. `12%` may also
/// mean 0.12.
fn add_scaled(readings: &mut Vec<Decimal>, value: &Decimal, body: &str, after: &str) {
    if after.starts_with('%') || after.starts_with(" %") {
        readings.push(value.shifted(-2));
        return;
    }
    let decimal = body.split_once([',', '.']).map_or_else(|| value.clone(), |(whole, rest)| Decimal::new(whole, rest));
    if let Some(power) = exponent(after).or_else(|| power_after(after)) {
        readings.insert(0, decimal.shifted(power));
    }
}

/// The exponent of `1e3` and `1.5E-2`.
fn exponent(after: &str) -> Option<i32> {
    let rest = after.strip_prefix(['e', 'E'])?;
    let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let ends = !digits[length..].starts_with(|c: char| c.is_alphanumeric() || c == '.');
    let signed = &rest[..rest.len() - digits.len() + length];
    if (1..=2).contains(&length) && ends { signed.parse().ok() } else { None }
}

fn power_after(after: &str) -> Option<i32> {
    let rest = after.trim_start_matches(' ');
    let is_beside = rest.len() == after.len();
    let word = &rest[..rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())];
    match (is_beside, word) {
        (true, "k" | "K") => Some(3),
        (true, "M") => Some(6),
        (true, "B") => Some(9),
        _ => power_of(&word.to_lowercase()).or_else(|| power_of_sign(word.chars().next().filter(|_| is_beside)?)),
    }
}

/// Chinese, Japanese and Korean units of number, which stand right behind the digits.
fn power_of_sign(sign: char) -> Option<i32> {
    match sign {
        '千' | '천' => Some(3),
        '万' | '萬' | '만' => Some(4),
        '億' | '亿' | '억' => Some(8),
        _ => None,
    }
}

fn power_of(word: &str) -> Option<i32> {
    match word {
        "thousand" | "tsd" | "tausend" => Some(3),
        "lakh" | "lakhs" => Some(5),
        "mn" | "mio" | "mln" | "million" | "millions" | "millionen" | "millones" => Some(6),
        "crore" | "crores" => Some(7),
        "bn" | "billion" | "billions" | "mrd" | "milliarden" | "milliards" => Some(9),
        "trillion" | "trillions" => Some(12),
        _ => None,
    }
}

/// Cents that stand apart from the number before them.
struct SplitCents<'t> {
    value: Decimal,
    /// The text after them.
    rest: &'t str,
    /// A decimal mark stands between: `119. 95`.
    is_marked: bool,
}

/// `$19` and then `99` on its own, as shops set the cents apart.
fn split_cents<'t>(whole: &Decimal, after: &'t str) -> Option<SplitCents<'t>> {
    let gap = after.strip_prefix(['\n', ' ', '.', ','])?;
    let gap = gap.strip_prefix(['\n', ' ', '.', ',']).unwrap_or(gap);
    let cents = gap.get(..2).filter(|cents| is_all_digits(cents))?;
    let rest = &gap[2..];
    let goes_on = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '/' | '-');
    if rest.starts_with(goes_on) {
        return None;
    }
    let is_marked = after.starts_with(['.', ',']);
    Some(SplitCents { value: Decimal::new(&whole.plain(), cents), rest, is_marked })
}

fn small_cents(body: &str) -> Option<Decimal> {
    let digits: String = body.chars().filter(char::is_ascii_digit).collect();
    let is_plain = !body.contains('.') && digits.len() >= 3 && (body.len() == digits.len() || body.contains(','));
    is_plain.then(|| Decimal::new(&digits[..digits.len() - 2], &digits[digits.len() - 2..]))
}

/// Small numbers written out, for passages that show a count in words.
pub(crate) fn of_word(word: &str) -> Option<Decimal> {
    const WORDS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let value = WORDS.iter().position(|known| *known == word)?;
    Some(Decimal::new(&value.to_string(), ""))
}
