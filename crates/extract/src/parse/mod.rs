//! HTML to [`Dom`]: html5ever's tokenizer and tree builder (the WHATWG algorithm) into an arena, with bounds on depth, nodes and work.

mod arena;
mod attributes;
mod plain;
mod raw_text;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, local_name};
use memchr::memchr;

use crate::dom::Dom;
use arena::{ArenaSink, Handle, NODES_MAX};
use plain::{Plain, has_raw_content};
use raw_text::Raw;

/// Deepest element kept; deeper start tags are dropped, their text stays. Browsers stop at the same depth.
const DEPTH_MAX: u32 = 512;

/// Parses a page as a browser with scripting would; never fails.
#[must_use]
pub fn parse(html: &str) -> Dom {
    read(html, true).into_dom()
}

/// Whether [`parse`] makes the tree that the tokenizer alone makes, for tests. Past the bound on work the two may end at
/// different places.
#[must_use]
pub fn reads_as_by_tokenizer(html: &str) -> bool {
    let (plain, by_tokenizer) = (read(html, true), read(html, false));
    plain.exhausted() || by_tokenizer.exhausted() || plain.into_dom() == by_tokenizer.into_dom()
}

fn read(html: &str, passes_plain: bool) -> ArenaSink {
    let html = attributes::cut(html.strip_prefix('\u{feff}').unwrap_or(html));
    let page = StrTendril::from(&*newlines_as_in_the_tree(&html));
    let plain = Plain { page: &page };
    let reader = Reader { tokenizer: tokenizer(page.len()), input: BufferQueue::default(), plain };
    if passes_plain {
        reader.read();
    } else {
        reader.feed(0, page.len());
    }
    reader.tokenizer.end();
    reader.tokenizer.sink.builder.sink
}

fn newlines_as_in_the_tree(html: &str) -> Cow<'_, str> {
    match memchr(b'\r', html.as_bytes()) {
        Some(_) => Cow::Owned(html.replace("\r\n", "\n").replace('\r', "\n")),
        None => Cow::Borrowed(html),
    }
}

fn tokenizer(bytes: usize) -> Tokenizer<Bounded> {
    let opts = TreeBuilderOpts { drop_doctype: true, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(ArenaSink::new(bytes), opts);
    let bounded = Bounded { builder, dropped: RefCell::new(Vec::new()), place: Cell::new(Place::Markup) };
    // It would look for the mark at the start of each part.
    Tokenizer::new(bounded, TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() })
}

/// Where in the page the tokenizer is after what it was given, as far as its last token tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Where markup or text begins.
    Markup,
    /// Where the content of such an element begins.
    RawText(Raw),
    /// Anywhere.
    Unknown,
}

/// Passes a page on to the tree builder: what is plain directly, all else by way of the tokenizer.
struct Reader<'a> {
    tokenizer: Tokenizer<Bounded>,
    input: BufferQueue,
    plain: Plain<'a>,
}

impl Reader<'_> {
    fn read(&self) {
        let page = self.plain.page;
        let mut at = 0;
        while at < page.len() {
            let place = self.tokenizer.sink.place.get();
            let passed = match place {
                Place::Markup => self.pass_plain(at),
                Place::RawText(raw) => self.pass_raw_text(at, raw),
                Place::Unknown => None,
            };
            at = passed.unwrap_or_else(|| self.feed_to_tag_end(at));
        }
    }

    /// Passes on the plain tag or text at `at`; the tokenizer stays where it is, before markup.
    fn pass_plain(&self, at: usize) -> Option<usize> {
        let is_tag = self.plain.page.as_bytes().get(at) == Some(&b'<');
        let (token, end) = if is_tag {
            self.plain.tag(at).map(|(tag, end)| (Token::TagToken(tag), end))?
        } else {
            self.plain.text(at).map(|(text, end)| (Token::CharacterTokens(text), end))?
        };
        let result = self.tokenizer.sink.process_token(token, 0);
        debug_assert!(
            !matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext),
            "an element with raw content is not plain"
        );
        self.tokenizer.sink.place.set(Place::Markup);
        Some(end)
    }

    fn pass_raw_text(&self, at: usize, raw: Raw) -> Option<usize> {
        let len = raw_text::len(self.plain.page.get(at..)?, raw).filter(|len| *len > 0)?;
        let _ = self.tokenizer.sink.process_token(Token::CharacterTokens(self.plain.part(at, at + len)), 0);
        Some(at + len)
    }

    /// Feeds the tokenizer to the next `>`: only there does a tag or a comment end, and only one can, so when the last token
    /// was one, it is known where the tokenizer is.
    fn feed_to_tag_end(&self, at: usize) -> usize {
        let rest = self.plain.page.as_bytes().get(at..).unwrap_or(&[]);
        let end = memchr(b'>', rest).map_or(self.plain.page.len(), |found| at + found + 1);
        self.tokenizer.sink.place.set(Place::Unknown);
        self.feed(at, end);
        end
    }

    fn feed(&self, from: usize, to: usize) {
        self.input.push_back(self.plain.part(from, to));
        // A script's end hands control back to the caller; the page's scripts are not run, so it is fed on.
        while !matches!(self.tokenizer.feed(&self.input), TokenizerResult::Done) {}
    }
}

/// Passes tokens on to the tree builder, but drops start tags (and their end tags) past the bounds.
struct Bounded {
    builder: TreeBuilder<Handle, ArenaSink>,
    dropped: RefCell<Vec<LocalName>>,
    place: Cell<Place>,
}

impl Bounded {
    fn drops(&self, tag: &Tag) -> bool {
        let sink = &self.builder.sink;
        if sink.exhausted() {
            return true;
        }
        let mut dropped = self.dropped.borrow_mut();
        match tag.kind {
            TagKind::StartTag => {
                let too_deep = sink.depth() >= DEPTH_MAX && !tag.self_closing && !has_raw_content(&tag.name);
                if too_deep && dropped.len() < NODES_MAX {
                    dropped.push(tag.name.clone());
                }
                too_deep
            }
            TagKind::EndTag if dropped.last() == Some(&tag.name) => {
                dropped.pop();
                true
            }
            TagKind::EndTag => false,
        }
    }
}

impl TokenSink for Bounded {
    type Handle = Handle;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<Handle> {
        let raw = match &token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) if tag.name == local_name!("script") => Some(Raw::Script),
            Token::TagToken(tag) if tag.name == local_name!("style") => Some(Raw::Style),
            _ => None,
        };
        let ends_markup = matches!(token, Token::TagToken(_) | Token::CommentToken(_) | Token::DoctypeToken(_));
        let drop = match &token {
            Token::TagToken(tag) => self.drops(tag),
            Token::CharacterTokens(_) | Token::NullCharacterToken => self.builder.sink.exhausted(),
            Token::CommentToken(_) | Token::ParseError(_) => true,
            Token::DoctypeToken(_) | Token::EOFToken => false,
        };
        let result = if drop { TokenSinkResult::Continue } else { self.builder.process_token(token, line_number) };
        self.place.set(match (&result, raw) {
            (TokenSinkResult::RawData(_), Some(raw)) => Place::RawText(raw),
            (TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext, _) => Place::Unknown,
            _ if ends_markup => Place::Markup,
            _ => Place::Unknown,
        });
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtree_is_a_slice_in_tree_order() {
        let dom = parse("<ul><li>a<b>c</b><li>d</ul><p>e");
        let names: Vec<&str> = (0..dom.len()).map(|id| dom.name(id)).filter(|name| !name.is_empty()).collect();
        assert_eq!(names, ["html", "head", "body", "ul", "li", "b", "li", "p"]);
        let list = (0..dom.len()).find(|id| dom.name(*id) == "ul").unwrap();
        assert_eq!(dom.raw_text(list, 100), "acd");
        assert_eq!(dom.child_elements(list).count(), 2);
    }

    #[test]
    fn deep_nesting_is_cut_without_losing_the_text() {
        let html = format!("{}deep{}after", "<div>".repeat(100_000), "</div>".repeat(100_000));
        let dom = parse(&html);
        assert_eq!(dom.raw_text(0, 1000), "deepafter");
        assert!(dom.len() < 1200);
    }

    #[test]
    fn absurdly_many_attributes_are_cut_and_the_page_goes_on() {
        let many: String = (0..30_000).map(|at| format!("a{at} ")).collect();
        let dom = parse(&format!("<p {many}>one<p class='x > y'>two"));
        assert_eq!(dom.raw_text(0, 1000), "onetwo");
    }

    #[test]
    fn misnested_tables_keep_their_text() {
        let dom = parse("<table>lost<tr><td>a<table><tr><td>b</table></table><b>x<p>y</b>z");
        assert_eq!(dom.raw_text(0, 1000), "lostabxyz");
    }

    /// Pieces that end, begin, break or hide each other in any order.
    const PIECES: &[&str] = &[
        "<",
        ">",
        "/",
        "=",
        "\"",
        "'",
        "&",
        "&amp;",
        "&am",
        " ",
        "\n",
        "\r\n",
        "\r",
        "\0",
        "é",
        "a",
        "B",
        "x y",
        "<p>",
        "</p>",
        "<P CLASS=x>",
        "<b",
        "<i a=1 a=2>",
        "<a href=/x/>",
        "<a href='x&amp;y'>",
        "<a b=c&amp;d>",
        "<a b=\"\0\">",
        "<b =x>",
        "<b c=\"d\"e>",
        "<b c=d/>",
        "<b c= d>",
        "<b c=\"d\">",
        "<b C D/>",
        "<a href=\"a>b\">",
        "<br/>",
        "<br a/>",
        "<div a = b>",
        "<div a =\"b\" c>",
        "<div/a>",
        "<!--",
        "-->",
        "--!>",
        "<!-->",
        "<!doctype html>",
        "<?x ",
        "<![CDATA[",
        "]]>",
        "<script>",
        "<script a='>'>",
        "</script>",
        "</SCRIPT >",
        "</script",
        "<!--<script>",
        "<style>",
        "</style>",
        "</style/>",
        "<title>",
        "</title>",
        "<textarea>\n",
        "</textarea>",
        "<noscript>",
        "</noscript>",
        "<xmp>",
        "</xmp>",
        "<noembed>",
        "</noembed>",
        "<noframes>",
        "</noframes>",
        "<frameset>",
        "<frame>",
        "\t",
        "\x0c",
        "<iframe>",
        "</iframe>",
        "<plaintext>",
        "<pre>\n",
        "<svg>",
        "</svg>",
        "<svg viewBox=1><title>",
        "<math>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<select>",
        "<option>",
        "<template>",
        "</template>",
        "<form>",
        "</form>",
        "<body a>",
        "<html b=c>",
        "<head>",
        "<meta charset=x>",
        "</br>",
        "</p a>",
        "<x-y z_1:2>",
        "<1>",
        "</1>",
        "<é>",
    ];

    fn pieces() -> Vec<String> {
        let attributes: String = (0..150).map(|number| format!(" a{number}")).collect();
        PIECES.iter().map(|piece| (*piece).to_owned()).chain([format!("<p{attributes}>")]).collect()
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(4000))]
        #[test]
        fn what_is_read_past_the_tokenizer_is_read_as_by_it(
            pieces in proptest::collection::vec(proptest::sample::select(pieces()), 0..24),
        ) {
            let html = pieces.concat();
            proptest::prop_assert!(reads_as_by_tokenizer(&html));
        }
    }
}
