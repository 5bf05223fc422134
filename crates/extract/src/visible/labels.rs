//! Label–value pairs in any markup: `dt`/`dd`, two-cell rows, "Label: value" lines, neighbours, and sentences such as "Order number is A-1".

use serde_json::Value;

use super::segments::{Label, Segment};
use crate::convert::{convert, kind_of};
use crate::dom::{Dom, Id};
use crate::fill::Candidate;
use crate::names::Kind;
use crate::page::Page;
use crate::schema::{Field, Shape};
use crate::text::{fold, shown_up_to, words};

/// Longest value of one line, in bytes.
const VALUE_BYTES_MAX: usize = 400;
/// Longest duration, in bytes.
const DURATION_BYTES_MAX: usize = 60;
/// Most nodes beside a label looked at for controls.
const ENTRY_NODES_MAX: usize = 60;
/// How far up a label's element may be wrapped.
const CLIMB_MAX: usize = 5;

/// Labels of identifiers that also stand before other things.
const WEAK_LABELS: &[&str] = &[
    "reference",
    "référence",
    "réf",
    "ref",
    "referencia",
    "code",
    "kód",
    "код",
    "cod",
    "kood",
    "item",
    "article",
    "арт",
    "codigo",
    "código",
    "sap",
    "numerreferencyjny",
    "artikl",
    "indeks",
];

/// How well a text is a label of a field.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Fit(f64);

/// The best labelled value of a field.
#[must_use]
pub fn find(page: &Page, segments: &[Segment], field: &Field) -> Option<Candidate> {
    let mut best: Option<Candidate> = None;
    let wanted = Wanted::new(field);
    for segment in segments {
        for (fit, text, source) in readings(page, segment, &wanted) {
            let Some(value) = accept(page, field, &text) else { continue };
            let mut score = fit.0;
            if super::hints::is_framing(&page.dom, segment.node) {
                score -= 8.0;
            }
            if kind_of(field) == Kind::Identifier && text.contains(' ') {
                score -= 8.0;
            }
            if kind_of(field) == Kind::Price && !super::prices::is_price_text(&text) {
                score -= 6.0;
            }
            if best.as_ref().is_none_or(|known| score > known.score) {
                let why = format!("labelled \"{}\"", segment.text);
                best = Some(Candidate::new(value, source, score, why).citing(text.trim()));
            }
        }
    }
    best.filter(|candidate| candidate.score >= 25.0)
}

/// How well a heading names a list: like a label, or with words after the name ("Ingredients for four").
#[must_use]
pub fn names_list(text: &str, field: &Field) -> Option<f64> {
    if let Some(fit) = Label::read(text).and_then(|label| Wanted::new(field).fit(&label)) {
        return Some(fit.0);
    }
    let names_another = crate::names::concept(text.trim_end_matches([':', '：']))
        .is_some_and(|other| field.concept.is_some_and(|own| own.id != other.id));
    let given = words(text);
    let first = given.first().filter(|_| !names_another)?;
    let labels = field.concept.map(|concept| concept.labels).unwrap_or_default();
    (given.len() <= 6 && (labels.contains(&first.as_str()) || *first == fold(&field.name))).then_some(38.0)
}

/// A field as labels are compared with it.
struct Wanted<'a> {
    field: &'a Field,
    kind: Kind,
    own: Option<Label>,
    words: Vec<String>,
    is_precise: bool,
}

impl<'a> Wanted<'a> {
    fn new(field: &'a Field) -> Self {
        let kind = kind_of(field);
        let is_precise = matches!(kind, Kind::Identifier | Kind::Price | Kind::Count | Kind::Rating | Kind::Date)
            || !matches!(field.shape, Shape::Text | Shape::Any);
        Self { field, kind, own: Label::read(&field.name), words: words(&field.name), is_precise }
    }

    /// How well a label names the field: exactly, by a synonym, or with a few words around.
    fn fit(&self, label: &Label) -> Option<Fit> {
        let own = self.own.as_ref()?;
        if label.folded == own.folded {
            return Some(Fit(50.0));
        }
        if let Some(known) = self.field.concept {
            if known.labels.contains(&label.folded.as_str()) {
                let weak = known.kind == Kind::Identifier && WEAK_LABELS.contains(&label.folded.as_str());
                return Some(Fit(if weak { 36.0 } else { 46.0 }));
            }
            if label.concept.is_some_and(|other| other.id == known.id) {
                return Some(Fit(42.0));
            }
        }
        let holds_all = !own.words.is_empty() && own.words.iter().all(|word| label.words.contains(word));
        let extra = label.words.len().saturating_sub(own.words.len());
        // One common word with others around it means little: "Brand outlet" is not a brand.
        let extra_max = if own.words.len() == 1 && self.kind != Kind::Price { 0 } else { 3 };
        if !holds_all || extra > extra_max {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "at most 3")]
        let penalty = extra as f64 * 4.0;
        Some(Fit(40.0 - penalty))
    }
}

/// What may be a field's value at one segment: fit, text, place.
fn readings(page: &Page, segment: &Segment, wanted: &Wanted<'_>) -> Vec<(Fit, String, &'static str)> {
    let mut out = Vec::new();
    if let Some((label, start)) = &segment.pair
        && let Some(fit) = wanted.fit(label)
    {
        let rest = segment.text.get(*start..).unwrap_or("").trim();
        out.push((Fit(fit.0 + 1.0), rest.to_owned(), "label"));
    }
    if let Some(label) = &segment.label
        && let Some(fit) = wanted.fit(label)
        && let Some((text, source, node)) = value_beside(page, segment.node)
    {
        let colon = if segment.text.ends_with([':', '：']) { 2.0 } else { 0.0 };
        let text = address_in(page, node, wanted).unwrap_or(text);
        out.push((Fit(fit.0 + colon), text, source));
    }
    if let Some(line) = &segment.line
        && let Some((text, fit)) = sentence(line, wanted)
    {
        out.push((fit, text, "label"));
    }
    out
}

/// The value beside a label: what follows it in its element, else in the nearest element that holds more than the label.
pub fn value_after(page: &Page, label: Id) -> Option<(String, &'static str)> {
    let (text, place, _) = value_beside(page, label)?;
    Some((text, place))
}

/// As [`value_after`], with the node that holds it.
fn value_beside(page: &Page, label: Id) -> Option<(String, &'static str, Id)> {
    let dom = &page.dom;
    let mut at = label;
    for _ in 0..CLIMB_MAX {
        let parent = dom.parent(at);
        if parent == 0 {
            return None;
        }
        if is_header_cell_of_columns(dom, at) {
            return None;
        }
        let mut next = dom.end(at);
        while next < dom.end(parent) {
            if holds_entry(dom, next) {
                return None;
            }
            let text = next_text(dom, next);
            if !text.is_empty() {
                let place = if matches!(dom.name(at), "td" | "th") { "table" } else { "label" };
                return Some((text, place, next));
            }
            next = dom.end(next);
        }
        // Text before the label means the label is not alone in its element.
        at = parent;
    }
    None
}

fn next_text(dom: &Dom, id: Id) -> String {
    let text = match dom.text_node(id) {
        Some(text) => crate::text::collapse(text),
        None if crate::text::is_silent(dom.name(id)) || crate::text::is_hidden(dom, id) => String::new(),
        None if is_pressed(dom, id) => String::new(),
        None => shown_up_to(dom, id, VALUE_BYTES_MAX),
    };
    text.trim_start_matches([':', '：', '=', '–', ' ']).trim().to_owned()
}

/// Whether an element is or holds a box to type in: the label before it asks, it does not tell.
fn holds_entry(dom: &Dom, id: Id) -> bool {
    let is_entry = |at: Id| match dom.name(at) {
        "textarea" => true,
        "input" => {
            let kind = dom.attr(at, "type").unwrap_or("text").to_ascii_lowercase();
            matches!(kind.as_str(), "" | "text" | "password" | "email" | "search" | "tel" | "url")
        }
        _ => false,
    };
    (id..dom.end(id)).take(ENTRY_NODES_MAX).any(is_entry)
}

/// Whether all that an element shows is to be pressed: buttons, links that look like them, and links of a form.
fn is_pressed(dom: &Dom, id: Id) -> bool {
    let presses = |at: Id| {
        let is_button = dom.name(at) == "button" || dom.attr(at, "role") == Some("button");
        is_button
            || dom.name(at) == "a"
                && (super::hints::own_words(dom, at)
                    .iter()
                    .any(|word| matches!(word.as_str(), "btn" | "button" | "cta"))
                    || dom.ancestors(at).any(|above| dom.name(above) == "form"))
    };
    let texts =
        dom.below(id).take(ENTRY_NODES_MAX).filter(|at| dom.text_node(*at).is_some_and(|text| !text.trim().is_empty()));
    let mut pressed =
        texts.map(|text| dom.ancestors(text).take_while(|above| dom.contains(id, *above)).any(presses)).peekable();
    pressed.peek().is_some() && pressed.all(|is_pressed| is_pressed)
}

/// Column headings are labels of the cells below, not of their neighbour.
fn is_header_cell_of_columns(dom: &Dom, id: Id) -> bool {
    if !matches!(dom.name(id), "th" | "td") {
        return false;
    }
    let row = dom.parent(id);
    let cells: Vec<Id> =
        dom.child_elements(row).filter(|cell| matches!(dom.name(*cell), "th" | "td")).take(4).collect();
    let headers = cells.iter().filter(|cell| dom.name(**cell) == "th").count();
    cells.len() > 2 || headers == cells.len() && headers > 1
}

/// "Your order number is A-123." or "Order number A-123": the words of the field, then its value.
fn sentence(line: &str, wanted: &Wanted<'_>) -> Option<(String, Fit)> {
    let kind = wanted.kind;
    if !wanted.is_precise || wanted.words.is_empty() {
        return None;
    }
    let lower = line.to_lowercase();
    if lower.len() != line.len() {
        return None;
    }
    let after = end_of_words(&lower, &wanted.words)?;
    let rest = line.get(after..)?.trim_start();
    let rest = ["is", "was", "of", ":", "#", "no.", "–", "-", "="]
        .iter()
        .fold(rest, |rest, filler| rest.strip_prefix(filler).unwrap_or(rest).trim_start());
    let value = match kind {
        Kind::Identifier => rest
            .split_whitespace()
            .next()
            .filter(|token| token.chars().any(|c| c.is_ascii_digit()))?
            .trim_end_matches(['.', ',', ';', '!', ')'])
            .to_owned(),
        _ => rest
            .get(..rest.len().min(40))
            .or_else(|| rest.get(..rest.char_indices().nth(12).map_or(rest.len(), |(at, _)| at)))?
            .to_owned(),
    };
    let begins_with_number =
        value.trim_start_matches(|c: char| !c.is_alphanumeric()).chars().next().is_some_and(|c| c.is_ascii_digit());
    let has_value = kind == Kind::Identifier || begins_with_number || super::prices::is_price_text(&value);
    has_value.then_some((value, Fit(38.0)))
}

/// Where the wanted words end in a line, one after the other.
fn end_of_words(line: &str, wanted: &[String]) -> Option<usize> {
    let mut from = 0;
    while let Some(start) = line.get(from..)?.find(wanted.first()?.as_str()) {
        let mut at = from + start;
        let is_word_start = line.get(..at)?.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let mut all = is_word_start;
        for (number, word) in wanted.iter().enumerate() {
            let rest = line.get(at..)?;
            let gap = if number == 0 { 0 } else { rest.len() - rest.trim_start_matches([' ', '-', '_']).len() };
            all = all && line.get(at + gap..)?.starts_with(word.as_str());
            at += gap + word.len();
            if !all {
                break;
            }
        }
        if all && line.get(at..)?.chars().next().is_none_or(|c| !c.is_alphanumeric()) {
            return Some(at);
        }
        from += start + 1;
        while !line.is_char_boundary(from) {
            from += 1;
        }
    }
    None
}

/// What the link beside a label leads to, for fields that hold an address: its words are no value.
fn address_in(page: &Page, node: Id, wanted: &Wanted<'_>) -> Option<String> {
    let is_email = wanted.field.concept.is_some_and(|concept| concept.id == "email");
    if wanted.kind != Kind::Url && !is_email {
        return None;
    }
    let link = std::iter::once(node).chain(page.dom.below(node)).find(|at| page.dom.name(*at) == "a")?;
    let href = page.dom.attr(link, "href")?.trim();
    let mailbox = href.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:")).and_then(|_| href.get(7..));
    match (is_email, mailbox) {
        (true, mailbox) => mailbox.and_then(|mailbox| mailbox.split('?').next()).map(str::to_owned),
        (false, None) => page.absolute(href),
        (false, Some(_)) => None,
    }
}

fn is_address(text: &str) -> bool {
    let has_scheme =
        text.split_once("://").is_some_and(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    !text.contains(char::is_whitespace) && (has_scheme || text.starts_with('/'))
}

/// Converts a labelled text if it looks like what the field holds.
fn accept(page: &Page, field: &Field, text: &str) -> Option<Value> {
    let text = text.trim();
    if text.len() > VALUE_BYTES_MAX || !text.contains(char::is_alphanumeric) {
        return None;
    }
    let has_digit = text.chars().any(char::is_numeric);
    match kind_of(field) {
        Kind::Identifier if !is_identifier(text) => return None,
        Kind::Price if !has_digit && !crate::numbers::means_free(text) => return None,
        Kind::Count | Kind::Rating if !has_digit => return None,
        // Longer texts are steps with times in them.
        Kind::Duration if text.len() > DURATION_BYTES_MAX => return None,
        Kind::Image => return None,
        Kind::Availability if !matches!(field.shape, Shape::Boolean) => return None,
        // Words are no address, though every text could be made one relative to the page.
        Kind::Url if !is_address(text) => return None,
        Kind::Named if text.len() > 80 => return None,
        _ => {}
    }
    let text =
        if kind_of(field) == Kind::Identifier { text.trim_matches(|c: char| !c.is_alphanumeric()) } else { text };
    convert(page, field, &Value::String(text.to_owned()))
}

/// An identifier is a word or two with a digit; a lone word without one may be (`ABC-X`).
fn is_identifier(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let has_digit = text.chars().any(char::is_numeric);
    text.len() <= 40 && words <= 4 && (has_digit || words == 1 && text.len() <= 20)
}
