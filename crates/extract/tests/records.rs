//! Repeated records of pages written for these tests: every value counts, and a missing one must not shift the next.

use std::path::Path;

use errand_extract::{Options, extract};
use serde_json::Value;

/// Least share of values that must be right, as precision and recall together.
const F1_MIN: f64 = 0.95;

#[derive(Debug, Default)]
struct Tally {
    right: usize,
    given: usize,
    wanted: usize,
}

impl Tally {
    fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (self.given + self.wanted).max(1) as f64
    }

    /// Compares record by record, in order; null is no value.
    fn compare(&mut self, got: &Value, want: &Value) {
        match (got, want) {
            (Value::Object(got), Value::Object(want)) => {
                for key in got.keys().chain(want.keys().filter(|key| !got.contains_key(*key))) {
                    self.compare(got.get(key).unwrap_or(&Value::Null), want.get(key).unwrap_or(&Value::Null));
                }
            }
            (Value::Array(got), Value::Array(want)) => {
                for at in 0..got.len().max(want.len()) {
                    self.compare(got.get(at).unwrap_or(&Value::Null), want.get(at).unwrap_or(&Value::Null));
                }
            }
            (got, want) => {
                self.given += leaves(got);
                self.wanted += leaves(want);
                self.right += usize::from(!want.is_null() && same(got, want));
            }
        }
    }
}

fn leaves(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::Object(map) => map.values().map(leaves).sum(),
        Value::Array(items) => items.iter().map(leaves).sum(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

fn same(got: &Value, want: &Value) -> bool {
    match (got, want) {
        (Value::Number(got), Value::Number(want)) => got.as_f64() == want.as_f64(),
        _ => got == want,
    }
}

#[test]
fn records_of_forty_pages_are_read_whole_and_in_order() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records");
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let mut all = Tally::default();
    let mut pages = 0;
    for path in names.iter().filter(|path| path.extension().is_some_and(|ending| ending == "html")) {
        let html = std::fs::read_to_string(path).unwrap();
        let case: Value = serde_json::from_str(&std::fs::read_to_string(path.with_extension("json")).unwrap()).unwrap();
        let url = case["url"].as_str().unwrap();
        let got = extract(&html, url, &case["schema"], &Options::default()).unwrap();
        let mut own = Tally::default();
        own.compare(&got.data, &case["want"]);
        if own.f1() < 1.0 {
            println!(
                "{} {:.2}\n  got  {}\n  want {}",
                path.file_name().unwrap().display(),
                own.f1(),
                got.data,
                case["want"]
            );
        }
        pages += 1;
        (all.right, all.given, all.wanted) = (all.right + own.right, all.given + own.given, all.wanted + own.wanted);
    }
    println!("{pages} pages, record F1 {:.3}", all.f1());
    assert!(pages >= 40 && all.f1() >= F1_MIN, "record F1 {:.3}", all.f1());
}
