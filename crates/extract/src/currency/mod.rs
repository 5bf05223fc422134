//! Currencies: the signs and names that pages write, and the ISO 4217 codes they mean.

mod table;

use std::collections::HashMap;
use std::sync::OnceLock;

pub use table::local_currency;
use table::{CODES, NO_DECIMALS, SIGNS, Sign, THREE_DECIMALS};

/// A currency found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// As written.
    pub sign: String,
    /// The usual ISO 4217 code, empty when the sign names none.
    pub code: &'static str,
    /// Whether the sign serves several currencies.
    pub ambiguous: bool,
    /// Byte range in the text.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// Whether a word is an ISO 4217 code (upper case).
#[must_use]
pub fn code(word: &str) -> Option<&'static str> {
    if word.len() != 3 {
        return None;
    }
    let at = CODES.as_bytes().chunks(4).position(|chunk| chunk.get(..3) == Some(word.as_bytes()))?;
    CODES.get(at * 4..at * 4 + 3)
}

/// Whether `1.250` of a currency has thousandths.
#[must_use]
pub fn has_three_decimals(code: &str) -> bool {
    THREE_DECIMALS.contains(&code)
}

/// Whether prices in a currency show no decimals.
#[must_use]
pub fn has_no_decimals(code: &str) -> bool {
    NO_DECIMALS.contains(&code)
}

/// All currency signs and codes of a text, in order, longest match first.
#[must_use]
pub fn find_all(text: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if let Some(hit) = sign_at(text, at) {
            at = hit.end;
            found.push(hit);
            continue;
        }
        at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    }
    found
}

/// The currency of a text: a code wins over a sign, an unambiguous sign over an ambiguous one.
#[must_use]
pub fn find(text: &str) -> Option<Found> {
    let mut all = find_all(text);
    let best = all.iter().position(|hit| hit.sign.len() == 3 && code(&hit.sign).is_some());
    let best = best.or_else(|| all.iter().position(|hit| !is_wordy(&hit.sign)));
    let best = best.unwrap_or(0);
    (best < all.len()).then(|| all.swap_remove(best))
}

fn is_wordy(sign: &str) -> bool {
    sign.chars().all(|c| c.is_alphabetic() || c == '.')
}

fn sign_at(text: &str, at: usize) -> Option<Found> {
    let rest = text.get(at..)?;
    let first = rest.chars().next()?;
    if first.is_ascii_digit() || first == ' ' {
        return None;
    }
    let before = text.get(..at).and_then(|head| head.chars().next_back());
    if let Some(found) = code_at(rest, before, at) {
        return Some(found);
    }
    let mut best: Option<&Sign> = None;
    for sign in by_first_char().get(&first)? {
        let longer = best.is_none_or(|chosen| chosen.0.len() < sign.0.len());
        if longer && rest.starts_with(sign.0) && stands_alone(sign.0, before, rest) {
            best = Some(sign);
        }
    }
    let (sign, code, ambiguous) = best?;
    Some(Found { sign: (*sign).to_owned(), code, ambiguous: *ambiguous, start: at, end: at + sign.len() })
}

/// The signs by their first character, those that name no currency left out.
fn by_first_char() -> &'static HashMap<char, Vec<&'static Sign>> {
    static INDEX: OnceLock<HashMap<char, Vec<&'static Sign>>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index: HashMap<char, Vec<&'static Sign>> = HashMap::new();
        for sign in SIGNS.iter().filter(|sign| !sign.1.is_empty()) {
            if let Some(first) = sign.0.chars().next() {
                index.entry(first).or_default().push(sign);
            }
        }
        index
    })
}

fn code_at(rest: &str, before: Option<char>, at: usize) -> Option<Found> {
    let word = rest.get(..3)?;
    if !word.bytes().all(|byte| byte.is_ascii_uppercase()) || before.is_some_and(char::is_alphabetic) {
        return None;
    }
    let after = rest.get(3..)?.chars().next();
    if after.is_some_and(char::is_alphabetic) {
        return None;
    }
    let iso = code(word)?;
    // English words that are codes too count only beside a number.
    let beside_number = before.is_some_and(|c| c.is_ascii_digit()) || after.is_some_and(|c| c.is_ascii_digit());
    let is_word = matches!(
        iso,
        "ALL" | "TOP" | "TRY" | "MOP" | "GEL" | "CUP" | "PEN" | "LAK" | "AMD" | "BAM" | "ETH" | "ATS" | "STD"
    );
    let near_number = rest.get(3..).is_some_and(|tail| tail.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    (!is_word || beside_number || near_number).then(|| Found {
        sign: word.to_owned(),
        code: iso,
        ambiguous: false,
        start: at,
        end: at + 3,
    })
}

/// A sign made of letters must not be part of a word.
fn stands_alone(sign: &str, before: Option<char>, rest: &str) -> bool {
    let starts_wordy = sign.chars().next().is_some_and(char::is_alphabetic);
    let ends_wordy = sign.chars().next_back().is_some_and(char::is_alphabetic);
    let after = rest.get(sign.len()..).and_then(|tail| tail.chars().next());
    let is_cjk = sign.chars().all(|c| matches!(c, '円' | '元' | '원' | '圓'));
    if is_cjk {
        return true;
    }
    let joins_before = starts_wordy && before.is_some_and(char::is_alphabetic);
    let joins_after = ends_wordy && after.is_some_and(char::is_alphabetic);
    !joins_before && !joins_after
}

/// The code a sign means on a page of this language and host: `kr` in Danish, `$` on a Canadian shop.
#[must_use]
pub fn resolve(sign: &Found, lang: &str, host: &str) -> &'static str {
    if !sign.ambiguous {
        return sign.code;
    }
    let region = region_of(lang, host);
    let local = local_currency(&region);
    if local.is_empty() {
        return sign.code;
    }
    let fits = SIGNS.iter().any(|(text, code, _)| *text == sign.sign && *code == local) || serves(&sign.sign, local);
    if fits { local } else { sign.code }
}

/// Whether a sign is in use for a currency.
#[must_use]
pub fn serves(sign: &str, code: &str) -> bool {
    let codes: &[&str] = match sign.trim_end_matches('.') {
        "$" | "＄" => {
            &["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN", "CLP", "COP", "ARS", "UYU", "BSD", "JMD"]
        }
        "£" | "₤" | "￡" => &["GBP", "EGP", "LBP", "FKP", "GIP"],
        "¥" | "￥" | "元" => &["JPY", "CNY", "TWD"],
        "kr" | "Kr" => &["SEK", "NOK", "DKK", "ISK"],
        "Rs" | "₨" | "rs" | "रू" | "रु" => &["INR", "PKR", "LKR", "NPR", "MUR"],
        "р" | "Р" | "руб" => &["RUB", "BYN"],
        "lei" | "Lei" | "LEI" => &["RON", "MDL"],
        "Br" => &["BYN", "ETB"],
        "درهم" | "Dh" | "Dhs" | "DH" => &["AED", "MAD"],
        "ريال" | "﷼" => &["SAR", "QAR", "OMR", "IRR", "YER"],
        "دينار" => &["KWD", "BHD", "JOD", "TND", "DZD", "IQD"],
        _ => &[],
    };
    codes.contains(&code)
}

/// Lower-case two-letter region, from the language tag or the host's country ending.
fn region_of(lang: &str, host: &str) -> String {
    let ending = host.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let is_country = ending.len() == 2 && !matches!(ending.as_str(), "io" | "co" | "ai" | "me" | "tv");
    if is_country {
        return ending;
    }
    let region = lang.split(['-', '_']).skip(1).find(|part| part.len() == 2).unwrap_or("");
    if !region.is_empty() {
        return region.to_ascii_lowercase();
    }
    match lang.split(['-', '_']).next().unwrap_or("") {
        "da" => "dk",
        "sv" => "se",
        "nb" | "nn" | "no" => "no",
        "ja" => "jp",
        "zh" => "cn",
        "is" => "is",
        "he" => "il",
        "uk" => "ua",
        _ => "",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iso(text: &str) -> &'static str {
        find(text).map_or("", |found| found.code)
    }

    #[test]
    fn signs_and_codes_are_found_where_they_stand_alone() {
        assert_eq!(iso("12,50 €"), "EUR");
        assert_eq!(iso("$ SGD4.90"), "SGD");
        assert_eq!(iso("AU$ 1,175"), "AUD");
        assert_eq!(iso("3,500円"), "JPY");
        assert_eq!(iso("118,99 TL"), "TRY");
        assert_eq!(iso("1 890 Р"), "RUB");
        assert_eq!(iso("Remarks on ALL"), "");
        assert_eq!(iso("Rs1,599.00"), "INR");
    }

    #[test]
    fn shared_signs_follow_the_page() {
        let dollar = find("$5").unwrap();
        assert_eq!(resolve(&dollar, "en", "shop.example.com"), "USD");
        assert_eq!(resolve(&dollar, "en-CA", "shop.example.com"), "CAD");
        assert_eq!(resolve(&dollar, "zh", "shop.example.tw"), "TWD");
        assert_eq!(resolve(&find("5 kr").unwrap(), "da", "example.com"), "DKK");
    }
}
