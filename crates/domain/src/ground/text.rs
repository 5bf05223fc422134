//! Text compared as people read it: white space, case, Unicode forms, quotes and dashes do not matter.

use unicode_normalization::UnicodeNormalization;

/// One form for what looks alike: NFKC, plain quotes and dashes, ASCII digits, no invisible characters; white space is
/// one space, or one line feed where a line ended.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in with_apart_fractions(text).nfkc().filter_map(plain) {
        if !c.is_whitespace() {
            cleaned.push(c);
            continue;
        }
        let ends_line = matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}');
        match cleaned.chars().next_back() {
            None | Some('\n') => {}
            Some(' ') if ends_line => {
                cleaned.pop();
                cleaned.push('\n');
            }
            Some(' ') => {}
            Some(_) => cleaned.push(if ends_line { '\n' } else { ' ' }),
        }
    }
    let kept = cleaned.trim_end().len();
    cleaned.truncate(kept);
    cleaned
}

/// `1½` as `1 ½`, before its parts become plain digits.
fn with_apart_fractions(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut last = ' ';
    text.chars().flat_map(move |c| {
        let is_fraction = matches!(c, '\u{BC}'..='\u{BE}' | '\u{2150}'..='\u{215E}');
        let gap = (is_fraction && last.is_numeric()).then_some(' ');
        last = c;
        gap.into_iter().chain(std::iter::once(c))
    })
}

/// Cleaned text in lower case on one line: what is compared.
pub(crate) fn fold(text: &str) -> String {
    fold_cleaned(&clean(text))
}

pub(crate) fn fold_cleaned(cleaned: &str) -> String {
    // Lower case may bring decomposed letters back (`İ`), so the form is settled once more.
    cleaned.chars().flat_map(char::to_lowercase).map(|c| if c == '\n' { ' ' } else { c }).nfkc().collect()
}

fn plain(c: char) -> Option<char> {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{2032}' | '\u{00B4}' | '`' => Some('\''),
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{2033}' | '\u{00AB}' | '\u{00BB}' => Some('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' => Some('-'),
        '\u{2044}' => Some('/'),
        '\u{00AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' => None,
        '\u{0660}'..='\u{0669}' => ascii_digit(c, 0x0660),
        '\u{06F0}'..='\u{06F9}' => ascii_digit(c, 0x06F0),
        '\u{0966}'..='\u{096F}' => ascii_digit(c, 0x0966),
        other if other.is_control() && !other.is_whitespace() => None,
        other => Some(other),
    }
}

fn ascii_digit(c: char, zero: u32) -> Option<char> {
    char::from_digit(u32::from(c) - zero, 10)
}

/// Scripts written without spaces: each character is a word, and a match may begin and end anywhere.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'
        | '\u{20000}'..='\u{3134F}')
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || is_unspaced(c) || is_mark(c)
}

/// Combining marks belong to the letter before them.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Symbols that change what words mean: `C++` is not `C`, `$5` is not `5%`.
fn is_meaningful_symbol(c: char) -> bool {
    matches!(c, '+' | '#' | '%' | '&' | '@' | '=' | '<' | '>' | '~' | '^' | '°') || super::currency::is_sign(c)
}

/// Folded text with its words in order and sorted, for many look-ups.
#[derive(Debug)]
pub(crate) struct Words {
    text: String,
    /// Byte ranges in reading order.
    spans: Vec<(u32, u32)>,
    /// Indices into `spans`, sorted by word, then by place.
    sorted: Vec<u32>,
}

impl Words {
    pub(crate) fn new(folded: String) -> Self {
        let spans = word_spans(&folded);
        let mut sorted: Vec<u32> = (0..u32::try_from(spans.len()).unwrap_or(u32::MAX)).collect();
        let word = |index: u32| &folded[spans[index as usize].0 as usize..spans[index as usize].1 as usize];
        sorted.sort_by(|a, b| word(*a).cmp(word(*b)).then(a.cmp(b)));
        Self { text: folded, spans, sorted }
    }

    fn word(&self, index: u32) -> &str {
        let (start, end) = self.spans[index as usize];
        &self.text[start as usize..end as usize]
    }

    /// Where a word stands, as indices into `spans`.
    fn places(&self, word: &str) -> &[u32] {
        let from = self.sorted.partition_point(|index| self.word(*index) < word);
        let to = self.sorted.partition_point(|index| self.word(*index) <= word);
        &self.sorted[from..to]
    }

    pub(crate) fn has_word(&self, word: &str) -> bool {
        !self.places(word).is_empty()
    }

    /// Whether the folded text stands here whole: as it is, or with other punctuation between the same words.
    pub(crate) fn contains(&self, wanted: &str) -> bool {
        let spans = word_spans(wanted);
        let words: Vec<&str> = spans.iter().map(|(start, end)| &wanted[*start as usize..*end as usize]).collect();
        let Some((rarest, places)) =
            words.iter().map(|word| self.places(word)).enumerate().min_by_key(|(_, places)| places.len())
        else {
            let is_sign = wanted.chars().any(|c| is_meaningful_symbol(c) || !c.is_ascii());
            return is_sign && self.text.contains(wanted);
        };
        let has_letters = words.iter().any(|word| word.chars().any(char::is_alphabetic));
        let is_phrase = words.len() >= 2 && has_letters;
        places.iter().any(|place| {
            self.stands_at(wanted, *place, spans[rarest].0)
                || (is_phrase && self.reads_as(wanted, &words, *place as usize, rarest))
        })
    }

    /// How many times the folded text stands here whole.
    pub(crate) fn count(&self, wanted: &str) -> usize {
        let spans = word_spans(wanted);
        let Some((start, end)) = spans.first().copied() else { return 0 };
        let places = self.places(&wanted[start as usize..end as usize]);
        places.iter().filter(|place| self.stands_at(wanted, **place, start)).count()
    }

    fn stands_at(&self, wanted: &str, place: u32, offset_in_wanted: u32) -> bool {
        let Some(start) = self.spans[place as usize].0.checked_sub(offset_in_wanted) else { return false };
        let (start, end) = (start as usize, start as usize + wanted.len());
        self.text.get(start..end) == Some(wanted) && self.is_whole(start, end)
    }

    /// Whether the range does not cut a word or a number in two.
    fn is_whole(&self, start: usize, end: usize) -> bool {
        let (before, inside, after) = (&self.text[..start], &self.text[start..end], &self.text[end..]);
        let joins = |left: Option<char>, right: Option<char>| {
            let is_inner = |c: char| is_word_char(c) && !is_unspaced(c);
            left.is_some_and(is_inner) && right.is_some_and(is_inner)
        };
        let cuts_start = joins(before.chars().next_back(), inside.chars().next());
        let cuts_end = joins(inside.chars().next_back(), after.chars().next());
        !cuts_start && !cuts_end && !cuts_number(before, inside) && !cuts_number_end(inside, after)
    }

    fn reads_as(&self, wanted: &str, words: &[&str], place: usize, rarest: usize) -> bool {
        let Some(first) = place.checked_sub(rarest) else { return false };
        let last = first + words.len() - 1;
        let reads = last < self.spans.len()
            && words.iter().enumerate().all(|(offset, word)| self.word((first + offset) as u32) == *word);
        if !reads {
            return false;
        }
        let (start, end) = (self.spans[first].0 as usize, self.spans[last].1 as usize);
        if !self.is_whole(start, end) {
            return false;
        }
        let symbols_before = self.text[..start].chars().rev().take_while(|c| is_meaningful_symbol(*c));
        let symbols_after = self.text[end..].chars().take_while(|c| is_meaningful_symbol(*c));
        let start = start - symbols_before.map(char::len_utf8).sum::<usize>();
        let end = end + symbols_after.map(char::len_utf8).sum::<usize>();
        let meaning = |text: &str| -> String { text.chars().filter(|c| keeps_meaning(*c)).collect() };
        meaning(&self.text[start..end]) == meaning(wanted)
    }
}

fn keeps_meaning(c: char) -> bool {
    is_word_char(c) || is_meaningful_symbol(c)
}

/// `299.00` is not shown by `1,299.00`.
fn cuts_number(before: &str, inside: &str) -> bool {
    let mut back = before.chars().rev();
    inside.starts_with(|c: char| c.is_ascii_digit())
        && back.next().is_some_and(|c| matches!(c, '.' | ','))
        && back.next().is_some_and(|c| c.is_ascii_digit())
}

fn cuts_number_end(inside: &str, after: &str) -> bool {
    let mut ahead = after.chars();
    inside.ends_with(|c: char| c.is_ascii_digit())
        && ahead.next().is_some_and(|c| matches!(c, '.' | ','))
        && ahead.next().is_some_and(|c| c.is_ascii_digit())
}

/// Byte ranges of the words: runs of letters, runs of digits, single characters of scripts without spaces.
fn word_spans(text: &str) -> Vec<(u32, u32)> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    let push = |spans: &mut Vec<(u32, u32)>, start: usize, end: usize| {
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
            spans.push((start, end));
        }
    };
    for (at, c) in text.char_indices() {
        let is_inner = is_word_char(c) && !is_unspaced(c);
        let is_digit = c.is_ascii_digit();
        let goes_on = open.is_some_and(|(_, of_digits)| is_inner && (of_digits == is_digit || is_mark(c)));
        if !goes_on && let Some((start, _)) = open.take() {
            push(&mut spans, start, at);
        }
        if is_unspaced(c) {
            push(&mut spans, at, at + c.len_utf8());
        } else if is_inner {
            open.get_or_insert((at, is_digit));
        }
    }
    if let Some((start, _)) = open {
        push(&mut spans, start, text.len());
    }
    spans
}

/// The words of a folded text.
pub(crate) fn words_of(folded: &str) -> Vec<&str> {
    word_spans(folded).into_iter().map(|(start, end)| &folded[start as usize..end as usize]).collect()
}
