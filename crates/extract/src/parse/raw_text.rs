//! Scripts and style sheets are half of many pages, and of them the parser needs only the end, which is looked for here.

use memchr::{memchr, memchr_iter, memmem};

/// An element whose content is raw text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raw {
    Script,
    Style,
}

impl Raw {
    fn name(self) -> &'static str {
        match self {
            Raw::Script => "script",
            Raw::Style => "style",
        }
    }
}

/// How long the raw text at the start of `html` is, up to its end tag; `None` where only the tokenizer can tell.
pub fn len(html: &str, raw: Raw) -> Option<usize> {
    let len = end_tag(html, raw.name())?;
    let text = html.as_bytes().get(..len)?;
    let is_clear = memchr(0, text).is_none() && !(raw == Raw::Script && hides_its_end(text));
    is_clear.then_some(len)
}

fn end_tag(html: &str, name: &str) -> Option<usize> {
    let bytes = html.as_bytes();
    memmem::find_iter(bytes, "</").find(|start| begins_tag(bytes, start + 2, name))
}

/// A script that opens a comment and a script in it may go on past the first end tag.
fn hides_its_end(script: &[u8]) -> bool {
    memmem::find(script, b"<!--").is_some_and(|open| {
        memchr_iter(b'<', script.get(open..).unwrap_or(&[])).any(|at| begins_tag(script, open + at + 1, "script"))
    })
}

/// Whether a tag's name, in any case, and its end are at `at`.
fn begins_tag(html: &[u8], at: usize, name: &str) -> bool {
    let Some(found) = html.get(at..at + name.len()) else { return false };
    let ends = html.get(at + name.len()).is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
    ends && found.eq_ignore_ascii_case(name.as_bytes())
}
