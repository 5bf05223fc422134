//! Words of addresses and of fields' names, as programmers write them: the last evidence of what a request does.

/// A path whose last part begins with one asks, and changes nothing.
pub(super) const ASKING: &[&str] = &[
    "get",
    "list",
    "search",
    "find",
    "query",
    "queries",
    "fetch",
    "lookup",
    "filter",
    "filters",
    "suggest",
    "suggestions",
    "autocomplete",
    "typeahead",
    "count",
    "browse",
    "preview",
    "validate",
    "validation",
    "estimate",
    "calculate",
    "status",
    "poll",
    "ping",
    "heartbeat",
    "availability",
    "available",
    "read",
    "load",
    "view",
    "show",
    "results",
    "recommendations",
    "facets",
    "is",
    "has",
];

/// It does something that others see or that costs.
pub(super) const DOING: &[&str] = &[
    "order",
    "orders",
    "reorder",
    "buy",
    "buynow",
    "purchase",
    "purchases",
    "pay",
    "payment",
    "payments",
    "transfer",
    "transfers",
    "subscribe",
    "subscription",
    "subscriptions",
    "unsubscribe",
    "publish",
    "delete",
    "destroy",
    "remove",
    "book",
    "booking",
    "bookings",
    "reserve",
    "reservation",
    "reservations",
    "confirm",
    "submit",
    "send",
    "place",
    "donate",
    "donation",
    "bid",
    "invite",
    "cancel",
    "transaction",
    "transactions",
    "charge",
    "charges",
    "message",
    "messages",
    "comment",
    "comments",
    "vote",
    "register",
    "registration",
    "signup",
    "withdraw",
    "deposit",
    "approve",
    "sell",
    "trade",
    "deactivate",
    "upgrade",
    "renew",
    "post",
    "posts",
    "tweet",
];

/// It takes something away; from a cart that is harmless.
pub(super) const REMOVING: &[&str] = &["remove", "delete", "destroy", "clear"];

/// What a link may do that only names it: a page that asks first has no such query.
pub(super) const DOING_BY_LINK: &[&str] = &[
    "remove",
    "delete",
    "destroy",
    "buy",
    "buynow",
    "purchase",
    "pay",
    "unsubscribe",
    "subscribe",
    "publish",
    "cancel",
];

/// Query fields by which a link says that it was meant.
pub(super) const CONFIRMING: &[&str] = &["confirm", "confirmed", "sure", "force", "yes"];

pub(super) const CART: &[&str] =
    &["cart", "carts", "basket", "baskets", "bag", "trolley", "minicart", "warenkorb", "panier", "carrito", "carrello"];

/// With one of these, `add` fills a cart.
pub(super) const GOODS: &[&str] = &["item", "items", "product", "products", "sku", "variant", "article", "line"];

pub(super) const CONSENT: &[&str] =
    &["consent", "consents", "cookie", "cookies", "gdpr", "ccpa", "cmp", "tcf", "onetrust", "didomi", "cookiebot"];

/// They count visitors, whoever answers.
pub(super) const COUNTING: &[&str] = &[
    "analytics",
    "telemetry",
    "collect",
    "collector",
    "beacon",
    "beacons",
    "rum",
    "metrics",
    "pageview",
    "pageviews",
    "impression",
    "impressions",
    "pixel",
    "vitals",
    "envelope",
    "csp",
    "clickstream",
    "gtm",
    "piwik",
    "matomo",
];

/// They count visitors when the message looks like it.
pub(super) const COUNTING_PERHAPS: &[&str] =
    &["track", "tracking", "tracker", "stats", "counter", "log", "logs", "logging", "event", "events", "hit", "batch"];

/// A proof of being human, asked for by the site's guard.
pub(super) const CHALLENGE: &[&str] =
    &["challenge", "challenges", "captcha", "recaptcha", "hcaptcha", "turnstile", "checksiteconfig", "getcaptcha"];

pub(super) const SIGN_IN: &[&str] = &[
    "login",
    "logins",
    "signin",
    "auth",
    "authenticate",
    "authentication",
    "session",
    "sessions",
    "token",
    "oauth",
    "oauth2",
    "sso",
    "saml",
    "logout",
    "signout",
    "identifier",
    "otp",
    "mfa",
    "totp",
];

/// Kept for the one who writes it, and shown to nobody else.
pub(super) const DRAFT: &[&str] = &["draft", "drafts", "autosave", "autosaves"];

/// Names of fields that hold what is searched for.
pub(super) const SEARCHED: &[&str] = &["q", "query", "search", "term", "keyword", "keywords", "filter", "filters"];

/// Names of fields in which people tell of themselves, which no search asks for.
pub(super) const PERSONAL: &[&str] = &[
    "email",
    "mail",
    "phone",
    "tel",
    "name",
    "firstname",
    "lastname",
    "surname",
    "message",
    "subject",
    "address",
    "street",
    "zip",
    "postcode",
    "comment",
    "password",
    "terms",
];

/// Names of fields that hold money, or what pays.
pub(super) const MONEY: &[&str] = &[
    "amount",
    "price",
    "total",
    "card",
    "cardnumber",
    "cvc",
    "cvv",
    "iban",
    "payment",
    "fee",
    "subscribe",
    "subscription",
    "plan",
    "donation",
    "tip",
    "bid",
];

/// Names of fields that nobody is shown.
pub(super) const HIDDEN: &[&str] =
    &["password", "passwd", "pwd", "pass", "passcode", "passphrase", "pin", "cvc", "cvv", "otp", "totp", "secret"];

/// Of a second password: an account is made or changed.
pub(super) const NEW_PASSWORD: &[&str] = &["new", "confirm", "confirmation", "repeat", "again", "old", "current"];

/// Fields by which one site hands a sign-in on to another (SAML bindings, OpenID Connect form post, WS-Federation).
pub(super) const RELAYED: &[&str] = &["samlrequest", "samlresponse", "id_token", "wresult", "logout_token"];

/// Names in messages of visitor counters.
pub(super) const COUNTED: &[&str] = &[
    "event",
    "events",
    "eventname",
    "event_name",
    "timestamp",
    "ts",
    "time",
    "sentat",
    "sent_at",
    "sessionid",
    "session_id",
    "anonymousid",
    "anonymous_id",
    "visitorid",
    "visitor_id",
    "clientid",
    "client_id",
    "cid",
    "tid",
    "referrer",
    "referer",
    "useragent",
    "user_agent",
    "ua",
    "url",
    "page",
    "href",
    "dl",
    "dr",
    "dt",
    "screen",
    "viewport",
    "sdk",
    "batch",
    "dsn",
    "pageviewid",
    "nonce",
    "v",
];

/// The words in a name or a part of a path: cut at anything but letters and digits, and where small letters turn to capitals.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in text.chars() {
        let starts_new = !character.is_alphanumeric() || (was_small && character.is_uppercase());
        if starts_new {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_small = character.is_lowercase() || character.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether one of the words is in the list.
pub(super) fn any_in<'a>(words: impl IntoIterator<Item = &'a String>, list: &[&str]) -> bool {
    words.into_iter().any(|word| list.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        assert_eq!(words_of("/api/addToCart/v2"), ["api", "add", "to", "cart", "v2"]);
        assert_eq!(words_of("SAMLResponse"), ["samlresponse"]);
        assert_eq!(words_of("place-order.do"), ["place", "order", "do"]);
    }

    #[test]
    fn no_word_both_asks_and_does() {
        let harmless = [ASKING, CART, CONSENT, COUNTING, CHALLENGE, SIGN_IN, DRAFT];
        for word in DOING {
            assert!(harmless.iter().all(|list| !list.contains(word)), "{word}");
        }
    }
}
