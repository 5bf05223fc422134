//! The items of a part of the page that shows a list, whatever markup it uses: list items, rows, pairs, repeated blocks, broken lines.

use std::collections::BTreeMap;

use super::amounts;
use super::hints::own_words;
use super::records::signature;
use super::units::{
    ITEM_BYTES_MAX, LOOK_NODES_MAX, Sort, broken_lines, heading_level, holds, holds_block, is_followed_by_its_like,
    is_unit, sort_of, step_text, unit_text,
};
use crate::dom::{Dom, Id};
use crate::names::{self, Concept};
use crate::page::Page;
use crate::schema::Field;
use crate::text::{collapse, fold, is_block, is_hidden, is_silent, shown_up_to, words};

/// Most nodes looked at after a heading.
const REACH: Id = 4000;
/// Longest label of another list, in bytes.
const LABEL_BYTES_MAX: usize = 60;
/// From this many bytes a paragraph is prose, not a line of a list.
const PROSE_BYTES_MIN: usize = 160;
/// From this many bytes two sentences are prose.
const SENTENCES_BYTES_MIN: usize = 60;

/// Bytes by which what holds the items is told from others: every item keeps them.
const SIGNATURE_BYTES_MAX: usize = 200;
/// Characters from which a line can be a step.
pub const STEP_CHARS_MIN: usize = 24;
/// Share of lines that must look like items.
const LINES_SHARE_MIN: f64 = 0.6;
/// Most nodes of an element among which a heading is looked for: it stands at the top.
const NODES_TO_HEADING_MAX: usize = 40;
/// Most words of a line about the whole recipe.
const WORDS_OF_WHOLE_MAX: usize = 3;

/// A part of the page that may show a list.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// First node.
    pub start: Id,
    /// One past the last node.
    pub end: Id,
    /// Headings of this level or above end the list; 0 for none.
    pub level: u8,
}

/// The items of a part, up to a heading of its level or above or the label of something else. Takes what it looks at from
/// `nodes_left`, the nodes within a block once more for each look at the block, so that many parts together stay bounded.
#[must_use]
pub fn of_part(page: &Page, part: Part, field: &Field, nodes_left: &mut Id) -> Vec<String> {
    let mut walk = Walk::new(&page.dom, field, part.level);
    let end = part.end.min(page.dom.len()).min(part.start.saturating_add(REACH));
    let mut at = part.start;
    while at < end && *nodes_left > 0 {
        *nodes_left = nodes_left.saturating_sub(cost(&page.dom, at));
        match walk.step(at) {
            Step::Into => at += 1,
            Step::Over => at = page.dom.end(at),
            Step::Stop => break,
        }
    }
    walk.finish()
}

/// How many nodes a look at a node may visit: what stands on lines of its own is looked into to tell what it is.
fn cost(dom: &Dom, at: Id) -> Id {
    let is_looked_into = dom.element(at).is_some() && is_block(dom.name(at));
    if is_looked_into { (dom.end(at) - at).min(LOOK_NODES_MAX as Id) } else { 1 }
}

enum Step {
    /// Look inside.
    Into,
    /// Go on after it.
    Over,
    /// The list ends here.
    Stop,
}

/// What holds an item: a list's items agree in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    /// Element name and classes.
    signature: String,
    /// Whether it is called hidden, as lists for later are.
    is_aside: bool,
}

/// An item as it was found.
struct Item {
    text: String,
    kind: Kind,
    /// Whether it stands out whole, as names of groups do.
    is_bold: bool,
}

struct Walk<'a> {
    dom: &'a Dom,
    sort: Sort,
    level: u8,
    /// Names of the lists that end this one.
    others: Vec<&'static Concept>,
    items: Vec<Item>,
    lines: Vec<String>,
    /// How many lines came before the first item.
    lines_first: usize,
}

impl<'a> Walk<'a> {
    fn new(dom: &'a Dom, field: &Field, level: u8) -> Self {
        let own = field.concept.map_or("", |own| own.id);
        let is_other = |concept: &&Concept| LISTS.contains(&concept.id) && concept.id != own;
        let others = names::CONCEPTS.iter().filter(is_other).collect();
        Self { dom, sort: sort_of(field), level, others, items: Vec::new(), lines: Vec::new(), lines_first: 0 }
    }

    fn step(&mut self, at: Id) -> Step {
        let dom = self.dom;
        let name = dom.name(at);
        if is_silent(name) || is_hidden(dom, at) || matches!(name, "button" | "figure") {
            return Step::Over;
        }
        if matches!(name, "footer" | "nav") || self.is_end(at) {
            return Step::Stop;
        }
        if heading_level(name).is_some() {
            return Step::Over;
        }
        match name {
            "li" if !holds(dom, at, &["li"]) => self.item(at, dom.parent(at)),
            "tr" if !holds(dom, at, &["tr", "li"]) => self.row(at),
            "dl" if holds(dom, at, &["dd"]) && !holds(dom, at, &["li"]) => self.pairs(at),
            _ if !is_block(name) || name == "br" => Step::Into,
            _ => self.block(at),
        }
    }

    /// An item that lies in `holder`, or is its own where nothing holds its list.
    fn item(&mut self, id: Id, holder: Id) -> Step {
        let text = if self.sort == Sort::Steps { step_text(self.dom, id) } else { unit_text(self.dom, id) };
        let is_label = self.is_group_label(id, &text);
        if !text.is_empty() && !is_label {
            if self.items.is_empty() {
                self.lines_first = self.lines.len();
            }
            self.items.push(Item { text, kind: self.kind(holder), is_bold: is_bold(self.dom, id) });
        }
        Step::Over
    }

    fn kind(&self, holder: Id) -> Kind {
        let mut signature = signature(self.dom, holder);
        signature.truncate(signature.floor_char_boundary(SIGNATURE_BYTES_MAX));
        let says_hidden = |word: &String| matches!(word.as_str(), "hidden" | "visuallyhidden");
        Kind { signature, is_aside: own_words(self.dom, holder).iter().any(says_hidden) }
    }

    /// A row of cells; headings of columns are no items.
    fn row(&mut self, id: Id) -> Step {
        let is_head = self.dom.child_elements(id).all(|cell| self.dom.name(cell) == "th");
        if is_head { Step::Over } else { self.item(id, self.dom.parent(id)) }
    }

    /// Terms with what is said of them, one item each.
    fn pairs(&mut self, id: Id) -> Step {
        let mut pairs: Vec<String> = Vec::new();
        for part in self.dom.below(id).filter(|id| matches!(self.dom.name(*id), "dt" | "dd")) {
            let text = shown_up_to(self.dom, part, ITEM_BYTES_MAX);
            match pairs.last_mut().filter(|_| self.dom.name(part) == "dd") {
                Some(pair) => *pair = collapse(&format!("{pair} {text}")),
                None => pairs.push(text),
            }
        }
        let kind = self.kind(id);
        self.items.extend(pairs.into_iter().map(|text| Item { text, kind: kind.clone(), is_bold: false }));
        Step::Over
    }

    fn block(&mut self, id: Id) -> Step {
        if is_unit(self.dom, id, self.sort) && !self.holds_end(id) {
            let kind = self.kind(id);
            let follows_its_like = self.items.last().is_some_and(|last| last.kind == kind);
            if follows_its_like || is_followed_by_its_like(self.dom, id, self.sort) {
                return self.item(id, id);
            }
        }
        if holds_block(self.dom, id) {
            return Step::Into;
        }
        let broken = broken_lines(self.dom, id);
        if broken.len() > 1 {
            self.lines.extend(broken);
            return Step::Over;
        }
        let text = unit_text(self.dom, id);
        if self.sort == Sort::Ingredients && is_prose(&text) {
            let has_list = self.items.len() > 1 || self.lines.len() > 1;
            return if has_list { Step::Stop } else { Step::Over };
        }
        if !text.is_empty() && !self.is_group_label(id, &text) {
            self.lines.push(text);
        }
        Step::Over
    }

    /// Whether a heading that ends the list lies in an element.
    fn holds_end(&self, id: Id) -> bool {
        let ends = |at: &Id| heading_level(self.dom.name(*at)).is_some_and(|level| level <= self.level);
        self.dom.below(id).take(NODES_TO_HEADING_MAX).any(|at| ends(&at))
    }

    /// A heading, or a line by itself, that names another list.
    fn is_end(&self, id: Id) -> bool {
        let name = self.dom.name(id);
        if heading_level(name).is_some_and(|level| level <= self.level) {
            return true;
        }
        let is_label = heading_level(name).is_some()
            || matches!(name, "strong" | "b" | "dt" | "li" | "label" | "legend" | "summary")
            || is_block(name) && !holds_block(self.dom, id);
        if !is_label {
            return false;
        }
        let text = shown_up_to(self.dom, id, LABEL_BYTES_MAX + 20);
        text.len() <= LABEL_BYTES_MAX && self.names_other(&text)
    }

    fn names_other(&self, text: &str) -> bool {
        let label = text.split([':', '：']).next().unwrap_or(text);
        let first = words(label).into_iter().next().unwrap_or_default();
        let folded = fold(label);
        let names = |concept: &&Concept| {
            [folded.as_str(), first.as_str()]
                .iter()
                .any(|name| concept.aliases.contains(name) || concept.labels.contains(name))
        };
        self.others.iter().any(names) || self.sort != Sort::Other && AFTERWORDS.contains(&first.as_str())
    }

    /// A name of a group of items, such as "For the sauce:".
    fn is_group_label(&self, id: Id, text: &str) -> bool {
        if self.sort != Sort::Ingredients || amounts::leads(text) {
            return false;
        }
        let says_heading = || {
            own_words(self.dom, id).iter().any(|word| {
                matches!(word.as_str(), "heading" | "header" | "headline" | "title" | "subtitle" | "subheading")
            })
        };
        text.ends_with([':', '：']) || says_heading()
    }

    fn finish(self) -> Vec<String> {
        let Self { sort, items, mut lines, lines_first, .. } = self;
        if are_the_list(lines.get(..lines_first).unwrap_or(&[]), sort) {
            lines.truncate(lines_first);
            return lines;
        }
        let items = if sort == Sort::Other { items } else { of_one_kind(items) };
        let few_are_bold = items.iter().filter(|item| item.is_bold).count() * 2 < items.len();
        let is_label = |item: &Item| few_are_bold && item.is_bold && !amounts::leads(&item.text);
        let texts: Vec<String> = match sort {
            Sort::Ingredients => items.into_iter().filter(|item| !is_label(item)).map(|item| item.text).collect(),
            Sort::Steps | Sort::Other => items.into_iter().map(|item| item.text).collect(),
        };
        let mut texts = if texts.len() > 1 || lines.is_empty() { texts } else { lines };
        texts.retain(|text| sort != Sort::Ingredients || !is_of_the_whole(text));
        texts
    }
}

/// Whether lines before any list item are what is wanted, and the items belong to something else.
fn are_the_list(lines: &[String], sort: Sort) -> bool {
    let are_so = match sort {
        Sort::Ingredients => {
            let told: Vec<String> = lines.iter().filter(|line| !is_of_the_whole(line)).cloned().collect();
            told.len() > 1 && amounts::share(&told) >= LINES_SHARE_MIN
        }
        Sort::Steps => amounts::share_of(lines, |line| line.chars().count() >= STEP_CHARS_MIN) >= LINES_SHARE_MIN,
        Sort::Other => false,
    };
    are_so && lines.len() > 1
}

/// The items that are held alike, of the kind that has most of them; amounts and the first place count more.
fn of_one_kind(items: Vec<Item>) -> Vec<Item> {
    let mut kinds: BTreeMap<&Kind, usize> = BTreeMap::new();
    let first = items.first().map(|item| item.kind.clone());
    for item in &items {
        let amount = if amounts::leads(&item.text) && !item.kind.is_aside { 3 } else { 1 };
        let place = if first.as_ref() == Some(&item.kind) { 2 } else { 1 };
        *kinds.entry(&item.kind).or_default() += amount * place;
    }
    let best = kinds.into_iter().max_by_key(|(_, weight)| *weight).map(|(kind, _)| kind.clone());
    items.into_iter().filter(|item| best.as_ref() == Some(&item.kind)).collect()
}

/// Whether all that an element shows is set in bold.
fn is_bold(dom: &Dom, id: Id) -> bool {
    let texts = dom.below(id).filter(|inner| dom.text_node(*inner).is_some_and(|text| !collapse(text).is_empty()));
    let mut in_bold = texts.map(|text| {
        dom.ancestors(text).take_while(|above| *above >= id).any(|above| {
            matches!(dom.name(above), "b" | "strong") || own_words(dom, above).iter().any(|word| word == "bold")
        })
    });
    in_bold.all(|is_bold| is_bold)
}

/// Whether a line tells how many the recipe serves or how long it takes: "4 portions", "Prep 10 min".
fn is_of_the_whole(text: &str) -> bool {
    let named: Vec<String> = words(text).into_iter().filter(|word| !word.chars().all(char::is_numeric)).collect();
    let says_whole = |word: &String| {
        names::CONCEPTS
            .iter()
            .filter(|concept| matches!(concept.id, "yields" | "prepTime" | "cookTime" | "totalTime"))
            .any(|concept| concept.aliases.contains(&word.as_str()) || concept.labels.contains(&word.as_str()))
    };
    let is_unit = |word: &String| {
        matches!(word.as_str(), "min" | "mins" | "minutes" | "minuten" | "hour" | "hours" | "hr" | "hrs" | "h")
    };
    named.len() <= WORDS_OF_WHOLE_MAX
        && named.iter().any(says_whole)
        && named.iter().all(|word| says_whole(word) || is_unit(word))
}

/// Lists that follow one another on a page.
const LISTS: [&str; 3] = ["ingredients", "instructions", "nutrition"];

/// Words that begin what follows a recipe's lists.
const AFTERWORDS: &[&str] = &[
    "notes",
    "note",
    "tips",
    "tip",
    "nutrition",
    "nutritional",
    "equipment",
    "comments",
    "reviews",
    "related",
    "video",
    "notizen",
    "tipp",
    "tipps",
    "hinweise",
    "nährwerte",
    "kommentare",
    "remarques",
    "astuces",
    "conseils",
    "notas",
    "consejos",
    "comentarios",
    "consigli",
    "opmerkingen",
    "reacties",
    "notater",
    "kommentarer",
];

fn is_prose(text: &str) -> bool {
    let sentences = text.matches(['.', '!', '?', '。', '！']).count();
    text.len() >= PROSE_BYTES_MIN || text.len() >= SENTENCES_BYTES_MIN && sentences >= 2
}
