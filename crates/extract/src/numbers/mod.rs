//! Numbers and prices as pages of every locale write them.

mod value;

use crate::currency;

pub use value::decimal_of;
use value::evaluate;

/// What is known about a number before reading it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberHint<'a> {
    /// The decimal separator, when it is known.
    pub decimal: Option<char>,
    /// Whether a price is wanted: three digits after a lone separator are then thousands, and "Free" is 0.
    pub price: bool,
    /// Whether a count is wanted: `1.2m` is then 1 200 000.
    pub count: bool,
    /// ISO 4217 code of the page's currency, if known.
    pub currency: Option<&'a str>,
    /// Language tag of the page, which decides a lone ambiguous separator.
    pub lang: Option<&'a str>,
}

/// A number read from text.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Its value.
    pub value: f64,
    /// Byte range in the normalised text.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// A price read from text.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The amount, if the text has one.
    pub amount: Option<f64>,
    /// The currency as written.
    pub sign: Option<String>,
    /// Its usual ISO 4217 code.
    pub code: Option<&'static str>,
}

/// Longest text searched for a number.
const TEXT_BYTES_MAX: usize = 4096;
/// Most digits of one number; longer runs are identifiers.
const DIGITS_MAX: usize = 30;

/// Words that stand for a price of nothing.
const FREE_WORDS: &[&str] = &[
    "free",
    "gratis",
    "kostenlos",
    "gratuit",
    "gratuito",
    "grátis",
    "무료",
    "無料",
    "免费",
    "免費",
    "бесплатно",
    "безкоштовно",
    "zdarma",
    "darmowy",
    "ingyenes",
    "ilmainen",
    "ücretsiz",
    "مجاني",
    "gratuita",
    "за дарма",
];

/// Reads the number that a text means: the one beside a currency sign if there is one, else the first.
#[must_use]
pub fn parse_number(text: &str, hint: NumberHint<'_>) -> Option<f64> {
    let text = normalise(text);
    if let Some(read) = read_number(&text, hint) {
        return Some(read.value);
    }
    (hint.price && means_free(&text)).then_some(0.0)
}

/// Reads amount and currency of a price; `currency_hint` is text near it that may name the currency.
#[must_use]
pub fn parse_price(text: &str, currency_hint: Option<&str>, decimal: Option<char>) -> Price {
    let found = match (currency::find(text), currency_hint.and_then(currency::find)) {
        // A written code in the hint is surer than a lone letter in the text.
        (Some(own), Some(near))
            if own.ambiguous && own.sign.len() == 1 && own.sign != "$" && own.sign.is_ascii() && !near.ambiguous =>
        {
            Some(near)
        }
        (Some(own), _) => Some(own),
        (None, near) => near,
    };
    let hint =
        NumberHint { decimal, price: true, currency: found.as_ref().map(|found| found.code), ..NumberHint::default() };
    Price {
        amount: parse_number(text, hint),
        code: found.as_ref().map(|found| found.code).filter(|code| !code.is_empty()),
        sign: found.map(|found| found.sign),
    }
}

/// Whether a text says that something costs nothing.
#[must_use]
pub fn means_free(text: &str) -> bool {
    let lower = text.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    FREE_WORDS.contains(&lower.as_str())
}

/// Digits of all scripts to ASCII, one kind of space, apostrophe, minus and separators.
#[must_use]
pub fn normalise(text: &str) -> String {
    let cut = text.char_indices().find(|(at, _)| *at >= TEXT_BYTES_MAX).map_or(text.len(), |(at, _)| at);
    text.get(..cut).unwrap_or("").chars().map(normal_char).collect()
}

fn normal_char(c: char) -> char {
    if let Some(digit) = digit_value(c) {
        return char::from(b'0' + digit);
    }
    match c {
        '\u{a0}' | '\u{202f}' | '\u{2007}' | '\u{2009}' | '\u{2008}' | '\u{200a}' | '\u{3000}' | '\t' | '\n' | '\r' => {
            ' '
        }
        '’' | '‘' | '`' | '´' | 'ʼ' | '＇' => '\'',
        '−' | '－' | '﹣' | '‐' | '‑' => '-',
        '，' | '٬' | '﹐' => ',',
        '．' | '﹒' => '.',
        // The Arabic decimal mark.
        '٫' => '.',
        '％' | '٪' => '%',
        _ => c,
    }
}

/// First code points of the decimal digit rows in use on pages.
const DIGIT_ROWS: &[u32] = &[
    0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0, 0x0f20, 0x1040,
    0x17e0, 0xff10,
];

fn digit_value(c: char) -> Option<u8> {
    if c.is_ascii() {
        return None;
    }
    let code = u32::from(c);
    DIGIT_ROWS.iter().find(|row| (**row..**row + 10).contains(&code)).and_then(|row| u8::try_from(code - row).ok())
}

/// Reads the number a normalised text means, with its place.
#[must_use]
pub fn read_number(text: &str, hint: NumberHint<'_>) -> Option<Read> {
    let signs = currency::find_all(text);
    let tokens = tokens(text);
    let mut best: Option<(i32, &Token)> = None;
    for token in &tokens {
        let score = rank(text, token, &signs);
        if best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, token));
        }
    }
    let (_, token) = best?;
    let code = signs.iter().find(|sign| touches(text, token, sign)).map(|sign| sign.code).or(hint.currency);
    let shown_as_price = hint.price || signs.iter().any(|sign| touches(text, token, sign));
    let value = evaluate(text, token, hint, code, shown_as_price)?;
    Some(Read { value, start: token.start, end: token.end })
}

/// How many numbers of a normalised text have a currency beside them.
#[must_use]
pub fn priced_numbers(text: &str) -> usize {
    let signs = currency::find_all(text);
    tokens(text).iter().filter(|token| signs.iter().any(|sign| touches(text, token, sign))).count()
}

/// Whether a text shows a number, read as a price or plainly.
#[must_use]
pub fn holds(text: &str, number: f64) -> bool {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) && text.is_ascii() {
        return false;
    }
    let text = normalise(text);
    tokens(&text).iter().any(|token| {
        let readings = [true, false]
            .map(|price| evaluate(&text, token, NumberHint { price, ..NumberHint::default() }, None, price));
        readings.iter().flatten().any(|value| (value - number).abs() < 1e-9)
    })
}

/// Like [`holds`], but a lone digit or two prove nothing: at least three digits or a fraction are needed.
#[must_use]
pub fn holds_with_more(text: &str, number: f64) -> bool {
    (number >= 100.0 || number.fract() != 0.0) && holds(text, number)
}

/// A run of digits with separators.
#[derive(Debug)]
struct Token {
    start: usize,
    end: usize,
}

/// Finds the runs of digits of a text; a space joins groups of three digits, and what follows a separator.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let mut start = at;
        // A leading separator means "no whole part": `.75`, `,89`.
        while start > 0
            && matches!(bytes[start - 1], b'.' | b',')
            && !(start > 1 && bytes[start - 2].is_ascii_alphabetic())
        {
            start -= 1;
        }
        if start > 1 && bytes[start] == b'.' && bytes[start - 1].is_ascii_alphabetic() {
            start = at;
        }
        let end = token_end(bytes, at);
        tokens.push(Token { start, end });
        at = end;
    }
    tokens
}

fn token_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut group = 0;
    let mut spaced = false;
    loop {
        let from = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        group = if at > from { at - from } else { group };
        let digits_after =
            |from: usize| bytes.get(from..).unwrap_or(&[]).iter().take_while(|byte| byte.is_ascii_digit()).count();
        match bytes.get(at) {
            Some(b'.' | b',') if digits_after(at + 1) > 0 => at += 1,
            // `119. 95`: a space slipped in after the separator.
            Some(b'.' | b',')
                if bytes.get(at + 1) == Some(&b' ') && digits_after(at + 2) == 2 && !spaced && group <= 4 =>
            {
                at += 2
            }
            Some(b'.' | b',') if matches!(bytes.get(at + 1), Some(b'.' | b',')) && digits_after(at + 2) > 0 => at += 2,
            Some(b'\'') if digits_after(at + 1) == 3 => at += 1,
            Some(b' ') if digits_after(at + 1) == 3 && group <= 3 && (group == 3 || !spaced) => {
                spaced = true;
                at += 1;
            }
            _ => return at,
        }
    }
}

/// How likely a token is the number that is meant.
fn rank(text: &str, token: &Token, signs: &[currency::Found]) -> i32 {
    let before = text.get(..token.start).and_then(|head| head.chars().next_back());
    let after = text.get(token.end..).and_then(|tail| tail.chars().next());
    let mut score = 0;
    if signs.iter().any(|sign| touches(text, token, sign)) {
        score += 4;
    }
    if signs.iter().any(|sign| sign.end == token.start || sign.start == token.end) {
        score += 2;
    }
    let glued = before.is_some_and(|c| c.is_alphabetic() && !signs.iter().any(|sign| sign.end == token.start));
    if glued && before.is_some_and(|c| !is_wide(c)) {
        score -= 3;
    }
    if after == Some('%') {
        score -= 2;
    }
    if token.end - token.start > DIGITS_MAX {
        score -= 8;
    }
    score
}

fn is_wide(c: char) -> bool {
    u32::from(c) >= 0x2e80
}

/// Whether a currency stands beside a number: nothing but spaces, a sign or a range mark between.
fn touches(text: &str, token: &Token, sign: &currency::Found) -> bool {
    let gap = if sign.end <= token.start { text.get(sign.end..token.start) } else { text.get(token.end..sign.start) };
    gap.is_some_and(|gap| gap.len() <= 4 && gap.chars().all(|c| matches!(c, ' ' | '-' | '.' | ',' | '–' | ':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<f64> {
        parse_number(text, NumberHint::default())
    }

    fn price(text: &str) -> Option<f64> {
        parse_price(text, None, None).amount
    }

    #[test]
    fn numbers_of_every_locale_are_read() {
        let cases = [
            ("2,499.00", 2499.0),
            ("7 350", 7350.0),
            ("8'120.50", 8120.5),
            ("3,75", 3.75),
            ("2.719", 2.719),
            ("4.200 kr", 4200.0),
            ("₹ 98,76,543", 9876543.0),
            ("٤٥٦", 456.0),
            ("2,480円(税込)", 2480.0),
            ("2.5億", 250_000_000.0),
            ("7k likes", 7000.0),
            ("−8.25", -8.25),
            ("$.40", 0.4),
            ("2.345.678,90", 2345678.9),
            ("30 - 45", 30.0),
            ("from $8.25", 8.25),
            ("EUR 7,–", 7.0),
            ("24 95", 24.95),
            ("15%", 15.0),
            ("2e4", 20000.0),
            ("Phone 12 $499", 499.0),
            ("1.2M", 1_200_000.0),
            ("３５", 35.0),
            ("12万", 120_000.0),
            ("1 234 567,5", 1234567.5),
            ("-$4.10", -4.1),
        ];
        for (text, want) in cases {
            assert_eq!(number(text), Some(want), "{text}");
        }
        assert_eq!(number("none"), None);
    }

    #[test]
    fn prices_take_three_digits_for_thousands() {
        for (text, want) in [
            ("129.900", 129_900.0),
            ("1.249,50 €", 1249.5),
            (",89 €", 0.89),
            ("$99. 95", 99.95),
            ("50,- Kč", 50.0),
            ("Free", 0.0),
            ("1.250 KWD", 1.25),
            ("$0.750", 0.75),
        ] {
            assert_eq!(price(text), Some(want), "{text}");
        }
    }

    #[test]
    fn the_pages_language_decides_a_lone_separator() {
        let german = NumberHint { lang: Some("de-DE"), ..NumberHint::default() };
        assert_eq!(parse_number("1.299", german), Some(1299.0));
        assert_eq!(parse_number("1,299", german), Some(1.299));
        assert_eq!(number("1,299"), Some(1299.0));
    }
}
