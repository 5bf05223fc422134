//! From a page's bytes to its text: which character encoding they have (WHATWG HTML, "determining the character
//! encoding"), and decoding them.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// A document's own declaration must stand this near to its start.
const PRESCAN_BYTES: usize = 1024;
const CHARSET: &[u8] = b"charset";

/// The text of a page; bytes that are none become replacement characters.
///
/// The first of these counts: a byte order mark, the transport's `content-type`, the document's own declaration, UTF-8
/// when the bytes are that, and else windows-1252, which the standard suggests for most of the world.
#[must_use]
pub(crate) fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    let encoding = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| content_type.and_then(transport_charset))
        .or_else(|| declared(&bytes[..bytes.len().min(PRESCAN_BYTES)]))
        .unwrap_or_else(|| fallback(bytes));
    encoding.decode(bytes).0.into_owned()
}

fn fallback(bytes: &[u8]) -> &'static Encoding {
    if str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 }
}

/// The `charset` parameter of a media type.
fn transport_charset(content_type: &str) -> Option<&'static Encoding> {
    let parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, label) = parameters.into_iter().find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// "Prescan a byte stream to determine its encoding": a `meta` element, else an XML declaration.
fn declared(start: &[u8]) -> Option<&'static Encoding> {
    match start {
        [b'<', 0, b'?', 0, b'x', 0, ..] => return Some(UTF_16LE),
        [0, b'<', 0, b'?', 0, b'x', ..] => return Some(UTF_16BE),
        _ => {}
    }
    let mut scan = Scan { bytes: start, at: 0 };
    scan.meta().or_else(|| xml_declared(start))
}

/// The encoding of an XML declaration at the very start.
fn xml_declared(start: &[u8]) -> Option<&'static Encoding> {
    let rest = start.strip_prefix(b"<?xml")?;
    let declaration = &rest[..rest.iter().position(|byte| *byte == b'>')?];
    let name = b"encoding";
    let at = declaration.windows(name.len()).position(|window| window == name)? + name.len();
    let value = declaration[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, rest) = value.split_first().filter(|(quote, _)| matches!(**quote, b'"' | b'\''))?;
    let end = rest.iter().position(|byte| byte == quote)?;
    Encoding::for_label(&rest[..end]).map(of_ascii_document)
}

/// What was read as ASCII cannot be UTF-16, and `x-user-defined` stands for windows-1252.
fn of_ascii_document(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// A place in the document's first bytes.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    /// The encoding that the first `meta` with a usable one names; those in comments and in other tags do not count.
    fn meta(&mut self) -> Option<&'static Encoding> {
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                // The two dashes that begin a comment may be those that end it.
                self.at += 2;
                self.skip_past(b"-->")?;
            } else if is_meta(rest) {
                self.at += b"<meta".len();
                if let Some(encoding) = self.meta_encoding()? {
                    return Some(encoding);
                }
            } else if let Some(name_at) = tag_name_at(rest) {
                self.at += name_at;
                self.at += self.bytes[self.at..].iter().position(|byte| ends_word(*byte) || *byte == b'>')?;
                while self.attribute()?.is_some() {}
            } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
                self.skip_past(b">")?;
            } else {
                self.at += 1;
            }
        }
        None
    }

    fn skip_past(&mut self, mark: &[u8]) -> Option<()> {
        let found = self.bytes[self.at..].windows(mark.len()).position(|window| window == mark)?;
        self.at += found + mark.len();
        Some(())
    }

    /// What one `meta` names, if it does. The outer `None`: the bytes end within it.
    fn meta_encoding(&mut self) -> Option<Option<&'static Encoding>> {
        let (mut is_pragma, mut in_content, mut in_charset) = (false, None, None);
        let mut seen: Vec<Vec<u8>> = Vec::new();
        while let Some((name, value)) = self.attribute()? {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => is_pragma = value.eq_ignore_ascii_case(b"content-type"),
                b"content" => in_content = charset_in(&value),
                b"charset" => in_charset = Some(Encoding::for_label(&value)),
                _ => {}
            }
            seen.push(name);
        }
        let named = in_charset.unwrap_or_else(|| in_content.filter(|_| is_pragma));
        Some(named.map(of_ascii_document))
    }

    /// "Get an attribute": its name in lower case and its value; `Some(None)` at the tag's end, `None` where the bytes end.
    fn attribute(&mut self) -> Option<Option<(Vec<u8>, Vec<u8>)>> {
        self.skip_while(ends_word)?;
        if self.peek()? == b'>' {
            self.at += 1;
            return Some(None);
        }
        let began = self.at;
        // An equals sign at the very beginning belongs to the name.
        self.at += 1;
        self.skip_while(|byte| !ends_word(byte) && !matches!(byte, b'=' | b'>'))?;
        let name = self.bytes[began..self.at].to_ascii_lowercase();
        self.skip_while(|byte| byte.is_ascii_whitespace())?;
        if self.peek()? != b'=' {
            return Some(Some((name, Vec::new())));
        }
        self.at += 1;
        self.skip_while(|byte| byte.is_ascii_whitespace())?;
        let value = self.value()?.to_vec();
        Some(Some((name, value)))
    }

    fn value(&mut self) -> Option<&'a [u8]> {
        let quote = self.peek()?;
        let is_quoted = matches!(quote, b'"' | b'\'');
        if is_quoted {
            self.at += 1;
        }
        let began = self.at;
        self.skip_while(|byte| match is_quoted {
            true => byte != quote,
            false => !byte.is_ascii_whitespace() && byte != b'>',
        })?;
        let value = &self.bytes[began..self.at];
        if is_quoted {
            self.at += 1;
        }
        Some(value)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// `None` when the bytes end before anything else comes.
    fn skip_while(&mut self, is_skipped: impl Fn(u8) -> bool) -> Option<()> {
        while is_skipped(self.peek()?) {
            self.at += 1;
        }
        Some(())
    }
}

fn is_meta(rest: &[u8]) -> bool {
    let name = rest.get(..b"<meta".len()).is_some_and(|name| name.eq_ignore_ascii_case(b"<meta"));
    name && rest.get(b"<meta".len()).is_some_and(|byte| ends_word(*byte))
}

/// Where the name of a start or end tag begins.
fn tag_name_at(rest: &[u8]) -> Option<usize> {
    let at = match rest {
        [b'<', b'/', ..] => 2,
        [b'<', ..] => 1,
        _ => return None,
    };
    rest.get(at).filter(|byte| byte.is_ascii_alphabetic()).map(|_| at)
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'/'
}

/// "Extracting a character encoding from a meta element": of its `content`.
fn charset_in(content: &[u8]) -> Option<&'static Encoding> {
    let lower = content.to_ascii_lowercase();
    let mut rest = lower.as_slice();
    loop {
        let at = rest.windows(CHARSET.len()).position(|window| window == CHARSET)?;
        rest = rest[at + CHARSET.len()..].trim_ascii_start();
        let Some(value) = rest.strip_prefix(b"=") else { continue };
        let value = value.trim_ascii_start();
        let label = match value.split_first() {
            Some((quote @ (b'"' | b'\''), quoted)) => &quoted[..quoted.iter().position(|byte| byte == quote)?],
            _ => value.split(|byte| byte.is_ascii_whitespace() || *byte == b';').next()?,
        };
        return Encoding::for_label(label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `é` when read as windows-1252, `щ` as windows-1251, and no UTF-8.
    fn read(head: &str, content_type: Option<&str>) -> String {
        let bytes = [head.as_bytes(), b"|\xe9"].concat();
        decode(&bytes, content_type).rsplit('|').next().unwrap().to_owned()
    }

    #[test]
    fn the_mark_wins_over_the_transport_and_that_over_the_document() {
        let cyrillic = Some("text/html; charset=windows-1251");
        assert_eq!(decode(b"\xef\xbb\xbf\xc3\xa9", cyrillic), "é");
        assert_eq!(decode(b"\xff\xfe\xe9\x00", cyrillic), "é");
        assert_eq!(decode(b"\xfe\xff\x00\xe9", cyrillic), "é");
        assert_eq!(read("<meta charset=iso-8859-1>", cyrillic), "й");
        assert_eq!(read("<meta charset=windows-1251>", None), "й");
        assert_eq!(read("<p>", None), "é");
        assert_eq!(decode("é".as_bytes(), None), "é");
    }

    #[test]
    fn the_transports_parameter_is_found_among_others_and_an_unknown_one_says_nothing() {
        for known in ["text/html;charset=\"Windows-1251\"", "text/html; a=b; CHARSET = windows-1251 ; c"] {
            assert_eq!(read("<p>", Some(known)), "й", "{known}");
        }
        for other in ["text/html; x-charset=windows-1251", "text/html; charset=klingon", "text/html", ""] {
            assert_eq!(read("<meta charset=iso-8859-5>", Some(other)), "щ", "{other}");
        }
    }

    #[test]
    fn a_meta_counts_where_the_standard_lets_it() {
        for counts in [
            "<meta charset=windows-1251>",
            "<META/CharSet = 'windows-1251' >",
            "<!doctype html><html lang=ru><head x='>'><meta name=a content=b><meta charset=\"windows-1251\">",
            "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>",
            "<meta content='charset charset=windows-1251' http-equiv=content-type>",
            "<meta content='text/html; charset=\"windows-1251\"' http-equiv=content-type>",
            "<!--><meta charset=windows-1251>",
            "<meta charset=klingon><meta charset=windows-1251>",
            "<meta charset=windows-1251 charset=utf-8>",
            "<?xml version='1.0' encoding='windows-1251'?><html>",
            "<?xml version='1.0' encoding='utf-8'?><meta charset=windows-1251>",
        ] {
            assert_eq!(read(counts, None), "й", "{counts}");
        }
        for does_not in [
            "<!-- <meta charset=windows-1251> -->",
            "<a title='<meta charset=windows-1251>'>",
            "<meta name=description content='charset=windows-1251'>",
            "<metadata charset=windows-1251>",
            "<meta http-equiv=refresh content='charset=windows-1251'>",
            "<meta charset=windows-1251",
            "<meta charset=x-user-defined>",
            "text charset=windows-1251",
        ] {
            assert_eq!(read(does_not, None), "é", "{does_not}");
        }
    }

    #[test]
    fn a_declaration_past_the_first_1024_bytes_comes_too_late() {
        let meta = "<meta charset=windows-1251>";
        assert_eq!(read(&(" ".repeat(PRESCAN_BYTES - meta.len()) + meta), None), "й");
        assert_eq!(read(&(" ".repeat(PRESCAN_BYTES - meta.len() + 1) + meta), None), "é");
    }

    #[test]
    fn utf_16_that_an_ascii_document_claims_is_utf_8_and_without_a_mark_it_is_known_by_its_xml() {
        assert_eq!(decode("<meta charset=utf-16>é".as_bytes(), None), "<meta charset=utf-16>é");
        let little: Vec<u8> = "<?xml?>é".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "<?xml?>é".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!((decode(&little, None), decode(&big, None)), ("<?xml?>é".to_owned(), "<?xml?>é".to_owned()));
    }

    #[test]
    fn no_bytes_make_it_fail() {
        for end in
            ["<", "<!", "<!-", "<!--", "<meta", "<meta ", "<meta a", "<meta a=", "<meta a='", "</", "</a", "<?xml"]
        {
            assert_eq!(decode(end.as_bytes(), Some("text/html; charset")), end);
        }
        assert_eq!(decode(b"", None), "");
    }
}
