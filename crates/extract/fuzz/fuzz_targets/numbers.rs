//! Any text as number, price, date and duration: no panic, no infinite number.
#![no_main]

use errand_extract::numbers::NumberHint;
use errand_extract::{dates, parse_number, parse_price};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for hint in [NumberHint::default(), NumberHint { price: true, lang: Some("de"), ..NumberHint::default() }, NumberHint { count: true, decimal: Some(','), ..NumberHint::default() }] {
        assert!(parse_number(text, hint).is_none_or(f64::is_finite));
    }
    let _ = parse_price(text, Some(text), None);
    let _ = (dates::duration_seconds(text), dates::to_date(text), dates::to_date_time(text));
    let _ = errand_extract::text::clean(text);
});
