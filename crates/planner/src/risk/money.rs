//! Sums of money in a page's text: a currency's sign or code beside a number.

use std::sync::LazyLock;

use regex::Regex;

/// `$12.00`, `12,50 €`, `EUR 9`, `1 299 kr`. Digits may be grouped by three.
const AMOUNT: &str = r"(?x)
    (?: \b[A-Z]{2,3}\$ | \p{Sc} | \b(?:CODES)\b | \b(?:kr|Kč|zł|Ft|Rp|RM|Rs|Fr)\b\.? ) [\s\u{a0}]? NUMBER
  | NUMBER (?:,-)? [\s\u{a0}\u{202f}]? (?: \p{Sc} | (?:CODES|kr|Kč|zł|Ft|lei|лв|руб|грн)\b | 円 | 元 )";
const NUMBER: &str = r"\d+(?:[.,'’\s\u{a0}\u{202f}]\d{3})*(?:[.,]\d{1,2})?";
/// ISO 4217, those of most of the web's prices.
const CODES: &str = "USD|EUR|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|INR|AUD|CAD|NZD|SGD|HKD|KRW|\
    THB|IDR|MYR|PHP|VND|BRL|MXN|ARS|CLP|COP|PEN|ZAR|NGN|KES|EGP|AED|SAR|QAR|ILS|TWD|PKR|ISK";

static AMOUNTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = AMOUNT.replace("NUMBER", NUMBER).replace("CODES", CODES);
    Regex::new(&pattern).ok()
});

/// What the total's line says, in stems as written there; `subtotal` is another word.
#[rustfmt::skip]
const TOTAL_WORDS: &[&str] = &[
    "total", "totaal", "totale", "gesamt", "gesamtbetrag", "gesamtsumme", "summe", "sum", "totalt", "yhteensa",
    "celkem", "razem", "suma", "osszesen", "toplam", "итого", "всего", "合計", "总计", "總計", "due",
];

/// The amounts in a text, in order.
pub(super) fn amounts(text: &str) -> Vec<String> {
    let Some(pattern) = AMOUNTS.as_ref() else { return Vec::new() };
    let trim = |found: regex::Match<'_>| {
        found.as_str().trim_matches(|c: char| c.is_whitespace() || ",.'’".contains(c)).to_owned()
    };
    pattern.find_iter(text).map(trim).collect()
}

/// What pressing it costs: said by the button, else by the last line that names a total, else the only amount there is.
pub(super) fn total(button: &str, text: &str) -> Option<String> {
    if let Some(amount) = amounts(button).into_iter().next_back() {
        return Some(amount);
    }
    let named = text.lines().zip(following(text)).filter(|(line, _)| is_total(line));
    let by_name = named
        .filter_map(|(line, next)| amounts(line).into_iter().next_back().or_else(|| amounts(next).into_iter().next()));
    by_name.last().or_else(|| only(amounts(text)))
}

/// The lines that tell what is paid for: a name beside an amount, or before one on a line of its own.
pub(super) fn items(text: &str) -> Vec<String> {
    let named = |line: &str| has_letters(&without_amounts(line)) && !is_sum(line);
    text.lines()
        .zip(following(text))
        .filter_map(|(line, next)| {
            if !named(line) {
                return None;
            }
            if !amounts(line).is_empty() {
                return Some(line.to_owned());
            }
            let is_price = !amounts(next).is_empty() && !has_letters(&without_amounts(next));
            is_price.then(|| format!("{line} {next}"))
        })
        .collect()
}

fn following(text: &str) -> impl Iterator<Item = &str> {
    text.lines().skip(1).chain(std::iter::once(""))
}

fn is_total(line: &str) -> bool {
    crate::words::tokens(line).iter().any(|token| TOTAL_WORDS.contains(&token.as_str()))
}

/// A line that sums up, in whole or in part: `Subtotal`, `Zwischensumme`.
fn is_sum(line: &str) -> bool {
    let ends = |token: &String| TOTAL_WORDS.iter().any(|word| word.len() > 3 && token.ends_with(word));
    is_total(line) || crate::words::tokens(line).iter().any(ends)
}

fn without_amounts(line: &str) -> String {
    AMOUNTS.as_ref().map_or_else(|| line.to_owned(), |pattern| pattern.replace_all(line, "").into_owned())
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

fn only(amounts: Vec<String>) -> Option<String> {
    let mut amounts = amounts;
    amounts.dedup();
    let single = amounts.pop()?;
    amounts.is_empty().then_some(single)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_of_amounts_compiles() {
        assert!(AMOUNTS.is_some());
    }

    #[test]
    fn amounts_are_found_in_many_ways_of_writing() {
        for (text, wanted) in [
            ("Total: $12.00.", "$12.00"),
            ("Summe 1.299,50 € inkl. MwSt.", "1.299,50 €"),
            ("EUR 9", "EUR 9"),
            ("Sum: 1299 kr", "1299 kr"),
            ("合計 ¥1,200", "¥1,200"),
            ("1,200円", "1,200円"),
            ("49,- Kč", "49,- Kč"),
            ("US$ 5", "US$ 5"),
        ] {
            assert_eq!(amounts(text), [wanted], "{text}");
        }
        assert!(amounts("Step 2 of 3, call 555 0100, MP3 4").is_empty());
    }

    #[test]
    fn the_total_is_not_the_subtotal_and_items_are_no_sums() {
        let cart = "Your order\nBlue mug | 2 | $12.00\nTea\n$4.00\nSubtotal | $16.00\nShipping $3.00\nTotal\n$19.00";
        assert_eq!(total("Place order", cart).as_deref(), Some("$19.00"));
        assert_eq!(total("Pay $12.50", cart).as_deref(), Some("$12.50"));
        assert_eq!(items(cart), ["Blue mug | 2 | $12.00", "Tea $4.00", "Shipping $3.00"]);
        assert_eq!(total("Order", "One mug\n$5"), Some("$5".to_owned()));
        assert_eq!(total("Order", "A $5\nB $6"), None);
    }
}
