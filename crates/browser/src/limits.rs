//! The bounds of this crate, each with its reason.

use std::time::Duration;

/// Chromium answers in 0.1–0.4 s on an idle machine; a loaded one took up to 5 s.
pub(crate) const LAUNCH_TIMEOUT: Duration = Duration::from_secs(30);
/// No command of ours is slow by nature; one that takes longer means a hung page or browser.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a browser is asked whether it is there.
pub(crate) const PULSE_EVERY: Duration = Duration::from_secs(3);
/// A browser that has not said so after this long is frozen: a loaded machine's took up to 5 s. It is given up before a
/// navigation, which may take longer, can blame the site.
pub(crate) const FROZEN_AFTER: Duration = Duration::from_secs(12);
/// A page whose script holds it up for so long is freed of that script, so that what it shows can be read within the call's
/// time; below that, slow pages on a loaded machine are let be.
pub(crate) const STUCK_AFTER: Duration = Duration::from_secs(8);
/// A server may think long before its first byte; past this the page counts as unreachable.
pub(crate) const NAVIGATION_TIMEOUT: Duration = Duration::from_secs(30);
/// Most time one action may take, with the loading it starts.
pub(crate) const ACT_TIMEOUT: Duration = Duration::from_secs(30);
/// A script that blocks the parser on an unreachable host holds back `DOMContentLoaded` for minutes; what is there by now is looked at.
pub(crate) const CONTENT_WAIT_MAX: Duration = Duration::from_secs(5);
/// Most time to wait, after the document is there, for requests and changes to end: busy pages never rest.
pub(crate) const SETTLE_MAX: Duration = Duration::from_secs(8);
/// Data that an action asks its own site for is part of its result for this long.
pub(crate) const DATA_PATIENCE: Duration = Duration::from_secs(5);
/// The browser begins a navigation that a page asks for within milliseconds, on a busy machine within a second.
pub(crate) const BEGIN_PATIENCE: Duration = Duration::from_secs(3);
/// Everything else that is late (an unreachable CDN, a counter, polling from before) holds back no longer than this.
pub(crate) const SIDE_REQUEST_PATIENCE: Duration = Duration::from_millis(1_200);
/// An action that has changed nothing by then changes nothing: handlers' zero timers and promises have run.
pub(crate) const IDLE_MS: u32 = 20;
/// A page that did change is quiet when its document rested for this long: two frames.
pub(crate) const QUIET_MS: u32 = 32;
/// Carousels and clocks change the document without end; they cost at most this.
pub(crate) const QUIET_WAIT_MAX_MS: u32 = 400;
/// "You will be taken there in a moment" is part of the way; a page that reloads now and then is not.
pub(crate) const REFRESH_DELAY_MAX_S: f64 = 3.0;
/// Longest wait for a page that says of a part of itself that it is busy (`aria-busy`).
pub(crate) const BUSY_WAIT_MAX_MS: u32 = 3_000;
/// Dialogs and menus slide into place within half a second.
pub(crate) const MOVEMENT_WAIT_MAX: Duration = Duration::from_secs(2);
/// One frame and a bit.
pub(crate) const MOVEMENT_PAUSE: Duration = Duration::from_millis(20);
/// A field that does not take the focus by itself is clicked once.
pub(crate) const SECRET_TRIES_MAX: usize = 2;
/// A window that was asked for is attached within milliseconds; a blocked one never is.
pub(crate) const POPUP_WAIT_MAX: Duration = Duration::from_millis(1_000);

/// Largest message taken from the browser: a 2 MiB document escaped twice, or a large screenshot.
pub(crate) const MESSAGE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Commands waiting for the pipe; a browser that reads nothing is stuck. A page may ask for a thousand things at once, and
/// each waits for our answer.
pub(crate) const OUTGOING_COMMANDS_MAX: usize = 4_096;
/// Kernel buffer of the answers' pipe, so that a document arrives in few reads.
pub(crate) const PIPE_BYTES: usize = 1024 * 1024;
/// Kept of the browser's standard error, to explain a failed launch.
pub(crate) const STDERR_TAIL_BYTES_MAX: usize = 4 * 1024;

/// Windows open at once in a session; further ones are closed as they open, so that those a run works in stay.
pub(crate) const PAGES_PER_SESSION_MAX: usize = 6;
/// Notices kept between two looks; a page in a dialog loop would fill memory otherwise.
pub(crate) const NOTICES_MAX: usize = 8;
/// Characters kept of a dialog's message.
pub(crate) const NOTICE_CHARS_MAX: usize = 300;
/// Requests watched per page; beyond it a page is busy anyway.
pub(crate) const REQUESTS_WATCHED_MAX: usize = 512;

/// What a committing action sends may come this long after it, such as a payment's second request.
pub(crate) const COMMIT_TAIL: Duration = Duration::from_secs(10);
/// The session's connections to a host are closed within milliseconds.
pub(crate) const WIRE_PATIENCE: Duration = Duration::from_secs(2);
/// Requests remembered as sent, so that they are not sent again; one action sends a few.
pub(crate) const SPENT_REQUESTS_MAX: usize = 64;
/// Requests held back that are told; a person is asked about the first.
pub(crate) const HELD_REQUESTS_MAX: usize = 8;
/// Values shown of one of them, and characters of each: more than a form that a person can check.
pub(crate) const HELD_VALUES_MAX: usize = 64;
pub(crate) const HELD_VALUE_CHARS_MAX: usize = 200;
/// Bytes of a body that is taken apart; a longer one is a file, and unknown.
pub(crate) const BODY_BYTES_READ_MAX: usize = 1024 * 1024;

/// Frames whose origin is remembered per document; a page with more is not read frame by frame.
pub(crate) const FRAMES_NOTED_MAX: usize = 256;
/// Frames of other origins that are looked into: a payment form, a consent dialog, a few advertisements.
pub(crate) const SUBFRAMES_MAX: usize = 8;
/// A frame that does not answer soon is left out of the look.
pub(crate) const SUBFRAME_PATIENCE: Duration = Duration::from_millis(1_500);
/// A frame of another site holds a form or a notice, not an article.
pub(crate) const SUBFRAME_TEXT_CHARS_MAX: usize = 4_000;
pub(crate) const SUBFRAME_ELEMENTS_MAX: usize = 60;
/// More than a person would scan and all that a model's prompt can hold.
pub(crate) const ELEMENTS_MAX: usize = 400;
/// About 10 000 tokens: the most a planner's prompt spends on one page.
pub(crate) const OBSERVATION_TEXT_CHARS_MAX: usize = 40_000;
/// Most time for one walk through a page, after its layout: large pages on a loaded machine need half of it.
pub(crate) const WALK_MS_MAX: u32 = 3_000;
/// Most of one document, of the page or of a frame in its process. Hardly a page that people write is so long, and what is
/// kept is a fifth of it; some streams have no end, and would fill memory. Not bounded: what scripts ask for and keep, and
/// the documents of frames with a process of their own. They can fill their process's memory; its crash is told.
pub(crate) const DOCUMENT_BYTES_MAX: u64 = 5 * 1024 * 1024;
/// Text kept as evidence: long tables whole, yet five pages of it fit a megabyte.
pub(crate) const SNAPSHOT_TEXT_CHARS_MAX: usize = 200_000;
/// Links kept as evidence; sitemaps have more, and nobody asks for them whole.
pub(crate) const LINKS_MAX: usize = 2_000;
/// The beginning of a larger document is kept: more costs more to move and parse than it is worth.
pub(crate) const HTML_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Longest single wait a planner may ask for.
pub(crate) const WAIT_ACTION_MS_MAX: u32 = 10_000;
/// Cookies kept in a checkpoint: Chromium itself holds 180 a domain.
pub(crate) const COOKIES_MAX: usize = 3_000;
/// Local storage kept per origin: what browsers allow an origin.
pub(crate) const STORAGE_BYTES_PER_ORIGIN_MAX: usize = 5 * 1024 * 1024;
/// Origins whose storage a checkpoint keeps: a run that visits more loses the oldest.
pub(crate) const STORAGE_ORIGINS_MAX: usize = 32;
/// A PNG of the default window is 0.1–1.5 MB; a larger one is refused.
pub(crate) const SCREENSHOT_BYTES_MAX: usize = 8 * 1024 * 1024;
