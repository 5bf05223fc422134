//! One visitor's cart and checkout, and the shop that holds them all.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;

use super::catalogue::{Product, Size, products};
use super::ledger::{Ledger, Order, OrderLine, OrderPost, PostOutcome, Recipient};
use crate::site::html::money;
use crate::site::seed;
use crate::site::state::lock;

const CURRENCY: &str = "USD";

/// A product in a cart.
#[derive(Debug, Clone)]
pub struct CartLine {
    pub product: Product,
    pub size: Size,
    pub quantity: u32,
}

impl CartLine {
    pub fn total_cents(&self) -> u32 {
        self.product.price_cents(self.size) * self.quantity
    }
}

/// What one visitor has chosen so far.
#[derive(Debug, Clone, Default)]
pub struct Session {
    pub lines: Vec<CartLine>,
    /// Where it goes, with the one-time token of this checkout.
    pub checkout: Option<(Recipient, String)>,
}

/// What the order endpoint answers.
#[derive(Debug)]
pub enum OrderAnswer {
    Placed(Order),
    AlreadyPlaced(Order),
    Refused,
}

#[derive(Debug, Default)]
struct Inner {
    sessions: BTreeMap<String, Session>,
    tokens_issued: u64,
    ledger: Ledger,
}

/// The shop: catalogue, sessions and ledger. Lives as long as one test, so sessions are never dropped.
#[derive(Debug)]
pub struct Shop {
    pub products: Vec<Product>,
    pub shipping_cents: u32,
    /// How long the order endpoint waits after it has recorded the order.
    pub order_delay: Duration,
    seed: u64,
    inner: Mutex<Inner>,
    post_count: watch::Sender<usize>,
}

impl Shop {
    pub fn new(seed: u64, order_delay: Duration) -> Self {
        Self {
            products: products(seed),
            shipping_cents: 300 + u32::try_from(seed % 4).expect("a number below 4 fits") * 50,
            order_delay,
            seed,
            inner: Mutex::default(),
            post_count: watch::Sender::new(0),
        }
    }

    pub fn product(&self, slug: &str) -> Option<&Product> {
        self.products.iter().find(|product| product.slug == slug)
    }

    pub fn ledger(&self) -> Ledger {
        lock(&self.inner).ledger.clone()
    }

    pub fn post_count(&self) -> watch::Receiver<usize> {
        self.post_count.subscribe()
    }

    /// A new session's id.
    pub fn open_session(&self) -> String {
        let mut inner = lock(&self.inner);
        let id = seed::name(self.seed, "session", inner.sessions.len() as u64, 32);
        inner.sessions.insert(id.clone(), Session::default());
        id
    }

    pub fn session(&self, id: &str) -> Option<Session> {
        lock(&self.inner).sessions.get(id).cloned()
    }

    /// Adds to the cart; the same product and size become one line.
    pub fn add_to_cart(&self, id: &str, line: CartLine) {
        let mut inner = lock(&self.inner);
        let session = inner.sessions.entry(id.to_owned()).or_default();
        let same = |held: &&mut CartLine| held.product.slug == line.product.slug && held.size == line.size;
        match session.lines.iter_mut().find(same) {
            Some(held) => held.quantity = held.quantity.saturating_add(line.quantity).min(super::QUANTITY_MAX),
            None => session.lines.push(line),
        }
    }

    pub fn remove_from_cart(&self, id: &str, index: usize) {
        if let Some(session) = lock(&self.inner).sessions.get_mut(id)
            && index < session.lines.len()
        {
            session.lines.remove(index);
        }
    }

    /// Keeps the recipient and issues the token that the review page holds.
    pub fn check_out(&self, id: &str, recipient: Recipient) {
        let mut inner = lock(&self.inner);
        let token = seed::name(self.seed, "order-token", inner.tokens_issued, 24);
        inner.tokens_issued += 1;
        inner.sessions.entry(id.to_owned()).or_default().checkout = Some((recipient, token));
    }

    /// Records a POST to the order endpoint and places the order if its token is this session's unspent one.
    pub fn place(&self, id: Option<&str>, token: &str) -> OrderAnswer {
        let mut inner = lock(&self.inner);
        let answer = match inner.ledger.order_of_token(token) {
            Some(order) => OrderAnswer::AlreadyPlaced(order.clone()),
            None => self.try_place(&mut inner, id, token),
        };
        let outcome = match &answer {
            OrderAnswer::Placed(_) => PostOutcome::Placed,
            OrderAnswer::AlreadyPlaced(_) => PostOutcome::Duplicate,
            OrderAnswer::Refused => PostOutcome::Refused,
        };
        inner.ledger.posts.push(OrderPost { token: token.to_owned(), outcome, at_ms: now_ms() });
        let count = inner.ledger.posts.len();
        drop(inner);
        self.post_count.send_replace(count);
        answer
    }

    fn try_place(&self, inner: &mut Inner, id: Option<&str>, token: &str) -> OrderAnswer {
        let count = inner.ledger.orders.len() as u64;
        let Some(session) = id.and_then(|id| inner.sessions.get_mut(id)) else {
            return OrderAnswer::Refused;
        };
        let Some((recipient, expected)) = session.checkout.clone() else {
            return OrderAnswer::Refused;
        };
        let Some(first) = session.lines.first() else {
            return OrderAnswer::Refused;
        };
        if expected != token {
            return OrderAnswer::Refused;
        }
        let number = format!("{}-{}", first.product.initials(), seed::six_digits(self.seed, "order-number", count));
        let order = self.order(number, token, &session.lines, recipient);
        *session = Session::default();
        inner.ledger.orders.push(order.clone());
        OrderAnswer::Placed(order)
    }

    fn order(&self, number: String, token: &str, lines: &[CartLine], recipient: Recipient) -> Order {
        let subtotal_cents = subtotal_cents(lines);
        let total_cents = subtotal_cents + self.shipping_cents;
        Order {
            number,
            token: token.to_owned(),
            lines: lines.iter().map(order_line).collect(),
            recipient,
            subtotal_cents,
            shipping_cents: self.shipping_cents,
            total_cents,
            total: money(total_cents),
            currency: CURRENCY.to_owned(),
            placed_at_ms: now_ms(),
        }
    }
}

/// What the lines cost together, without shipping.
pub fn subtotal_cents(lines: &[CartLine]) -> u32 {
    lines.iter().map(CartLine::total_cents).sum()
}

fn order_line(line: &CartLine) -> OrderLine {
    OrderLine {
        product: line.product.name.to_owned(),
        size: line.size.value().to_owned(),
        quantity: line.quantity,
        unit_cents: line.product.price_cents(line.size),
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
