//! Prices in the shown text, ranked by what surrounds them: the heading's nearness, words of their elements, strikes.

use super::hints::{is_framing, own_words};
use super::segments::Segment;
use crate::currency;
use crate::dom::{Dom, Id};
use crate::numbers::{NumberHint, normalise, read_number};
use crate::page::Page;
use crate::text::shown_up_to;

/// Longest text that is a price and nothing else, in bytes.
const PRICE_BYTES_MAX: usize = 48;
/// Most prices weighed.
const MENTIONS_MAX: usize = 2000;
/// How far up words of elements count.
const LEVELS: usize = 5;

const PRICE_WORDS: &[&str] = &[
    "price", "prices", "preis", "prix", "precio", "prezzo", "preco", "cena", "amount", "pricing", "prc", "pris",
    "prijs", "hinta",
];
const NOW_WORDS: &[&str] = &[
    "current", "sale", "now", "final", "offer", "deal", "special", "actual", "today", "our", "main", "selling",
    "promo", "new", "reduced", "buybox", "buy", "pay",
];
const OLD_WORDS: &[&str] = &[
    "old",
    "was",
    "before",
    "list",
    "rrp",
    "strike",
    "crossed",
    "regular",
    "original",
    "msrp",
    "previous",
    "retail",
    "compare",
    "uvp",
    "striked",
    "strikethrough",
    "through",
    "former",
    "past",
    "basis",
    "high",
    "rrsp",
    "linethrough",
    "lineout",
    "suggested",
];
const SIDE_WORDS: &[&str] = &[
    "shipping",
    "delivery",
    "versand",
    "save",
    "saving",
    "savings",
    "saved",
    "discount",
    "month",
    "monthly",
    "installment",
    "instalment",
    "installments",
    "finance",
    "financing",
    "credit",
    "unit",
    "per",
    "tax",
    "vat",
    "related",
    "recommend",
    "recommended",
    "recommendation",
    "recommendations",
    "similar",
    "upsell",
    "crosssell",
    "carousel",
    "slider",
    "cart",
    "basket",
    "recently",
    "viewed",
    "sponsored",
    "accessories",
    "accessory",
    "bundle",
    "warranty",
    "insurance",
    "protection",
    "deposit",
    "coupon",
    "voucher",
    "range",
    "min",
    "minimum",
    "filter",
    "suggestions",
    "also",
    "together",
    "review",
    "threshold",
    "free",
    "minicart",
    "points",
    "swatch",
    "variation",
    "variations",
    "twister",
    "comparison",
    "compare",
    "loan",
    "rate",
    "used",
    "tradein",
];

/// One price in the shown text.
#[derive(Clone, Debug)]
pub struct PriceMention {
    /// The element that shows it.
    pub node: Id,
    /// Its text.
    pub text: String,
    /// The amount.
    pub amount: f64,
    /// Whether a currency stands beside it.
    pub has_currency: bool,
    /// How much speaks for it.
    pub score: f64,
}

/// Whether a text has a number with a currency beside it.
#[must_use]
pub fn is_price_text(text: &str) -> bool {
    price_of(text).is_some_and(|(_, has_currency)| has_currency)
}

/// The amount of a text that may be a price, and whether a currency stands beside it.
fn price_of(text: &str) -> Option<(f64, bool)> {
    let text = normalise(text);
    let read = read_number(&text, NumberHint { price: true, ..NumberHint::default() })?;
    let has_currency = currency::find_all(&text).iter().any(|sign| {
        let gap = if sign.end <= read.start { text.get(sign.end..read.start) } else { text.get(read.end..sign.start) };
        gap.is_some_and(|gap| gap.len() <= 4 && !gap.contains(char::is_alphanumeric))
    });
    Some((read.value, has_currency))
}

/// All prices shown, in page order, with scores.
#[must_use]
pub fn mentions(page: &Page, segments: &[Segment]) -> Vec<PriceMention> {
    let dom = &page.dom;
    let mut out: Vec<PriceMention> = Vec::new();
    for segment in segments {
        if out.len() >= MENTIONS_MAX {
            break;
        }
        if !segment.text.bytes().any(|byte| byte.is_ascii_digit()) && segment.text.is_ascii()
            || segment.text.len() > 120
        {
            continue;
        }
        let Some((node, text)) = price_element(dom, segment) else { continue };
        if out.last().is_some_and(|last| last.node == node || dom.contains(last.node, segment.node)) {
            continue;
        }
        let Some((amount, has_currency)) = price_of(&text) else { continue };
        let worded = own_and_near_words(dom, node, 2).iter().any(|word| PRICE_WORDS.contains(&word.as_str()));
        if has_currency || worded {
            out.push(PriceMention { node, text, amount, has_currency, score: 0.0 });
        }
    }
    score_all(page, &mut out);
    out
}

/// The outermost element that shows just this price: prices are often split over several elements.
fn price_element(dom: &Dom, segment: &Segment) -> Option<(Id, String)> {
    let mut best: Option<(Id, String)> = None;
    for id in dom.ancestors(segment.node).take(5) {
        let text = shown_up_to(dom, id, PRICE_BYTES_MAX + 1);
        if text.len() > PRICE_BYTES_MAX {
            break;
        }
        let numbers = count_amounts(&text);
        if numbers > 1 && best.is_some() {
            break;
        }
        best = Some((id, text));
    }
    best.or_else(|| Some((dom.parent(segment.node), segment.text.clone())))
}

/// How many amounts a short text has; cents set apart are not another amount.
fn count_amounts(text: &str) -> usize {
    let signs = currency::find_all(text).len();
    signs.max(usize::from(text.bytes().any(|byte| byte.is_ascii_digit())))
}

fn own_and_near_words(dom: &Dom, id: Id, levels: usize) -> Vec<String> {
    std::iter::once(id).chain(dom.ancestors(id)).take(levels + 1).flat_map(|at| own_words(dom, at)).collect()
}

fn score_all(page: &Page, mentions: &mut [PriceMention]) {
    let heading = page.heading;
    let places: Vec<Id> = mentions.iter().map(|mention| mention.node).collect();
    let amounts: Vec<f64> = mentions.iter().map(|mention| mention.amount).collect();
    for (at, mention) in mentions.iter_mut().enumerate() {
        let mut score = base_score(&page.dom, mention);
        score += nearness(heading, mention.node);
        #[expect(clippy::float_cmp, reason = "the same text gives the same number")]
        let repeats = amounts.iter().filter(|amount| **amount == mention.amount).count();
        if repeats > 1 && repeats < 6 {
            score += 0.5;
        }
        score -= crowd_penalty(&page.dom, &places, at);
        mention.score = score;
    }
}

fn base_score(dom: &Dom, mention: &PriceMention) -> f64 {
    let near = own_and_near_words(dom, mention.node, LEVELS);
    let inner: Vec<String> = dom.below(mention.node).take(12).flat_map(|id| own_words(dom, id)).collect();
    let any = |list: &[&str]| near.iter().chain(&inner).any(|word| list.contains(&word.as_str()));
    let mut score = if mention.has_currency { 2.0 } else { 0.0 };
    if any(PRICE_WORDS) {
        score += 2.0;
    }
    if any(NOW_WORDS) {
        score += 0.8;
    }
    if any(OLD_WORDS) {
        score -= 2.0;
    }
    if any(SIDE_WORDS) {
        score -= 2.0;
    }
    if is_struck(dom, mention.node) {
        score -= 5.0;
    }
    if is_framing(dom, mention.node) {
        score -= 3.0;
    }
    if mention.amount == 0.0 {
        score -= 3.0;
    }
    let lower = mention.text.to_lowercase();
    if ["%", "/kg", "/100", "/l", "per ", "mo.", "save", "off", "mes", "month", "+"]
        .iter()
        .any(|mark| lower.contains(mark))
    {
        score -= 1.5;
    }
    score
}

/// Struck through by its element or one around or inside it.
fn is_struck(dom: &Dom, id: Id) -> bool {
    let around = std::iter::once(id).chain(dom.ancestors(id)).take(4);
    around.chain(dom.below(id).take(4)).any(|at| {
        matches!(dom.name(at), "del" | "s" | "strike")
            || dom.attr(at, "style").is_some_and(|style| style.contains("line-through"))
    })
}

/// Up to 4 points for standing soon after the heading.
fn nearness(heading: Option<Id>, node: Id) -> f64 {
    let Some(heading) = heading else { return 0.0 };
    if node < heading {
        // Some layouts show the price before the name.
        return 1.0 / (1.0 + f64::from(heading - node) / 200.0);
    }
    4.0 / (1.0 + f64::from(node - heading) / 250.0)
}

/// A price among many in like containers belongs to a list of other things.
fn crowd_penalty(dom: &Dom, places: &[Id], at: usize) -> f64 {
    let Some(node) = places.get(at) else { return 0.0 };
    let in_list = dom.ancestors(*node).take(8).find(|id| matches!(dom.name(*id), "li" | "tr" | "article"));
    let Some(item) = in_list else { return 0.0 };
    let list = dom.parent(item);
    let others = places.iter().filter(|place| dom.contains(list, **place) && !dom.contains(item, **place)).count();
    if others >= 2 { 1.5 } else { 0.0 }
}

/// The price the page is about.
#[must_use]
pub fn best(mentions: &[PriceMention]) -> Option<&PriceMention> {
    let mut best: Option<&PriceMention> = None;
    for mention in mentions {
        if best.is_none_or(|known| mention.score > known.score) {
            best = Some(mention);
        }
    }
    best.filter(|mention| mention.score > 1.0)
}
