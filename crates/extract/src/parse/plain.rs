//! Tags and text as most pages write most of them. They are read here, faster than a tokenizer reads them that goes from
//! character to character and keeps a state; whatever is written in any other way is left to the tokenizer.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use memchr::{memchr, memchr2};

/// Tags with more attributes are left to the tokenizer, as each attribute is compared with those before it.
const ATTRIBUTES_MAX: usize = 100;

/// A page whose newlines are `\n` alone.
pub struct Plain<'a> {
    pub page: &'a StrTendril,
}

impl Plain<'_> {
    /// The text from `at` up to the next tag, if it has no character references.
    pub fn text(&self, at: usize) -> Option<(StrTendril, usize)> {
        let rest = self.page.as_bytes().get(at..)?;
        let len = memchr(b'<', rest).unwrap_or(rest.len());
        let is_plain = len > 0 && memchr2(b'&', 0, rest.get(..len)?).is_none();
        is_plain.then(|| (self.part(at, at + len), at + len))
    }

    /// The tag whose `<` is at `at`, and where it ends, if nothing about it is unusual.
    pub fn tag(&self, at: usize) -> Option<(Tag, usize)> {
        let bytes = self.page.as_bytes();
        let (kind, start) = match bytes.get(at + 1)? {
            b'/' => (TagKind::EndTag, at + 2),
            _ => (TagKind::StartTag, at + 1),
        };
        let mut end = self.name_end(start);
        if !bytes.get(start)?.is_ascii_alphabetic() {
            return None;
        }
        let tag_name = self.name(start, end);
        if has_raw_content(&tag_name) {
            return None;
        }
        let mut tag =
            Tag { kind, name: tag_name, self_closing: false, attrs: Vec::new(), had_duplicate_attributes: false };
        loop {
            end += bytes.get(end..)?.iter().take_while(|byte| is_space(**byte)).count();
            match bytes.get(end)? {
                b'>' => return Some((tag, end + 1)),
                b'/' if bytes.get(end + 1) == Some(&b'>') && kind == TagKind::StartTag => {
                    tag.self_closing = true;
                    return Some((tag, end + 2));
                }
                _ if kind == TagKind::EndTag || tag.attrs.len() == ATTRIBUTES_MAX => return None,
                _ => {}
            }
            let name_end = self.name_end(end);
            if name_end == end {
                return None;
            }
            let name = self.name(end, name_end);
            let value;
            (value, end) = self.value(name_end)?;
            if tag.attrs.iter().any(|attr| attr.name.local == name) {
                tag.had_duplicate_attributes = true;
            } else {
                tag.attrs.push(Attribute { name: QualName::new(None, ns!(), name), value });
            }
        }
    }

    /// The value after an attribute's name, and where it ends.
    fn value(&self, at: usize) -> Option<(StrTendril, usize)> {
        let bytes = self.page.as_bytes();
        let after_name = *bytes.get(at)?;
        if after_name != b'=' {
            // White space may be followed by the sign: then no name is found there, and the tag is not plain.
            let ends = is_space(after_name) || matches!(after_name, b'>' | b'/');
            return ends.then(|| (StrTendril::new(), at));
        }
        let start = at + 1;
        let rest = bytes.get(start + 1..)?;
        let (from, len, end) = match *bytes.get(start)? {
            quote @ (b'"' | b'\'') => {
                let len = memchr(quote, rest)?;
                (start + 1, len, start + len + 2)
            }
            _ => {
                let value = bytes.get(start..)?;
                let len = value.iter().take_while(|byte| is_bare(**byte)).count();
                let ends = len > 0 && value.get(len).is_some_and(|byte| is_space(*byte) || *byte == b'>');
                ends.then_some((start, len, start + len))?
            }
        };
        let is_plain = memchr2(b'&', 0, bytes.get(from..from + len)?).is_none();
        is_plain.then(|| (self.part(from, from + len), end))
    }

    fn name_end(&self, at: usize) -> usize {
        let rest = self.page.as_bytes().get(at..).unwrap_or(&[]);
        at + rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':')).count()
    }

    fn name(&self, from: usize, to: usize) -> LocalName {
        let name = self.page.get(from..to).unwrap_or("");
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            LocalName::from(name.to_ascii_lowercase())
        } else {
            LocalName::from(name)
        }
    }

    /// A part of the page that shares its memory.
    pub fn part(&self, from: usize, to: usize) -> StrTendril {
        // Both fit: a tendril is shorter than 4 GB.
        let as_u32 = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        self.page.subtendril(as_u32(from), as_u32(to - from))
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\x0c')
}

/// What may stand in a value without quotes, with nothing to say about it.
fn is_bare(byte: u8) -> bool {
    !is_space(byte) && !matches!(byte, b'>' | b'"' | b'\'' | b'<' | b'=' | b'`' | b'&' | 0)
}

/// Elements whose content is not read as markup: the tokenizer must know that it is in one.
pub fn has_raw_content(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("script")
            | local_name!("style")
            | local_name!("title")
            | local_name!("textarea")
            | local_name!("xmp")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("noscript")
            | local_name!("plaintext")
    )
}
