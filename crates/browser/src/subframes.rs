//! Frames of other origins inside a page. Where Chromium isolates sites they have a process and a session of their own,
//! elsewhere they share the page's.

use crate::connection::{Loss, SessionId};
use crate::frame::Frame;
use crate::limits::{FRAMES_NOTED_MAX, SUBFRAMES_MAX};
use crate::page::Page;
use crate::protocol::{
    AttachedToTarget, DetachedFromTarget, EnableNetwork, EnablePage, RunIfWaitingForDebugger, SetAutoAttach,
    TargetFilter,
};
use errand_domain::action::Target;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The frames by the number that stands in their elements' references.
#[derive(Default)]
pub(crate) struct Subframes {
    last: u32,
    frames: BTreeMap<u32, Arc<Frame>>,
    /// Origin of every frame, by frame id.
    origins: BTreeMap<String, String>,
}

/// Parameters of `Page.frameNavigated`, as far as frames inside a page are concerned.
#[derive(Deserialize)]
struct FrameNavigated {
    frame: NavigatedFrame,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigatedFrame {
    id: String,
    parent_id: Option<String>,
    security_origin: String,
}

/// Parameters of `Page.frameDetached`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameDetached {
    frame_id: String,
}

impl Subframes {
    fn add(&mut self, frame: Frame) {
        if self.frames.len() < SUBFRAMES_MAX {
            self.last += 1;
            self.frames.insert(self.last, Arc::new(frame));
        }
    }

    fn forget(&mut self, frame_id: &str) {
        self.frames.retain(|_number, frame| frame.id != frame_id);
        self.origins.remove(frame_id);
    }

    /// Records a frame's origin, and tells whether its parent cannot look into it.
    fn note_origin(&mut self, frame: &NavigatedFrame) -> bool {
        let parent_origin = frame.parent_id.as_ref().and_then(|parent| self.origins.get(parent));
        let is_foreign = parent_origin.is_some_and(|origin| *origin != frame.security_origin);
        if self.origins.len() < FRAMES_NOTED_MAX {
            self.origins.insert(frame.id.clone(), frame.security_origin.clone());
        }
        is_foreign
    }
}

impl Page {
    /// Asks for the frames and workers below a session; they are attached as they come. Workers wait to be let run even where
    /// nobody attaches to them, so they are asked for too.
    pub(crate) fn attach_parts_of(&self, session: &SessionId) {
        let filter = vec![TargetFilter { kind: "iframe" }, TargetFilter { kind: "worker" }];
        let attach = SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true, filter };
        self.connection().post(session, &attach);
    }

    pub(crate) fn attach_subframe(self: &Arc<Self>, params: Value) {
        let Ok(event) = serde_json::from_value::<AttachedToTarget>(params) else { return };
        let session: SessionId = Some(Arc::from(event.session_id));
        if event.target_info.kind != "iframe" {
            self.connection().post(&session, &RunIfWaitingForDebugger {});
            return;
        }
        let id = &event.target_info.target_id;
        let frame = Frame::new(self.connection().clone(), session.clone(), id);
        self.listen(session.clone());
        {
            let mut subframes = self.subframes();
            subframes.forget(id);
            subframes.add(frame);
        }
        // For the end of its loading, which the page's own session does not tell.
        self.connection().post(&session, &EnablePage {});
        self.connection().post(&session, &EnableNetwork { max_total_buffer_size: 0, max_resource_buffer_size: 0 });
        self.watch_requests(&session);
        self.attach_parts_of(&session);
        self.connection().post(&session, &RunIfWaitingForDebugger {});
    }

    pub(crate) fn detach_subframe(&self, params: Value) {
        let Ok(event) = serde_json::from_value::<DetachedFromTarget>(params) else { return };
        let session: SessionId = Some(Arc::from(event.session_id));
        self.connection().lose_session(&session, Loss::Target);
        self.subframes().frames.retain(|_number, frame| frame.session != session);
    }

    /// A frame in one of the page's sessions shows another document.
    pub(crate) fn frame_navigated(&self, session: &SessionId, params: &Value) {
        let Ok(FrameNavigated { frame }) = FrameNavigated::deserialize(params) else { return };
        let mut subframes = self.subframes();
        if frame.parent_id.is_none() && *session == self.frame.session {
            let last = subframes.last;
            *subframes = Subframes { last, ..Subframes::default() };
        }
        let is_foreign = subframes.note_origin(&frame);
        if subframes.frames.values().any(|known| known.id == frame.id && !known.is_inside()) {
            return;
        }
        subframes.frames.retain(|_number, known| known.id != frame.id);
        if is_foreign {
            subframes.add(Frame::inside(self.connection().clone(), session.clone(), &frame.id));
        }
    }

    /// A frame is gone from one of the page's sessions, perhaps into a process of its own.
    pub(crate) fn frame_detached(&self, session: &SessionId, params: &Value) {
        let Ok(FrameDetached { frame_id }) = FrameDetached::deserialize(params) else { return };
        self.subframes().frames.retain(|_number, known| known.id != frame_id || known.session != *session);
    }

    /// The frames of other origins, with their numbers.
    pub(crate) fn numbered_subframes(&self) -> Vec<(u32, Arc<Frame>)> {
        self.subframes().frames.iter().map(|(number, frame)| (*number, Arc::clone(frame))).collect()
    }

    /// The frame an element is in, and the element's target as that frame knows it; `None` when the frame is gone.
    pub(crate) fn locate(self: &Arc<Self>, target: &Target) -> Option<(Located, Target)> {
        let Some((number, element)) = split_reference(&target.element) else {
            return Some((Located::Main(Arc::clone(self)), target.clone()));
        };
        let frame = self.subframes().frames.get(&number).cloned()?;
        let fingerprint = own_fingerprint(&target.fingerprint).to_owned();
        Some((Located::Sub(frame), Target { element: element.to_owned(), fingerprint, ..target.clone() }))
    }
}

/// The frame an element is in.
pub(crate) enum Located {
    Main(Arc<Page>),
    Sub(Arc<Frame>),
}

impl Located {
    pub(crate) fn frame(&self) -> &Frame {
        match self {
            Self::Main(page) => &page.frame,
            Self::Sub(frame) => frame,
        }
    }
}

/// Reference of a frame's element as the page's observation shows it.
pub(crate) fn numbered_reference(number: u32, reference: &str) -> String {
    format!("f{number}{reference}")
}

/// Fingerprint of a frame's element as the page's observation shows it: numbers change, hosts stay.
pub(crate) fn hosted_fingerprint(host: &str, fingerprint: &str) -> String {
    format!("{host}|{fingerprint}")
}

/// The fingerprint within its own frame.
pub(crate) fn own_fingerprint(fingerprint: &str) -> &str {
    fingerprint.rsplit_once('|').map_or(fingerprint, |(_host, own)| own)
}

fn split_reference(reference: &str) -> Option<(u32, &str)> {
    let rest = reference.strip_prefix('f')?;
    let at = rest.find('e')?;
    Some((rest[..at].parse().ok()?, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_frames_are_taken_apart() {
        assert_eq!(split_reference(&numbered_reference(3, "e12")), Some((3, "e12")));
        assert_eq!(split_reference("e12"), None);
        assert_eq!(own_fingerprint(&hosted_fingerprint("pay.test", "a.1.2")), "a.1.2");
        assert_eq!(own_fingerprint("a.1.2"), "a.1.2");
    }
}
