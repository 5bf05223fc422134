//! Puts local and session storage back: the origin's page is answered by us, empty, so that nothing goes over the network.

use crate::checkpoint::OriginStorage;
use crate::error::BrowserError;
use crate::page::Page;
use crate::protocol::{DisableFetch, EnableFetch, Navigate};
use crate::session::Session;
use std::collections::BTreeMap;

impl Session {
    pub(crate) async fn restore_storage(&self, storage: &BTreeMap<String, OriginStorage>) -> Result<(), BrowserError> {
        if storage.is_empty() {
            return Ok(());
        }
        let page = self.page()?;
        page.call(&EnableFetch { patterns: Vec::new() }).await?;
        page.state().answers_requests = true;
        let restored = fill_origins(&page, storage).await;
        page.state().answers_requests = false;
        page.call(&DisableFetch {}).await?;
        page.watch_requests(&page.frame.session);
        restored
    }
}

async fn fill_origins(page: &Page, storage: &BTreeMap<String, OriginStorage>) -> Result<(), BrowserError> {
    for (origin, stored) in storage {
        let opened = page.call(&Navigate { url: origin }).await?;
        if opened.error_text.is_some() {
            tracing::debug!("storage of an origin not restored");
            continue;
        }
        let _put: serde_json::Value = page.frame.script("putStorage", stored).await?;
    }
    Ok(())
}
