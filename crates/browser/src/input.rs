//! Real input: mouse presses, keys and inserted text, as the browser would get them from a person.

use crate::connection::CallError;
use crate::error::BrowserError;
use crate::frame::{Frame, ScriptEnd};
use crate::keys::KeyPress;
use crate::limits::CALL_TIMEOUT;
use crate::protocol::{DispatchKey, DispatchMouse, InsertText};
use serde::Deserialize;
use serde::de::IgnoredAny;

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
        self.check_open()?;
        let events =
            ["mouseMoved", "mousePressed", "mouseReleased"].map(|kind| DispatchMouse::at(kind, point.x, point.y));
        let [moved, pressed, released] = events.map(|event| self.connection.call(&self.session, &event));
        let all = async { tokio::join!(moved, pressed, released) };
        let ((_, _, released), end) = self.ending_endless_script(CALL_TIMEOUT, all).await;
        taken(released, end)
    }

    /// Inserts text where the focus is, then sends the key events that fields with suggestions listen for.
    pub(crate) async fn insert_text(&self, text: &str) -> Result<(), BrowserError> {
        self.check_open()?;
        let inserted = self.connection.call(&self.session, &InsertText { text });
        let all = async { tokio::join!(inserted, self.unidentified_key()) };
        let ((inserted, _), end) = self.ending_endless_script(CALL_TIMEOUT, all).await;
        taken(inserted, end)
    }

    /// The key events that come with text that no key names.
    pub(crate) async fn rest_of_typing(&self) -> Result<(), BrowserError> {
        let (pressed, end) = self.ending_endless_script(CALL_TIMEOUT, self.unidentified_key()).await;
        taken(pressed, end)
    }

    async fn unidentified_key(&self) -> Result<IgnoredAny, CallError> {
        let down = self.connection.call(&self.session, &unidentified_key("rawKeyDown"));
        let up = self.connection.call(&self.session, &unidentified_key("keyUp"));
        tokio::join!(down, up).0
    }

    /// Presses and releases one key.
    pub(crate) async fn press_key(&self, press: &KeyPress) -> Result<(), BrowserError> {
        self.check_open()?;
        let down_kind = if press.text.is_some() { "keyDown" } else { "rawKeyDown" };
        let down = self.connection.call(&self.session, &key(down_kind, press));
        let up = self.connection.call(&self.session, &DispatchKey { text: None, ..key("keyUp", press) });
        let both = async { tokio::join!(down, up) };
        let ((down, _), end) = self.ending_endless_script(CALL_TIMEOUT, both).await;
        taken(down, end)
    }

    /// What is gone before input is sent takes none.
    fn check_open(&self) -> Result<(), BrowserError> {
        if self.connection.is_closed() {
            return Err(BrowserError::Gone);
        }
        if self.connection.knows(&self.session) { Ok(()) } else { Err(BrowserError::Closed) }
    }
}

/// What came of input. A window or frame that goes away while it takes input was closed by it: how soon its end is heard
/// of, before the answer or after, is chance.
fn taken<T>(answer: Result<T, CallError>, end: ScriptEnd) -> Result<(), BrowserError> {
    match (answer, end) {
        (Ok(_) | Err(CallError::TargetGone), ScriptEnd::ByItself) => Ok(()),
        (Ok(_) | Err(CallError::TargetGone), ScriptEnd::ByUs) => Err(BrowserError::ScriptEnded),
        (Err(error), _) => Err(error.into()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::{Connection, Loss, SessionId};
    use std::sync::Arc;
    use tokio::io::AsyncReadExt;
    use tokio::net::unix::pipe;

    #[tokio::test]
    async fn window_that_goes_away_before_its_answer_has_taken_the_click_and_one_gone_before_has_not() {
        let (commands, mut sent) = pipe::pipe().unwrap();
        let (_browser, answers) = pipe::pipe().unwrap();
        let (connection, _pumps) = Connection::open(commands, answers);
        let session: SessionId = Some(Arc::from("s"));
        connection.listen(session.clone(), Arc::new(|_method, _params| {}));
        let frame = Frame::new(connection.clone(), session.clone(), "t");
        let point = Point { x: 1.0, y: 1.0 };
        let close = async {
            sent.read_u8().await.unwrap();
            connection.lose_session(&session, Loss::Target);
        };
        let (clicked, ()) = tokio::join!(frame.click_at(point), close);
        assert!(clicked.is_ok(), "{clicked:?}");
        let late = frame.click_at(point).await;
        assert!(matches!(late, Err(BrowserError::Closed)), "{late:?}");
    }
}
