//! One Chromium process and the registry of the contexts in it: attached pages find their session here.

use crate::connection::{Connection, Loss, Pumps, SessionId};
use crate::error::BrowserError;
use crate::guard::Watch;
use crate::launch::{LaunchError, LaunchOptions, launch};
use crate::page::Page;
use crate::process::Process;
use crate::protocol::{
    AttachedToTarget, CloseTarget, CreateBrowserContext, CreateTarget, DetachedFromTarget, DisposeBrowserContext,
    DownloadWillBegin, EnableNetwork, RunIfWaitingForDebugger, SetAutoAttach, SetDiscoverTargets, SetDownloadBehavior,
    TargetFilter, TargetNamed,
};
use crate::pulse::Pulse;
use crate::session::{Session, SessionOptions, SessionShared};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A running Chromium; dropping it kills the process and all that belongs to it.
pub struct Browser {
    process: Process,
    connection: Connection,
    registry: Arc<Registry>,
    product: String,
    _pulse: Pulse,
    /// They end with the pipe.
    pumps: Pumps,
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser").field("product", &self.product).field("process", &self.process.id()).finish()
    }
}

/// Live sessions by browser context.
#[derive(Default)]
pub(crate) struct Registry {
    sessions: Mutex<BTreeMap<String, Arc<SessionShared>>>,
}

impl Browser {
    /// Starts a browser.
    ///
    /// # Errors
    /// When there is none, it cannot be started, or it does not answer in time.
    pub async fn launch(options: LaunchOptions) -> Result<Self, LaunchError> {
        let (process, connection, pumps, product) = launch(&options).await?;
        let registry = Arc::new(Registry::default());
        let weak = Arc::downgrade(&registry);
        let events_of = connection.downgrade();
        let listener = move |method: &str, params: Value| {
            if let (Some(registry), Some(connection)) = (Weak::upgrade(&weak), events_of.upgrade()) {
                registry.take_event(&connection, method, params);
            }
        };
        connection.listen(None, Arc::new(listener));
        connection.post(&None, &SetDiscoverTargets { discover: true });
        let filter = ["page", "service_worker", "shared_worker"].map(|kind| TargetFilter { kind }).into();
        let attach = SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true, filter };
        connection.post(&None, &attach);
        tracing::info!(product, process = process.id(), "browser started");
        let pulse = Pulse::start(connection.downgrade());
        Ok(Self { process, connection, registry, product, _pulse: pulse, pumps })
    }

    /// Name and version, such as `HeadlessChrome/156.0.8078.108`.
    #[must_use]
    pub fn product(&self) -> &str {
        &self.product
    }

    /// Process id, while it runs.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.process.id()
    }

    /// Whether the browser still answers to its pipe.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        !self.connection.is_closed()
    }

    /// Waits until the browser is gone, whatever the reason.
    pub async fn gone(&self) {
        self.connection.closed().await;
    }

    /// Opens a context of its own, which shares nothing with others, with one empty page; then restores the checkpoint.
    ///
    /// # Errors
    /// When the browser does not do it; a page of the checkpoint that cannot be opened again is a notice, not an error.
    pub async fn new_session(&self, options: SessionOptions) -> Result<Session, BrowserError> {
        let create = CreateBrowserContext {
            proxy_server: options.proxy.map(|address| format!("http://{address}")),
            // Without it, loopback addresses would go round the proxy.
            proxy_bypass_list: options.proxy.map(|_address| "<-loopback>"),
        };
        let context = self.connection.call(&None, &create).await?.browser_context_id;
        let shared = Arc::new(SessionShared::new(context.clone(), options.user_agent.clone(), options.guard.clone()));
        self.registry.sessions().insert(context.clone(), Arc::clone(&shared));
        let session = Session::new(self.connection.clone(), Arc::clone(&self.registry), shared);
        let deny = SetDownloadBehavior { behavior: "deny", browser_context_id: &context, events_enabled: true };
        self.connection.post(&None, &deny);
        let viewport = options.viewport;
        let target = CreateTarget {
            url: "about:blank",
            browser_context_id: &context,
            width: viewport.width,
            height: viewport.height,
        };
        self.connection.call(&None, &target).await?;
        session.first_page().await?;
        if let Some(checkpoint) = &options.restore {
            session.restore(checkpoint).await?;
        }
        Ok(session)
    }

    /// Kills the browser, waits for its end and removes its profile.
    pub async fn shutdown(mut self) {
        self.process.kill().await;
        self.pumps.join().await;
    }
}

impl Registry {
    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<SessionShared>>> {
        // Nothing panics while it is locked.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets a session and closes its pages and its context.
    pub(crate) fn dispose(&self, connection: &Connection, context: &str) {
        let session = self.sessions().remove(context);
        if let Some(session) = session {
            session.close_pages();
            connection.post(&None, &DisposeBrowserContext { browser_context_id: context });
        }
    }

    fn take_event(&self, connection: &Connection, method: &str, params: Value) {
        match method {
            "Target.attachedToTarget" => self.attached(connection, params),
            "Target.detachedFromTarget" => {
                if let Some(event) = read::<DetachedFromTarget>(params) {
                    self.each_session(|session| session.remove_page(&event.session_id));
                    connection.lose_session(&Some(Arc::from(event.session_id)), Loss::Target);
                }
            }
            "Target.targetCrashed" => {
                if let Some(page) = read::<TargetNamed>(params).and_then(|event| self.page(&event.target_id)) {
                    page.crash();
                }
            }
            "Browser.downloadWillBegin" => {
                let event = read::<DownloadWillBegin>(params);
                if let Some((event, page)) =
                    event.and_then(|event| self.page(&event.frame_id).map(|page| (event, page)))
                {
                    page.refuse_download(&event.url);
                }
            }
            _ => {}
        }
    }

    fn attached(&self, connection: &Connection, params: Value) {
        let Some(event) = read::<AttachedToTarget>(params) else { return };
        let context = event.target_info.browser_context_id.as_deref().unwrap_or_default();
        let session = self.sessions().get(context).cloned();
        if event.target_info.kind != "page" {
            attach_worker(connection, event.session_id, session.as_ref());
            return;
        }
        let Some(session) = session else { return };
        if !session.has_place() {
            // Its opener stands still until it may run.
            connection.post(&Some(Arc::from(event.session_id)), &RunIfWaitingForDebugger {});
            connection.post(&None, &CloseTarget { target_id: &event.target_info.target_id });
            return;
        }
        let page = Page::attach(connection, event.session_id, &event.target_info, &session);
        session.add_page(page);
    }

    fn page(&self, target_id: &str) -> Option<Arc<Page>> {
        self.sessions().values().find_map(|session| session.page_of_target(target_id))
    }

    fn each_session(&self, act: impl Fn(&SessionShared)) {
        let sessions: Vec<Arc<SessionShared>> = self.sessions().values().cloned().collect();
        for session in sessions {
            act(&session);
        }
    }
}

/// Workers that no page owns send requests by themselves.
fn attach_worker(connection: &Connection, session_id: String, of: Option<&Arc<SessionShared>>) {
    let session: SessionId = Some(Arc::from(session_id));
    if let Some((of, watch)) = of.and_then(|of| Some((of, of.guard()?))) {
        let (weak, watch, id, pipe) = (Arc::downgrade(of), Arc::clone(watch), session.clone(), connection.downgrade());
        let listener = move |method: &str, params: Value| {
            let (Some(of), Some(connection)) = (weak.upgrade(), pipe.upgrade()) else { return };
            if method == "Fetch.requestPaused" {
                of.tell(watch.paused(&connection, &id, params, of.is_touched()));
            } else {
                watch.network_event(method, &params);
            }
        };
        connection.listen(session.clone(), Arc::new(listener));
        connection.post(&session, &EnableNetwork { max_total_buffer_size: 0, max_resource_buffer_size: 0 });
        Watch::start(connection, &session);
    }
    connection.post(&session, &RunIfWaitingForDebugger {});
}

fn read<T: for<'de> Deserialize<'de>>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}
