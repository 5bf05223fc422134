//! Prices beside links and buttons, to choose the cheapest.

use crate::goal::{Choice, Item};
use crate::observation::Element;

/// The cheapest or dearest of the fitting elements, by the price in their name or around them.
pub(super) fn choose<'a>(
    elements: &[&'a Element],
    item: &Item,
    fits: impl Fn(&Element) -> bool,
) -> Option<&'a Element> {
    let mut best: Option<(u64, &Element)> = None;
    for element in elements.iter().filter(|element| fits(element)) {
        let Some(cents) = price_in(&format!("{} {} {}", element.name, element.near_text, element.section)) else {
            continue;
        };
        let is_better = best.is_none_or(|(price, _)| match item.choice {
            Some(Choice::MostExpensive) => cents > price,
            Some(Choice::Cheapest) | None => cents < price,
        });
        if is_better {
            best = Some((cents, element));
        }
    }
    best.map(|(_, element)| element)
}

/// The first amount beside a currency sign, in hundredths.
fn price_in(text: &str) -> Option<u64> {
    let at = text.find(['$', '€', '£', '¥', '₹'])?;
    let is_part = |c: &char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let after: String = text[at..].chars().skip(1).skip_while(|c| c.is_whitespace()).take_while(is_part).collect();
    let before: String = text[..at].chars().rev().skip_while(|c| c.is_whitespace()).take_while(is_part).collect();
    let amount = if after.is_empty() { before.chars().rev().collect() } else { after };
    hundredths(amount.trim_matches(['.', ',']))
}

/// `1,299.99` and `1.299,99`: the last separator divides when at most two digits follow it.
fn hundredths(amount: &str) -> Option<u64> {
    let divides = |at: &usize| amount.len() - at <= 3;
    let point = amount.rfind(['.', ',']).filter(divides);
    let (whole, cents) = point.map_or((amount, ""), |at| (&amount[..at], &amount[at + 1..]));
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    let cents: String = format!("{cents}00").chars().take(2).collect();
    Some(whole.parse::<u64>().ok()? * 100 + cents.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_with_either_separator() {
        for (text, cents) in
            [("Mug $14.00", 1400), ("£9", 900), ("1.249,50 €", 124_950), ("$1,299.99", 129_999), ("12,5 €", 1250)]
        {
            assert_eq!(price_in(text), Some(cents), "{text}");
        }
        assert_eq!(price_in("no price"), None);
    }
}
