//! Undoes one layer of escapes in a reading: percent, HTML character references, JSON and JavaScript, CSS; and leaves
//! tags out. Readings are folded already, so names and hexadecimal digits are in lower case.

use super::view::View;

/// Longer stretches in angle brackets are no tag.
const TAG_CHARS_MAX: usize = 1_000;
/// `&#x0010ffff;` and the longest name below.
const REFERENCE_CHARS_MAX: usize = 12;

/// Characters read, and the character that they stand for.
type Escape = (usize, char);

/// The reading with percent, HTML, JSON and JavaScript escapes undone; `None` when it has none.
pub(super) fn escapes(view: &View) -> Option<View> {
    decoded(view, |rest| match rest.first()? {
        '%' => percent(rest),
        '&' => reference(rest),
        '\\' => backslash(rest),
        _ => None,
    })
}

/// The reading with HTML character references undone.
pub(super) fn references(view: &View) -> Option<View> {
    decoded(view, |rest| if *rest.first()? == '&' { reference(rest) } else { None })
}

/// The reading with CSS escapes undone: a backslash and up to six hexadecimal digits, closed by a space or not.
pub(super) fn css(view: &View) -> Option<View> {
    decoded(view, |rest| {
        if *rest.first()? != '\\' {
            return None;
        }
        let digits = rest[1..].iter().take(6).take_while(|c| c.is_ascii_hexdigit()).count();
        let c = char::from_u32(number(rest.get(1..=digits)?, 16)?)?;
        let closing = usize::from(rest.get(1 + digits) == Some(&' '));
        Some((1 + digits + closing, c))
    })
}

/// The reading with each tag as one separator.
pub(super) fn tags(view: &View) -> Option<View> {
    decoded(view, |rest| {
        let opens = *rest.first()? == '<' && rest.get(1).is_some_and(|c| c.is_ascii_alphabetic() || *c == '/');
        if !opens {
            return None;
        }
        let end = rest.iter().take(TAG_CHARS_MAX).position(|c| *c == '>')?;
        Some((end + 1, '|'))
    })
}

fn decoded(view: &View, escape_at: impl Fn(&[char]) -> Option<Escape>) -> Option<View> {
    let mut at = (0..view.chars.len()).find(|at| escape_at(&view.chars[*at..]).is_some())?;
    let mut decoded = view.another();
    (0..at).for_each(|index| decoded.copy(view, index));
    while at < view.chars.len() {
        match escape_at(&view.chars[at..]) {
            Some((read, c)) => {
                decoded.push(c, view.from(at));
                at += read;
            }
            None => {
                decoded.copy(view, at);
                at += 1;
            }
        }
    }
    Some(decoded)
}

fn number(digits: &[char], radix: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u32, |sum, digit| sum.checked_mul(radix)?.checked_add(digit.to_digit(radix)?))
}

/// `%c3%bc`, one character of UTF-8 at a time; a byte that begins none is one of Latin-1. Also JavaScript's `%u00fc`.
fn percent(rest: &[char]) -> Option<Escape> {
    if rest.get(1) == Some(&'u') {
        return Some((6, char::from_u32(number(rest.get(2..6)?, 16)?)?));
    }
    let byte = |at: usize| -> Option<u8> {
        if *rest.get(at)? != '%' {
            return None;
        }
        u8::try_from(number(rest.get(at + 1..at + 3)?, 16)?).ok()
    };
    let first = byte(0)?;
    let length = utf8_length(first);
    let bytes: Vec<u8> = (0..length).map_while(|index| byte(index * 3)).collect();
    let c = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next());
    Some(c.map_or((3, char::from(first)), |c| (length * 3, c)))
}

fn utf8_length(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

fn reference(rest: &[char]) -> Option<Escape> {
    let body: &[char] = rest.get(1..)?;
    if body.first() == Some(&'#') {
        return numeric_reference(rest);
    }
    let end = body.iter().take(REFERENCE_CHARS_MAX).position(|c| *c == ';')?;
    let name: String = body[..end].iter().collect();
    let (_, c) = NAMED.iter().find(|(known, _)| *known == name)?;
    Some((end + 2, *c))
}

/// The closing semicolon may be missing.
fn numeric_reference(rest: &[char]) -> Option<Escape> {
    let (lead, radix) = if rest.get(2) == Some(&'x') { (3, 16) } else { (2, 10) };
    let digits = rest.get(lead..)?.iter().take(REFERENCE_CHARS_MAX).take_while(|c| c.is_digit(radix)).count();
    let c = char::from_u32(number(rest.get(lead..lead + digits)?, radix)?)?;
    let closing = usize::from(rest.get(lead + digits) == Some(&';'));
    Some((lead + digits + closing, c))
}

/// HTML's names for what stands on a keyboard and for spaces, in lower case. Names of letters are left out: pages are
/// read after the browser has undone them.
const NAMED: [(&str, char); 45] = [
    ("amp", '&'),
    ("apos", '\''),
    ("ast", '*'),
    ("bsol", '\\'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("dash", '-'),
    ("dollar", '$'),
    ("emsp", ' '),
    ("ensp", ' '),
    ("equals", '='),
    ("excl", '!'),
    ("grave", '`'),
    ("gt", '>'),
    ("hairsp", ' '),
    ("hat", '^'),
    ("hyphen", '-'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lsqb", '['),
    ("lt", '<'),
    ("nbsp", ' '),
    ("newline", ' '),
    ("num", '#'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("quest", '?'),
    ("quot", '"'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcub", '}'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("semi", ';'),
    ("shy", '\u{ad}'),
    ("sol", '/'),
    ("tab", ' '),
    ("thinsp", ' '),
    ("verbar", '|'),
    ("zwnj", '\u{200c}'),
];

/// `\u00fc` (also in two halves), `\u{fc}`, `\xfc`, `\374`, `\n`, and quotes, slashes and backslashes. A backslash before
/// anything else escapes nothing: it must not swallow the beginning of another escape.
fn backslash(rest: &[char]) -> Option<Escape> {
    match rest.get(1)? {
        'u' => unicode_escape(rest),
        'x' => rest.get(2..4).and_then(|digits| number(digits, 16)).and_then(char::from_u32).map(|c| (4, c)),
        '0'..='7' => rest.get(1..4).and_then(|digits| number(digits, 8)).and_then(char::from_u32).map(|c| (4, c)),
        'n' | 'r' | 't' | 'f' | 'v' => Some((2, ' ')),
        'b' => Some((2, '\u{8}')),
        quoted @ ('"' | '\'' | '/' | '\\' | '`') => Some((2, *quoted)),
        _ => None,
    }
}

fn unicode_escape(rest: &[char]) -> Option<Escape> {
    if rest.get(2) == Some(&'{') {
        let digits = rest[3..].iter().take(REFERENCE_CHARS_MAX).position(|c| *c == '}')?;
        let c = char::from_u32(number(&rest[3..3 + digits], 16)?)?;
        return Some((4 + digits, c));
    }
    let unit = |at: usize| number(rest.get(at..at + 4)?, 16).and_then(|unit| u16::try_from(unit).ok());
    let first = unit(2)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((6, c));
    }
    let is_pair = rest.get(6..8) == Some(&['\\', 'u'][..]);
    let second = if is_pair { unit(8)? } else { return None };
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some((12, c))
}
