//! From the plain tool to the browser: a page that is incomplete is read again by the next tool, and the page that fills
//! the most properties is kept.

use errand_extract::Extracted;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::limits::READ_TOTAL_MAX;
use crate::reader::{Engine, ReadError, Reader};
use crate::schema::ReadSchema;
use crate::shares::Place;
use crate::tools::{self, Page, Tool, ToolError};
use crate::weigh::{Weighed, fills_more, weigh_apart};

/// One tool that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub tool: Tool,
    pub ms: u64,
    /// Only the beginning of its page was read.
    pub is_cut: bool,
    /// Properties found in published data or behind an exact label; why there was no page otherwise.
    pub outcome: Result<usize, String>,
}

/// The page that is kept, and how it was come by.
#[derive(Debug)]
pub struct Reading {
    /// As asked for.
    pub url: String,
    pub page: Page,
    pub title: String,
    /// Markdown.
    pub text: String,
    /// Absent without a schema.
    pub extracted: Option<Extracted>,
    pub attempts: Vec<Attempt>,
}

/// `place` is held until nothing of the read is left, also when its caller has gone.
pub(crate) async fn read(
    reader: &Reader,
    url: &Url,
    engine: Engine,
    schema: Option<&ReadSchema>,
    place: Arc<Place>,
) -> Result<Reading, ReadError> {
    read_until(Instant::now() + READ_TOTAL_MAX, reader, url, engine, schema, place).await
}

async fn read_until(
    deadline: Instant,
    reader: &Reader,
    url: &Url,
    engine: Engine,
    schema: Option<&ReadSchema>,
    place: Arc<Place>,
) -> Result<Reading, ReadError> {
    let mut attempts = Vec::new();
    let mut best: Option<Weighed> = None;
    let mut has_failed = false;
    for tool in in_order(engine) {
        let began = Instant::now();
        let tried = async {
            let page = tool.fetch(reader, url, &place).await?;
            weigh_apart(page, schema.cloned(), Arc::clone(&place)).await
        };
        // A tool is not even begun once the time is over.
        let is_late = began >= deadline;
        let tried = if is_late { None } else { timeout_at(deadline, tried).await.ok() };
        let tried = tried.unwrap_or(Err(ToolError::TimedOut));
        let ms = began.elapsed().as_millis() as u64;
        let outcome = tried.as_ref().map(|page| page.firm).map_err(told);
        let is_cut = tried.as_ref().is_ok_and(|weighed| weighed.page.is_cut);
        attempts.push(Attempt { tool: tool.named(), ms, is_cut, outcome });
        let is_last = match tried {
            Ok(page) => {
                let is_complete = page.is_complete;
                if best.as_ref().is_none_or(|best| fills_more(&page, best)) {
                    best = Some(page);
                }
                is_complete
            }
            Err(error) if best.is_none() && error.is_blocked() => {
                return Err(ReadError::Blocked { reason: told(&error) });
            }
            Err(error) => {
                has_failed |= error.is_ours();
                false
            }
        };
        if is_last {
            break;
        }
    }
    match best {
        Some(best) => Ok(reading(url.to_string(), best, attempts)),
        None if has_failed => Err(ReadError::Failed { reasons: reasons(&attempts) }),
        None => Err(ReadError::NoPage { reasons: reasons(&attempts) }),
    }
}

/// A tool for pages of the web.
#[derive(Debug, Clone, Copy)]
enum WebTool {
    Http,
    Chromium,
}

impl WebTool {
    fn named(self) -> Tool {
        match self {
            Self::Http => Tool::Http,
            Self::Chromium => Tool::Chromium,
        }
    }

    async fn fetch(self, reader: &Reader, url: &Url, place: &Place) -> Result<Page, ToolError> {
        match self {
            Self::Http => tools::fetch(&reader.dialer, url).await,
            Self::Chromium => {
                let _turn = place.browser_turn().await;
                reader.browser.open(url).await
            }
        }
    }
}

fn in_order(engine: Engine) -> &'static [WebTool] {
    match engine {
        Engine::Http => &[WebTool::Http],
        Engine::Chromium => &[WebTool::Chromium],
        Engine::Auto => &[WebTool::Http, WebTool::Chromium],
    }
}

/// An error as whoever asked may hear it: with its causes, in one line. Those of our own faults go to the log instead.
pub(crate) fn told(error: &ToolError) -> String {
    if error.is_ours() {
        tracing::error!(error = chain(error), "page could not be read for a fault of this machine");
        return error.to_string();
    }
    chain(error)
}

fn chain(error: &ToolError) -> String {
    let mut line = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        line = format!("{line}: {cause}");
        source = cause.source();
    }
    line
}

fn reasons(attempts: &[Attempt]) -> Vec<String> {
    let told = attempts.iter().filter_map(|attempt| Some((attempt.tool, attempt.outcome.as_ref().err()?)));
    told.map(|(tool, reason)| format!("{}: {reason}", tool.as_str())).collect()
}

/// The kept page as what is answered.
pub(crate) fn reading(url: String, best: Weighed, attempts: Vec<Attempt>) -> Reading {
    let Weighed { page, shown, extracted, .. } = best;
    Reading { url, page, title: shown.title, text: shown.text, extracted, attempts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Browse;
    use async_trait::async_trait;
    use errand_egress::{AddressPolicy, Dialer, tls_client_config};
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Debug, Default)]
    struct Counted(AtomicUsize);

    #[async_trait]
    impl Browse for Counted {
        async fn open(&self, _: &Url) -> Result<Page, ToolError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Err(ToolError::Empty)
        }
    }

    #[tokio::test]
    async fn no_tool_is_begun_after_the_deadline() {
        let browser = Arc::new(Counted::default());
        let dialer = Dialer::new(AddressPolicy::public_only(), tls_client_config(None).unwrap());
        let reader = Reader::new(dialer, Arc::clone(&browser) as Arc<_>);
        let url = Url::parse("https://shop.example/").unwrap();
        let place = Arc::new(crate::shares::Places::new(1, 1).take("test").unwrap());
        let error = read_until(Instant::now(), &reader, &url, Engine::Auto, None, place).await.unwrap_err();
        let wanted = "the page could not be read: http: there was no page in time; chromium: there was no page in time";
        assert_eq!((error.to_string().as_str(), browser.0.load(Ordering::SeqCst)), (wanted, 0));
    }
}
