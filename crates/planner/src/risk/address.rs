//! What an address says that a request to it does: by the last words of its path, and by its query.

use url::Url;

use crate::words;

/// Deeds as addresses name them, in whatever form of the word.
#[rustfmt::skip]
const DEEDS: &[&str] = &[
    "order", "buy", "purchase", "pay", "payment", "charge", "subscribe", "subscription", "unsubscribe", "optout", "book",
    "booking", "reserve", "reservation", "publish", "delete", "remove", "destroy", "erase", "drop", "transfer", "send",
    "submit", "confirm", "confirmation", "place", "donate", "donation", "register", "signup", "enroll", "apply",
    "application", "complete", "finish", "finalize", "finalise", "bid", "vote", "cancel", "message", "contact", "comment",
    "post", "sign", "deactivate", "terminate", "revoke", "approve", "accept", "authorize", "authorise", "withdraw",
    "renew", "upgrade", "downgrade", "redeem", "claim", "invite", "share", "deploy", "execute", "trade", "wire",
    "bestellen", "bestellung", "kaufen", "bezahlen", "loschen", "kundigen", "commander", "commande", "acheter", "payer",
    "supprimer", "comprar", "pagar", "eliminar", "borrar", "enviar", "pedido", "acquista", "ordina", "elimina",
    "kopen", "betalen", "bestel", "verwijderen", "kjop", "bestill", "slett", "koop",
];

/// Deeds that a mere link can do, as written: `/purchases/3` and `/orders/3` are names of what one reads.
#[rustfmt::skip]
const DEEDS_OF_LINKS: &[&str] = &[
    "remove", "delete", "destroy", "erase", "unsubscribe", "optout", "buy", "purchase", "pay", "confirm", "cancel",
    "deactivate", "terminate", "revoke", "approve", "donate", "withdraw", "renew", "redeem", "vote", "publish",
    "transfer", "submit", "send", "accept", "authorize", "subscribe",
];

#[rustfmt::skip]
const CARTS: &[&str] = &[
    "cart", "basket", "bag", "trolley", "warenkorb", "panier", "carrito", "cesta", "carrello", "winkelwagen", "kosik",
    "koszyk", "handlekurv", "varukorg", "kurv", "ostoskori", "carrinho", "addtocart", "addtobasket", "addtobag",
    "newaddtocart",
];
#[rustfmt::skip]
const SEARCHES: &[&str] = &[
    "search", "find", "query", "lookup", "result", "filter", "sort", "suche", "recherche", "buscar", "busca", "cerca",
    "zoeken", "sok", "browse", "facet", "autocomplete", "suggest",
];
#[rustfmt::skip]
const SESSIONS: &[&str] = &[
    "login", "logon", "session", "auth", "authenticate", "sso", "signin", "anmelden", "connexion", "acceso", "2fa",
    "mfa", "otp", "totp", "challenge", "logout", "signout", "abmelden",
];
#[rustfmt::skip]
const FLOWS: &[&str] = &[
    "checkout", "review", "preview", "shipping", "delivery", "address", "detail", "step", "next", "continue",
    "summary", "wizard", "quote", "estimate", "calculate", "information", "kasse", "adresse", "versand", "lieferung",
    "livraison", "envio", "entrega", "bezorging",
];
const CONSENTS: &[&str] = &["cookie", "consent", "gdpr", "ccpa", "tcf", "privacy"];
const PREFERENCES: &[&str] =
    &["language", "lang", "locale", "currency", "theme", "region", "country", "i18n", "timezone"];

/// Query parameters that only say which part of a list is shown, or where a visitor came from.
const VIEWS: &[&str] =
    &["page", "p", "sort", "order", "order_by", "dir", "lang", "q", "ref", "view", "tab", "limit", "offset", "from"];

/// An address in words.
#[derive(Debug)]
pub(super) struct Address {
    /// Words of each segment that has any, without file names' endings.
    segments: Vec<Vec<String>>,
    /// A number or a random name stands in the path: it is about one thing.
    has_id: bool,
    parameters: Vec<(String, String)>,
    host: String,
}

impl Address {
    pub(super) fn parse(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let parts: Vec<&str> = url.path_segments()?.filter(|part| !part.is_empty()).collect();
        let is_id = |part: &&&str| part.bytes().any(|byte| byte.is_ascii_digit()) && !is_word(part);
        let has_id = parts.iter().any(|part| is_id(&part));
        let words_of = |part: &&str| words::identifier_tokens(&decoded(without_ending(part)));
        let segments =
            parts.iter().filter(|part| !is_id(part)).map(words_of).filter(|words| !words.is_empty()).collect();
        let parameters = url.query_pairs().map(|(key, value)| (key.to_lowercase(), value.to_lowercase())).collect();
        let host = url.host_str().unwrap_or_default().trim_start_matches("www.").to_owned();
        Some(Self { segments, has_id, parameters, host })
    }

    /// With what a form sends besides, since a GET form's own query is dropped.
    pub(super) fn with(mut self, sent: impl Iterator<Item = (String, String)>) -> Self {
        self.parameters.extend(sent.map(|(key, value)| (key.to_lowercase(), value.to_lowercase())));
        self
    }

    /// Same host, or one is a part of the other's domain.
    pub(super) fn is_of_site(&self, other: &Self) -> bool {
        let is_under = |one: &str, other: &str| one.strip_suffix(other).is_some_and(|rest| rest.ends_with('.'));
        self.host == other.host || is_under(&self.host, &other.host) || is_under(&other.host, &self.host)
    }

    /// A request with a body to it does something: its last words name a deed, or its query does.
    pub(super) fn commits(&self) -> bool {
        self.last_has(DEEDS) && !self.is_cart() || self.query_commits()
    }

    /// Opening it does something by itself: a deed, and what it is done to; or a query that confirms one.
    pub(super) fn commits_by_get(&self) -> bool {
        let names_object = self.has_id
            || self.parameters.iter().any(|(key, value)| !VIEWS.contains(&key.as_str()) && has_digit(value));
        self.last_names(DEEDS_OF_LINKS) && names_object && !self.is_cart() || self.query_commits()
    }

    /// `?confirm=yes`, `?action=delete`, `?remove=1`.
    fn query_commits(&self) -> bool {
        let is_deed =
            |word: &str| words::identifier_tokens(word).iter().any(|word| DEEDS_OF_LINKS.contains(&word.as_str()));
        let is_yes = |value: &str| matches!(value, "1" | "yes" | "true" | "y" | "on" | "ok");
        let names_deed =
            |key: &str| matches!(key, "action" | "act" | "do" | "op" | "cmd" | "command" | "task" | "mode");
        !self.is_cart()
            && self.parameters.iter().any(|(key, value)| {
                let is_confirmed = matches!(key.as_str(), "confirm" | "confirmed") && is_yes(value);
                is_confirmed || names_deed(key) && is_deed(value) || is_deed(key) && (is_yes(value) || has_digit(value))
            })
    }

    pub(super) fn is_cart(&self) -> bool {
        let Some(at) = self.segments.iter().position(|words| words.iter().any(|word| has(CARTS, word))) else {
            let names_cart = self.parameters.iter().any(|(key, value)| is_cart_name(key) || is_cart_name(value));
            return names_cart && !self.last_has(DEEDS);
        };
        let after = self.segments[at..].iter().flatten();
        let takes_back = ["remove", "delete", "removed"].map(str::to_owned);
        !after
            .filter(|word| !takes_back.contains(word))
            .any(|word| has(DEEDS, word) || has(&["checkout", "express"], word))
    }

    pub(super) fn is_search(&self) -> bool {
        self.last_has(SEARCHES) || self.parameters.iter().any(|(_, value)| value.ends_with("/search"))
    }

    pub(super) fn is_session(&self) -> bool {
        self.last_has(SESSIONS) || self.parameters.iter().any(|(_, value)| value.ends_with("login"))
    }

    pub(super) fn is_sign_out(&self) -> bool {
        self.last_has(&["logout", "signout", "abmelden"])
    }

    pub(super) fn is_flow(&self) -> bool {
        self.last_has(FLOWS)
    }

    pub(super) fn is_consent(&self) -> bool {
        self.is_about(CONSENTS)
    }

    pub(super) fn is_preference(&self) -> bool {
        self.last_has(PREFERENCES)
    }

    pub(super) fn is_same_page(&self, other: &Self) -> bool {
        self.host == other.host && self.segments == other.segments
    }

    /// Whether the stems of the path and of the parameters' names, taken together, fit.
    pub(super) fn says(&self, fits: impl Fn(&[String]) -> bool) -> bool {
        let mut all: Vec<String> = self.segments.iter().flatten().map(|word| words::stem(word)).collect();
        all.extend(self.parameters.iter().flat_map(|(key, _)| words::identifier_stems(key)));
        fits(&all)
    }

    /// Whether any part of the path has one of these words.
    pub(super) fn is_about(&self, words: &[&str]) -> bool {
        self.segments.iter().flatten().any(|word| has(words, word))
    }

    fn last_names(&self, words: &[&str]) -> bool {
        self.segments.last().is_some_and(|last| last.iter().any(|word| words.contains(&word.as_str())))
    }

    fn last_has(&self, words: &[&str]) -> bool {
        self.segments.last().is_some_and(|last| last.iter().any(|word| has(words, word)))
    }
}

/// Whether a control's name is how shops call putting something into the cart: `add-to-cart`, `submit.addToBasket`.
pub(super) fn is_cart_name(name: &str) -> bool {
    let stems = words::identifier_stems(name);
    let adds = stems.iter().any(|stem| stem == "add" || stem == "addto");
    adds && stems.iter().any(|stem| has(CARTS, stem))
        || stems.iter().any(|stem| has(&["addtocart", "addtobasket", "addtobag"], stem))
}

fn has(list: &[&str], word: &str) -> bool {
    let stem = words::stem(word);
    list.iter().any(|other| words::stem(other) == stem)
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// `step2`, `2fa` and `i18n` are words; `12`, `a81f09` and `item-77120` name one thing.
fn is_word(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
    digits <= 2 && letters >= 2 && part.len() <= 12
}

fn without_ending(part: &str) -> &str {
    part.split('.').next().filter(|name| !name.is_empty()).unwrap_or(part)
}

fn decoded(part: &str) -> String {
    url::form_urlencoded::parse(format!("x={part}").as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> Address {
        Address::parse(&format!("https://site.test{path}")).unwrap()
    }

    #[test]
    fn following_some_addresses_already_does_something() {
        for path in [
            "/items/1/remove?confirm=yes",
            "/buy?item=1&confirm=1",
            "/account/remove?confirm=1",
            "/list/remove/77",
            "/index.php?action=delete&id=4",
            "/u/unsubscribe?token=a81f09",
            "/orders/77120/cancel",
            "/posts/9/publish",
            "/admin?do=approve",
        ] {
            assert!(at(path).commits_by_get(), "{path}");
        }
        for path in [
            "/orders/77120",
            "/buy",
            "/buy?page=2",
            "/cart/remove?item=3",
            "/help/how-to-buy",
            "/search?q=delete+1",
            "/list?sort=order&page=3",
            "/contact",
            "/posts/9",
            "/subscribe",
            "/?add-to-cart=12",
            "/books/1234",
        ] {
            assert!(!at(path).commits_by_get(), "{path}");
        }
    }

    #[test]
    fn a_request_with_a_body_is_judged_by_the_last_words_of_its_path() {
        for path in [
            "/order",
            "/subscribe-paid",
            "/publish",
            "/api/v1/transfer",
            "/account/delete",
            "/shop/orders",
            "/cart/order",
            "/comments/post.php",
        ] {
            assert!(at(path).commits(), "{path}");
        }
        for path in ["/orders/search", "/cart/remove", "/login", "/shop/checkout", "/", "/preview"] {
            assert!(!at(path).commits(), "{path}");
        }
    }

    #[test]
    fn shapes_are_read_from_the_path() {
        assert!(
            at("/cart/add").is_cart()
                && at("/checkout/cart/add/product/12").is_cart()
                && at("/p/3?add-to-cart=3").is_cart()
        );
        assert!(
            !at("/order?add-to-cart=3").is_cart() && !at("/cart/checkout").is_cart() && !at("/cart/order").is_cart()
        );
        assert!(at("/search.php").is_search() && at("/orders/search").is_search() && !at("/search/order").is_search());
        assert!(
            at("/users/sign_in").is_session()
                && at("/wp-login.php").is_session()
                && !at("/login/transfer").is_session()
        );
        assert!(at("/2fa").is_session() && at("/account/logout").is_sign_out());
        assert!(at("/checkout").is_flow() && at("/quote/step2").is_flow() && !at("/order").is_flow());
    }

    #[test]
    fn a_site_is_a_host_and_what_stands_under_it() {
        let is_same = |one: &str, other: &str| Address::parse(one).unwrap().is_of_site(&Address::parse(other).unwrap());
        assert!(is_same("https://www.shop.test/a", "https://login.shop.test/b"));
        assert!(!is_same("https://shop.test/a", "https://evilshop.test/b"));
        assert!(!is_same("http://127.0.0.1/a", "http://127.0.0.2/a"));
    }
}
