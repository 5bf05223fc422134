//! References to stored pages, and counts of planner work.

use errand_domain::ids::BlobKey;
use errand_domain::run::{PageRef, Usage};

use crate::error::DecodeError;
use crate::field::id;
use crate::wire;

impl From<&PageRef> for wire::PageRef {
    fn from(page: &PageRef) -> Self {
        Self { url: page.url.clone(), title: page.title.clone(), blob: page.blob.as_str().to_owned() }
    }
}

pub(crate) fn write_pages(pages: &[PageRef]) -> Vec<wire::PageRef> {
    pages.iter().map(wire::PageRef::from).collect()
}

pub(crate) fn read_pages(pages: Vec<wire::PageRef>) -> Result<Vec<PageRef>, DecodeError> {
    pages.into_iter().map(read_page).collect()
}

fn read_page(page: wire::PageRef) -> Result<PageRef, DecodeError> {
    Ok(PageRef { blob: id(&page.blob, BlobKey::parse, "pages.blob")?, url: page.url, title: page.title })
}

/// Zero of both is left out.
pub(crate) fn write_usage(usage: Usage) -> Option<wire::Usage> {
    (usage != Usage::default())
        .then_some(wire::Usage { decision_calls: usage.decision_calls, llm_calls: usage.llm_calls })
}

pub(crate) fn read_usage(usage: Option<wire::Usage>) -> Usage {
    usage
        .map_or_else(Usage::default, |usage| Usage { decision_calls: usage.decision_calls, llm_calls: usage.llm_calls })
}
