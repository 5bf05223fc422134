//! What gives a value away in a reading: its own characters, its letters and digits with anything between them, and its
//! bytes as hexadecimal digits, character codes or Base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use zeroize::Zeroizing;

use super::fold::fold;

/// Shorter values, such as a card's check digits, are replaced only where no letter or digit stands beside them: inside
/// other words and numbers they mean nothing, and replacing them there would show that they are short and common.
const ANYWHERE_CHARS_MIN: usize = 4;
/// So many letters and digits in the same order are the value, whatever stands between them; fewer come about by chance.
const SPREAD_CHARS_MIN: usize = 8;
/// What may stand between two letters of a value that is spread: a line break with a margin, the end of an element.
const GAP_CHARS_MAX: usize = 16;
/// Between the digits of a shorter value: `48-15`, `481 516`.
const DIGITS_GAP_CHARS_MAX: usize = 1;
/// Encoded characters that must be the value's own before they are taken for it: 40 bits do not agree by chance.
const ENCODED_CHARS_MIN: usize = 8;

/// Which characters of a reading a pattern is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// All but white space.
    Visible,
    LettersAndDigits,
}

/// What must not stand beside a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edges {
    Any,
    NoLetterOrDigit,
    NoDigit,
}

#[derive(Clone)]
pub(super) struct Pattern {
    pub(super) secret: usize,
    pub(super) chars: Zeroizing<Vec<char>>,
    pub(super) among: Among,
    /// Characters of the reading that may stand between two of the pattern's.
    pub(super) gap_chars_max: usize,
    pub(super) edges: Edges,
    /// What the value has before and after: cut out with a match where it stands there too.
    pub(super) lead: Zeroizing<Vec<char>>,
    pub(super) tail: Zeroizing<Vec<char>>,
    /// The whole stretch of Base64 around a match goes with it: its rest shows what stood beside the value.
    pub(super) is_base64: bool,
}

pub(super) fn of_value(value: &str, secret: usize) -> Vec<Pattern> {
    let mut folded = Zeroizing::new(Vec::with_capacity(value.len() * 2));
    value.chars().for_each(|c| fold(c, |part| folded.push(part)));
    let mut patterns = vec![as_written(&folded, secret)];
    patterns.extend(spread(&folded, secret));
    patterns.extend(encoded(value, secret));
    patterns.retain(|pattern| !pattern.chars.is_empty());
    patterns
}

fn as_written(folded: &[char], secret: usize) -> Pattern {
    let own_gap = folded.split(|c| *c != ' ').map(<[char]>::len).max().unwrap_or(0);
    let visible = folded.iter().filter(|c| **c != ' ').count();
    let mut pattern = Pattern::within(folded, secret, Among::Visible);
    pattern.gap_chars_max = if visible >= SPREAD_CHARS_MIN { GAP_CHARS_MAX } else { own_gap };
    if visible < ANYWHERE_CHARS_MIN {
        pattern.edges = Edges::NoLetterOrDigit;
    }
    pattern
}

/// Letters and digits alone, forwards and backwards; of a short value only when all of them are digits.
fn spread(folded: &[char], secret: usize) -> Vec<Pattern> {
    let mut pattern = Pattern::within(folded, secret, Among::LettersAndDigits);
    let are_digits = pattern.chars.iter().all(char::is_ascii_digit);
    match pattern.chars.len() {
        SPREAD_CHARS_MIN.. => {
            let backwards: Vec<char> = pattern.chars.iter().rev().copied().collect();
            pattern.gap_chars_max = GAP_CHARS_MAX;
            vec![pattern, Pattern::bare(backwards, secret)]
        }
        ANYWHERE_CHARS_MIN.. if are_digits => {
            pattern.gap_chars_max = DIGITS_GAP_CHARS_MAX;
            pattern.edges = Edges::NoDigit;
            vec![pattern]
        }
        _ => Vec::new(),
    }
}

/// The bytes of the value, also in capitals and in small letters.
fn encoded(value: &str, secret: usize) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> = Vec::new();
    let spellings = [value.to_owned(), value.to_lowercase(), value.to_uppercase()].map(Zeroizing::new);
    for spelling in &spellings {
        let bytes = spelling.as_bytes();
        let codes = [
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
            bytes.iter().map(|byte| format!("0x{byte:02x}")).collect(),
            spelling.chars().map(|c| u32::from(c).to_string()).collect(),
        ];
        patterns.extend(codes.map(|code| Pattern::bare(code.chars().collect(), secret)));
        patterns.extend(base64_forms(bytes).into_iter().map(|form| {
            let letters = form.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
            Pattern { is_base64: true, ..Pattern::bare(letters, secret) }
        }));
    }
    patterns.retain(|pattern| pattern.chars.len() >= ENCODED_CHARS_MIN);
    patterns.sort_by(|a, b| a.chars.cmp(&b.chars));
    patterns.dedup_by(|a, b| a.chars == b.chars);
    patterns
}

/// The characters that are the value's own, for each of the three ways in which its bytes can be aligned.
fn base64_forms(value: &[u8]) -> Vec<Zeroizing<String>> {
    let form = |(lead_bytes, lead_chars): (usize, usize)| {
        let aligned = Zeroizing::new([vec![0; lead_bytes], value.to_vec()].concat());
        let own_chars_end = aligned.len() * 8 / 6;
        let encoded = Zeroizing::new(STANDARD_NO_PAD.encode(&*aligned));
        Zeroizing::new(encoded.get(lead_chars..own_chars_end).unwrap_or_default().to_owned())
    };
    [(0, 0), (1, 2), (2, 3)].map(form).into()
}

impl Among {
    pub(super) fn has(self, c: char) -> bool {
        match self {
            Self::Visible => c != ' ',
            Self::LettersAndDigits => c.is_alphanumeric(),
        }
    }
}

impl Pattern {
    /// Those characters of the value that are compared, with what stands before and after them.
    fn within(folded: &[char], secret: usize, among: Among) -> Self {
        let first = folded.iter().position(|c| among.has(*c)).unwrap_or(0);
        let end = folded.iter().rposition(|c| among.has(*c)).map_or(0, |last| last + 1);
        let chars = folded.iter().copied().filter(|c| among.has(*c)).collect();
        Self {
            among,
            lead: Zeroizing::new(folded[..first].to_vec()),
            tail: Zeroizing::new(folded[end..].to_vec()),
            ..Self::bare(chars, secret)
        }
    }

    fn bare(chars: Vec<char>, secret: usize) -> Self {
        Self {
            secret,
            chars: Zeroizing::new(chars),
            among: Among::LettersAndDigits,
            gap_chars_max: GAP_CHARS_MAX,
            edges: Edges::Any,
            lead: Zeroizing::default(),
            tail: Zeroizing::default(),
            is_base64: false,
        }
    }
}
