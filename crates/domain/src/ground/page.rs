//! One visited page, indexed once for many look-ups.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use url::Url;

use super::currency::{self, Shown};
use super::date::{self, Calendar};
use super::decimal::Decimal;
use super::link::{self, Urls};
use super::number::{self, NumberToken};
use super::text::{self, Words};
use crate::page::PageSnapshot;

/// Text of one page that is read, in bytes: far more than people read, little enough to index in a fraction of a second.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Page code that is read in `precise` mode, in bytes.
const CODE_BYTES_MAX: usize = 4 << 20;
/// Links of one page that are read.
const LINKS_MAX: usize = 20_000;

#[derive(Debug)]
pub(crate) struct PageIndex {
    pub url: String,
    pub base: Option<Url>,
    pub text: Words,
    pub title: Words,
    pub link_text: Words,
    /// The page's URL and its links' targets.
    pub urls: Urls,
    /// URLs written out in the text.
    pub written_urls: Urls,
    /// What `mailto:` and `tel:` links lead to, folded.
    pub contacts: BTreeSet<String>,
    /// The text in its own case.
    pub cleaned: String,
    /// Where each number stands.
    pub numbers: BTreeMap<Decimal, Vec<Sighting>>,
    /// Prices whose cents may be set small.
    pub small_cents: BTreeSet<Decimal>,
    pub currencies: Vec<Shown>,
    pub calendar: Calendar,
    /// The page's code, in `precise` mode.
    pub code: Option<CodeIndex>,
}

/// A number where it was seen.
#[derive(Debug, Clone)]
pub(crate) struct Sighting {
    pub currency: Option<Shown>,
    /// Bytes of [`PageIndex::cleaned`] that show it with its currency; `None` in the title and in links.
    pub shown: Option<Range<usize>>,
}

/// The code of a page: published metadata, framework state, attributes.
#[derive(Debug)]
pub(crate) struct CodeIndex {
    pub words: Words,
    pub numbers: BTreeSet<Decimal>,
    pub urls: Urls,
    pub calendar: Calendar,
}

/// Places kept for one number; a page that repeats it says the same again.
const SIGHTINGS_MAX: usize = 32;

impl PageIndex {
    pub(crate) fn new(page: &PageSnapshot, reads_code: bool) -> Self {
        let cleaned = text::clean(start_of(&page.text, TEXT_BYTES_MAX));
        let title = text::clean(start_of(&page.title, TEXT_BYTES_MAX));
        let links = &page.links[..page.links.len().min(LINKS_MAX)];
        let labels: Vec<&str> = links.iter().map(|link| link.text.as_str()).collect();
        let labels = text::clean(start_of(&labels.join("\n"), TEXT_BYTES_MAX));
        let folded = text::fold_cleaned(&cleaned);
        let mut index = Self {
            url: page.url.clone(),
            base: Url::parse(&page.base_url).or_else(|_| Url::parse(&page.url)).ok(),
            title: Words::new(text::fold_cleaned(&title)),
            link_text: Words::new(text::fold_cleaned(&labels)),
            urls: Urls::default(),
            written_urls: Urls::default(),
            contacts: BTreeSet::new(),
            cleaned: String::new(),
            numbers: BTreeMap::new(),
            small_cents: BTreeSet::new(),
            currencies: currency::all_shown(&cleaned),
            calendar: date::scan(&folded),
            text: Words::new(folded),
            code: reads_code.then(|| CodeIndex::new(start_of(&page.html, CODE_BYTES_MAX))),
        };
        index.add_numbers(number::scan(&cleaned), true);
        index.add_numbers(number::scan(&title), false);
        index.add_numbers(number::scan(&labels), false);
        index.cleaned = cleaned;
        index.urls.insert(&page.url);
        links.iter().for_each(|link| index.add_link(&link.url));
        link::written_in(start_of(&page.text, TEXT_BYTES_MAX)).iter().for_each(|url| index.written_urls.insert(url));
        index
    }

    fn add_numbers(&mut self, tokens: Vec<NumberToken>, in_text: bool) {
        for token in tokens {
            self.small_cents.extend(token.small_cents);
            if let Some(currency) = token.currency.filter(|currency| !self.currencies.contains(currency)) {
                self.currencies.push(currency);
            }
            for reading in token.readings {
                let sightings = self.numbers.entry(reading).or_default();
                if sightings.len() < SIGHTINGS_MAX {
                    sightings.push(Sighting { currency: token.currency, shown: in_text.then(|| token.shown.clone()) });
                }
            }
        }
    }

    fn add_link(&mut self, url: &str) {
        self.urls.insert(url);
        for scheme in ["mailto:", "tel:"] {
            let target = url.strip_prefix(scheme).map(|target| target.split('?').next().unwrap_or_default());
            self.contacts.extend(target.map(text::fold));
        }
    }
}

impl CodeIndex {
    fn new(html: &str) -> Self {
        let readable = without_escapes(html);
        let cleaned = text::clean(&readable);
        let folded = text::fold_cleaned(&cleaned);
        let mut urls = Urls::default();
        link::written_in(&readable).iter().for_each(|url| urls.insert(url));
        Self {
            numbers: number::scan(&cleaned).into_iter().flat_map(|token| token.readings).collect(),
            calendar: date::scan(&folded),
            words: Words::new(folded),
            urls,
        }
    }
}

/// Code with the commonest escapes of HTML and JSON undone.
fn without_escapes(html: &str) -> String {
    const ESCAPES: [(&str, &str); 9] = [
        ("\\/", "/"),
        ("\\\"", "\""),
        ("\\u0026", "&"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&amp;", "&"),
    ];
    ESCAPES.iter().fold(html.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
}

fn start_of(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}
