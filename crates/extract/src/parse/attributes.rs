//! Tags with absurdly many attributes are cut before the tokenizer sees them.

use std::borrow::Cow;

use memchr::{memchr, memchr3};

/// Pages shorter than this, in bytes, cannot hold enough attributes to matter.
const ATTRIBUTES_BYTES_MIN: usize = 64 << 10;
/// Most places in one tag at which an attribute may begin; the tokenizer compares each attribute with all before it.
const ATTRIBUTES_MAX: usize = 2000;

/// Tags shorter than this, in bytes, cannot hold so many.
const TAG_BYTES_MIN: usize = 2 * ATTRIBUTES_MAX;

/// Cuts the rest out of tags that have absurdly many attributes.
pub fn cut(html: &str) -> Cow<'_, str> {
    if html.len() < ATTRIBUTES_BYTES_MIN {
        return Cow::Borrowed(html);
    }
    let bytes = html.as_bytes();
    let mut out: Option<String> = None;
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'<', rest)) {
        let start = at + found + 1;
        if !bytes.get(start).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/') {
            at = start;
            continue;
        }
        let end = tag_end(html, start);
        if end - start < TAG_BYTES_MIN {
            at = end;
            continue;
        }
        let tag = scan_tag(bytes, start);
        if let Some(full) = tag.full_at.filter(|full| html.is_char_boundary(*full) && html.is_char_boundary(tag.end)) {
            let cut = out.get_or_insert_with(|| String::with_capacity(html.len()));
            cut.push_str(html.get(kept..full).unwrap_or(""));
            kept = tag.end;
        }
        at = tag.end.max(start);
    }
    match out {
        Some(mut cut) => {
            cut.push_str(html.get(kept..).unwrap_or(""));
            Cow::Owned(cut)
        }
        None => Cow::Borrowed(html),
    }
}

/// Where a tag's `>` outside quotes is; values in quotes are passed over at once.
fn tag_end(html: &str, start: usize) -> usize {
    let bytes = html.as_bytes();
    let mut at = start;
    loop {
        let Some(found) = memchr3(b'>', b'"', b'\'', bytes.get(at..).unwrap_or(&[])) else { return bytes.len() };
        at += found;
        let quote = match bytes.get(at) {
            Some(quote @ (b'"' | b'\'')) => *quote,
            _ => return at,
        };
        let opens = bytes.get(start..at).is_some_and(|before| before.trim_ascii_end().ends_with(b"="));
        at += 1;
        if opens {
            let Some(len) = bytes.get(at..).and_then(|value| memchr(quote, value)) else { return bytes.len() };
            at += len + 1;
        }
    }
}

/// A tag's extent, and where it had all the attributes it may have.
struct TagScan {
    end: usize,
    full_at: Option<usize>,
}

/// Walks a tag to its `>` outside quotes, counting what can begin an attribute.
fn scan_tag(bytes: &[u8], start: usize) -> TagScan {
    let mut count = 0;
    let mut full_at = None;
    let mut quote = 0u8;
    let mut at = start;
    let mut previous = b' ';
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            _ if quote != 0 && byte == quote => {
                quote = 0;
                count += 1;
            }
            _ if quote != 0 => {}
            b'>' => break,
            b'"' | b'\'' if previous == b'=' => quote = byte,
            b' ' | b'\n' | b'\t' | b'\r' | b'/' if !matches!(previous, b' ' | b'\n' | b'\t' | b'\r' | b'/') => {
                count += 1
            }
            _ => {}
        }
        if count > ATTRIBUTES_MAX && quote == 0 && full_at.is_none() {
            full_at = Some(at);
        }
        previous = if byte.is_ascii_whitespace() && previous == b'=' { b'=' } else { byte };
        at += 1;
    }
    TagScan { end: at, full_at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_ends_outside_quotes_however_it_is_found() {
        for tag in
            ["a b='>' c = \">\" d>x", "a 'b>' c>", "a b=\"c", "a", "a b='c'd='e>'>", "a =\n'>' b>", "a b='é>\" >' c>\""]
        {
            assert_eq!(tag_end(tag, 0), scan_tag(tag.as_bytes(), 0).end, "{tag}");
        }
    }
}
