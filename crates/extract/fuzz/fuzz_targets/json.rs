//! Any text as JSON.
#![no_main]

#[path = "../checks.rs"]
#[allow(dead_code, reason = "each target makes one of the checks")]
mod checks;

libfuzzer_sys::fuzz_target!(|input: &str| checks::json(input));
