//! A browser over the simulated web. It is a process of its own: what it has sent off reaches the server, or does not,
//! whatever becomes of the worker meanwhile.

use async_trait::async_trait;
use bytes::Bytes;
use errand_browser::{Commits, TypedSecret};
use errand_browser_worker::driver::{
    ActError, ActReport, BrowserDriver, GotoError, SessionDriver, SessionLost, SessionPlan,
};
use errand_domain::action::{Action, TypedText};
use errand_domain::page::PageSnapshot;
use errand_planner::Observation;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::time::sleep;

use crate::process::Edge;
use crate::shop::{Address, PLACE_ORDER, Shop};

/// One worker's browser.
#[derive(Debug)]
pub struct SimBrowser {
    pub shop: Arc<Shop>,
    pub edge: Edge,
}

/// All of a session that a checkpoint keeps.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Tab {
    url: String,
    name: String,
}

#[derive(Debug)]
struct SimSession {
    shop: Arc<Shop>,
    edge: Edge,
    tab: Tab,
    is_lost: bool,
    /// Whether the browser still lives, for what it has sent off.
    lives: Arc<AtomicBool>,
}

impl Drop for SimSession {
    fn drop(&mut self) {
        self.lives.store(false, Ordering::Relaxed);
    }
}

fn lost() -> SessionLost {
    SessionLost { reason: "the simulated browser crashed".to_owned() }
}

#[async_trait]
impl BrowserDriver for SimBrowser {
    fn profile_of(&self, checkpoint: &[u8]) -> Option<Bytes> {
        Some(Bytes::copy_from_slice(checkpoint))
    }

    async fn open(&self, plan: SessionPlan) -> Result<Box<dyn SessionDriver>, SessionLost> {
        self.edge.ask().await;
        sleep(self.edge.chaos.ms(30..300)).await;
        if self.edge.chaos.strikes(|rates| rates.session_lost) {
            return Err(lost());
        }
        let tab = plan.checkpoint.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        self.edge.answer().await;
        let lives = Arc::new(AtomicBool::new(true));
        Ok(Box::new(SimSession { shop: Arc::clone(&self.shop), edge: self.edge.clone(), tab, is_lost: false, lives }))
    }

    async fn shutdown(&self) {}
}

impl SimSession {
    /// One command to the browser; it may be its last.
    async fn command(&mut self) -> Result<(), SessionLost> {
        self.edge.ask().await;
        self.is_lost |= self.edge.chaos.strikes(|rates| rates.session_lost);
        if self.is_lost { Err(lost()) } else { Ok(()) }
    }

    /// Clicks the button that orders. Nothing lies between the worker's last check of its claim and this click: the
    /// process is not halted there (the window that no log can close). From here on the browser is on its own.
    async fn order(&mut self, errand: u32) -> Result<(), ActError> {
        let chaos = Arc::clone(&self.edge.chaos);
        let takes = chaos.ms(20..2_000);
        let lands_without_browser = chaos.below(2) == 0;
        let hangs = chaos.strikes(|rates| rates.act_hangs);
        let (shop, lives) = (Arc::clone(&self.shop), Arc::clone(&self.lives));
        let travelling = tokio::spawn(async move {
            sleep(takes).await;
            if lives.load(Ordering::Relaxed) || lands_without_browser {
                shop.order(errand);
            }
        });
        self.shop.order_sent.notify_waiters();
        if hangs {
            std::future::pending::<()>().await;
        }
        // It ends with the simulation at the latest.
        let _ = travelling.await;
        self.is_lost |= chaos.strikes(|rates| rates.session_lost * 5);
        if self.is_lost {
            return Err(lost().into());
        }
        self.tab.url = Address::url(errand, "done");
        Ok(())
    }

    fn follow_link(&mut self, name: &str) -> Result<(), ActError> {
        let (observation, _) = self.shop.show(&self.tab.url, &self.tab.name);
        let link = observation.elements.iter().find(|element| element.name == name);
        let gone = || ActError::NotActed { reason: "the element is gone".to_owned() };
        self.tab.url = link.and_then(|link| link.href.clone()).ok_or_else(gone)?;
        Ok(())
    }
}

#[async_trait]
impl SessionDriver for SimSession {
    async fn goto(&mut self, url: &str) -> Result<(), GotoError> {
        self.command().await?;
        sleep(self.edge.chaos.ms(20..500)).await;
        if self.edge.chaos.strikes(|rates| rates.page_fails) {
            return Err(GotoError::Failed { reason: "the simulated site refused".to_owned() });
        }
        self.tab.url = url.to_owned();
        self.edge.answer().await;
        Ok(())
    }

    async fn look(&mut self) -> Result<(Observation, PageSnapshot), SessionLost> {
        self.command().await?;
        let shown = self.shop.show(&self.tab.url, &self.tab.name);
        self.edge.answer().await;
        Ok(shown)
    }

    async fn act(
        &mut self,
        action: &Action,
        _typed: Option<&TypedSecret>,
        _accept_dialogs: bool,
        _commits: Commits,
    ) -> Result<ActReport, ActError> {
        if self.edge.chaos.strikes(|rates| rates.not_acted) {
            self.edge.answer().await;
            return Err(ActError::NotActed { reason: "the element is covered".to_owned() });
        }
        match (action, Address::parse(&self.tab.url)) {
            (Action::Click { target }, Some(address)) if target.name == PLACE_ORDER => {
                self.order(address.errand).await?
            }
            (Action::Click { target }, _) => {
                self.command().await?;
                self.follow_link(&target.name)?;
            }
            (Action::Type { text: TypedText::Plain(text), .. }, _) => {
                self.command().await?;
                self.tab.name.clone_from(text);
            }
            (action, _) => return Err(ActError::NotActed { reason: format!("cannot {}", action.describe()) }),
        }
        self.edge.answer().await;
        Ok(ActReport { url: self.tab.url.clone(), result: "done".to_owned(), doubt: None })
    }

    async fn url(&mut self) -> Result<String, SessionLost> {
        Ok(self.tab.url.clone())
    }

    async fn screenshot(&mut self) -> Result<Bytes, SessionLost> {
        self.command().await?;
        Ok(Bytes::from_static(b"png"))
    }

    async fn checkpoint(&mut self) -> Result<Bytes, SessionLost> {
        self.command().await?;
        let bytes = serde_json::to_vec(&self.tab).map_err(|error| SessionLost { reason: error.to_string() })?;
        Ok(bytes.into())
    }

    async fn close(self: Box<Self>) {
        self.edge.process.gate().await;
    }
}
