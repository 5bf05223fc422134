//! What a request does, judged by its structure and its content first, by words last. What is not recognised is unknown. Pure.

use super::outgoing::{Body, Kind, Outgoing};
use super::words::{
    ASKING, CART, CHALLENGE, CONFIRMING, CONSENT, COUNTED, COUNTING, COUNTING_PERHAPS, DOING, DOING_BY_LINK, DRAFT,
    GOODS, MONEY, NEW_PASSWORD, PERSONAL, RELAYED, REMOVING, SEARCHED, SIGN_IN, any_in, words_of,
};
use serde_json::Value;
use url::{Host, Url};

/// Names of a visitor counter's message that must be there to call it one.
const COUNTED_MIN: usize = 2;
/// A signed statement about a user is longer than anything that people type into a field of that name.
const STATEMENT_CHARS_MIN: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Asks for something, searches, pages, validates.
    Asks,
    SignsIn,
    FillsCart,
    Consents,
    /// Counts visitors, reports faults.
    Counts,
    /// Saves what is being written, for its writer alone.
    Drafts,
    /// Its words say that it does something.
    Does,
    Unknown,
}

impl Shape {
    pub(crate) fn goes_on(self) -> bool {
        match self {
            Self::Asks | Self::SignsIn | Self::FillsCart | Self::Consents | Self::Counts | Self::Drafts => true,
            Self::Does | Self::Unknown => false,
        }
    }
}

pub(crate) fn shape_of(outgoing: &Outgoing) -> Shape {
    if outgoing.kind == Kind::Own {
        return Shape::Counts;
    }
    let evidence = Evidence::of(outgoing);
    if outgoing.is_safe_method() {
        return if outgoing.kind == Kind::Document { evidence.of_link() } else { Shape::Asks };
    }
    evidence.of_call().or_else(|| evidence.of_address_and_fields()).unwrap_or(Shape::Unknown)
}

/// A request taken apart.
struct Evidence<'a> {
    outgoing: &'a Outgoing,
    /// Words of the path, and of its last part that is a word.
    path: Vec<String>,
    last: Vec<String>,
    values: Vec<(String, String)>,
    /// Words of the names of what is sent.
    names: Vec<String>,
    is_own_site: bool,
}

impl<'a> Evidence<'a> {
    fn of(outgoing: &'a Outgoing) -> Self {
        let values = outgoing.values();
        let parts: Vec<Vec<String>> = outgoing.url.path().split('/').map(words_of).collect();
        let is_word =
            |part: &&Vec<String>| part.iter().any(|word| word.len() > 1 && word.chars().all(char::is_alphabetic));
        Self {
            outgoing,
            last: parts.iter().rfind(is_word).cloned().unwrap_or_default(),
            path: parts.concat(),
            names: values.iter().flat_map(|(name, _)| words_of(name)).collect(),
            is_own_site: is_own_site(outgoing),
            values,
        }
    }

    /// A page asks before it does something; a link that carries its confirmation does it.
    fn of_link(&self) -> Shape {
        let does = any_in(&self.last, DOING_BY_LINK);
        let is_meant = self.values.iter().any(|(name, _)| any_in(&words_of(name), CONFIRMING));
        let does_by_query = self.values.iter().any(|(name, value)| {
            matches!(name.as_str(), "action" | "do" | "cmd" | "op") && any_in(&words_of(value), DOING_BY_LINK)
        });
        let is_final =
            matches!(self.last.join(" ").as_str(), "buy" | "buynow" | "buy now" | "purchase" | "unsubscribe");
        let does = does_by_query || is_final || does && is_meant;
        if does && !any_in(&self.path, CART) { Shape::Does } else { Shape::Asks }
    }

    /// Calls that name what they do: GraphQL (a query or a mutation), JSON-RPC, a form of ASP.NET that pages or sorts.
    fn of_call(&self) -> Option<Shape> {
        match &self.outgoing.body {
            Body::Json(Value::Array(calls)) if !calls.is_empty() => {
                let shapes: Option<Vec<Shape>> = calls.iter().map(shape_of_call).collect();
                let shapes = shapes?;
                shapes.iter().find(|shape| !shape.goes_on()).or(shapes.first()).copied()
            }
            Body::Json(call) => shape_of_call(call),
            Body::Fields(fields) => {
                let argument =
                    fields.iter().find(|(name, _)| name == "__EVENTARGUMENT").map(|(_, value)| value.as_str())?;
                (argument.starts_with("Page$") || argument.starts_with("Sort$")).then_some(Shape::Asks)
            }
            Body::None | Body::Text(_) | Body::Unseen => None,
        }
    }

    fn of_address_and_fields(&self) -> Option<Shape> {
        let is_post = self.outgoing.method == "POST";
        let has_money = any_in(&self.names, MONEY);
        let does = any_in(&self.path, DOING) || self.query_does();
        // The first that holds decides.
        let rules = [
            (is_post && !has_money && self.asks(), Some(Shape::Asks)),
            (self.is_own_site && self.drafts(), Some(Shape::Drafts)),
            (self.fills_cart() && !self.does_beside_cart(), Some(Shape::FillsCart)),
            (is_post && self.counts_visitors(does), Some(Shape::Counts)),
            (does, Some(Shape::Does)),
            (has_money, None),
            (self.relays_sign_in() || is_post && self.signs_in(), Some(Shape::SignsIn)),
            (any_in(&self.path, CHALLENGE), Some(Shape::Counts)),
            (is_post && self.searches(), Some(Shape::Asks)),
            (any_in(&self.path, CONSENT), Some(Shape::Consents)),
        ];
        rules.into_iter().find(|(holds, _)| *holds).and_then(|(_, shape)| shape)
    }

    /// The last word of its path asks: `/orders/search`, `/api/getProduct`. To check in or out is to do something.
    fn asks(&self) -> bool {
        let (first, second) = (self.last.first().map(String::as_str), self.last.get(1).map(String::as_str));
        first.is_some_and(|first| ASKING.contains(&first))
            || first == Some("check") && !matches!(second, Some("in" | "out"))
            || matches!(self.last.last().map(String::as_str), Some("search" | "query" | "queries" | "suggest"))
    }

    /// `/posts/7/autosave`, `/drafts/7`.
    fn drafts(&self) -> bool {
        any_in(&self.last, DRAFT)
    }

    fn query_does(&self) -> bool {
        let mut query = self.outgoing.url.query_pairs();
        query.any(|(name, value)| {
            any_in(&words_of(&name), DOING)
                || matches!(&*name, "action" | "do" | "cmd" | "op") && any_in(&words_of(&value), DOING)
        })
    }

    fn searches(&self) -> bool {
        self.values.iter().any(|(name, _)| SEARCHED.contains(&name.to_lowercase().as_str()))
            && !any_in(&self.names, PERSONAL)
    }

    /// Credentials for the very origin that asks for them, once; or a step of a sign-in that its address names.
    fn signs_in(&self) -> bool {
        let is_own_origin = self.outgoing.sender.as_deref() == Some(&self.outgoing.url.origin().ascii_serialization());
        let is_password = |name: &String| matches!(name.as_str(), "password" | "passwd" | "pwd" | "pass" | "passcode");
        let passwords = self.values.iter().filter(|(name, _)| words_of(name).iter().any(is_password)).count();
        let is_new = self.values.iter().any(|(name, _)| {
            let words = words_of(name);
            words.iter().any(is_password) && any_in(&words, NEW_PASSWORD)
        });
        let is_named = any_in(&self.path, SIGN_IN);
        is_own_origin && !is_new && (passwords == 1 || passwords == 0 && is_named)
    }

    /// One site hands a signed statement, or a code for one, on to another.
    fn relays_sign_in(&self) -> bool {
        let is_statement = |(name, value): &(String, String)| {
            RELAYED.contains(&name.to_lowercase().as_str()) && value.len() >= STATEMENT_CHARS_MIN
        };
        let has = |wanted: &str| self.values.iter().any(|(name, _)| name == wanted);
        self.outgoing.kind == Kind::Document
            && (self.values.iter().any(is_statement) || has("code") && has("state") || has("id_token") && has("state"))
    }

    fn fills_cart(&self) -> bool {
        any_in(&self.path, CART) || self.path.iter().any(|word| word == "add") && any_in(&self.path, GOODS)
    }

    /// Checking out of a cart is more than filling it.
    fn does_beside_cart(&self) -> bool {
        let more = |word: &&String| DOING.contains(&word.as_str()) && !REMOVING.contains(&word.as_str());
        self.path.iter().any(|word| more(&word) || word == "checkout") || self.query_does()
    }

    /// By its address, or by what such messages hold; a beacon to another site can be nothing else.
    fn counts_visitors(&self, does: bool) -> bool {
        let names = self.values.iter().map(|(name, _)| name.rsplit('.').next().unwrap_or(name).to_lowercase());
        let mut counted: Vec<String> = names.filter(|name| COUNTED.contains(&name.as_str())).collect();
        counted.sort_unstable();
        counted.dedup();
        let is_message = counted.len() >= COUNTED_MIN && !any_in(&self.names, MONEY);
        let is_named = any_in(&self.path, COUNTING);
        let is_named_perhaps = any_in(&self.path, COUNTING_PERHAPS);
        match self.outgoing.kind {
            Kind::Document => false,
            Kind::Ping => is_named || !does && (is_message || !self.is_own_site),
            Kind::Data | Kind::Own => {
                is_named && (is_message || !does) || is_message && !does && (is_named_perhaps || !self.is_own_site)
            }
        }
    }
}

fn shape_of_call(call: &Value) -> Option<Shape> {
    if let Some(query) = call.get("query").and_then(Value::as_str) {
        return shape_of_graphql(query.trim_start());
    }
    let name = call.get("operationName").or_else(|| call.get("method").filter(|_| call.get("jsonrpc").is_some()))?;
    let words = words_of(name.as_str()?);
    let (first, last) = (words.first()?, words.last()?);
    let asks = last == "query" || last != "mutation" && ASKING.contains(&first.as_str());
    Some(if asks { Shape::Asks } else { Shape::Unknown })
}

/// One document may hold several operations, so a single mutation makes it one. One that only fills a cart goes on, as its
/// twin without GraphQL would.
fn shape_of_graphql(document: &str) -> Option<Shape> {
    let words = words_of(document);
    let does = words.iter().any(|word| DOING.contains(&word.as_str()) && !REMOVING.contains(&word.as_str()));
    let is_operation =
        ["{", "query", "fragment", "subscription", "mutation"].iter().any(|lead| document.starts_with(lead));
    match words.iter().any(|word| word == "mutation") {
        true if any_in(&words, CART) && !does => Some(Shape::FillsCart),
        true => Some(Shape::Does),
        false => (is_operation && document.contains('{')).then_some(Shape::Asks),
    }
}

/// The last two labels of the hosts are the same, or the whole address of a host without a name.
fn is_own_site(outgoing: &Outgoing) -> bool {
    let Some(sender) = outgoing.sender.as_deref().and_then(|origin| Url::parse(origin).ok()) else { return true };
    site_of(&sender) == site_of(&outgoing.url)
}

fn site_of(url: &Url) -> String {
    match url.host() {
        Some(Host::Domain(name)) => {
            let mut labels: Vec<&str> = name.rsplit('.').take(2).collect();
            labels.reverse();
            labels.join(".")
        }
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => String::new(),
    }
}
