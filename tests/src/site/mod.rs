//! A seeded web site on loopback, written for tests: news, a shop with an order ledger, forms, awkward and hostile pages.
//!
//! The same seed gives the same pages, prices, tokens and order numbers, given the same order of requests.

mod account;
mod forms;
mod hostile;
mod html;
mod index;
mod news;
mod pages;
mod requests;
mod seed;
mod shop;
mod state;
mod wizard;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use account::{ACCOUNT_PASSWORD, ACCOUNT_USERNAME};
pub use forms::Submission;
pub use news::GoldStory;
pub use shop::{Ledger, Order, OrderLine, OrderPost, PostOutcome};
use state::SiteState;

/// How long `stop` waits for open connections; a browser keeps idle ones, and nothing is lost by dropping them.
const STOP_GRACE: Duration = Duration::from_millis(500);

/// What a fixture site is started with.
#[derive(Debug, Clone)]
pub struct SiteOptions {
    /// Decides pages, prices, tokens and order numbers.
    pub seed: u64,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How long the shop holds back its answer after it has recorded an order.
    pub order_delay: Duration,
}

impl SiteOptions {
    /// Options for `seed` on a free loopback port, without delay.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), order_delay: Duration::ZERO }
    }
}

/// A running fixture site; dropping it stops it without waiting.
#[derive(Debug)]
pub struct FixtureSite {
    address: SocketAddr,
    state: Arc<SiteState>,
    stop: CancellationToken,
    server: Option<JoinHandle<io::Result<()>>>,
}

impl FixtureSite {
    /// Starts a site for `seed` on a free loopback port.
    ///
    /// # Panics
    /// When loopback cannot be listened on: no test can go on without it.
    pub async fn start(seed: u64) -> Self {
        Self::start_with(SiteOptions::new(seed)).await.expect("loopback has a free port")
    }

    /// Starts a site with options.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn start_with(options: SiteOptions) -> io::Result<Self> {
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let state = Arc::new(SiteState::new(options.seed, options.order_delay, stop.clone()));
        let serve =
            axum::serve(listener, router(Arc::clone(&state))).with_graceful_shutdown(stop.clone().cancelled_owned());
        let server = tokio::spawn(async move { serve.await });
        Ok(Self { address, state, stop, server: Some(server) })
    }

    /// The address the site listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// An absolute URL of the site; `path` starts with a slash.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The shop's order ledger as it stands now.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        self.state.shop.ledger()
    }

    /// Waits until the shop has received `count` order POSTs; false when `deadline` passed first.
    pub async fn wait_for_order_posts(&self, count: usize, deadline: Duration) -> bool {
        let mut posts: watch::Receiver<usize> = self.state.shop.post_count();
        tokio::time::timeout(deadline, posts.wait_for(|seen| *seen >= count)).await.is_ok_and(|seen| seen.is_ok())
    }

    /// What `/news` shows, top first, with URLs made absolute against this site.
    #[must_use]
    pub fn gold_stories(&self) -> Vec<GoldStory> {
        news::gold(&self.state.stories, &self.url("/news"))
    }

    /// What was submitted with the form called `form`, oldest first.
    #[must_use]
    pub fn submissions(&self, form: &str) -> Vec<Submission> {
        self.state.submissions.of(form)
    }

    /// How many requests came for `path` (without the query).
    #[must_use]
    pub fn requests(&self, path: &str) -> u64 {
        self.state.requests.count(path)
    }

    /// How many requests came, for whatever path.
    #[must_use]
    pub fn requests_total(&self) -> u64 {
        self.state.requests.total()
    }

    /// Stops listening and waits until the server has ended.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let Some(mut server) = self.server.take() else {
            return;
        };
        if tokio::time::timeout(STOP_GRACE, &mut server).await.is_err() {
            server.abort();
        }
    }
}

impl Drop for FixtureSite {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(server) = &self.server {
            server.abort();
        }
    }
}

fn router(state: Arc<SiteState>) -> Router {
    let count = middleware::from_fn_with_state(Arc::clone(&state), requests::count);
    Router::new()
        .merge(index::routes())
        .merge(news::routes())
        .merge(shop::routes())
        .merge(forms::routes())
        .merge(wizard::routes())
        .merge(account::routes())
        .merge(pages::routes())
        .merge(hostile::routes())
        .merge(requests::routes())
        .layer(count)
        .with_state(state)
}

#[cfg(test)]
mod tests;
