//! The dashboard and the documentation, as a browser gets them.

use crate::client::Api;
use crate::harness::Harness;

/// Paths in quotes that a page or script loads from this server.
fn assets_of(text: &str) -> Vec<String> {
    text.split('"').filter(|part| part.starts_with("/assets/")).map(str::to_owned).collect()
}

#[tokio::test]
async fn every_asset_of_a_page_is_served_under_a_strict_policy() {
    let harness = Harness::start().await;
    let api = Api { key: String::new(), ..harness.api.clone() };
    let mut to_load = vec!["/".to_owned(), "/docs".to_owned()];
    let mut loaded = Vec::new();
    while let Some(path) = to_load.pop() {
        let answer = api.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"));
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        loaded.push(path);
        to_load.extend(assets_of(&text).into_iter().filter(|asset| !loaded.contains(asset)));
        for markup in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", " style=", "onclick=", "https://cdn"]
        {
            assert!(!text.contains(markup), "{markup}: what a page said may never become markup");
        }
    }
    assert!(loaded.len() >= 12, "{loaded:?}");
}
