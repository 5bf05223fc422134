//! Reads pages of the web: a bounded number at once, each within its deadline.

use errand_egress::Dialer;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use url::Url;

use crate::climb::{self, Reading};
use crate::limits::{ASKER_READS_MAX, READS_MAX};
use crate::schema::ReadSchema;
use crate::shares::Places;
use crate::tools::Browse;

/// Which tools a read may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Engine {
    /// One plain request, no scripts.
    Http,
    /// A real browser.
    Chromium,
    /// A plain request; a browser when that page is incomplete.
    #[default]
    Auto,
}

impl Engine {
    /// The engine of a name, as clients write it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "http" => Some(Self::Http),
            "chromium" => Some(Self::Chromium),
            "auto" => Some(Self::Auto),
            _ => None,
        }
    }
}

/// Why nothing was read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A rule about addresses forbids it.
    #[error("the page may not be read: {reason}")]
    Blocked { reason: String },
    #[error("the page could not be read: {}", reasons.join("; "))]
    NoPage { reasons: Vec<String> },
    /// As before, and a tool failed for reasons of this machine: another try, or another machine, may read it.
    #[error("the page could not be read: {}", reasons.join("; "))]
    Failed { reasons: Vec<String> },
    /// Another try may find a place.
    #[error("{max} pages are being read already")]
    Busy { max: usize },
    /// One's own reads must end first; the oldest does within `frees_in`.
    #[error("{max} reads of this account are going on, which is its limit; one ends within {} s", frees_in.as_secs() + 1)]
    AskerBusy { max: usize, frees_in: Duration },
}

/// Reads pages within the rules of its dialer and its browser. Cheap to clone; clones share the bound.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(crate) dialer: Dialer,
    pub(crate) browser: Arc<dyn Browse>,
    places: Arc<Places>,
}

impl Reader {
    /// At most [`READS_MAX`] at once, [`ASKER_READS_MAX`] of them for one asker. The browser must keep the dialer's rules.
    #[must_use]
    pub fn new(dialer: Dialer, browser: Arc<dyn Browse>) -> Self {
        Self { dialer, browser, places: Places::new(READS_MAX, ASKER_READS_MAX) }
    }

    /// With another bound on all reads.
    #[must_use]
    pub fn with_reads_max(self, reads_max: usize) -> Self {
        Self { places: Places::new(reads_max, self.places.asker_reads_max()), ..self }
    }

    /// With another bound on the reads of one asker.
    #[must_use]
    pub fn with_asker_reads_max(self, asker_reads_max: usize) -> Self {
        Self { places: Places::new(self.places.reads_max(), asker_reads_max), ..self }
    }

    /// Tries the engine's tools in order until a page is complete, and keeps the one that fills the most properties.
    /// Whoever asks under one name shares the places of one asker.
    ///
    /// # Errors
    /// When no tool got a page, the address rules forbid it, or too many reads are going on.
    pub async fn read(
        &self,
        asker: &str,
        url: &Url,
        engine: Engine,
        schema: Option<&ReadSchema>,
    ) -> Result<Reading, ReadError> {
        let place = self.places.take(asker)?;
        climb::read(self, url, engine, schema, Arc::new(place)).await
    }

    /// Waits until every browser of a read has ended, also of those whose caller has gone; for the end of the process.
    pub async fn ended(&self) {
        self.browser.ended().await;
    }
}
