//! The documents keep up with the sources.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn sources(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false if path.extension().is_some_and(|kind| kind == "rs") => vec![std::fs::read_to_string(path).unwrap()],
        false => Vec::new(),
    };
    entries.flat_map(read).collect()
}

/// The quoted words that follow each `mark` directly.
fn quoted_after(source: &str, mark: &str) -> Vec<String> {
    let after = source.split(mark).skip(1);
    after.filter_map(|rest| rest.strip_prefix('"')?.split('"').next().map(str::to_owned)).collect()
}

#[test]
fn every_code_of_a_refused_call_is_documented() {
    let documented = text("docs/errors.md");
    let mut codes: Vec<String> = quoted_after(&text("crates/domain/src/run/rejection.rs"), " => ");
    for source in sources(&root().join("gateway/src")) {
        let kinds = source.split("FaultKind::").skip(1).filter_map(|rest| rest.split_once(", "));
        let named = kinds.filter(|(kind, _)| kind.chars().all(char::is_alphabetic));
        codes.extend(named.filter_map(|(_, rest)| rest.strip_prefix('"')?.split('"').next().map(str::to_owned)));
    }
    assert!(codes.len() > 25, "the sources are read: {codes:?}");
    for code in codes {
        assert!(documented.contains(&format!("`{code}`")), "docs/errors.md does not name {code}");
    }
}

#[test]
fn the_architecture_names_only_files_that_exist() {
    let names = text("ARCHITECTURE.md");
    let places = ["", "crates/", "crates/store/src/", "crates/planner/src/", "browser-worker/src/"];
    let paths =
        names.split('`').skip(1).step_by(2).filter(|name| name.contains('/') && !name.contains(['{', ' ', '→']));
    for path in paths {
        assert!(places.iter().any(|place| root().join(place).join(path).exists()), "there is no {path}");
    }
}

#[test]
fn links_between_the_documents_lead_somewhere() {
    for document in ["README.md", "ARCHITECTURE.md", "docs/guide.md", "docs/errors.md", "docs/delivery.md"] {
        let folder = root().join(document).parent().unwrap().to_path_buf();
        for link in text(document).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            let is_ours = !file.is_empty() && !file.contains("://");
            assert!(!is_ours || folder.join(file).exists(), "{document}: {link}");
        }
    }
}
