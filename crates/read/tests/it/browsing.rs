//! What is left of a real browser's read whose caller has gone.

use errand_browser::LaunchOptions;
use errand_egress::AddressPolicy;
use errand_read::{Browse, Chromium};
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpListener;

use crate::site::dialer;

/// A browser starts and ends well within it.
const PATIENCE: Duration = Duration::from_secs(60);

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[tokio::test]
async fn a_caller_that_goes_away_ends_the_browser_and_does_not_wait_for_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let launch = LaunchOptions { profile_parent: Some(folder.path().to_path_buf()), ..LaunchOptions::default() };
    let chromium = Chromium::new(launch, dialer(AddressPolicy::everything()));
    // It accepts and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap()).parse().unwrap();
    let opening = chromium.open(&url);
    let accepted = tokio::select! {
        accepted = silent.accept() => accepted.unwrap(),
        opened = opening => panic!("{opened:?}"),
    };
    assert!(!is_empty(folder.path()), "the end takes its time, and the caller is not kept for it");
    tokio::time::timeout(PATIENCE, chromium.ended()).await.unwrap();
    assert!(is_empty(folder.path()), "nothing is left of the browser");
    drop(accepted);
}
