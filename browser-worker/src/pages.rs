//! The run's stored pages: snapshots as compressed JSON blobs, read back for the conclusion.

use bytes::Bytes;
use errand_domain::page::PageSnapshot;
use errand_domain::redact::Redactor;
use errand_domain::run::PageRef;
use errand_domain::{BlobKey, RunId};
use errand_store::{BlobError, Blobs};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{Read, Write};

use crate::captures;

/// A stored page decompresses to no more than this, whatever its bytes claim.
const SNAPSHOT_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The snapshot without secrets, also where one is spread over neighbouring links.
#[must_use]
pub fn redact(snapshot: PageSnapshot, redactor: &Redactor) -> PageSnapshot {
    let mut snapshot = snapshot;
    for text in [&mut snapshot.url, &mut snapshot.base_url, &mut snapshot.title, &mut snapshot.text, &mut snapshot.html]
    {
        *text = redactor.text(text);
    }
    redactor.texts(snapshot.links.iter_mut().map(|link| &mut link.text));
    redactor.texts(snapshot.links.iter_mut().map(|link| &mut link.url));
    snapshot
}

/// Stores a page under a key of its own.
///
/// # Errors
/// When the blob store cannot take it.
pub async fn store(
    blobs: &dyn Blobs,
    run_id: &RunId,
    key: BlobKey,
    snapshot: &PageSnapshot,
) -> Result<PageRef, BlobError> {
    blobs.put(run_id, &key, encode(snapshot)?).await?;
    // Events stay small whatever a page calls itself; the snapshot has both whole.
    let (url, title) = (captures::short(&snapshot.url), captures::short(&snapshot.title));
    Ok(PageRef { url, title, blob: key })
}

/// Reads stored pages back, in the same order; one that is missing or cannot be read is left out.
///
/// # Errors
/// When the blob store cannot be reached.
pub async fn load(blobs: &dyn Blobs, run_id: &RunId, refs: &[PageRef]) -> Result<Vec<PageSnapshot>, BlobError> {
    let mut pages = Vec::with_capacity(refs.len());
    for page in refs {
        let snapshot = blobs.get(run_id, &page.blob).await?.as_deref().and_then(decode);
        if snapshot.is_none() {
            tracing::warn!(%run_id, blob = %page.blob, "stored page cannot be read");
        }
        pages.extend(snapshot);
    }
    Ok(pages)
}

fn encode(snapshot: &PageSnapshot) -> Result<Bytes, BlobError> {
    let unavailable = |reason: String| BlobError::Unavailable { reason };
    let json = serde_json::to_vec(snapshot).map_err(|error| unavailable(error.to_string()))?;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&json).map_err(|error| unavailable(error.to_string()))?;
    encoder.finish().map(Bytes::from).map_err(|error| unavailable(error.to_string()))
}

fn decode(bytes: &[u8]) -> Option<PageSnapshot> {
    let mut json = Vec::new();
    ZlibDecoder::new(bytes).take(SNAPSHOT_BYTES_MAX).read_to_end(&mut json).ok()?;
    serde_json::from_slice(&json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_page_reads_back_as_it_was() {
        let snapshot = PageSnapshot {
            url: "https://example.com/".to_owned(),
            base_url: "https://example.com/".to_owned(),
            title: "Ünïcode".to_owned(),
            text: "a\nb".repeat(1_000),
            links: vec![],
            html: "<p>a".to_owned(),
            http_status: Some(404),
        };
        let bytes = encode(&snapshot).unwrap();
        assert!(bytes.len() < 500, "compressed: {}", bytes.len());
        assert_eq!(decode(&bytes), Some(snapshot));
        assert_eq!(decode(b"garbage"), None);
    }
}
