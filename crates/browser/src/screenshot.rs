//! Pictures of the window, with the fields that hold secrets painted over, also those in frames of other sites.

use crate::error::BrowserError;
use crate::frame::Frame;
use crate::limits::{SCREENSHOT_BYTES_MAX, SUBFRAME_PATIENCE, SUBFRAMES_MAX};
use crate::page::Page;
use crate::protocol::{CaptureScreenshot, Command};
use crate::session::Session;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Argument of the page script's `mask`.
#[derive(Clone, Copy, Serialize)]
struct MaskOptions<'a> {
    /// Fingerprints of the fields that hold a secret.
    secrets: &'a BTreeSet<String>,
    /// Leaves blank the frames that the script cannot look into.
    cover: bool,
}

/// What the page script's `mask` did, in elements.
#[derive(Deserialize)]
struct Masked {
    painted: u32,
    covered: u32,
    uncovered: u32,
}

impl Session {
    /// PNG of what the window shows. Password fields and fields holding a secret are painted over for the moment of the
    /// picture, and frames in which that is not certain are blank; the document itself is not touched.
    ///
    /// # Errors
    /// When the page or the browser does not answer, a secret cannot be covered, or the picture is over the limit.
    pub async fn screenshot(&self) -> Result<Vec<u8>, BrowserError> {
        match self.screenshot_of(self.page()?).await {
            // A window that closes meanwhile gives its opener back.
            Err(BrowserError::Closed) => self.screenshot_of(self.page()?).await,
            taken => taken,
        }
    }

    async fn screenshot_of(&self, page: Arc<Page>) -> Result<Vec<u8>, BrowserError> {
        let secrets = self.shared.memory().secret_fields.clone();
        let subframes: Vec<Arc<Frame>> = page.numbered_subframes().into_iter().map(|(_number, frame)| frame).collect();
        let taken = match mask(&page, &subframes, &secrets).await {
            Ok(()) => {
                let command =
                    CaptureScreenshot { format: "png", optimize_for_speed: true, capture_beyond_viewport: false };
                page.call(&command).await
            }
            Err(error) => Err(error),
        };
        // Unmasked whatever came of the picture.
        unmask(&page, &subframes).await;
        decode(&taken?.data)
    }
}

fn decode(encoded: &str) -> Result<Vec<u8>, BrowserError> {
    let bytes = encoded.len() / 4 * 3;
    if bytes > SCREENSHOT_BYTES_MAX {
        return Err(BrowserError::ScreenshotTooLarge { bytes });
    }
    STANDARD
        .decode(encoded)
        .map_err(|error| BrowserError::Refused { method: CaptureScreenshot::METHOD, message: error.to_string() })
}

/// Paints over the secret fields of all frames, and covers whole frames where the paint may not be in the picture.
async fn mask(page: &Page, subframes: &[Arc<Frame>], secrets: &BTreeSet<String>) -> Result<(), BrowserError> {
    let options = MaskOptions { secrets, cover: false };
    let are_certain = join_all(subframes.iter().map(|frame| mask_subframe(frame, options))).await;
    // Frames beyond the limit are not known.
    let cover = subframes.len() >= SUBFRAMES_MAX || are_certain.contains(&false);
    let masked: Masked = page.frame.script("mask", &MaskOptions { secrets, cover }).await?;
    if masked.uncovered > 0 || (cover && masked.covered == 0) {
        return Err(BrowserError::ScreenshotWithheld);
    }
    Ok(())
}

/// Whether a picture taken now shows no secret of the frame: it has none, or is drawn together with the page. A frame with
/// a process of its own draws when it likes, and of one that does not answer nothing is known.
async fn mask_subframe(frame: &Frame, options: MaskOptions<'_>) -> bool {
    let masked = frame.script_within::<_, Masked>("mask", &options, SUBFRAME_PATIENCE).await;
    masked.is_ok_and(|masked| masked.painted == 0 || frame.is_inside())
}

/// Takes the paint off; a frame that is gone needs none of that.
async fn unmask(page: &Page, subframes: &[Arc<Frame>]) {
    let frames = subframes.iter().map(AsRef::as_ref).chain([&page.frame]);
    let unmasked = frames.map(|frame| frame.script_within::<_, Value>("unmask", &(), SUBFRAME_PATIENCE));
    let _: Vec<Result<Value, BrowserError>> = join_all(unmasked).await;
}
