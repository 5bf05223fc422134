//! Pictures of the window, with the fields that hold secrets painted over.

use crate::error::BrowserError;
use crate::limits::SCREENSHOT_BYTES_MAX;
use crate::protocol::{CaptureScreenshot, Command};
use crate::session::Session;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

impl Session {
    /// PNG of what the window shows. Password fields and fields holding a secret are painted over for the moment of the
    /// picture; the document itself is not touched.
    ///
    /// # Errors
    /// When the page or the browser does not answer, or the picture is over the limit.
    pub async fn screenshot(&self) -> Result<Vec<u8>, BrowserError> {
        let page = self.page()?;
        let secret_fields = self.shared.memory().secret_fields.clone();
        let _masked: serde_json::Value = page.frame.script("mask", &secret_fields).await?;
        let command = CaptureScreenshot { format: "png", optimize_for_speed: true, capture_beyond_viewport: false };
        let taken = page.call(&command).await;
        // Unmasked whatever came of the picture; a page that is gone needs no unmasking.
        let _: Result<serde_json::Value, BrowserError> = page.frame.script("unmask", &()).await;
        let encoded = taken?.data;
        let bytes = encoded.len() / 4 * 3;
        if bytes > SCREENSHOT_BYTES_MAX {
            return Err(BrowserError::ScreenshotTooLarge { bytes });
        }
        STANDARD
            .decode(encoded)
            .map_err(|error| BrowserError::Refused { method: CaptureScreenshot::METHOD, message: error.to_string() })
    }
}
