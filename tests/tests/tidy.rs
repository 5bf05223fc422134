//! Rules of the house that a machine can check: who may know whom, and how long files and functions get.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines of a file before its tests.
const FILE_LINES_MAX: usize = 400;
/// Lines of a function, its signature and closing brace included.
const FUNCTION_LINES_MAX: usize = 70;

/// What each crate may depend on, of ours. A service knows no other service; `domain` and `extract` stand on what
/// validates, `schema` and `egress` on nothing of ours.
const EDGES: &[(&str, &[&str])] = &[
    ("errand-schema", &[]),
    ("errand-domain", &["errand-schema"]),
    ("errand-extract", &["errand-schema"]),
    ("errand-egress", &[]),
    ("errand-vault", &[]),
    ("errand-client", &[]),
    ("errand-proto", &["errand-domain"]),
    ("errand-planner", &["errand-domain"]),
    ("errand-store", &["errand-domain", "errand-proto"]),
    ("errand-browser", &["errand-domain", "errand-planner"]),
    ("errand-read", &["errand-browser", "errand-egress", "errand-extract"]),
    (
        "errand-gateway",
        &["errand-domain", "errand-egress", "errand-proto", "errand-read", "errand-store", "errand-vault"],
    ),
    ("errand-scheduler", &["errand-domain", "errand-store"]),
    ("errand-notifier", &["errand-domain", "errand-egress", "errand-proto", "errand-store", "errand-vault"]),
    (
        "errand-browser-worker",
        &[
            "errand-browser",
            "errand-domain",
            "errand-egress",
            "errand-extract",
            "errand-planner",
            "errand-store",
            "errand-vault",
        ],
    ),
];
/// These stand on top and may know everything.
const TOP: [&str; 2] = ["errand", "errand-tests"];
/// What the pure crates must not reach, however far down.
const IMPURE: [&str; 8] = ["tokio", "async-nats", "sled", "axum", "hyper", "reqwest", "tonic", "mio"];
const PURE: [&str; 4] = ["errand-schema", "errand-domain", "errand-extract", "errand-planner"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate stands in the workspace").to_path_buf()
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).current_dir(root()).args(arguments).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn normal_edges() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo metadata is JSON");
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let edges = packages.map(|package| {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let ours = dependencies.filter(|dependency| dependency["kind"].is_null()).map(name);
        (name(package), ours.filter(|name| name.starts_with("errand")).collect())
    });
    edges.collect()
}

#[test]
fn crates_know_only_whom_they_may() {
    let edges = normal_edges();
    for (name, found) in &edges {
        if TOP.contains(&name.as_str()) {
            continue;
        }
        let allowed = EDGES.iter().find(|(crate_name, _)| crate_name == name).map(|(_, allowed)| *allowed);
        let allowed = allowed.unwrap_or_else(|| panic!("{name} has no row in EDGES"));
        let forbidden: Vec<&String> = found.iter().filter(|other| !allowed.contains(&other.as_str())).collect();
        assert!(forbidden.is_empty(), "{name} must not depend on {forbidden:?}");
    }
}

#[test]
fn pure_crates_reach_no_runtime_store_or_socket() {
    for name in PURE {
        let tree = cargo(&["tree", "--offline", "-p", name, "-e", "normal", "--prefix", "none", "-f", "{p}"]);
        let reached: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
        let impure: Vec<&&str> = IMPURE.iter().filter(|impure| reached.contains(**impure)).collect();
        assert!(impure.is_empty(), "{name} reaches {impure:?}");
    }
}

fn rust_files() -> Vec<PathBuf> {
    let listed = Command::new("git").current_dir(root()).args(["ls-files", "*.rs"]).output();
    let listed = listed.expect("git lists the sources");
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    // A file that was just deleted is still listed.
    text.lines().map(|line| root().join(line)).filter(|path| path.is_file()).collect()
}

fn is_test_code(path: &Path) -> bool {
    let relative = path.strip_prefix(root()).unwrap_or(path);
    let mut folders = relative.components().rev().skip(1);
    // `tests/src` is the harness: code like any other.
    let in_tests = folders.any(|part| part.as_os_str() == "tests") && !relative.starts_with("tests/src");
    in_tests || path.file_name().is_some_and(|name| name == "tests.rs")
}

fn lines_before_tests(text: &str) -> usize {
    text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count()
}

#[test]
fn files_stay_short_enough_to_read_at_a_sitting() {
    let too_long: Vec<String> = rust_files()
        .iter()
        .filter(|path| !is_test_code(path))
        .map(|path| (path, lines_before_tests(&std::fs::read_to_string(path).unwrap_or_default())))
        .filter(|(_, lines)| *lines > FILE_LINES_MAX)
        .map(|(path, lines)| format!("{}: {lines} lines", path.display()))
        .collect();
    assert!(too_long.is_empty(), "over {FILE_LINES_MAX} lines: {too_long:#?}");
}

/// Names and lengths of the functions, by the indentation that rustfmt gives.
fn functions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, String, usize)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let words = line.trim_start();
        let is_function = [
            "fn ",
            "pub fn ",
            "async fn ",
            "pub async fn ",
            "pub(crate) fn ",
            "pub(super) fn ",
            "pub(crate) async fn ",
            "pub(super) async fn ",
            "const fn ",
            "pub const fn ",
        ]
        .iter()
        .any(|start| words.starts_with(start));
        if is_function && !words.ends_with(';') {
            open.push((indent, words.to_owned(), number));
        }
        if (words == "}" || words.ends_with(" }")) && open.last().is_some_and(|(at, _, _)| *at == indent) {
            let (_, name, start) = open.pop().unwrap_or_default();
            found.push((name, number - start + 1));
        }
    }
    found
}

#[test]
fn functions_stay_short_enough_to_proofread() {
    let mut too_long = Vec::new();
    for path in rust_files().iter().filter(|path| !is_test_code(path)) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let text: Vec<&str> = text.lines().take(lines_before_tests(&text)).collect();
        for (name, lines) in functions(&text.join("\n")).into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES_MAX) {
            too_long.push(format!("{}: {lines} lines: {name}", path.display()));
        }
    }
    assert!(too_long.is_empty(), "over {FUNCTION_LINES_MAX} lines: {too_long:#?}");
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<PathBuf> = rust_files()
        .into_iter()
        .filter(|path| !is_test_code(path))
        .filter(|path| !std::fs::read_to_string(path).unwrap_or_default().trim_start().starts_with("//!"))
        .collect();
    assert!(silent.is_empty(), "no //! at the top: {silent:#?}");
}
