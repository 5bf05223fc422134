//! Attack: hostile pages, clients, disks and schemas against the real server with the real browser. Each test is a kind of
//! attack and prints a line with what held.
//!
//! `make test` runs a fixed part of each kind; `make attack` (or `ERRAND_ATTACK=full`) all of it.

mod browsers;
mod changed;
mod clients;
mod faults;
mod frames;
mod labels;
mod once;
mod peers;
mod requests;
mod resend;
mod schemas;
mod spellings;
mod tally;
