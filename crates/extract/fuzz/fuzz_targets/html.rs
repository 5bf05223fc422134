//! Any bytes as a page.
#![no_main]

#[path = "../checks.rs"]
#[allow(dead_code, reason = "each target makes one of the checks")]
mod checks;

libfuzzer_sys::fuzz_target!(|input: &[u8]| checks::html(input));
