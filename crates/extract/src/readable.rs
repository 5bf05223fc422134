//! The visible page as text a person can read: markdown-like headings, lists, tables and links.

use crate::dom::{Dom, Id};
use crate::page;
use crate::parse::parse;
use crate::text::{collapse, is_block, is_hidden, is_silent, shown_up_to};

/// Most links kept.
const LINKS_MAX: usize = 5000;
/// Longest text kept, in bytes.
const TEXT_BYTES_MAX: usize = 4 << 20;

/// A link that the page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its text.
    pub text: String,
    /// Its address, absolute.
    pub url: String,
}

/// A page as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Text of `title`.
    pub title: String,
    /// The shown text, markdown-like.
    pub text: String,
    /// The shown links, in order.
    pub links: Vec<Link>,
    /// The page's language tag, as written.
    pub lang: String,
}

/// Reads a page as text.
#[must_use]
pub fn readable(html: &str, url: &str) -> Page {
    let page = page::Page::new(parse(html), url);
    let mut writer = Writer { page: &page, out: String::new(), links: Vec::new() };
    writer.body();
    let text = tidy(&writer.out);
    Page { title: page.title.clone(), text, links: writer.links, lang: page.lang.clone() }
}

struct Writer<'a> {
    page: &'a page::Page,
    out: String,
    links: Vec<Link>,
}

impl Writer<'_> {
    fn body(&mut self) {
        let dom = &self.page.dom;
        let mut at = self.page.body;
        let end = dom.end(at);
        let mut open: Vec<Id> = Vec::new();
        while at < end && self.out.len() < TEXT_BYTES_MAX {
            while let Some(last) = open.last().copied().filter(|last| dom.end(*last) <= at) {
                open.pop();
                self.close(last);
            }
            if let Some(text) = dom.text_node(at) {
                self.text(text);
            } else if at != self.page.body && (is_silent(dom.name(at)) || is_hidden(dom, at)) {
                at = dom.end(at);
                continue;
            } else if dom.element(at).is_some() {
                self.open(at);
                open.push(at);
            }
            at += 1;
        }
        while let Some(last) = open.pop() {
            self.close(last);
        }
    }

    fn text(&mut self, text: &str) {
        let plain = collapse(text);
        if plain.is_empty() {
            if !text.is_empty() && !self.out.ends_with(['\n', ' ']) {
                self.out.push(' ');
            }
            return;
        }
        if text.starts_with(char::is_whitespace) && !self.out.ends_with(['\n', ' ']) {
            self.out.push(' ');
        }
        self.out.push_str(&plain);
        if text.ends_with(char::is_whitespace) {
            self.out.push(' ');
        }
    }

    fn line(&mut self) {
        while self.out.ends_with(' ') {
            self.out.pop();
        }
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn open(&mut self, id: Id) {
        let name = self.page.dom.name(id);
        if matches!(name, "td" | "th") {
            if !self.out.ends_with('\n') && !self.out.is_empty() {
                self.out.push_str(" | ");
            }
            return;
        }
        if is_block(name) {
            self.line();
        }
        match name {
            "h1" => self.out.push_str("\n# "),
            "h2" => self.out.push_str("\n## "),
            "h3" => self.out.push_str("\n### "),
            "h4" | "h5" | "h6" => self.out.push_str("\n#### "),
            "li" => self.out.push_str("- "),
            "p" | "table" | "ul" | "ol" | "section" | "article" => self.out.push('\n'),
            "img" => self.image(id),
            _ => {}
        }
    }

    fn image(&mut self, id: Id) {
        let alt = collapse(self.page.dom.attr(id, "alt").unwrap_or(""));
        if !alt.is_empty() {
            self.out.push_str(&format!("[image: {alt}] "));
        }
    }

    fn close(&mut self, id: Id) {
        let name = self.page.dom.name(id);
        if name == "a" && self.links.len() < LINKS_MAX {
            self.link(id);
        }
        if is_block(name) && !matches!(name, "td" | "th") {
            self.line();
        }
    }

    fn link(&mut self, id: Id) {
        let dom: &Dom = &self.page.dom;
        let text = shown_up_to(dom, id, 500);
        let text = if text.is_empty() {
            collapse(dom.attr(id, "aria-label").or_else(|| dom.attr(id, "title")).unwrap_or(""))
        } else {
            text
        };
        if let Some(url) = dom.attr(id, "href").and_then(|href| self.page.absolute(href)) {
            self.links.push(Link { text, url });
        }
    }
}

/// At most one empty line in a row, no spaces at line ends.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = true;
    for line in text.lines() {
        let line = line.trim_end();
        if line.trim_matches(['-', ' ', '#', '|']).is_empty() {
            if !empty {
                out.push('\n');
            }
            empty = true;
            continue;
        }
        out.push_str(line);
        out.push('\n');
        empty = false;
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_as_headings_lists_and_links() {
        let page = readable(
            "<html lang=en><title>T</title><body><h1>Head</h1><p>One <b>two</b>.</p><ul><li><a href='/x'>X</a><li>Y</ul><script>no</script>",
            "https://example.com/a/",
        );
        assert_eq!(page.text, "# Head\n\nOne two.\n\n- X\n- Y");
        assert_eq!(page.links, [Link { text: "X".to_owned(), url: "https://example.com/x".to_owned() }]);
        assert_eq!((page.title.as_str(), page.lang.as_str()), ("T", "en"));
    }
}
