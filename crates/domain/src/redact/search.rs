//! Searches a reading for patterns: two characters lead to the few that begin with them, so that the time hardly depends
//! on how many there are. Written here, as the automata of crates keep what they search for in memory that is not wiped.

use std::collections::HashMap;

use super::Exposure;
use super::pattern::{Among, Edges, Pattern};
use super::view::View;

#[derive(Clone, Default)]
pub(super) struct Index {
    patterns: Vec<Pattern>,
    visible: Beginnings,
    letters_and_digits: Beginnings,
}

/// Which patterns begin with two characters.
#[derive(Clone, Default)]
struct Beginnings {
    /// A bit for each hash of two characters that some pattern begins with.
    bits: Vec<bool>,
    by_pair: HashMap<(char, char), Vec<usize>>,
    /// Patterns of one character.
    single: Vec<usize>,
}

/// The characters of a reading that patterns of one kind are compared with.
struct Stream<'v> {
    view: &'v View,
    /// Places in the reading.
    places: Vec<u32>,
}

impl Index {
    pub(super) fn new(patterns: Vec<Pattern>) -> Self {
        let beginnings = |among: Among| {
            let mut beginnings = Beginnings::default();
            for (index, pattern) in patterns.iter().enumerate().filter(|(_, pattern)| pattern.among == among) {
                beginnings.add(index, &pattern.chars);
            }
            beginnings
        };
        Self { visible: beginnings(Among::Visible), letters_and_digits: beginnings(Among::LettersAndDigits), patterns }
    }

    /// Adds what gives a secret away in a reading of the text, which begins at `offset`.
    pub(super) fn search(&self, text: &str, view: &View, offset: usize, found: &mut Vec<Exposure>) {
        for (among, beginnings) in
            [(Among::Visible, &self.visible), (Among::LettersAndDigits, &self.letters_and_digits)]
        {
            if beginnings.is_empty() {
                continue;
            }
            let stream = Stream::of(view, among);
            for at in 0..stream.places.len() {
                for index in beginnings.at(&stream, at) {
                    let pattern = &self.patterns[*index];
                    if let Some((start, end)) = stream.matched(pattern, at) {
                        let (start, end) = if pattern.is_base64 { widened(text, start, end) } else { (start, end) };
                        found.push(Exposure { start: start + offset, end: end + offset, secret: pattern.secret });
                    }
                }
            }
        }
    }
}

const HASHES: usize = 1 << 14;

fn hash(first: char, second: char) -> usize {
    (u32::from(first).wrapping_mul(167) ^ u32::from(second)) as usize % HASHES
}

impl Beginnings {
    fn add(&mut self, index: usize, chars: &[char]) {
        match chars {
            [] => {}
            [_] => self.single.push(index),
            [first, second, ..] => {
                self.bits.resize(HASHES, false);
                self.bits[hash(*first, *second)] = true;
                self.by_pair.entry((*first, *second)).or_default().push(index);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.by_pair.is_empty() && self.single.is_empty()
    }

    /// Patterns that may stand at a place of the stream.
    fn at(&self, stream: &Stream<'_>, at: usize) -> impl Iterator<Item = &usize> {
        let pair = (stream.char(at), stream.char(at + 1));
        let by_pair = match pair {
            (Some(first), Some(second)) if self.bits.get(hash(first, second)) == Some(&true) => {
                self.by_pair.get(&(first, second))
            }
            _ => None,
        };
        by_pair.into_iter().flatten().chain(&self.single)
    }
}

impl<'v> Stream<'v> {
    fn of(view: &'v View, among: Among) -> Self {
        let places = view.chars.iter().zip(0_u32..).filter(|(c, _)| among.has(**c)).map(|(_, place)| place).collect();
        Self { view, places }
    }

    fn place(&self, at: usize) -> Option<usize> {
        self.places.get(at).map(|place| *place as usize)
    }

    fn char(&self, at: usize) -> Option<char> {
        self.place(at).map(|place| self.view.chars[place])
    }

    /// The stretch of the text in which the pattern stands, if it does so at this place.
    fn matched(&self, pattern: &Pattern, at: usize) -> Option<(usize, usize)> {
        let first = self.place(at)?;
        let mut last = first;
        for (wanted, at) in pattern.chars.iter().zip(at..) {
            let place = self.place(at)?;
            if self.view.chars[place] != *wanted || place.saturating_sub(last + 1) > pattern.gap_chars_max {
                return None;
            }
            last = place;
        }
        if !pattern.edges.allow(self.before(first)) || !pattern.edges.allow(self.view.chars.get(last + 1).copied()) {
            return None;
        }
        let chars = &self.view.chars;
        let first = if chars[..first].ends_with(&pattern.lead) { first - pattern.lead.len() } else { first };
        let last = if chars[last + 1..].starts_with(&pattern.tail) { last + pattern.tail.len() } else { last };
        Some((self.view.start_of(first), self.view.end_of(last)))
    }

    fn before(&self, place: usize) -> Option<char> {
        place.checked_sub(1).map(|before| self.view.chars[before])
    }
}

impl Edges {
    fn allow(self, neighbour: Option<char>) -> bool {
        let Some(neighbour) = neighbour else { return true };
        match self {
            Self::Any => true,
            Self::NoLetterOrDigit => !neighbour.is_alphanumeric(),
            Self::NoDigit => !neighbour.is_ascii_digit(),
        }
    }
}

fn widened(text: &str, start: usize, end: usize) -> (usize, usize) {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '_' | '=');
    let start = text[..start].trim_end_matches(is_base64).len();
    let end = text.len() - text[end..].trim_start_matches(is_base64).len();
    (start, end)
}
