//! Strings of the repairing reader: where one with stray quotes ends, and its escapes.

use super::reader::Reader;

/// Longest key, in bytes, told without quotes after a comma.
const BARE_KEY_BYTES_MAX: usize = 40;

impl Reader<'_> {
    /// The string that begins here; `is_key` when a colon is to follow.
    pub fn string(&mut self, is_key: bool) -> String {
        let quote = self.peek();
        self.at += 1;
        let mut out = String::new();
        while self.at < self.bytes.len() {
            let rest = self.rest();
            let plain = rest.find(['"', '\'', '`', '\\', '\n', '\r']).unwrap_or(rest.len());
            out.push_str(rest.get(..plain).unwrap_or(""));
            self.at += plain;
            match self.peek() {
                b'\\' => self.escape(&mut out),
                byte if byte == quote => {
                    self.at += 1;
                    if self.ends_string(quote, is_key) {
                        return out;
                    }
                    out.push(char::from(quote));
                }
                0 if self.at >= self.bytes.len() => return out,
                byte => {
                    out.push(char::from(byte));
                    self.at += 1;
                }
            }
        }
        out
    }

    /// Whether the quote just passed ended the string: only if what follows can follow a string.
    fn ends_string(&self, quote: u8, is_key: bool) -> bool {
        let rest = self.rest().trim_start();
        let mut following = rest.bytes();
        match following.next() {
            None | Some(b'}' | b']' | b')' | b';') => true,
            Some(b':') => is_key || quote != b'"',
            Some(b',') => {
                let after = rest.get(1..).unwrap_or("").trim_start();
                after.bytes().next().is_none_or(|byte| {
                    matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'}' | b']' | b'-' | b'/' | b'!')
                        || byte.is_ascii_digit()
                        || byte.is_ascii_alphabetic() && after_is_literal(after)
                })
            }
            Some(b'/') => rest.starts_with("//") || rest.starts_with("/*"),
            Some(b'+' | b'.') => quote != b'"',
            Some(b'"') => {
                // Two strings in a row: a missing comma if a colon follows the second, a stray quote otherwise.
                let after = rest.get(1..).unwrap_or("");
                after.find('"').is_some_and(|end| after.get(end + 1..).unwrap_or("").trim_start().starts_with(':'))
            }
            Some(_) => quote != b'"' && !is_key && !following.next().is_some_and(|byte| byte.is_ascii_alphabetic()),
        }
    }

    fn escape(&mut self, out: &mut String) {
        self.at += 1;
        let Some(code) = self.rest().chars().next() else { return };
        self.at += code.len_utf8();
        match code {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' | '0' => out.push(' '),
            'x' => self.hex(2, out),
            'u' => self.unicode(out),
            '\n' | '\r' => {}
            other => out.push(other),
        }
    }

    fn hex(&mut self, digits: usize, out: &mut String) {
        if let Some(code) = self.take_hex(digits).and_then(char::from_u32) {
            out.push(code);
        }
    }

    fn take_hex(&mut self, digits: usize) -> Option<u32> {
        let code = u32::from_str_radix(self.rest().get(..digits)?, 16).ok()?;
        self.at += digits;
        Some(code)
    }

    fn unicode(&mut self, out: &mut String) {
        if self.peek() == b'{' {
            let rest = self.rest();
            if let Some(end) = rest.find('}').filter(|end| *end < 10) {
                let code = rest.get(1..end).and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
                out.extend(code);
                self.at += end + 1;
            }
            return;
        }
        let Some(first) = self.take_hex(4) else { return };
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            self.at += 2;
            let Some(second) = self.take_hex(4) else { return };
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff);
            out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
        } else {
            out.push(char::from_u32(first).unwrap_or('\u{fffd}'));
        }
    }
}

/// Whether what follows a comma is a word of JSON, or a key without quotes.
fn after_is_literal(after: &str) -> bool {
    let key_len = after.bytes().take(BARE_KEY_BYTES_MAX).position(|byte| byte == b':');
    let is_key = |len: usize| after.bytes().take(len).all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    ["true", "false", "null"].iter().any(|word| after.starts_with(word)) || key_len.is_some_and(is_key)
}
