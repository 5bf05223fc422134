//! Drives Chromium over its debugging pipe: one browser process, one context per run, and the three things a step needs
//! of a page: look at it, act on it, keep it.
//!
//! It knows nothing of runs, stores or planners' reasoning. What a page says is data and is never acted on by itself.

mod act;
mod browser;
mod checkpoint;
mod connection;
mod element_action;
mod error;
mod frame;
mod guard;
mod input;
mod keys;
mod launch;
mod limits;
mod look;
mod navigate;
mod page;
mod page_events;
mod page_state;
mod process;
mod profile;
mod protocol;
mod pulse;
mod requests;
mod restore_storage;
mod screenshot;
mod session;
mod settle;
mod subframes;
mod trust;
mod wire;

pub use act::{ActError, ActOptions, ActOutcome, TypedSecret};
pub use browser::Browser;
pub use checkpoint::{Cookie, FieldValue, OriginStorage, SessionCheckpoint};
pub use error::BrowserError;
pub use guard::{Commits, HeldRequest};
pub use launch::{LaunchError, LaunchOptions, find_executable};
pub use look::{FoundAgain, Look};
pub use navigate::{NavigateError, Navigation};
pub use session::{GuardOptions, Session, SessionOptions, Viewport};
pub use trust::{TrustError, find_certutil};
pub use wire::{Departure, Wire};
