//! Looks one claimed value up in what the run saw.

use serde_json::Value;
use url::Url;

use super::currency;
use super::date;
use super::decimal::Decimal;
use super::link;
use super::number;
use super::page::PageIndex;
use super::terms;
use super::text::{self, Words};
use super::{Evidence, Hint, Source};
use crate::limits::GROUNDING_PAGES_MAX;

/// Everything the run saw, indexed.
#[derive(Debug)]
pub(super) struct Seen {
    pages: Vec<PageIndex>,
    /// Index of the first page here among those of the evidence.
    first_page: usize,
    answer: Option<Words>,
}

/// A value that stands in the data and must be found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'a> {
    pub value: &'a Value,
    /// Name of the nearest member that holds it.
    pub name: &'a str,
    pub format: Option<&'a str>,
    pub description: Option<&'a str>,
    /// The values of `enum` or `const`.
    pub choices: Option<&'a [&'a Value]>,
    pub hint: Option<&'a Hint>,
    /// Numbers found in the same object: a currency must be theirs.
    pub amounts: &'a [Decimal],
}

/// A value as it is to stand in the data, and where it was found.
pub(super) type Found = (Value, Source);

/// Shortest passage that can show anything.
const PASSAGE_CHARS_MIN: usize = 2;
/// Share of an answer's words, in percent, that pages must show before the answer counts as speaking about them.
const ANSWER_WORDS_PERCENT_MIN: usize = 60;
/// Letters of the words that count for that share; shorter ones are articles and prepositions.
const CONTENT_WORD_CHARS_MIN: usize = 4;
/// Words of a description that ask for an amount with its currency.
const PRICE_WORDS: [&str; 12] =
    ["price", "prices", "cost", "costs", "currency", "fee", "amount", "total", "salary", "usd", "eur", "gbp"];
/// Digits of the shortest telephone number that is compared by its digits.
const PHONE_DIGITS_MIN: usize = 7;

impl Seen {
    pub(super) fn new(evidence: &Evidence<'_>) -> Self {
        let first_page = evidence.pages.len().saturating_sub(GROUNDING_PAGES_MAX);
        let pages = evidence.pages[first_page..].iter();
        Self {
            pages: pages.map(|page| PageIndex::new(page, evidence.reads_code)).collect(),
            first_page,
            answer: evidence.answer.map(|answer| Words::new(text::fold(answer))),
        }
    }

    pub(super) fn find(&self, claim: &Claim<'_>) -> Option<Found> {
        match claim.value {
            Value::Bool(_) => self.cited(claim),
            Value::Number(number) => self.number(claim, &Decimal::of_json(number)?),
            Value::String(text) => self.string(claim, text.trim()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The hint's page first, then the others from the latest back.
    fn pages_for(&self, hint: Option<&Hint>) -> impl Iterator<Item = (bool, &PageIndex)> {
        let hinted = hint.and_then(|hint| hint.page_index.checked_sub(self.first_page));
        let others = self.pages.iter().enumerate().rev().filter(move |(at, _)| Some(*at) != hinted);
        let hinted = hinted.and_then(|at| self.pages.get(at));
        hinted.map(|page| (true, page)).into_iter().chain(others.map(|(_, page)| (false, page)))
    }

    /// The first page for which `place_on` names a place; a hint's own page gets the place the hint names.
    fn on_pages(
        &self,
        claim: &Claim<'_>,
        value: &Value,
        place_on: impl Fn(&PageIndex) -> Option<&'static str>,
    ) -> Option<Found> {
        self.pages_for(claim.hint).find_map(|(is_hinted, page)| {
            let place = place_on(page)?;
            Some((value.clone(), source(page, claim.hint.filter(|_| is_hinted), place)))
        })
    }

    /// The passage that shows a value stands on a page.
    fn cited(&self, claim: &Claim<'_>) -> Option<Found> {
        let passage = text::fold(claim.hint?.passage.as_deref()?);
        if passage.chars().count() < PASSAGE_CHARS_MIN {
            return None;
        }
        self.on_pages(claim, claim.value, |page| page.place_of_text(&passage))
    }

    fn number(&self, claim: &Claim<'_>, number: &Decimal) -> Option<Found> {
        let by_metadata = claim.hint.is_some_and(Hint::is_metadata);
        let shown = self.on_pages(claim, claim.value, |page| {
            let is_small = by_metadata && page.small_cents.contains(number);
            (page.numbers.contains_key(number) || is_small).then_some("text")
        });
        shown
            .or_else(|| self.number_in_code(claim, number))
            .or_else(|| self.number_in_passage(claim, number))
            .or_else(|| if claim.choices.is_some() { self.cited(claim) } else { None })
    }

    /// Code is full of numbers: one counts where an extractor read it.
    fn number_in_code(&self, claim: &Claim<'_>, number: &Decimal) -> Option<Found> {
        claim.hint.filter(|hint| hint.is_metadata())?;
        self.on_pages(claim, claim.value, |page| {
            page.code.as_ref().is_some_and(|code| code.numbers.contains(number)).then_some("code")
        })
    }

    /// A passage that says the number in words, or that stands on the page that many times.
    fn number_in_passage(&self, claim: &Claim<'_>, number: &Decimal) -> Option<Found> {
        let hint = claim.hint?;
        let passage = text::fold(hint.passage.as_deref()?);
        let says_it = text::words_of(&passage).into_iter().any(|word| number::of_word(word).as_ref() == Some(number));
        if says_it {
            return self.cited(claim);
        }
        let wanted = number.as_count().filter(|_| hint.place == "count")?;
        self.on_pages(claim, claim.value, |page| (page.text.count(&passage) == wanted).then_some("count"))
    }

    fn string(&self, claim: &Claim<'_>, written: &str) -> Option<Found> {
        let folded = text::fold(written);
        if folded.is_empty() {
            return None;
        }
        let wants_url = claim
            .format
            .is_some_and(|format| matches!(format, "uri" | "uri-reference" | "iri" | "iri-reference" | "url"));
        let is_absolute = written.starts_with("http://") || written.starts_with("https://");
        if wants_url || is_absolute || link::names_url(claim.name) {
            let found = self.url(claim, written);
            if found.is_some() || wants_url || is_absolute {
                return found;
            }
        }
        if let Some(moment) = date::rfc3339(written) {
            return self.moment(claim, &moment).or_else(|| self.text(claim, written, &folded));
        }
        if is_currency_field(claim, written) {
            return self.currency(claim, written);
        }
        self.as_shown(claim, written)
            .or_else(|| self.text(claim, written, &folded))
            .or_else(|| self.choice(claim, &folded))
            .or_else(|| self.term(claim, written))
            .or_else(|| self.clock(claim, &folded))
            .or_else(|| self.amount(claim, written))
            .or_else(|| if currency::is_code(written) { self.currency(claim, written) } else { None })
            .or_else(|| self.contact(claim, written, &folded))
            .or_else(|| self.in_answer(claim, written, &folded))
    }

    fn text(&self, claim: &Claim<'_>, written: &str, folded: &str) -> Option<Found> {
        self.on_pages(claim, &Value::from(written), |page| page.place_of_text(folded))
    }

    /// A field described as a price is given as the page shows it: `$19.99` for a bare `19.99` (SPEC §2, shorthand).
    fn as_shown(&self, claim: &Claim<'_>, written: &str) -> Option<Found> {
        let is_price = text::words_of(&text::fold(claim.description?)).iter().any(|word| PRICE_WORDS.contains(word));
        let cleaned = text::clean(written);
        let token = number::only_number(&cleaned).filter(|_| is_price && cleaned.chars().all(is_number_char))?;
        self.pages_for(claim.hint).find_map(|(is_hinted, page)| {
            let mut sightings = page.numbers.get(token.readings.first()?)?.iter();
            let shown = sightings.find_map(|sighting| sighting.currency.and(sighting.shown.clone()))?;
            let shown = page.cleaned[shown].replace('\n', " ");
            Some((Value::from(shown), source(page, claim.hint.filter(|_| is_hinted), "text")))
        })
    }

    /// A choice is shown by its words (`in_stock`: "in stock") or by the passage cited for it.
    fn choice(&self, claim: &Claim<'_>, folded: &str) -> Option<Found> {
        claim.choices?;
        let words = folded.replace(['_', '-'], " ");
        self.on_pages(claim, claim.value, |page| page.place_of_text(&words)).or_else(|| self.cited(claim))
    }

    /// A term of a published vocabulary (`InStock`) is shown by the passage cited for it.
    fn term(&self, claim: &Claim<'_>, written: &str) -> Option<Found> {
        if terms::is_availability(written) { self.cited(claim) } else { None }
    }

    /// A URL is one that stood on a page, in that page's form, made absolute against its base.
    fn url(&self, claim: &Claim<'_>, written: &str) -> Option<Found> {
        self.pages_for(claim.hint).find_map(|(is_hinted, page)| {
            let (url, place) = page.url_as_shown(written)?;
            Some((Value::from(url), source(page, claim.hint.filter(|_| is_hinted), place)))
        })
    }

    fn moment(&self, claim: &Claim<'_>, moment: &date::Moment) -> Option<Found> {
        let by_metadata = claim.hint.is_some_and(Hint::is_metadata);
        self.on_pages(claim, claim.value, |page| {
            if page.shows_day(moment) && (by_metadata || page.shows_time(moment)) {
                return Some("text");
            }
            let code = page.code.as_ref()?;
            let in_code = code.calendar.days.contains(&moment.day) && shows_clock(&code.calendar, moment);
            in_code.then_some("code")
        })
    }

    /// A time of day, such as `09:40:00` for a page's `9:40 am`.
    fn clock(&self, claim: &Claim<'_>, folded: &str) -> Option<Found> {
        if claim.format != Some("time") {
            return None;
        }
        let time = date::only_time(folded)?;
        self.on_pages(claim, claim.value, |page| {
            page.calendar.times.contains(&(time.hour(), time.minute())).then_some("text")
        })
    }

    /// Text that is a number, perhaps with a currency: `USD 19.99` for a page's `$19.99`.
    fn amount(&self, claim: &Claim<'_>, written: &str) -> Option<Found> {
        let cleaned = text::clean(written);
        let letters = cleaned.chars().filter(|c| c.is_alphabetic()).count();
        let token = number::only_number(&cleaned)?;
        let is_plain = letters == 0 && !cleaned.starts_with('0') && cleaned.chars().all(is_number_char);
        let is_priced = token.currency.is_some() && letters <= 3;
        if !is_plain && !is_priced {
            return None;
        }
        let number = token.readings.first()?;
        self.on_pages(claim, &Value::from(written), |page| {
            let sightings = page.numbers.get(number)?;
            let agrees = token.currency.is_none_or(|wanted| {
                sightings.iter().filter_map(|sighting| sighting.currency).any(|shown| shown.agrees(wanted))
            });
            agrees.then_some("text")
        })
    }

    /// A currency code is shown by its sign or itself: beside an amount of the same object if there is one with a
    /// currency, else anywhere on the page. Published metadata may choose among what a shared sign means.
    fn currency(&self, claim: &Claim<'_>, code: &str) -> Option<Found> {
        let by_metadata = claim.hint.is_some_and(Hint::is_metadata);
        let code = code.to_uppercase();
        self.on_pages(claim, claim.value, |page| {
            let beside: Vec<_> = claim
                .amounts
                .iter()
                .filter_map(|amount| page.numbers.get(amount))
                .flatten()
                .filter_map(|sighting| sighting.currency)
                .collect();
            let supports = |shown: &currency::Shown| shown.supports(&code, by_metadata);
            let is_named = page.currencies.iter().any(|shown| shown.supports(&code, by_metadata));
            let is_code_shown = page.currencies.iter().any(|shown| shown.is_code(&code));
            let is_shared = beside.iter().any(|shown| shown.supports(&code, true));
            let agrees = beside.iter().any(supports) || (is_shared && is_code_shown);
            if beside.is_empty() { is_named.then_some("text") } else { agrees.then_some("text") }
        })
    }

    /// The target of a `mailto:` or `tel:` link.
    fn contact(&self, claim: &Claim<'_>, written: &str, folded: &str) -> Option<Found> {
        let digits = phone_digits(folded);
        self.on_pages(claim, &Value::from(written), |page| {
            let is_same = |contact: &String| contact == folded || (digits.is_some() && phone_digits(contact) == digits);
            page.contacts.iter().any(is_same).then_some("link")
        })
    }

    /// The run's own words about its pages: they count where the pages show what they speak of, every number and most
    /// of the words.
    fn in_answer(&self, claim: &Claim<'_>, written: &str, folded: &str) -> Option<Found> {
        let last = self.pages.last()?;
        let is_answered = self.answer.as_ref()?.contains(folded);
        let numbers = number::scan(&text::clean(written));
        let has_number = |token: &number::NumberToken| {
            self.pages.iter().any(|page| token.readings.iter().any(|reading| page.numbers.contains_key(reading)))
        };
        let words = text::words_of(folded).into_iter().filter(|word| word.chars().count() >= CONTENT_WORD_CHARS_MIN);
        let words: Vec<&str> = words.collect();
        let shown = words.iter().filter(|word| self.pages.iter().any(|page| page.has_word(word))).count();
        let is_about_pages = !words.is_empty() && shown * 100 >= words.len() * ANSWER_WORDS_PERCENT_MIN;
        let is_supported = is_answered && is_about_pages && numbers.iter().all(has_number);
        is_supported
            .then(|| (Value::from(written), source(last, claim.hint.filter(|hint| hint.place == "answer"), "answer")))
    }

    /// Whether every word stands on some page.
    pub(super) fn shows_words(&self, words: &[String]) -> bool {
        let mut parts = words.iter().flat_map(|word| text::words_of(word));
        parts.all(|word| self.pages.iter().any(|page| page.has_word(word)))
    }

    /// A source for what was counted in the data itself.
    pub(super) fn counted(&self, hint: Option<&Hint>) -> Option<Source> {
        let (_, page) = self.pages_for(hint).next()?;
        Some(source(page, None, "count"))
    }
}

impl Hint {
    /// Whether it names published metadata or page code rather than what is shown: `jsonld:…`, `meta:…`.
    pub(super) fn is_metadata(&self) -> bool {
        self.place.contains(':') && !self.place.starts_with("count:")
    }
}

impl PageIndex {
    fn place_of_text(&self, folded: &str) -> Option<&'static str> {
        let places = [(&self.text, "text"), (&self.title, "title"), (&self.link_text, "link")];
        let shown = places.into_iter().find(|(words, _)| words.contains(folded)).map(|(_, place)| place);
        shown.or_else(|| self.code.as_ref().is_some_and(|code| code.words.contains(folded)).then_some("code"))
    }

    fn has_word(&self, word: &str) -> bool {
        self.text.has_word(word) || self.title.has_word(word) || self.link_text.has_word(word)
    }

    fn url_as_shown(&self, written: &str) -> Option<(String, &'static str)> {
        let url = self.absolute(written)?;
        if let Some(shown) = self.urls.find(&url) {
            let is_page = shown == self.url;
            return Some((shown.to_owned(), if is_page { "url" } else { "link" }));
        }
        let with_scheme = || ["https://", "http://"].map(|scheme| Url::parse(&format!("{scheme}{written}")).ok());
        if is_host_like(written)
            && let Some(shown) = with_scheme().into_iter().flatten().find_map(|url| self.urls.find(&url))
        {
            return Some((shown.to_owned(), "link"));
        }
        if let Some(shown) = self.written_urls.find(&url) {
            return Some((shown.to_owned(), "text"));
        }
        self.code.as_ref()?.urls.find(&url).map(|shown| (shown.to_owned(), "code"))
    }

    fn absolute(&self, written: &str) -> Option<Url> {
        match &self.base {
            Some(base) => base.join(written).ok(),
            None => Url::parse(written).ok(),
        }
    }

    fn shows_day(&self, moment: &date::Moment) -> bool {
        let day = moment.day;
        let shows_year = || self.numbers.contains_key(&Decimal::new(&day.year().to_string(), ""));
        self.calendar.days.contains(&day)
            || (self.calendar.yearless.contains(&(day.month(), day.day())) && shows_year())
    }

    fn shows_time(&self, moment: &date::Moment) -> bool {
        shows_clock(&self.calendar, moment)
    }
}

/// Midnight stands for a date that was shown without a time.
fn shows_clock(calendar: &date::Calendar, moment: &date::Moment) -> bool {
    moment.time.is_none_or(|time| {
        let is_midnight = time == jiff::civil::Time::midnight();
        is_midnight || calendar.times.contains(&(time.hour(), time.minute()))
    })
}

/// `example.com/path`: a host as people write it.
fn is_host_like(written: &str) -> bool {
    let host = written.split('/').next().unwrap_or_default();
    !written.contains(char::is_whitespace) && host.contains('.') && !host.starts_with('.') && !host.ends_with('.')
}

fn is_currency_field(claim: &Claim<'_>, written: &str) -> bool {
    let is_named = link::name_words(claim.name).iter().any(|word| word == "currency");
    is_named && currency::is_code(&written.to_uppercase())
}

fn is_number_char(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | ' ' | '-' | '+' | '%')
}

fn phone_digits(text: &str) -> Option<String> {
    let is_phone = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | ' ' | '-' | '(' | ')' | '.' | '/'));
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    (is_phone && digits.len() >= PHONE_DIGITS_MIN).then_some(digits)
}

fn source(page: &PageIndex, hint: Option<&Hint>, place: &str) -> Source {
    let named = hint.map(|hint| hint.place.as_str()).filter(|named| !named.is_empty());
    Source { url: page.url.clone(), place: named.unwrap_or(place).to_owned() }
}
