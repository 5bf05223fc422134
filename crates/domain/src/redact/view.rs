//! Readings of one text: as it stands, and with escapes undone. Each character of a reading knows where in the text it
//! comes from, so that what is found in a reading can be cut out of the text.

use super::decode;
use super::fold::fold;

/// Escapes within escapes (`%252541`, JSON within JSON within JSON) are undone so many times over.
const LAYERS_MAX: usize = 4;

/// A reading: folded characters, each with the place of the text that it begins at.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) chars: Vec<char>,
    from: Vec<u32>,
    text_bytes: usize,
}

/// Gives the text's readings one after another; each is dropped before the next but one is made.
pub(super) fn each_reading(text: &str, mut take: impl FnMut(&View)) {
    let plain = View::of(text);
    take(&plain);
    if let Some(styled) = decode::css(&plain) {
        take(&styled);
    }
    without_tags(&plain, &mut take);
    let mut reading = plain;
    for layer in 0..LAYERS_MAX {
        let Some(unescaped) = decode::escapes(&reading) else { return };
        take(&unescaped);
        // Markup within a text, such as JSON's.
        if layer == 0 {
            without_tags(&unescaped, &mut take);
        }
        reading = unescaped;
    }
}

/// What is escaped between tags is no tag itself, so that tags go first; and markup has references only.
fn without_tags(reading: &View, take: &mut impl FnMut(&View)) {
    let Some(untagged) = decode::tags(reading) else { return };
    take(&untagged);
    if let Some(unescaped) = decode::references(&untagged) {
        take(&unescaped);
    }
}

impl View {
    fn of(text: &str) -> Self {
        let mut view = Self::with_capacity(text.len(), text.len());
        for (at, c) in text.char_indices() {
            view.push(c, u32::try_from(at).unwrap_or(u32::MAX));
        }
        view
    }

    /// An empty reading of the same text.
    pub(super) fn another(&self) -> Self {
        Self::with_capacity(self.chars.len(), self.text_bytes)
    }

    fn with_capacity(chars: usize, text_bytes: usize) -> Self {
        Self { chars: Vec::with_capacity(chars), from: Vec::with_capacity(chars), text_bytes }
    }

    /// Adds a character as it is compared, from a place of the text.
    pub(super) fn push(&mut self, c: char, from: u32) {
        let Self { chars, from: places, .. } = self;
        fold(c, |folded| {
            chars.push(folded);
            places.push(from);
        });
    }

    /// Adds a character of another reading.
    pub(super) fn copy(&mut self, other: &Self, index: usize) {
        self.chars.push(other.chars[index]);
        self.from.push(other.from[index]);
    }

    pub(super) fn from(&self, index: usize) -> u32 {
        self.from[index]
    }

    /// Where in the text a character begins.
    pub(super) fn start_of(&self, index: usize) -> usize {
        self.from[index] as usize
    }

    /// Where in the text the first character begins that comes from a later place than this one.
    pub(super) fn end_of(&self, index: usize) -> usize {
        let from = self.from[index];
        self.from[index..].iter().find(|later| **later > from).map_or(self.text_bytes, |later| *later as usize)
    }
}
