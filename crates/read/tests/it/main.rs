//! Reads of pages that this process serves; what real Chromium reads is in the tests of the command and of the system.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod browsing;
mod climbing;
mod encodings;
mod site;
