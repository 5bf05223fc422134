//! System tests: the real server process, real Chromium, real TLS receivers. Each test's name is the claim.

mod egress;
mod errors;
mod goals;
mod news;
mod order;
mod profiles;
mod reads;
mod samples;
mod secrets;
mod seen;
mod trust;
mod webhooks;
