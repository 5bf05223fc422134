//! What a session can be rebuilt from on another worker: cookies, storage, page, scroll position and what was filled in.
//! Never a secret's value; the history and what only lives in scripts are lost.

use crate::error::BrowserError;
use crate::limits::{COOKIES_MAX, STORAGE_BYTES_PER_ORIGIN_MAX, STORAGE_ORIGINS_MAX};
use crate::navigate::NavigateError;
use crate::page::Page;
use crate::protocol::{GetCookies, SetCookies};
use crate::session::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A session at rest. It holds cookies, so it is stored encrypted and prints none of them.
#[derive(Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionCheckpoint {
    pub url: String,
    pub cookies: Vec<Cookie>,
    /// By origin, such as `https://shop.example.com`.
    pub storage: BTreeMap<String, OriginStorage>,
    pub scroll_x: f64,
    pub scroll_y: f64,
    pub fields: Vec<FieldValue>,
    /// Fingerprints of fields that hold a secret.
    pub secret_fields: Vec<String>,
}

impl fmt::Debug for SessionCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionCheckpoint")
            .field("url", &self.url)
            .field("cookies", &self.cookies.len())
            .field("origins", &self.storage.len())
            .field("fields", &self.fields.len())
            .finish_non_exhaustive()
    }
}

/// One cookie, in the fields of the protocol's `CookieParam`.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    pub name: String,
    pub value: String,
    pub domain: String,
    pub path: String,
    pub secure: bool,
    pub http_only: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub same_site: Option<String>,
    /// Seconds since 1970; absent for a session cookie.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub partition_key: Option<Value>,
}

impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cookie").field("name", &self.name).field("domain", &self.domain).finish_non_exhaustive()
    }
}

/// Local and session storage of one origin.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OriginStorage {
    pub local: BTreeMap<String, String>,
    pub session: BTreeMap<String, String>,
}

impl OriginStorage {
    fn is_empty(&self) -> bool {
        self.local.is_empty() && self.session.is_empty()
    }
}

impl fmt::Debug for OriginStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OriginStorage").field("local", &self.local.len()).finish_non_exhaustive()
    }
}

/// What a field holds, when that differs from what its page came with.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldValue {
    /// Names the field on its page.
    pub key: String,
    pub value: Option<String>,
    pub checked: Option<bool>,
    pub selected: Option<Vec<String>>,
}

impl fmt::Debug for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldValue").field("key", &self.key).finish_non_exhaustive()
    }
}

/// What the page script tells of its origin.
#[derive(Deserialize)]
struct PageStorage {
    origin: Option<String>,
    #[serde(flatten)]
    storage: OriginStorage,
    scroll_x: f64,
    scroll_y: f64,
}

impl Session {
    /// Takes down what the session can be rebuilt from. Storage of other origins than the page's is as of the last
    /// checkpoint taken there.
    ///
    /// # Errors
    /// When the page or the browser does not answer.
    pub async fn checkpoint(&self) -> Result<SessionCheckpoint, BrowserError> {
        match self.checkpoint_of(self.page()?).await {
            // A window that closes meanwhile gives its opener back.
            Err(BrowserError::Closed) => self.checkpoint_of(self.page()?).await,
            taken => taken,
        }
    }

    async fn checkpoint_of(&self, page: Arc<Page>) -> Result<SessionCheckpoint, BrowserError> {
        let get_cookies = GetCookies { browser_context_id: self.context() };
        let cookies = self.connection().call(&None, &get_cookies);
        let limit = json!({ "limit": STORAGE_BYTES_PER_ORIGIN_MAX });
        let secret_fields = self.shared.memory().secret_fields.clone();
        let (cookies, storage, fields) = tokio::join!(
            cookies,
            page.frame.script::<_, PageStorage>("storage", &limit),
            page.frame.script::<_, Vec<FieldValue>>("formState", &secret_fields),
        );
        let storage = storage?;
        let url = page.state().url.clone();
        Ok(SessionCheckpoint {
            url,
            cookies: read_cookies(cookies?.cookies),
            storage: self.remember_storage(storage.origin, storage.storage),
            scroll_x: storage.scroll_x,
            scroll_y: storage.scroll_y,
            fields: fields?,
            secret_fields: secret_fields.into_iter().collect(),
        })
    }

    fn remember_storage(&self, origin: Option<String>, storage: OriginStorage) -> BTreeMap<String, OriginStorage> {
        let mut memory = self.shared.memory();
        if let Some(origin) = origin.filter(|origin| origin.starts_with("http")) {
            if storage.is_empty() {
                memory.storage.remove(&origin);
            } else if memory.storage.contains_key(&origin) || memory.storage.len() < STORAGE_ORIGINS_MAX {
                memory.storage.insert(origin, storage);
            }
        }
        memory.storage.clone()
    }

    /// Brings a new session to where the checkpoint was taken.
    pub(crate) async fn restore(&self, checkpoint: &SessionCheckpoint) -> Result<(), BrowserError> {
        self.restore_cookies(&checkpoint.cookies).await?;
        {
            let mut memory = self.shared.memory();
            memory.secret_fields = checkpoint.secret_fields.iter().cloned().collect();
            memory.storage = checkpoint.storage.clone();
        }
        self.restore_storage(&checkpoint.storage).await?;
        if !checkpoint.url.starts_with("http") {
            return Ok(());
        }
        match self.goto(&checkpoint.url).await {
            Ok(_reached) => self.restore_page(checkpoint).await,
            Err(NavigateError::Browser(error)) => Err(error),
            Err(error) => {
                self.page()?.state().notice(format!("the page was not opened again: {error}"));
                Ok(())
            }
        }
    }

    async fn restore_cookies(&self, cookies: &[Cookie]) -> Result<(), BrowserError> {
        if cookies.is_empty() {
            return Ok(());
        }
        let cookies = cookies.iter().filter_map(|cookie| serde_json::to_value(cookie).ok()).collect();
        let command = SetCookies { browser_context_id: self.context(), cookies };
        self.connection().call(&None, &command).await?;
        Ok(())
    }

    async fn restore_page(&self, checkpoint: &SessionCheckpoint) -> Result<(), BrowserError> {
        let page = self.page()?;
        let argument = json!({
            "fields": checkpoint.fields,
            "scroll_x": checkpoint.scroll_x,
            "scroll_y": checkpoint.scroll_y,
        });
        match page.frame.script_once::<_, Value>("putFormState", &argument).await {
            Err(error @ BrowserError::ScriptEnded) => page.state().notice(error.to_string()),
            restored => {
                restored?;
            }
        }
        Ok(())
    }
}

/// Keeps what a cookie can be set again from; of a cookie with other fields, nothing.
fn read_cookies(cookies: Vec<Value>) -> Vec<Cookie> {
    let read = cookies.into_iter().take(COOKIES_MAX).filter_map(|cookie| serde_json::from_value::<Cookie>(cookie).ok());
    // Session cookies come with the expiry -1.
    read.map(|cookie| Cookie { expires: cookie.expires.filter(|expires| *expires > 0.0), ..cookie }).collect()
}
