//! Any text as JSON: no panic, strict JSON read as it is.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parsed = errand_extract::json::parse(text);
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(text) {
        assert!(!parsed.repaired || parsed.values.first() == Some(&value));
    }
    let _ = errand_extract::json::literal(text, None);
});
