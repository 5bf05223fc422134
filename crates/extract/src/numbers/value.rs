//! What the digits of a number mean: which mark is the decimal one, powers and words of size, and the sign.

use super::{NumberHint, Token};
use crate::currency;

/// The value of a token; none when it is no finite number.
pub fn evaluate(text: &str, token: &Token, hint: NumberHint<'_>, code: Option<&str>, price: bool) -> Option<f64> {
    let raw = text.get(token.start..token.end)?;
    let tail = text.get(token.end..).unwrap_or("");
    // `19 99`: whole and cents without a mark, only as the whole text.
    if let Some(value) = cents_apart(text) {
        return Some(value);
    }
    let plain = plain_decimal(raw, hint, code, price);
    let mut value: f64 = plain.parse().ok()?;
    let (power, rest) = exponent(tail);
    value *= power;
    value = scaled(value, rest, hint)?;
    if is_negative(text, token.start) {
        value = -value;
    }
    value.is_finite().then_some(value)
}

fn cents_apart(text: &str) -> Option<f64> {
    let (whole, cents) = text.trim().split_once(' ')?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(whole) && digits(cents) && cents.len() == 2 && whole.len() <= 6)
        .then(|| format!("{whole}.{cents}").parse().ok())
        .flatten()
}

/// `1e3` directly after the digits.
fn exponent(tail: &str) -> (f64, &str) {
    let Some(rest) = tail.strip_prefix(['e', 'E']) else { return (1.0, tail) };
    let digits_at = usize::from(rest.starts_with(['+', '-']));
    let len = rest.get(digits_at..).unwrap_or("").bytes().take_while(u8::is_ascii_digit).count();
    if len == 0 || len > 2 {
        return (1.0, tail);
    }
    let Some(power) = rest.get(..digits_at + len).and_then(|text| text.parse::<i32>().ok()) else { return (1.0, tail) };
    (10f64.powi(power), rest.get(digits_at + len..).unwrap_or(""))
}

/// Applies `k`, `M`, `万`, `億`, "million" … that follow the digits.
fn scaled(value: f64, tail: &str, hint: NumberHint<'_>) -> Option<f64> {
    let first = tail.chars().next().unwrap_or(' ');
    let second = tail.chars().nth(1).unwrap_or(' ');
    let alone = !second.is_alphanumeric();
    let factor = match first {
        '万' | '萬' | '만' => 1e4,
        '億' | '亿' | '억' => 1e8,
        '千' if second != '米' => 1e3,
        'k' | 'K' if alone => 1e3,
        'M' if alone => 1e6,
        'm' if alone && hint.count => 1e6,
        'B' if alone => 1e9,
        _ => {
            let word: String =
                tail.trim_start().chars().take_while(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
            match word.as_str() {
                "thousand" | "tsd" | "tausend" | "тыс" | "mille" | "tys" => 1e3,
                "million" | "millions" | "mio" | "millionen" | "млн" | "mln" | "millones" | "milhões" => 1e6,
                "billion" | "billions" | "mrd" | "milliarden" | "млрд" | "mld" => 1e9,
                "lakh" | "lakhs" => 1e5,
                "crore" | "crores" => 1e7,
                _ => return Some(value),
            }
        }
    };
    let scaled = value * factor;
    // `1.2 * 1e6` must be exactly 1 200 000.
    Some(if scaled.abs() < 9e15 { (scaled * 1000.0).round() / 1000.0 } else { scaled })
}

fn is_negative(text: &str, start: usize) -> bool {
    let head = text.get(..start).unwrap_or("").trim_end_matches(|c: char| c == ' ' || "$€£¥₹".contains(c));
    // A dash is a minus only where nothing is before it; elsewhere it stands between words or numbers.
    let Some(before) = head.strip_suffix('-').or_else(|| head.strip_suffix('–').filter(|before| before.is_empty()))
    else {
        return false;
    };
    let between = text.get(head.len()..start).unwrap_or("");
    let last = before.chars().next_back();
    // A dash after a word or a number is a hyphen or a range.
    let is_hyphen = between.starts_with(' ') && !before.is_empty();
    !is_hyphen && last.is_none_or(|c| " ($€£¥₹".contains(c))
}

/// The digits with one point as decimal separator.
fn plain_decimal(raw: &str, hint: NumberHint<'_>, code: Option<&str>, price: bool) -> String {
    let compact: String = raw.chars().filter(|c| !matches!(c, ' ' | '\'')).collect();
    let decimal = match hint.decimal {
        Some(decimal) => compact.rfind(decimal),
        None => match place_by_digits(&compact, raw) {
            Place::At(place) => place,
            Place::Unsure(place) => {
                let mark = compact.as_bytes().get(place).copied().unwrap_or(0);
                is_decimal_by_use(mark, hint, code, price).then_some(place)
            }
        },
    };
    let mut out = String::from("0");
    for (at, c) in compact.char_indices() {
        if Some(at) == decimal {
            out.push('.');
        } else if c.is_ascii_digit() {
            out.push(c);
        }
    }
    out
}

/// Where a number's decimal separator is, as far as its digits tell.
enum Place {
    /// Here, or nowhere.
    At(Option<usize>),
    /// Here or nowhere: `1.299`.
    Unsure(usize),
}

/// The decimal separator of a number without spaces and apostrophes, told by the digits around it.
fn place_by_digits(compact: &str, raw: &str) -> Place {
    let inner = compact.trim_start_matches(['.', ',']);
    let leading = compact.len() - inner.len();
    let Some(last) = inner.rfind(['.', ',']) else {
        // Only a leading separator, if any: `.75`.
        return Place::At(leading.checked_sub(1));
    };
    let mark = inner.as_bytes()[last];
    let fraction = inner.len() - last - 1;
    let whole = inner.get(..last).unwrap_or("");
    let place = leading + last;
    let repeated = whole.bytes().any(|byte| byte == mark);
    let mixed = whole.bytes().any(|byte| byte != mark && matches!(byte, b'.' | b','));
    if mixed {
        return Place::At((!repeated).then_some(place));
    }
    if repeated {
        return Place::At((fraction != 3).then_some(place));
    }
    let is_grouped_otherwise = raw.contains('\'') || raw.contains(' ') && !raw.trim_start().starts_with(['.', ',']);
    let is_long = whole.len() > 3 && !raw.contains([' ', '\'']);
    if fraction != 3 || is_long || whole == "0" || is_grouped_otherwise {
        return Place::At(Some(place));
    }
    Place::Unsure(place)
}

/// Whether a mark before three digits is a decimal one: prices group so unless their currency has three decimals, other numbers
/// as their language does.
fn is_decimal_by_use(mark: u8, hint: NumberHint<'_>, code: Option<&str>, price: bool) -> bool {
    if mark == b'.' && code.is_some_and(currency::has_three_decimals) {
        return true;
    }
    if price || code.is_some() {
        return false;
    }
    match (mark, hint.lang.map(decimal_of)) {
        (b'.', Some(Some(','))) => false,
        (b',', Some(Some(','))) | (b'.', _) => true,
        _ => false,
    }
}

/// The decimal separator of a language, where it is beyond doubt.
#[must_use]
pub fn decimal_of(lang: &str) -> Option<char> {
    let language = lang.split(['-', '_']).next().unwrap_or("").to_ascii_lowercase();
    if lang.to_ascii_lowercase().ends_with("-ch") || lang.eq_ignore_ascii_case("es-mx") {
        return Some('.');
    }
    match language.as_str() {
        "de" | "fr" | "es" | "it" | "nl" | "pt" | "da" | "sv" | "nb" | "nn" | "no" | "fi" | "pl" | "cs" | "sk"
        | "hu" | "ro" | "bg" | "el" | "tr" | "ru" | "uk" | "hr" | "sl" | "sr" | "lt" | "lv" | "et" | "id" | "vi"
        | "ca" | "is" | "kk" | "be" => Some(','),
        "en" | "ja" | "zh" | "ko" | "he" | "th" | "hi" => Some('.'),
        _ => None,
    }
}
