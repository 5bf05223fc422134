//! The command as a shell sees it: real processes, real servers, a real browser.

mod command;
mod keys;
mod read;
mod roles;
mod run;
mod serve;
mod site;
