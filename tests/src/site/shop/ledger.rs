//! The shop's own record of what was really ordered: the side effects that tests count.

use std::collections::BTreeMap;

use serde::Serialize;

/// One line of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrderLine {
    /// The product's name as shown.
    pub product: String,
    /// `small`, `medium` or `large`.
    pub size: String,
    pub quantity: u32,
    pub unit_cents: u32,
}

/// Where an order goes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Recipient {
    pub full_name: String,
    pub street: String,
    pub city: String,
    /// Two letters.
    pub state: String,
    pub zip: String,
    /// Empty when not given.
    pub email: String,
}

/// An order that was placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Order {
    /// As shown: `BM-482913`.
    pub number: String,
    /// The one-time token the order was placed with.
    pub token: String,
    pub lines: Vec<OrderLine>,
    #[serde(flatten)]
    pub recipient: Recipient,
    pub subtotal_cents: u32,
    pub shipping_cents: u32,
    pub total_cents: u32,
    /// The total as shown, without currency: `24.50`.
    pub total: String,
    /// `USD`.
    pub currency: String,
    /// Unix time in milliseconds.
    pub placed_at_ms: u64,
}

/// What one POST to `/shop/orders` did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PostOutcome {
    /// It placed an order.
    Placed,
    /// Its token was spent: a second side effect, had the shop not refused it.
    Duplicate,
    /// Its token was never given to this session, or the cart was empty.
    Refused,
}

/// One POST to `/shop/orders`, whatever came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrderPost {
    pub token: String,
    pub outcome: PostOutcome,
    /// Unix time in milliseconds.
    pub at_ms: u64,
}

/// Everything that reached the order endpoint, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    pub orders: Vec<Order>,
    pub posts: Vec<OrderPost>,
}

impl Ledger {
    /// POSTs whose token was already spent.
    #[must_use]
    pub fn duplicates(&self) -> usize {
        self.posts.iter().filter(|post| post.outcome == PostOutcome::Duplicate).count()
    }

    /// POSTs per token.
    #[must_use]
    pub fn by_token(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for post in &self.posts {
            *counts.entry(post.token.clone()).or_insert(0) += 1;
        }
        counts
    }

    /// Orders for one name, so that concurrent runs can be told apart.
    #[must_use]
    pub fn orders_for(&self, full_name: &str) -> Vec<&Order> {
        self.orders.iter().filter(|order| order.recipient.full_name == full_name).collect()
    }

    /// The order placed with `token`.
    pub fn order_of_token(&self, token: &str) -> Option<&Order> {
        self.orders.iter().find(|order| order.token == token)
    }

    /// The order with this number.
    pub fn order(&self, number: &str) -> Option<&Order> {
        self.orders.iter().find(|order| order.number == number)
    }
}
