//! Prices in the shown text, ranked by what surrounds them: the heading's nearness, words of their elements, strikes.

use super::hints::{is_framing, own_words};
use super::price_words::{CENT_WORDS, NOW_WORDS, OLD_WORDS, PRICE_WORDS, SIDE_WORDS};
use super::segments::Segment;
use crate::currency;
use crate::dom::{Dom, Id};
use crate::numbers::{NumberHint, normalise, priced_numbers, read_number};
use crate::page::Page;
use crate::text::shown_up_to;

/// Longest text that is a price and nothing else, in bytes.
const PRICE_BYTES_MAX: usize = 48;
/// Most nodes of an element that shows one price.
const PRICE_NODES_MAX: usize = 80;
/// Most prices weighed.
const MENTIONS_MAX: usize = 2000;
/// How far up words of elements count.
const LEVELS: usize = 5;

/// Least score of a price that may be the page's.
const SCORE_MIN: f64 = 2.0;

/// The same, when no price of the page reaches it.
const SCORE_MIN_ALONE: f64 = 0.5;

/// Least contribution worth telling.
const REASON_MIN: f64 = 0.5;

/// Number of things weighed about a price.
pub const FEATURES: usize = 26;

/// What is weighed about a price, and how much it counts.
pub const WEIGHTS: [(&str, f64); FEATURES] = [
    ("a currency beside it", 2.7),
    ("words of price", 1.5),
    ("words of price above", 1.1),
    ("words of now", 1.1),
    ("words of now above", 0.6),
    ("words of old", -2.0),
    ("words of old above", -0.6),
    ("words of side", -1.7),
    ("words of side above", -0.8),
    ("struck through", -5.0),
    ("in a frame of the page", -3.0),
    ("zero", -3.0),
    ("some words in it", -0.3),
    ("more words in it", -1.5),
    ("many words in it", -2.5),
    ("a rate or a discount", -0.4),
    ("close after the heading", 2.5),
    ("after the heading", 2.4),
    ("before the heading", 1.0),
    ("shown more than once", 0.9),
    ("in a list of others", -3.7),
    ("near the button that buys", 1.4),
    ("the first after the heading", 1.2),
    ("in a link", -1.5),
    ("in the page's description", 3.0),
    ("below one", -1.0),
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
    /// What speaks for and against it, in the order of [`WEIGHTS`].
    pub features: [f64; FEATURES],
}

impl PriceMention {
    /// What speaks for and against it, the weighty parts only.
    #[must_use]
    pub fn reasons(&self) -> String {
        let parts = self.features.iter().zip(WEIGHTS).map(|(value, (name, weight))| (name, value * weight));
        let weighty: Vec<String> = parts
            .filter(|(_, part)| part.abs() >= REASON_MIN)
            .map(|(name, part)| format!("{name} {part:+.1}"))
            .collect();
        weighty.join(", ")
    }
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
        if segment.text.len() > 120 || !segment.text.chars().any(char::is_numeric) {
            continue;
        }
        let Some((node, text)) = price_element(dom, segment) else { continue };
        if out.last().is_some_and(|last| last.node == node || dom.contains(last.node, segment.node)) {
            continue;
        }
        let Some((amount, has_currency)) = price_of(&text) else { continue };
        let worded = own_and_near_words(dom, node, 2).iter().any(|word| PRICE_WORDS.contains(&word.as_str()));
        let is_bare = text.chars().all(|c| !c.is_alphabetic()) && !text.starts_with('(') && !text.contains('%');
        if has_currency || worded && is_bare {
            out.push(PriceMention { node, text, amount, has_currency, score: 0.0, features: [0.0; FEATURES] });
        }
    }
    score_all(page, &mut out);
    out
}

/// The outermost element that shows just this price: prices are often split over several elements.
fn price_element(dom: &Dom, segment: &Segment) -> Option<(Id, String)> {
    let mut best: Option<(Id, String)> = None;
    for id in dom.ancestors(segment.node).take(5) {
        let text = price_text(dom, id);
        if text.len() > PRICE_BYTES_MAX {
            break;
        }
        let numbers = priced_numbers(&normalise(&text));
        if numbers > 1 && best.is_some() {
            break;
        }
        best = Some((id, text));
    }
    best.or_else(|| Some((dom.parent(segment.node), segment.text.clone())))
}

/// An element's shown text with a point before cents that are set apart in an element of their own: `173<sup>34</sup>`.
#[must_use]
pub fn price_text(dom: &Dom, id: Id) -> String {
    let plain = shown_up_to(dom, id, PRICE_BYTES_MAX + 1);
    if plain.len() > PRICE_BYTES_MAX {
        return plain;
    }
    let cents = dom.below(id).take(PRICE_NODES_MAX).find(|at| {
        let is_small = matches!(dom.name(*at), "sup" | "small")
            || own_words(dom, *at).iter().any(|word| CENT_WORDS.contains(&word.as_str()));
        let text = shown_up_to(dom, *at, 10);
        is_small && text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit())
    });
    let Some(cents) = cents else { return plain };
    let mut whole = String::new();
    let mut after = String::new();
    for at in dom.below(id).take(PRICE_NODES_MAX) {
        if let Some(text) = dom.text_node(at)
            && !dom.contains(cents, at)
        {
            if at < cents { whole.push_str(text) } else { after.push_str(text) }
        }
    }
    let whole = crate::text::collapse(&whole);
    if !whole.ends_with(|c: char| c.is_ascii_digit()) {
        return plain;
    }
    format!("{whole}.{} {}", shown_up_to(dom, cents, 10), crate::text::collapse(&after)).trim().to_owned()
}

fn own_and_near_words(dom: &Dom, id: Id, levels: usize) -> Vec<String> {
    std::iter::once(id).chain(dom.ancestors(id)).take(levels + 1).flat_map(|at| own_words(dom, at)).collect()
}

fn score_all(page: &Page, mentions: &mut [PriceMention]) {
    let around = Around::new(page, mentions);
    for at in 0..mentions.len() {
        let features = around.features(page, mentions, at);
        if let Some(mention) = mentions.get_mut(at) {
            mention.score = features.iter().zip(WEIGHTS).map(|(value, (_, weight))| value * weight).sum();
            mention.features = features;
        }
    }
}

/// What is the same for all prices of a page.
struct Around {
    heading: Option<Id>,
    places: Vec<Id>,
    amounts: Vec<f64>,
    buttons: Vec<Id>,
    described: String,
}

impl Around {
    fn new(page: &Page, mentions: &[PriceMention]) -> Self {
        let described = ["description", "og:description", "og:title", "twitter:description", "title"];
        let described = described
            .iter()
            .filter_map(|name| page.meta(name))
            .chain([page.title.as_str()])
            .collect::<Vec<_>>()
            .join(" | ");
        Self {
            heading: page.heading,
            places: mentions.iter().map(|mention| mention.node).collect(),
            amounts: mentions.iter().map(|mention| mention.amount).collect(),
            buttons: super::availability::buttons(page),
            described,
        }
    }

    fn features(&self, page: &Page, mentions: &[PriceMention], at: usize) -> [f64; FEATURES] {
        let dom = &page.dom;
        let Some(mention) = mentions.get(at) else { return [0.0; FEATURES] };
        let node = mention.node;
        let full = dom.below(node).take(12).filter(|id| dom.end(*id) > id + 1);
        let near: Vec<String> =
            own_and_near_words(dom, node, 1).into_iter().chain(full.flat_map(|id| own_words(dom, id))).collect();
        let above: Vec<String> =
            dom.ancestors(node).skip(1).take(LEVELS - 1).flat_map(|id| own_words(dom, id)).collect();
        let flag = |holds: bool| if holds { 1.0 } else { 0.0 };
        let is_near = |list: &[&str]| flag(near.iter().any(|word| list.contains(&word.as_str())));
        let is_above = |list: &[&str]| flag(above.iter().any(|word| list.contains(&word.as_str())));
        let letters = mention.text.chars().filter(|c| c.is_alphabetic()).count();
        let lower = mention.text.to_lowercase();
        let marked = ["%", "/kg", "/100", "/l", "per ", "mo.", "save", "off", "mes", "month", "+", "/"]
            .iter()
            .any(|mark| lower.contains(mark));
        let distance = self.heading.filter(|heading| node >= *heading).map(|heading| f64::from(node - heading));
        let nearness = |scale: f64| distance.map_or(0.0, |distance| 1.0 / (1.0 + distance / scale));
        let to_button =
            self.buttons.iter().map(|button| f64::from(button.abs_diff(node))).fold(f64::INFINITY, f64::min);
        #[expect(clippy::float_cmp, reason = "the same text gives the same number")]
        let repeats = self.amounts.iter().filter(|amount| **amount == mention.amount).count();
        let is_first =
            self.places.iter().position(|place| self.heading.is_some_and(|heading| *place >= heading)) == Some(at);
        let in_link = std::iter::once(node).chain(dom.ancestors(node)).take(8).any(|id| dom.name(id) == "a");
        [
            flag(mention.has_currency),
            is_near(PRICE_WORDS),
            is_above(PRICE_WORDS),
            is_near(NOW_WORDS),
            is_above(NOW_WORDS),
            is_near(OLD_WORDS),
            is_above(OLD_WORDS),
            is_near(SIDE_WORDS),
            is_above(SIDE_WORDS),
            flag(is_struck(dom, node)),
            flag(is_framing(dom, node)),
            flag(mention.amount == 0.0),
            flag((6..=14).contains(&letters)),
            flag((15..=24).contains(&letters)),
            flag(letters > 24),
            flag(marked),
            nearness(60.0),
            nearness(400.0),
            flag(distance.is_none() && self.heading.is_some()),
            flag(repeats > 1 && repeats < 6),
            self.crowd(dom, node),
            1.0 / (1.0 + to_button / 80.0),
            flag(is_first),
            flag(in_link),
            flag(crate::numbers::holds_with_more(&self.described, mention.amount)),
            flag(mention.amount < 1.0),
        ]
    }

    /// Whether a price stands below an element; the places are in page order.
    fn holds_price(&self, dom: &Dom, id: Id) -> bool {
        let next = self.places.partition_point(|place| *place < id);
        self.places.get(next).is_some_and(|place| *place < dom.end(id))
    }

    /// Whether the price stands in one of several like containers that hold prices: a list of other things.
    fn crowd(&self, dom: &Dom, node: Id) -> f64 {
        for id in dom.ancestors(node).take(9) {
            let parent = dom.parent(id);
            let own = (dom.name(id), dom.attr(id, "class").unwrap_or(""));
            let alike = dom
                .child_elements(parent)
                .take(60)
                .filter(|other| *other != id && (dom.name(*other), dom.attr(*other, "class").unwrap_or("")) == own);
            let with_price = alike.filter(|other| self.holds_price(dom, *other)).take(3).count();
            if with_price >= 2 {
                return 1.0;
            }
        }
        0.0
    }
}

/// Struck through by its element or one around or inside it.
fn is_struck(dom: &Dom, id: Id) -> bool {
    let around = std::iter::once(id).chain(dom.ancestors(id)).take(4);
    around.chain(dom.below(id).take(4)).any(|at| {
        matches!(dom.name(at), "del" | "s" | "strike")
            || dom.attr(at, "style").is_some_and(|style| style.contains("line-through"))
    })
}

/// The prices that may be what the page is about, best first.
#[must_use]
pub fn ranked(mentions: &[PriceMention]) -> Vec<&PriceMention> {
    let strong = mentions.iter().any(|mention| mention.score > SCORE_MIN);
    let least = if strong { SCORE_MIN } else { SCORE_MIN_ALONE };
    let mut ranked: Vec<&PriceMention> = mentions.iter().filter(|mention| mention.score > least).collect();
    ranked.sort_by(|left, right| right.score.total_cmp(&left.score));
    ranked
}
