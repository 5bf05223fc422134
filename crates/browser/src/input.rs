//! Real input: mouse presses, keys and inserted text, as the browser would get them from a person.

use crate::error::BrowserError;
use crate::frame::Frame;
use crate::keys::KeyPress;
use crate::limits::CALL_TIMEOUT;
use crate::protocol::{DispatchKey, DispatchMouse, InsertText};
use serde::Deserialize;

/// A place in the window, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Frame {
    /// Moves the mouse to a point and clicks once. All three events are queued at once: alone, a move would wait for the
    /// next frame.
    pub(crate) async fn click_at(&self, point: Point) -> Result<(), BrowserError> {
        let events =
            ["mouseMoved", "mousePressed", "mouseReleased"].map(|kind| DispatchMouse::at(kind, point.x, point.y));
        let [moved, pressed, released] = events.map(|event| self.connection.call(&self.session, &event));
        let all = async { tokio::join!(moved, pressed, released) };
        let (_, _, released) = self.ending_endless_script(CALL_TIMEOUT, all).await;
        released?;
        Ok(())
    }

    /// Inserts text where the focus is, then sends the key events that fields with suggestions listen for.
    pub(crate) async fn insert_text(&self, text: &str) -> Result<(), BrowserError> {
        let inserted = self.connection.call(&self.session, &InsertText { text });
        let down = self.connection.call(&self.session, &unidentified_key("rawKeyDown"));
        let up = self.connection.call(&self.session, &unidentified_key("keyUp"));
        let all = async { tokio::join!(inserted, down, up) };
        let (inserted, _, _) = self.ending_endless_script(CALL_TIMEOUT, all).await;
        inserted?;
        Ok(())
    }

    /// Presses and releases one key.
    pub(crate) async fn press_key(&self, press: &KeyPress) -> Result<(), BrowserError> {
        let down_kind = if press.text.is_some() { "keyDown" } else { "rawKeyDown" };
        let down = self.connection.call(&self.session, &key(down_kind, press));
        let up = self.connection.call(&self.session, &DispatchKey { text: None, ..key("keyUp", press) });
        let both = async { tokio::join!(down, up) };
        let (down, _) = self.ending_endless_script(CALL_TIMEOUT, both).await;
        down?;
        Ok(())
    }
}

fn key<'a>(kind: &'static str, press: &'a KeyPress) -> DispatchKey<'a> {
    DispatchKey {
        kind,
        key: &press.key,
        code: &press.code,
        windows_virtual_key_code: press.virtual_code,
        modifiers: press.modifiers,
        text: press.text.as_deref(),
    }
}

/// What a page sees of a key while an input method composes (UI Events §4.3.3): 229.
fn unidentified_key(kind: &'static str) -> DispatchKey<'static> {
    DispatchKey { kind, key: "Unidentified", code: "", windows_virtual_key_code: 229, modifiers: 0, text: None }
}
