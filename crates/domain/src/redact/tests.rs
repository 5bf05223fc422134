use proptest::prelude::*;
use serde_json::{Value, json};

use super::Redactor;
use crate::SecretName;

fn redactor(secrets: &[(&str, &str)]) -> Redactor {
    let secret = |(name, value): &(&str, &str)| (SecretName::parse(name).unwrap(), (*value).to_owned());
    Redactor::new(secrets.iter().map(secret).collect())
}

#[test]
fn a_secret_is_replaced_by_its_name() {
    let redactor = redactor(&[("shop", "hunter2!x")]);
    assert_eq!(redactor.text("logged in with hunter2!x."), "logged in with [secret:shop].");
}

#[test]
fn a_secret_in_a_query_is_replaced_in_any_percent_encoding() {
    let redactor = redactor(&[("pw", "a b/ü&=é")]);
    for url in [
        "https://x/?p=a%20b%2F%C3%BC%26%3D%C3%A9",
        "https://x/?p=a+b%2f%c3%bc%26%3d%c3%a9",
        "https://x/?p=a%20b/%C3%BC&=%C3%A9",
        "https://x/?p=a%2520b%252F%25C3%25BC%2526%253D%25C3%25A9",
    ] {
        assert_eq!(redactor.text(url), "https://x/?p=[secret:pw]", "{url}");
    }
}

#[test]
fn a_percent_sign_in_a_secret_is_found_plain_and_encoded() {
    let redactor = redactor(&[("pw", "100%25off")]);
    assert_eq!(redactor.text("100%25off 100%2525off"), "[secret:pw] [secret:pw]");
}

#[test]
fn a_secret_in_json_text_is_replaced() {
    let redactor = redactor(&[("pw", "say \"hi\"\\ü😀\n")]);
    let once = serde_json::to_string("say \"hi\"\\ü😀\n").unwrap();
    let twice = serde_json::to_string(&once).unwrap();
    assert_eq!(redactor.text(&once), "\"[secret:pw]\"");
    assert!(redactor.found_in(&twice), "{twice}");
    assert_eq!(redactor.text(r#""say \u0022hi\u0022\u005c\u00FC\ud83d\ude00\n""#), "\"[secret:pw]\"");
}

#[test]
fn a_secret_in_html_is_replaced() {
    let redactor = redactor(&[("pw", "a<b>&\"'z")]);
    assert_eq!(redactor.text("<i>a&lt;b&gt;&amp;&quot;&#39;z</i>"), "<i>[secret:pw]</i>");
    assert_eq!(redactor.text("a&#60;b&#x3E;&#x26;&#34;&apos;z"), "[secret:pw]");
}

#[test]
fn a_secret_in_basic_authorization_is_replaced_however_it_is_aligned() {
    use base64::Engine;
    let redactor = redactor(&[("pw", "correct-horse")]);
    for user in ["a", "ab", "abc", "abcd"] {
        let header = base64::engine::general_purpose::STANDARD.encode(format!("{user}:correct-horse"));
        assert_eq!(redactor.text(&format!("Basic {header}")), "Basic [secret:pw]");
    }
}

#[test]
fn overlapping_secrets_are_named_by_the_longest_and_nothing_is_left_of_the_other() {
    let redactor = redactor(&[("short", "abcd"), ("long", "cdefgh")]);
    assert_eq!(redactor.text("abcdefgh"), "[secret:long]");
    assert_eq!(redactor.text("abcd"), "[secret:short]");
}

#[test]
fn a_secret_inside_another_is_named_by_the_longer() {
    let redactor = redactor(&[("part", "word"), ("whole", "password1")]);
    assert_eq!(redactor.text("password1 word"), "[secret:whole] [secret:part]");
}

#[test]
fn a_short_secret_is_replaced_only_where_it_stands_alone() {
    let redactor = redactor(&[("cvc", "123")]);
    assert_eq!(redactor.text("cvc=123&x=1234, %20123%20"), "cvc=[secret:cvc]&x=1234, %20[secret:cvc]%20");
}

#[test]
fn an_empty_secret_changes_nothing() {
    let redactor = redactor(&[("empty", "")]);
    assert!(redactor.is_empty());
    assert_eq!(redactor.text("abc"), "abc");
}

#[test]
fn names_texts_and_numbers_of_a_value_are_redacted() {
    let redactor = redactor(&[("pin", "48151"), ("pw", "swordfish")]);
    let value = json!({"swordfish": ["x swordfish", 48151, 7, null, {"a": "48151"}], "b": true});
    let expected = json!({
        "[secret:pw]": ["x [secret:pw]", "[secret:pin]", 7, null, {"a": "[secret:pin]"}],
        "b": true
    });
    assert_eq!(redactor.value(value), expected);
}

#[test]
fn debug_shows_names_only() {
    assert_eq!(format!("{:?}", redactor(&[("pw", "swordfish")])), "[SecretName(\"pw\")]");
}

#[test]
fn a_secret_that_is_part_of_a_marker_leaves_markers_whole() {
    let redactor = redactor(&[("token", "secret"), ("b", "token")]);
    let once = redactor.text("secret token");
    assert_eq!(once, "[secret:token] [secret:b]");
    assert_eq!(redactor.text(&once), once);
}

/// Ways of writing a value that give it away; of one of digits also grouped.
fn spellings(secret: &str) -> Vec<(&'static str, String)> {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use unicode_normalization::UnicodeNormalization;
    let each = |spell: &dyn Fn(char) -> String| secret.chars().map(spell).collect::<String>();
    let bytes = |spell: &dyn Fn(u8) -> String| secret.bytes().map(spell).collect::<String>();
    let with = |between: &str| secret.chars().map(String::from).collect::<Vec<_>>().join(between);
    let utf16 = |spell: &dyn Fn(u16) -> String| secret.encode_utf16().map(spell).collect::<String>();
    let half = secret.char_indices().nth(secret.chars().count() / 2).map_or(0, |(at, _)| at);
    let halves = secret.split_at(half);
    let html = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut spellings = vec![
        ("plain", secret.to_owned()),
        ("capitals", secret.to_uppercase()),
        ("small letters", secret.to_lowercase()),
        ("zero-width spaces", with("\u{200b}")),
        ("soft hyphens", with("\u{ad}")),
        ("spaces", with(" ")),
        ("lines", with("\n")),
        ("decomposed", secret.nfd().collect()),
        (
            "full width",
            each(&|c| char::from_u32(u32::from(c) + 0xfee0).filter(|_| c.is_ascii_graphic()).unwrap_or(c).into()),
        ),
        ("percent", bytes(&|byte| format!("%{byte:02X}"))),
        ("percent twice", bytes(&|byte| format!("%25{byte:02x}"))),
        ("form", url::form_urlencoded::byte_serialize(secret.as_bytes()).collect()),
        ("JSON", Value::from(secret).to_string().trim_matches('"').to_owned()),
        ("JSON in JSON", Value::from(Value::from(secret).to_string()).to_string()),
        ("UTF-16 escapes", utf16(&|unit| format!("\\u{unit:04x}"))),
        ("braces", each(&|c| format!("\\u{{{:x}}}", u32::from(c)))),
        ("CSS", each(&|c| format!("\\{:06x} ", u32::from(c)))),
        ("references", each(&|c| format!("&#{};", u32::from(c)))),
        ("hexadecimal references", each(&|c| format!("&#x{:X};", u32::from(c)))),
        ("tags", format!("{}</b><i class=\"x\">{}", html(halves.0), html(halves.1))),
        ("elements", format!("{}\n   {}", halves.0, halves.1)),
        ("hex", bytes(&|byte| format!("{byte:02x}"))),
        ("HEX", bytes(&|byte| format!("{byte:02X}"))),
        ("hex dump", bytes(&|byte| format!("{byte:02x} "))),
        ("hex list", bytes(&|byte| format!("0x{byte:02x}, "))),
        ("character codes", each(&|c| format!("{}, ", u32::from(c)))),
        ("backwards", secret.chars().rev().collect()),
    ];
    for user in ["", "a", "ab", "abc"] {
        spellings.push(("Base64", STANDARD.encode(format!("{user}{secret}@example"))));
        spellings.push(("Base64 of URLs", URL_SAFE.encode(format!("{user}{secret}"))));
    }
    if secret.bytes().all(|byte| byte.is_ascii_digit()) {
        let groups: Vec<&str> = secret.as_bytes().chunks(4).map(|group| std::str::from_utf8(group).unwrap()).collect();
        for between in
            ["-", ".", "/", "\u{a0}", "\u{2009}", "\u{2013}", "\u{200b} ", "</span>\n<span>", "%20", "&nbsp;"]
        {
            spellings.push(("groups", groups.join(between)));
        }
    }
    spellings
}

/// What a reader would take from a text: letters and digits, without case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn survives(secret: &str, how: &str, spelled: &str, before: &str, after: &str) -> Option<String> {
    let text = format!("{before}{spelled}{after}");
    let redacted = redactor(&[("one", secret)]).text(&text);
    let is_whole = !redacted.contains("[secret:one]") || redacted.contains(spelled);
    let left = redacted.replace("[secret:one]", "\u{0}");
    (is_whole || letters(&left).contains(&letters(secret))).then(|| format!("{how}: {text:?} became {redacted:?}"))
}

#[test]
fn no_spelling_of_a_card_number_or_a_password_survives() {
    for secret in ["4111222233334444", "Hunter2!xStraße", "correct horse é", "C:\\new/\"quoted\"&<x>"] {
        let found: Vec<String> = spellings(secret)
            .into_iter()
            .filter_map(|(how, spelled)| survives(secret, how, &spelled, "it is ", " here"))
            .collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn shorter_digits_are_found_in_groups_and_not_in_amounts_around_them() {
    let redactor = redactor(&[("otp", "481516")]);
    assert_eq!(redactor.text("code 481 516, 481-516; 48.15.16"), "code [secret:otp], [secret:otp]; [secret:otp]");
    let other = "4.8 (1,516 reviews) 1481 516 481 5162 48 of 1516";
    assert_eq!(redactor.text(other), other);
}

#[test]
fn what_is_spread_over_neighbours_is_replaced_in_each() {
    let redactor = redactor(&[("card", "4111222233334444")]);
    let mut texts: Vec<String> = ["Card 4111", "2222", "3333", "4444 ok", "4111"].map(str::to_owned).to_vec();
    redactor.texts(&mut texts);
    assert_eq!(texts, ["Card [secret:card]", "[secret:card]", "[secret:card]", "[secret:card] ok", "4111"]);
    let value = json!({"a": ["4111 2222", 3333, {"b": "4444"}], "c": 4111, "d": null});
    let expected = json!({"a": ["[secret:card]", "[secret:card]", {"b": "[secret:card]"}], "c": 4111, "d": null});
    assert_eq!(redactor.value(value), expected);
}

#[test]
fn ordinary_texts_stay_as_they_are() {
    let redactor = redactor(&[("card", "4111222233334444"), ("pw", "Hunter2!x"), ("pin", "4815"), ("cvc", "123")]);
    for text in [
        "Total: $4,111.22 · 2,222 reviews · 33 % off · 4444 left",
        "https://shop.example/a%20b?x=%7B%22q%22%3A1%7D&y=&#39;z&#39; C:\\users\\n",
        "<p class=\"a b\">The hunter 2 was here</p>\n<!-- 12345 --> 2026-12-01T10:00:00Z",
        "aHR0cHM6Ly9leGFtcGxlLmNvbS9sb25nL3BhdGg= 68756e74 \u{200b}\u{ad}é e\u{301}",
    ] {
        assert_eq!(redactor.text(text), text);
    }
}

proptest! {
    #[test]
    fn redaction_leaves_no_secret(
        secret in "[a-z0-9 +%&=\"\\\\/<>üé#]{9,14}[G-Z]{2}", before in "[a-zA-Z0-9 .,]{0,20} ", after in " .{0,20}",
        how in any::<prop::sample::Index>(),
    ) {
        prop_assume!(letters(&secret).chars().count() >= 8);
        let all = spellings(&secret);
        let (how, spelled) = &all[how.index(all.len())];
        prop_assert_eq!(survives(&secret, how, spelled, &before, &after), None);
    }

    #[test]
    fn redaction_leaves_no_digits(
        secret in "[0-9]{12,19}", before in "[^<]{0,20}[a-z ]", after in "[a-z ].{0,20}", how in any::<prop::sample::Index>(),
    ) {
        let all = spellings(&secret);
        let (how, spelled) = &all[how.index(all.len())];
        prop_assert_eq!(survives(&secret, how, spelled, &before, &after), None);
    }

    #[test]
    fn redacting_twice_is_redacting_once(secret in "[a-z:\\[\\]]{4,12}", text in "[a-z:\\[\\] ]{0,60}") {
        let redactor = redactor(&[("one", &secret)]);
        let once = redactor.text(&format!("{text}{secret}{text}"));
        prop_assert_eq!(redactor.text(&once), once);
    }

    #[test]
    fn text_without_secrets_is_unchanged(text in "(.|[ -~]){0,80}") {
        prop_assert_eq!(redactor(&[("one", "swordfish"), ("two", "4111222233334444")]).text(&text), text);
    }
}

/// `cargo test -p errand-domain --release redact -- --ignored --nocapture`
#[test]
#[ignore = "measures, and only optimised code is worth measuring"]
fn a_page_of_a_megabyte_takes_less_than_a_tenth_of_a_second() {
    let secrets: Vec<(String, String)> =
        (0..20).map(|n| (format!("s{n}"), format!("pass{n}word-{}", n * 7919))).collect();
    let named: Vec<(&str, &str)> = secrets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let redactor = redactor(&named);
    let line =
        "<p class=\"price\">Total: $1,299.00 &amp; shipping to https://shop.example/a%20b?c=4111 pass words</p>\n";
    let page = line.repeat(1_000_000 / line.len());
    let start = std::time::Instant::now();
    assert_eq!(redactor.text(&page).len(), page.len());
    let taken = start.elapsed();
    println!("1 MB, 20 secrets: {taken:?}");
    assert!(taken.as_millis() < 100, "{taken:?}");
}
