//! The live view of a session: frames of the page worked on as they change, newest wins, and a person's mouse and keys.

use crate::error::BrowserError;
use crate::limits::{LIVE_HEIGHT_MAX, LIVE_JPEG_QUALITY, LIVE_WIDTH_MAX};
use crate::page::Page;
use crate::protocol::{
    AckScreencastFrame, DispatchKey, DispatchMouse, InsertText, ScreencastFrame, StartScreencast, StopScreencast,
};
use crate::session::{Session, SessionShared};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// One picture of the window, secret fields painted over.
#[derive(Clone, PartialEq)]
pub struct LiveFrame {
    pub jpeg: Vec<u8>,
    /// The window in CSS pixels: places of input are counted in it, whatever the picture's size.
    pub width: f64,
    pub height: f64,
}

impl fmt::Debug for LiveFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveFrame").field("bytes", &self.jpeg.len()).finish_non_exhaustive()
    }
}

/// What a person does in the live view. Places are in CSS pixels of the window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LiveInput {
    Move {
        x: f64,
        y: f64,
    },
    Press {
        x: f64,
        y: f64,
    },
    Release {
        x: f64,
        y: f64,
    },
    Wheel {
        x: f64,
        y: f64,
        delta_x: f64,
        delta_y: f64,
    },
    /// DOM key and code, Windows key code, and the modifiers Alt 1, Control 2, Meta 4, Shift 8.
    KeyDown {
        key: String,
        code: String,
        virtual_code: u32,
        modifiers: u8,
    },
    KeyUp {
        key: String,
        code: String,
        virtual_code: u32,
        modifiers: u8,
    },
    /// Composed or pasted text.
    Text {
        text: String,
    },
}

/// Frames while it lives; dropping it ends them.
pub struct LiveView {
    frames: watch::Receiver<Option<Arc<LiveFrame>>>,
    follower: JoinHandle<()>,
    shared: Arc<SessionShared>,
}

impl fmt::Debug for LiveView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveView").finish_non_exhaustive()
    }
}

impl LiveView {
    /// The next frame that was not seen yet; older ones are skipped. `None` when the session is over.
    pub async fn next(&mut self) -> Option<Arc<LiveFrame>> {
        loop {
            self.frames.changed().await.ok()?;
            let frame = self.frames.borrow_and_update().clone();
            if frame.is_some() {
                return frame;
            }
        }
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        self.follower.abort();
        for page in self.shared.all_pages() {
            page.stop_live();
        }
    }
}

impl Session {
    /// Starts to send frames of the page worked on, and goes with it to new windows.
    #[must_use]
    pub fn live_view(&self) -> LiveView {
        let (sender, frames) = watch::channel(None);
        let shared = Arc::clone(&self.shared);
        let follower = tokio::spawn(follow(Arc::clone(&shared), sender));
        LiveView { frames, follower, shared }
    }

    /// Passes a person's input on to the page.
    ///
    /// # Errors
    /// When the page or the browser does not answer.
    pub async fn live_input(&self, input: &LiveInput) -> Result<(), BrowserError> {
        let page = self.page()?;
        let mouse = DispatchMouse::at;
        match input {
            LiveInput::Move { x, y } => page.call(&mouse("mouseMoved", *x, *y)).await?,
            LiveInput::Press { x, y } => page.call(&mouse("mousePressed", *x, *y)).await?,
            LiveInput::Release { x, y } => page.call(&mouse("mouseReleased", *x, *y)).await?,
            LiveInput::Wheel { x, y, delta_x, delta_y } => {
                let wheel = DispatchMouse { delta_x: *delta_x, delta_y: *delta_y, ..mouse("mouseWheel", *x, *y) };
                page.call(&wheel).await?
            }
            LiveInput::KeyDown { key, code, virtual_code, modifiers } => {
                page.call(&live_key("keyDown", key, code, *virtual_code, *modifiers)).await?
            }
            LiveInput::KeyUp { key, code, virtual_code, modifiers } => {
                page.call(&live_key("keyUp", key, code, *virtual_code, *modifiers)).await?
            }
            LiveInput::Text { text } => page.call(&InsertText { text }).await?,
        };
        Ok(())
    }
}

/// A key that is one character types it, unless Alt, Control or Meta is held.
fn live_key<'a>(kind: &'static str, key: &'a str, code: &'a str, virtual_code: u32, modifiers: u8) -> DispatchKey<'a> {
    let types = kind == "keyDown" && modifiers & 7 == 0;
    let text = match key {
        "Enter" => Some("\r"),
        _ if key.chars().count() == 1 => Some(key),
        _ => None,
    };
    DispatchKey { kind, key, code, windows_virtual_key_code: virtual_code, modifiers, text: text.filter(|_text| types) }
}

/// Moves the frames from page to page; ends when the session has no page, or with the view.
async fn follow(shared: Arc<SessionShared>, frames: watch::Sender<Option<Arc<LiveFrame>>>) {
    let mut changes = shared.watch();
    while let Some(page) = shared.current() {
        page.start_live(frames.clone());
        let mut documents = page.watch();
        let mut commits = 0;
        loop {
            let is_current = shared.current().is_some_and(|current| Arc::ptr_eq(&current, &page));
            if !is_current {
                break;
            }
            let now = page.state().commits;
            if now != commits {
                commits = now;
                // A new document has new fields to paint over; one that is gone again has none.
                let secret_fields = shared.memory().secret_fields.clone();
                let _: Result<Value, BrowserError> = page.frame.script("mask", &secret_fields).await;
            }
            tokio::select! {
                _ = changes.changed() => {}
                _ = documents.wait_for(|_count| page.state().commits != commits) => {}
            }
        }
        page.stop_live();
    }
}

impl Page {
    fn start_live(&self, frames: watch::Sender<Option<Arc<LiveFrame>>>) {
        *self.live() = Some(frames);
        self.post(&StartScreencast {
            format: "jpeg",
            quality: LIVE_JPEG_QUALITY,
            max_width: LIVE_WIDTH_MAX,
            max_height: LIVE_HEIGHT_MAX,
            every_nth_frame: 1,
        });
    }

    fn stop_live(&self) {
        if self.live().take().is_some() {
            self.post(&StopScreencast {});
        }
    }

    /// Takes one frame of the browser; the next comes only after it was acknowledged.
    pub(crate) fn live_frame(&self, params: Value) {
        let Ok(frame) = serde_json::from_value::<ScreencastFrame>(params) else { return };
        self.post(&AckScreencastFrame { session_id: frame.session_id });
        let live = self.live();
        if let (Some(frames), Ok(jpeg)) = (live.as_ref(), STANDARD.decode(&frame.data)) {
            let (width, height) = (frame.metadata.device_width, frame.metadata.device_height);
            frames.send_replace(Some(Arc::new(LiveFrame { jpeg, width, height })));
        }
    }

    /// Takes the masks of a screenshot away, unless somebody watches.
    pub(crate) async fn unmask(&self) {
        if self.live().is_none() {
            let _: Result<Value, BrowserError> = self.frame.script("unmask", &json!({})).await;
        }
    }
}
