//! Inputs that once broke the extractor, or come close to what does: the fuzz targets start from them too.

#[path = "../fuzz/checks.rs"]
mod checks;

/// The inputs of a fuzz target.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found").join(target);
    let files = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path());
    let inputs: Vec<Vec<u8>> = files.map(|file| std::fs::read(file).expect("a file")).collect();
    assert!(!inputs.is_empty(), "no inputs for {target}");
    inputs
}

#[test]
fn found_pages_are_read() {
    inputs("html").iter().for_each(|input| checks::html(input));
}

#[test]
fn found_json_is_read() {
    inputs("json").iter().for_each(|input| checks::json(&String::from_utf8_lossy(input)));
}

#[test]
fn found_numbers_are_read() {
    inputs("numbers").iter().for_each(|input| checks::numbers(&String::from_utf8_lossy(input)));
}
