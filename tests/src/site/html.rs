//! The little HTML the fixture pages share: escaping, the page frame, published data, money.

use axum::http::{HeaderMap, header};
use axum::response::Html;
use serde_json::Value;

const STYLE: &str = "body{font:16px/1.45 sans-serif;margin:1.5rem auto;max-width:60rem;padding:0 1rem}\
nav a{margin-right:.9rem}form p{margin:.6rem 0}label{display:inline-block;min-width:9rem}\
table{border-collapse:collapse}td,th{padding:.25rem .6rem;text-align:left}.error{color:#a00}.small{color:#666;font-size:.85em}\
article.card{border:1px solid #ccc;border-radius:6px;padding:.6rem 1rem;margin:.7rem 0}.promo{background:#ffe;padding:.4rem}";

/// Text made safe for element content and quoted attributes.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A whole page around `body`, which is HTML.
pub fn page(title: &str, body: &str) -> Html<String> {
    page_with_head(title, "", body)
}

/// A whole page with extra HTML in its head.
pub fn page_with_head(title: &str, head: &str, body: &str) -> Html<String> {
    Html(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style>{head}</head>\n<body>\n{body}\n</body></html>\n",
        escape(title)
    ))
}

/// A JSON-LD block; `<` is escaped so that no text can end the script element.
pub fn json_ld(value: &Value) -> String {
    format!("<script type=\"application/ld+json\">{}</script>", script_json(value))
}

/// JSON that may stand inside a script element.
pub fn script_json(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// Cents as shown on pages, without currency: `1,204.50`.
pub fn money(cents: u32) -> String {
    format!("{}.{:02}", thousands(cents / 100), cents % 100)
}

/// A number with thousands separators: `1,204`.
pub fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The value of a cookie the client sent.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}

/// The site's own origin as the client named it.
pub fn origin(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or("127.0.0.1");
    format!("http://{host}")
}

#[cfg(test)]
mod tests {
    use super::{escape, money, thousands};

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(
            [thousands(7), thousands(999), thousands(1204), thousands(1_000_000)],
            ["7", "999", "1,204", "1,000,000"]
        );
        assert_eq!([money(2450), money(5), money(120_450)], ["24.50", "0.05", "1,204.50"]);
    }

    #[test]
    fn markup_in_text_is_escaped() {
        assert_eq!(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
    }
}
