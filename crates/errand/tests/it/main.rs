//! The command as a shell sees it: real processes, real servers, a real browser.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod command;
mod docs;
mod keys;
mod output;
mod read;
mod roles;
mod run;
mod serve;
mod settings;
mod site;
