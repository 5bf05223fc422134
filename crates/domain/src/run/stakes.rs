//! What an action that waits for approval would do, as far as its page tells: what it costs, what it is for, where it goes
//! and what it sends.

use serde::{Deserialize, Serialize};

/// Shown to the person who is asked. Secrets are masked before they come here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stakes {
    /// The sum as the page shows it, such as `$12.00`.
    pub total: Option<String>,
    /// What the sum is for, a line each.
    pub items: Vec<String>,
    /// `host` or `host:port` that the request would go to; `None` when only a script knows.
    pub target: Option<String>,
    /// All that would be sent, hidden controls too.
    pub values: Vec<SentValue>,
}

/// A control that a form sends.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SentValue {
    /// Under which it is sent.
    pub name: String,
    /// What the page calls it; empty for a hidden control.
    pub label: String,
    /// `[secret]` for passwords, `[token]` for the page's own random values.
    pub value: String,
}

impl Stakes {
    /// Whether nothing is known about them.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total.is_none() && self.items.is_empty() && self.target.is_none() && self.values.is_empty()
    }
}
