//! Which signs show which currency (ISO 4217).

/// A sign or abbreviation and the currencies it may mean; the first is what it means without published metadata, unless
/// the sign is shared so evenly that only metadata can tell.
struct Sign {
    text: &'static str,
    codes: &'static [&'static str],
    /// Whether the first code may be taken without metadata.
    has_usual: bool,
}

const fn usual(text: &'static str, codes: &'static [&'static str]) -> Sign {
    Sign { text, codes, has_usual: true }
}

const fn shared(text: &'static str, codes: &'static [&'static str]) -> Sign {
    Sign { text, codes, has_usual: false }
}

/// In lower case (pages are compared folded); longer texts before their endings.
const SIGNS: [Sign; 60] = [
    usual("us$", &["USD"]),
    usual("au$", &["AUD"]),
    usual("a$", &["AUD"]),
    usual("ca$", &["CAD"]),
    usual("cad$", &["CAD"]),
    usual("c$", &["CAD", "NIO"]),
    usual("nz$", &["NZD"]),
    usual("hk$", &["HKD"]),
    usual("nt$", &["TWD"]),
    usual("s$", &["SGD"]),
    usual("mx$", &["MXN"]),
    usual("r$", &["BRL"]),
    usual("$u", &["UYU"]),
    usual("j$", &["JMD"]),
    usual("tt$", &["TTD"]),
    usual("cn¥", &["CNY"]),
    usual("jp¥", &["JPY"]),
    usual("$", &["USD", "AUD", "CAD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS", "CLP", "COP", "UYU", "JMD", "TTD"]),
    usual("€", &["EUR"]),
    usual("£", &["GBP", "EGP", "LBP", "GIP", "FKP"]),
    usual("¥", &["JPY", "CNY"]),
    usual("円", &["JPY"]),
    usual("元", &["CNY", "TWD"]),
    usual("₹", &["INR"]),
    shared("rs.", &["INR", "PKR", "LKR", "NPR", "MUR"]),
    shared("rs", &["INR", "PKR", "LKR", "NPR", "MUR"]),
    usual("₩", &["KRW"]),
    usual("원", &["KRW"]),
    usual("₽", &["RUB"]),
    usual("руб", &["RUB"]),
    usual("₺", &["TRY"]),
    usual("₴", &["UAH"]),
    usual("₪", &["ILS"]),
    usual("₫", &["VND"]),
    usual("฿", &["THB"]),
    usual("₱", &["PHP"]),
    usual("₦", &["NGN"]),
    usual("₵", &["GHS"]),
    usual("₸", &["KZT"]),
    usual("₾", &["GEL"]),
    usual("₡", &["CRC"]),
    usual("₲", &["PYG"]),
    usual("zł", &["PLN"]),
    usual("kč", &["CZK"]),
    usual("ft", &["HUF"]),
    usual("fr.", &["CHF"]),
    usual("sfr", &["CHF"]),
    usual("лв", &["BGN"]),
    usual("lei", &["RON", "MDL"]),
    shared("kr.", &["DKK", "SEK", "NOK", "ISK"]),
    shared("kr", &["DKK", "SEK", "NOK", "ISK"]),
    usual("rm", &["MYR"]),
    usual("tl", &["TRY"]),
    usual("rp.", &["IDR"]),
    usual("rp", &["IDR"]),
    usual("грн", &["UAH"]),
    usual("тг", &["KZT"]),
    usual("บาท", &["THB"]),
    usual("nis", &["ILS"]),
    usual("ден", &["MKD"]),
];

/// Codes that appear on pages beside prices without a sign of their own in the table.
const OTHER_CODES: [&str; 12] = ["AED", "SAR", "QAR", "KWD", "BHD", "OMR", "JOD", "ZAR", "KES", "MAD", "RSD", "PEN"];

/// Whether a character alone is a currency sign.
pub(crate) fn is_sign(c: char) -> bool {
    matches!(c, '$' | '€' | '£' | '¥' | '\u{20A0}'..='\u{20CF}' | '฿')
}

/// Whether the text is a currency code we know, in capitals.
pub(crate) fn is_code(text: &str) -> bool {
    code(text).is_some_and(|code| code == text)
}

const CODE_LETTERS: usize = 3;

/// Codes that people also write in small letters; the others would be words (`try`, `all`).
const LOWER_CASE_CODES: [&str; 3] = ["USD", "EUR", "GBP"];

fn code(text: &str) -> Option<&'static str> {
    if text.len() != CODE_LETTERS {
        return None;
    }
    let all = SIGNS.iter().flat_map(|sign| sign.codes).chain(&OTHER_CODES);
    let is_meant = |code: &&str| *code == text || (LOWER_CASE_CODES.contains(code) && code.eq_ignore_ascii_case(text));
    all.copied().find(is_meant)
}

/// A currency as something shown beside a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Code(&'static str),
    /// Index into the table of signs.
    Sign(usize),
}

impl Shown {
    /// Whether this may stand for the code; published metadata may choose among the meanings of a shared sign.
    pub(crate) fn supports(self, code: &str, by_metadata: bool) -> bool {
        match self {
            Self::Code(shown) => shown == code,
            Self::Sign(index) => {
                let sign = &SIGNS[index];
                if by_metadata { sign.codes.contains(&code) } else { sign.has_usual && sign.codes[0] == code }
            }
        }
    }

    pub(crate) fn is_code(self, wanted: &str) -> bool {
        matches!(self, Self::Code(code) if code == wanted)
    }

    /// Whether both may mean the same currency.
    pub(crate) fn agrees(self, other: Self) -> bool {
        self.codes().iter().any(|code| other.codes().contains(code))
    }

    fn codes(self) -> Vec<&'static str> {
        match self {
            Self::Code(code) => vec![code],
            Self::Sign(index) => SIGNS[index].codes.to_vec(),
        }
    }
}

/// The currency that ends the cleaned text, such as `US$` or `EUR `, and how many bytes it takes with the one space
/// that may follow it.
pub(crate) fn at_end(cleaned: &str) -> Option<(Shown, usize)> {
    let trimmed = cleaned.strip_suffix(' ').unwrap_or(cleaned);
    let spaces = cleaned.len() - trimmed.len();
    let letters = trimmed.trim_end_matches(char::is_alphabetic).len();
    if let Some(code) = code(&trimmed[letters..]) {
        return Some((Shown::Code(code), code.len() + spaces));
    }
    if !may_be_sign(&trimmed[letters..], trimmed.chars().next_back()) {
        return None;
    }
    let from = trimmed.char_indices().rev().nth(SIGN_CHARS_MAX).map_or(0, |(at, _)| at);
    let tail = trimmed[from..].to_lowercase();
    let ends = |sign: &Sign| {
        tail.strip_suffix(sign.text)
            .is_some_and(|before| !continues(before.chars().next_back(), sign.text.chars().next()))
    };
    let index = SIGNS.iter().position(ends)?;
    Some((Shown::Sign(index), SIGNS[index].text.len() + spaces))
}

/// The currency that begins the cleaned text, and how many bytes it takes with the one space that may stand before it.
pub(crate) fn at_start(cleaned: &str) -> Option<(Shown, usize)> {
    let trimmed = cleaned.strip_prefix(' ').unwrap_or(cleaned);
    let spaces = cleaned.len() - trimmed.len();
    let letters = trimmed.find(|c: char| !c.is_alphabetic()).unwrap_or(trimmed.len());
    if let Some(code) = code(&trimmed[..letters]) {
        return Some((Shown::Code(code), code.len() + spaces));
    }
    if !may_be_sign(&trimmed[..letters], trimmed.chars().next()) {
        return None;
    }
    let to = trimmed.char_indices().nth(SIGN_CHARS_MAX).map_or(trimmed.len(), |(at, _)| at);
    let head = trimmed[..to].to_lowercase();
    let begins = |sign: &Sign| {
        head.strip_prefix(sign.text)
            .is_some_and(|after| !continues(sign.text.chars().next_back(), after.chars().next()))
    };
    let index = SIGNS.iter().position(begins)?;
    Some((Shown::Sign(index), SIGNS[index].text.len() + spaces))
}

/// More characters than the longest sign has.
const SIGN_CHARS_MAX: usize = 5;

/// Whether the letters beside a number, or the character when there are none, can belong to a sign: a cheap look before
/// the table is searched.
fn may_be_sign(letters: &str, beside: Option<char>) -> bool {
    let is_symbol = beside.is_some_and(|c| is_sign(c) || c == '.');
    is_symbol || (!letters.is_empty() && letters.chars().count() <= CODE_LETTERS)
}

/// Letters on both sides of a sign's end are one word: `rs` does not begin `rsvp`.
fn continues(left: Option<char>, right: Option<char>) -> bool {
    left.is_some_and(char::is_alphabetic) && right.is_some_and(char::is_alphabetic)
}

/// Currency codes and signs that stand anywhere in the cleaned text, each once.
pub(crate) fn all_shown(cleaned: &str) -> Vec<Shown> {
    let words = super::text::words_of(cleaned).into_iter().filter_map(code).map(Shown::Code);
    let signs = cleaned.char_indices().filter(|(_, c)| is_sign(*c));
    let signs = signs.filter_map(|(at, c)| at_end(&cleaned[..at + c.len_utf8()])).map(|(shown, _)| shown);
    let mut shown: Vec<Shown> = Vec::new();
    for one in words.chain(signs) {
        if !shown.contains(&one) {
            shown.push(one);
        }
    }
    shown
}
