//! Looks at the page: what a planner sees and what is kept as evidence, from one call into the page.

use crate::error::BrowserError;
use crate::limits::{
    ELEMENTS_MAX, HTML_BYTES_MAX, LINKS_MAX, OBSERVATION_TEXT_CHARS_MAX, SNAPSHOT_TEXT_CHARS_MAX,
    SUBFRAME_ELEMENTS_MAX, SUBFRAME_PATIENCE, SUBFRAME_TEXT_CHARS_MAX, WALK_MS_MAX,
};
use crate::page::Page;
use crate::session::Session;
use crate::subframes::{hosted_fingerprint, numbered_reference};
use errand_domain::action::Target;
use errand_domain::page::{Link, PageSnapshot};
use errand_planner::{Element, Form, Observation};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;
use url::Url;

/// One look: for the planner, and to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    pub observation: Observation,
    pub snapshot: PageSnapshot,
    /// The snapshot's code is only the beginning of the document's.
    pub is_code_cut: bool,
}

/// An element seen again after a while, such as the one whose action was approved.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundAgain {
    /// With a reference that holds for the page as it is now.
    pub element: Element,
    /// Its form as it is now.
    pub form: Option<Form>,
    /// Digest of the whole page as it is now.
    pub digest: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LookOptions<'a> {
    elements: usize,
    links: usize,
    snapshot_chars: usize,
    html_bytes: usize,
    walk_ms: u32,
    secret_fingerprints: &'a BTreeSet<String>,
}

#[derive(Deserialize)]
struct Seen {
    url: String,
    base_url: String,
    title: String,
    text: String,
    links: Vec<Link>,
    elements: Vec<Element>,
    forms: Vec<Form>,
    regions: Vec<String>,
    more_below: bool,
    /// The frame has a size.
    is_shown: bool,
    /// The parser has not reached the document's end.
    still_loading: bool,
    /// What was left out of the look because the page has too much of it, such as `links`.
    cut: Vec<String>,
    html: String,
    /// 0 for a document that no HTTP answer brought.
    http_status: u16,
}

impl Session {
    /// What a planner sees of the page. Cheaper than [`Session::look`]: the document's code is not serialised.
    ///
    /// # Errors
    /// When the page or the browser does not answer.
    pub async fn observe(&self) -> Result<Observation, BrowserError> {
        Ok(self.look_with(0).await?.observation)
    }

    /// What is kept of the page. See [`Session::look`] for both at the price of one.
    ///
    /// # Errors
    /// When the page or the browser does not answer.
    pub async fn snapshot_page(&self) -> Result<PageSnapshot, BrowserError> {
        Ok(self.look_with(HTML_BYTES_MAX).await?.snapshot)
    }

    /// What a planner sees, and what is kept.
    ///
    /// # Errors
    /// When the page or the browser does not answer.
    pub async fn look(&self) -> Result<Look, BrowserError> {
        self.look_with(HTML_BYTES_MAX).await
    }

    /// Looks for an element of an earlier look, by its fingerprint. The reference in the result is the one to act on.
    ///
    /// # Errors
    /// When the page or the browser does not answer.
    pub async fn find_again(&self, target: &Target) -> Result<Option<FoundAgain>, BrowserError> {
        let observation = self.observe().await?;
        let mut same = observation.elements.iter().filter(|element| element.fingerprint == target.fingerprint);
        let (Some(element), None) = (same.next(), same.next()) else { return Ok(None) };
        let form = element.form.and_then(|at| observation.forms.get(at)).cloned();
        Ok(Some(FoundAgain { element: element.clone(), form, digest: observation.digest.clone() }))
    }

    async fn look_with(&self, html_bytes: usize) -> Result<Look, BrowserError> {
        match self.look_at(self.page()?, html_bytes).await {
            // A window that closes meanwhile gives its opener back.
            Err(BrowserError::Closed) => self.look_at(self.page()?, html_bytes).await,
            seen => seen,
        }
    }

    async fn look_at(&self, page: Arc<Page>, html_bytes: usize) -> Result<Look, BrowserError> {
        page.check_alive()?;
        let secret_fields = self.shared.memory().secret_fields.clone();
        let options = LookOptions {
            elements: ELEMENTS_MAX,
            links: LINKS_MAX,
            snapshot_chars: SNAPSHOT_TEXT_CHARS_MAX,
            html_bytes,
            walk_ms: WALK_MS_MAX,
            secret_fingerprints: &secret_fields,
        };
        page.frame.scan_listeners();
        let main = page.frame.script::<_, Seen>("look", &options);
        let (seen, inside) = tokio::join!(main, look_inside(&page, &secret_fields));
        let mut seen = seen?;
        for (number, frame) in inside {
            add_frame(&mut seen, number, frame);
        }
        let (url, notice) = {
            let mut state = page.state();
            if !seen.cut.is_empty() {
                state.notice(format!("the page is too large to be read whole; cut: {}", seen.cut.join(", ")));
            }
            (state.url.clone(), state.take_notices())
        };
        Ok(if seen.url.starts_with("chrome-error:") { unreachable_page(url, notice) } else { make_look(seen, notice) })
    }
}

/// Looks into the frames of other sites; one that does not answer in time is left out.
async fn look_inside(page: &Page, secret_fields: &BTreeSet<String>) -> Vec<(u32, Seen)> {
    let options = LookOptions {
        elements: SUBFRAME_ELEMENTS_MAX,
        links: SUBFRAME_ELEMENTS_MAX,
        snapshot_chars: SUBFRAME_TEXT_CHARS_MAX,
        html_bytes: 0,
        walk_ms: WALK_MS_MAX,
        secret_fingerprints: secret_fields,
    };
    let looks = page.numbered_subframes().into_iter().map(|(number, frame)| {
        let options = &options;
        async move {
            let seen = frame.script_within::<_, Seen>("look", options, SUBFRAME_PATIENCE).await;
            seen.ok().filter(|seen| seen.is_shown).map(|seen| (number, seen))
        }
    });
    futures::future::join_all(looks).await.into_iter().flatten().collect()
}

/// Puts what a frame shows behind what the page shows.
fn add_frame(page: &mut Seen, number: u32, frame: Seen) {
    let host = Url::parse(&frame.url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let (forms_before, regions_before) = (page.forms.len(), page.regions.len());
    page.forms.extend(
        frame.forms.into_iter().map(|form| Form { variant_of: form.variant_of.map(|at| at + forms_before), ..form }),
    );
    page.regions.extend(frame.regions);
    page.links.extend(frame.links);
    page.elements.extend(frame.elements.into_iter().map(|element| Element {
        reference: numbered_reference(number, &element.reference),
        fingerprint: hosted_fingerprint(&host, &element.fingerprint),
        section: format!("frame {host}: {}", element.section).trim_end_matches([':', ' ']).to_owned(),
        form: element.form.map(|at| at + forms_before),
        region: element.region.map(|at| at + regions_before),
        ..element
    }));
    if !frame.text.is_empty() {
        page.text.push('\n');
        page.text.push_str(&frame.text);
    }
}

/// Chromium's own error page is not the site's: it is shown as empty, and the notice says why.
fn unreachable_page(url: String, notice: Option<String>) -> Look {
    let mut observation = Observation { url: url.clone(), notice, ..Observation::default() };
    observation.digest = digest(&observation);
    let snapshot = PageSnapshot {
        base_url: url.clone(),
        url,
        title: String::new(),
        text: String::new(),
        links: Vec::new(),
        html: String::new(),
        http_status: None,
    };
    Look { observation, snapshot, is_code_cut: false }
}

fn make_look(seen: Seen, notice: Option<String>) -> Look {
    let http_status = Some(seen.http_status).filter(|status| *status != 0);
    let is_code_cut = seen.cut.iter().any(|part| part == "code");
    let mut observation = Observation {
        url: seen.url.clone(),
        title: seen.title.clone(),
        text: seen.text.chars().take(OBSERVATION_TEXT_CHARS_MAX).collect(),
        elements: seen.elements,
        forms: seen.forms,
        regions: seen.regions,
        more_below: seen.more_below,
        digest: String::new(),
        notice,
        still_loading: seen.still_loading,
        http_status,
    };
    observation.digest = digest(&observation);
    let snapshot = PageSnapshot {
        url: seen.url,
        base_url: seen.base_url,
        title: seen.title,
        text: seen.text,
        links: seen.links,
        html: seen.html,
        http_status,
    };
    Look { observation, snapshot, is_code_cut }
}

/// 16 bytes of SHA-256 in hex over what is shown: URL, text and the elements' state. References and scrolling do not
/// count: they change while the page stays the same.
fn digest(observation: &Observation) -> String {
    let mut hasher = Sha256::new();
    let mut add = |part: &str| {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    };
    add(&observation.url);
    add(&observation.text);
    for element in &observation.elements {
        add(&element.fingerprint);
        add(&element.name);
        add(element.value.as_deref().unwrap_or("\u{1}"));
        add(match (element.checked, element.disabled) {
            (None, false) => "",
            (None, true) => "disabled",
            (Some(true), false) => "checked",
            (Some(true), true) => "checked disabled",
            (Some(false), false) => "unchecked",
            (Some(false), true) => "unchecked disabled",
        });
    }
    hex::encode(&hasher.finalize()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, reference: &str) -> Observation {
        let element = Element { reference: reference.to_owned(), name: "Go".to_owned(), ..Element::default() };
        Observation {
            url: "https://a.test/".to_owned(),
            text: text.to_owned(),
            elements: vec![element],
            ..Observation::default()
        }
    }

    #[test]
    fn digest_depends_on_what_is_shown_and_not_on_references() {
        assert_eq!(digest(&shown("one", "e1")), digest(&shown("one", "e2")));
        assert_ne!(digest(&shown("one", "e1")), digest(&shown("two", "e1")));
    }

    #[test]
    fn chromiums_error_page_is_shown_as_empty() {
        let look = unreachable_page("https://a.test/".to_owned(), Some("failed".to_owned()));
        assert_eq!(look.observation.url, "https://a.test/");
        assert!(look.observation.text.is_empty());
        assert_eq!(look.observation.notice.as_deref(), Some("failed"));
    }
}
