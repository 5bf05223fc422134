//! Text of elements and of published values: white space, entities, case and words.

use std::borrow::Cow;

use crate::dom::{Dom, Id};
use crate::entities::decode_entities;

/// White space runs become one space, ends are trimmed; no-break spaces and zero-width marks count as white space.
#[must_use]
pub fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' | '\u{2060}')
}

/// A published string as a reader would see it: tags dropped, entities decoded, white space collapsed.
#[must_use]
pub fn clean(text: &str) -> String {
    let decoded = decode_entities(text);
    let decoded = mended(decoded);
    let plain = if decoded.contains('<') && decoded.contains('>') { strip_tags(&decoded) } else { decoded };
    collapse(&plain)
}

/// UTF-8 that was read as Latin-1 and encoded again (`Â¼`, `Ã©`) is put right if all of it can be.
fn mended(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains(['Â', 'Ã', 'â']) {
        return text;
    }
    let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    match bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(mended) => Cow::Owned(mended),
        None => text,
    }
}

/// Drops what looks like tags (`<` and a letter or slash, to the next `>`), a space in place of block ends.
fn strip_tags(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let after = rest.get(start + 1..).unwrap_or("");
        let is_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        let end = after.find('>').filter(|_| is_tag);
        out.push_str(rest.get(..start).unwrap_or(""));
        let Some(end) = end else {
            out.push('<');
            rest = after;
            continue;
        };
        if !is_inline_tag(after.trim_start_matches('/')) {
            out.push(' ');
        }
        rest = after.get(end + 1..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn is_inline_tag(tag: &str) -> bool {
    let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
    matches!(
        name,
        "a" | "b" | "i" | "em" | "strong" | "span" | "u" | "sup" | "sub" | "small" | "mark" | "font" | "code"
    )
}

/// Elements whose content is no text of the page: code, or markup for browsers without scripts or frames.
fn holds_no_text(name: &str) -> bool {
    matches!(name, "script" | "style" | "template" | "noscript" | "iframe" | "noembed" | "noframes")
}

/// Elements that never show text of their own.
#[must_use]
pub fn is_silent(name: &str) -> bool {
    holds_no_text(name)
        || matches!(
            name,
            "head" | "svg" | "math" | "object" | "video" | "audio" | "canvas" | "datalist" | "select" | "textarea"
        )
}

/// Elements that start on a line of their own.
#[must_use]
pub fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "br"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "option"
            | "p"
            | "pre"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "caption"
            | "button"
    )
}

/// Whether the element itself says that it is not shown.
#[must_use]
pub fn is_hidden(dom: &Dom, id: Id) -> bool {
    let Some(element) = dom.element(id) else { return false };
    element.attrs.iter().any(|attr| match &*attr.name.local {
        "hidden" => &*attr.value != "until-found",
        "aria-hidden" => false,
        "style" => hides(&attr.value),
        "type" => &*element.name == "input" && attr.value.eq_ignore_ascii_case("hidden"),
        _ => false,
    })
}

fn hides(style: &str) -> bool {
    if !style.contains("none") && !style.contains("hidden") && !style.contains("NONE") {
        return false;
    }
    let compact: String = style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    compact.contains("display:none") || compact.contains("visibility:hidden")
}

/// Text being put together with white space collapsed as it grows.
#[derive(Debug, Default)]
struct Collapsed {
    out: String,
    gap: bool,
}

impl Collapsed {
    /// Adds words until there are more than `bytes_max` bytes: a text node can be megabytes long.
    fn push(&mut self, text: &str, bytes_max: usize) {
        if text.starts_with(is_space) {
            self.gap = true;
        }
        let mut first = true;
        for word in text.split(is_space).filter(|word| !word.is_empty()) {
            if self.out.len() > bytes_max {
                return;
            }
            if (self.gap || !first) && !self.out.is_empty() {
                self.out.push(' ');
            }
            self.out.push_str(word);
            self.gap = false;
            first = false;
        }
        if text.ends_with(is_space) {
            self.gap = true;
        }
    }
}

/// The text a subtree shows: hidden and silent parts left out, blocks apart, white space collapsed.
#[must_use]
pub fn shown(dom: &Dom, id: Id) -> String {
    shown_up_to(dom, id, usize::MAX)
}

/// Like [`shown`], ending with the text node that passes `bytes_max` bytes.
#[must_use]
pub fn shown_up_to(dom: &Dom, id: Id, bytes_max: usize) -> String {
    let mut text = Collapsed::default();
    let mut at = id;
    // A long run of empty elements shows nothing; the bound keeps a short look short.
    let nodes_max = Id::try_from(bytes_max.saturating_mul(4).saturating_add(200)).unwrap_or(Id::MAX);
    let end = dom.end(id).min(id.saturating_add(nodes_max));
    while at < end && text.out.len() <= bytes_max {
        if let Some(node) = dom.text_node(at) {
            text.push(node, bytes_max);
        } else if dom.element(at).is_some() {
            let name = dom.name(at);
            if (is_silent(name) || is_hidden(dom, at)) && at != id {
                at = dom.end(at);
                text.gap = true;
                continue;
            }
            if is_block(name) {
                text.gap = true;
            }
        }
        at += 1;
        // Leaving a block ends its line too.
        if at < end && is_block_end(dom, at) {
            text.gap = true;
        }
    }
    text.out
}

/// Like [`content`], with the white space of the source as mere spaces, so that only blocks and breaks end lines.
#[must_use]
pub fn content_lines(dom: &Dom, id: Id, bytes_max: usize) -> String {
    let spaced = |c: char| if c == '\n' || c == '\r' { ' ' } else { c };
    gather(dom, id, bytes_max, |out, text| out.extend(text.chars().map(spaced)), |_| false)
}

/// All text of a subtree but what [`holds_no_text`], hidden parts too, blocks on lines of their own.
#[must_use]
pub fn content(dom: &Dom, id: Id, bytes_max: usize) -> String {
    gather(dom, id, bytes_max, String::push_str, |at| is_block_end(dom, at))
}

/// Adds each text of a subtree; a line ends where a block begins, and before the nodes that end one.
fn gather(
    dom: &Dom,
    id: Id,
    bytes_max: usize,
    add: impl Fn(&mut String, &str),
    ends_line: impl Fn(Id) -> bool,
) -> String {
    let mut out = String::new();
    let mut at = id;
    while at < dom.end(id) && out.len() < bytes_max {
        let name = dom.name(at);
        if holds_no_text(name) && at != id {
            at = dom.end(at);
            continue;
        }
        if let Some(text) = dom.text_node(at) {
            add(&mut out, text);
        } else if is_block(name) {
            out.push('\n');
        }
        at += 1;
        if at < dom.end(id) && ends_line(at) {
            out.push('\n');
        }
    }
    out
}

/// Whether the node before `at` closed a block.
fn is_block_end(dom: &Dom, at: Id) -> bool {
    let parent = dom.parent(at);
    let mut before = dom.parent(at - 1);
    if dom.element(at - 1).is_some() && at - 1 != parent {
        before = at - 1;
    }
    while before != parent && before != 0 && before > parent {
        if is_block(dom.name(before)) {
            return true;
        }
        before = dom.parent(before);
    }
    false
}

/// Lower case, letters and digits only: the form in which names are compared.
#[must_use]
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name
            .bytes()
            .filter(u8::is_ascii_alphanumeric)
            .map(|byte| char::from(byte.to_ascii_lowercase()))
            .collect();
    }
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words of a name written in camel, snake, kebab or plain case, lower case.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    if name.is_ascii() {
        return ascii_words(name.as_bytes());
    }
    let mut words: Vec<String> = Vec::new();
    let mut previous = ' ';
    let mut fresh = true;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            fresh = true;
        } else {
            if fresh || (c.is_uppercase() && previous.is_lowercase()) {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
            fresh = false;
        }
        previous = c;
    }
    words
}

fn ascii_words(name: &[u8]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = b' ';
    let mut fresh = true;
    for byte in name {
        if !byte.is_ascii_alphanumeric() {
            fresh = true;
        } else {
            if fresh || (byte.is_ascii_uppercase() && previous.is_ascii_lowercase()) {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.push(char::from(byte.to_ascii_lowercase()));
            }
            fresh = false;
        }
        previous = *byte;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn names_in_every_case_are_the_same_words() {
        for name in ["ratingCount", "rating_count", "rating-count", "Rating Count"] {
            assert_eq!(words(name), ["rating", "count"]);
            assert_eq!(fold(name), "ratingcount");
        }
    }

    #[test]
    fn entities_are_decoded_until_stable() {
        assert_eq!(clean("Salt &amp;amp; Pepper&nbsp; &#8217;x &eacute;"), "Salt & Pepper ’x é");
        assert_eq!(clean("AT&T <b>bold</b><br>next a < b"), "AT&T bold next a < b");
    }

    #[test]
    fn shown_text_leaves_hidden_parts_out_and_blocks_apart() {
        let dom = parse(
            "<div><p>a<b>b</b></p><p style='display: none'>no</p><script>x</script><span hidden>h</span><div>c</div>d</div>",
        );
        assert_eq!(shown(&dom, 0), "ab c d");
    }
}
