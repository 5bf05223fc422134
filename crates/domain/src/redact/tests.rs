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
    assert!(redactor.is_exposed_in(&twice), "{twice}");
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

fn encoded(secret: &str, how: usize) -> String {
    let percent = |upper: bool| -> String {
        let byte = |byte: u8| if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
        secret.bytes().map(byte).collect()
    };
    match how {
        0 => secret.to_owned(),
        1 => percent(true),
        2 => percent(false),
        3 => url::form_urlencoded::byte_serialize(secret.as_bytes()).collect(),
        4 => Value::from(secret).to_string().trim_matches('"').to_owned(),
        _ => secret.chars().map(|c| format!("&#{};", u32::from(c))).collect(),
    }
}

proptest! {
    #[test]
    fn redaction_leaves_no_secret(
        secret in "[a-z0-9 +%&=\"\\\\/<>üé#]{3,11}[G-Z]", other in "[A-F]{4,8}",
        before in ".{0,20}", after in ".{0,20}", how in 0_usize..6,
    ) {
        let redactor = redactor(&[("one", &secret), ("two", &other)]);
        let text = format!("{before}{}{other}{after}{secret}", encoded(&secret, how));
        let redacted = redactor.text(&text);
        prop_assert!(!redacted.contains(&secret));
        prop_assert!(!redacted.contains(&encoded(&secret, how)));
        prop_assert!(!redacted.contains(&other));
        prop_assert!(redacted.contains("[secret:one]"));
    }

    #[test]
    fn redacting_twice_is_redacting_once(secret in "[a-z:\\[\\]]{4,12}", text in "[a-z:\\[\\] ]{0,60}") {
        let redactor = redactor(&[("one", &secret)]);
        let once = redactor.text(&format!("{text}{secret}{text}"));
        prop_assert_eq!(redactor.text(&once), once);
    }

    #[test]
    fn text_without_secrets_is_unchanged(text in "[0-9 ]{0,80}") {
        prop_assert_eq!(redactor(&[("one", "swordfish")]).text(&text), text);
    }
}
