//! Matches a value against text in which each character may stand plain or escaped, in any mixture: percent escapes
//! (also escaped twice), `+` for a space, JSON escapes (also nested), HTML character references.

/// Backslashes before a character in JSON within JSON within JSON.
const BACKSLASHES_MAX: usize = 7;
/// `%252541`: percent signs escaped so many times over.
const PERCENT_NESTING_MAX: usize = 2;

/// Whether a stretch that begins with the character can read as the value: a cheap look before [`match_end`].
pub(super) fn may_begin(c: char, value: &str) -> bool {
    matches!(c, '%' | '\\' | '&' | '+') || value.starts_with(c)
}

/// Length of the longest stretch at the start of the text that reads as the value.
pub(super) fn match_end(text: &str, value: &str) -> Option<usize> {
    let mut ends = vec![0];
    for wanted in value.chars() {
        let mut next: Vec<usize> = Vec::new();
        for end in ends {
            let rest = &text[end..];
            next.extend(lengths(rest, wanted).into_iter().map(|length| end + length));
        }
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return None;
        }
        ends = next;
    }
    ends.pop()
}

/// Lengths of the ways in which the character may stand at the start of the text.
fn lengths(rest: &str, wanted: char) -> Vec<usize> {
    let mut lengths = Vec::new();
    if rest.starts_with(wanted) {
        lengths.push(wanted.len_utf8());
    }
    match rest.as_bytes().first() {
        Some(b'+') if wanted == ' ' => lengths.push(1),
        Some(b'%') => lengths.extend(percent(rest, wanted)),
        Some(b'\\') => lengths.extend(json(rest, wanted)),
        Some(b'&') => lengths.extend(html(rest, wanted)),
        _ => {}
    }
    lengths
}

/// Once for each depth to which the percent signs themselves may be escaped.
fn percent(rest: &str, wanted: char) -> Vec<usize> {
    (0..=PERCENT_NESTING_MAX).filter_map(|nesting| percent_nested(rest, wanted, nesting)).collect()
}

fn percent_nested(rest: &str, wanted: char, nesting: usize) -> Option<usize> {
    let mut utf8 = [0; 4];
    let mut left = rest;
    for byte in wanted.encode_utf8(&mut utf8).bytes() {
        left = left.strip_prefix('%')?;
        for _ in 0..nesting {
            left = left.strip_prefix("25")?;
        }
        let digits = left.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        if u8::from_str_radix(digits, 16).ok()? != byte {
            return None;
        }
        left = &left[2..];
    }
    Some(rest.len() - left.len())
}

fn json(rest: &str, wanted: char) -> Vec<usize> {
    let backslashes = rest.bytes().take_while(|byte| *byte == b'\\').count().min(BACKSLASHES_MAX);
    let after = &rest[backslashes..];
    let short = match wanted {
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        '\u{8}' => Some('b'),
        '\u{c}' => Some('f'),
        '"' | '/' | '\'' => Some(wanted),
        _ => None,
    };
    let mut lengths = Vec::new();
    if wanted == '\\' {
        lengths.extend(
            [2, 4, 8].into_iter().filter(|count| rest.bytes().take_while(|byte| *byte == b'\\').count() >= *count),
        );
    }
    if short.is_some_and(|short| after.starts_with(short)) {
        lengths.push(backslashes + 1);
    }
    let mut units = [0; 2];
    let mut left = after;
    for (index, unit) in wanted.encode_utf16(&mut units).iter().enumerate() {
        let escape = if index == 0 { left } else { left.trim_start_matches('\\') };
        let digits = escape.strip_prefix('u').and_then(|escape| escape.get(..4));
        let is_unit = digits.is_some_and(|digits| u16::from_str_radix(digits, 16) == Ok(*unit));
        if !is_unit {
            return lengths;
        }
        left = &escape[5..];
    }
    lengths.push(rest.len() - left.len());
    lengths
}

fn html(rest: &str, wanted: char) -> Option<usize> {
    let end = rest.bytes().take(12).position(|byte| byte == b';')?;
    let name = &rest[1..end];
    let named = match name {
        "amp" | "AMP" => Some('&'),
        "lt" | "LT" => Some('<'),
        "gt" | "GT" => Some('>'),
        "quot" | "QUOT" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        "sol" => Some('/'),
        "plus" => Some('+'),
        _ => numeric_reference(name),
    };
    (named == Some(wanted)).then_some(end + 1)
}

fn numeric_reference(name: &str) -> Option<char> {
    let digits = name.strip_prefix('#')?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    char::from_u32(code.ok()?)
}
