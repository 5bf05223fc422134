//! The browser's events about one page, with the fields that [`PageState`](crate::page_state::PageState) reads.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameNavigated {
    pub(crate) frame: Frame,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Frame {
    pub(crate) id: String,
    pub(crate) loader_id: String,
    pub(crate) url: String,
    pub(crate) url_fragment: Option<String>,
    pub(crate) unreachable_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameEvent {
    pub(crate) frame_id: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) disposition: String,
    #[serde(default)]
    pub(crate) navigation_type: String,
    #[serde(default)]
    pub(crate) reason: String,
    /// Seconds.
    #[serde(default)]
    pub(crate) delay: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPaused {
    pub(crate) request_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataReceived {
    pub(crate) request_id: String,
    /// Bytes, unpacked.
    pub(crate) data_length: u64,
}

#[derive(Deserialize)]
pub(crate) struct Dialog {
    pub(crate) message: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
}
