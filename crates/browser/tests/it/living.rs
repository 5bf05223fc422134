//! The live view: frames as the page changes, and a person's input.

use crate::server::{Answer, Server};
use crate::support::{element, open};
use errand_browser::LiveInput;
use std::sync::Arc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);

async fn next(view: &mut errand_browser::LiveView) -> Arc<errand_browser::LiveFrame> {
    tokio::time::timeout(PATIENCE, view.next()).await.expect("a frame in time").expect("the session lives")
}

#[tokio::test]
async fn frames_follow_the_page_and_input_reaches_it() {
    let server = Server::with_page(
        "<style>*{margin:0}</style><button style='width:200px;height:100px' onclick=\"window.open('/popup')\">Open</button>",
    );
    server.route("/popup", Answer::html("<input autofocus aria-label=Name style='width:300px;height:100px'>"));
    let opened = open(&server).await;
    let mut view = opened.session.live_view();
    let first = next(&mut view).await;
    assert!(first.jpeg.starts_with(&[0xff, 0xd8]) && first.width == 1280.0, "{first:?}");
    let (x, y) = (50.0, 50.0);
    for input in [LiveInput::Move { x, y }, LiveInput::Press { x, y }, LiveInput::Release { x, y }] {
        opened.session.live_input(&input).await.unwrap();
    }
    server.wait_for("/popup");
    let in_popup = next(&mut view).await;
    assert_ne!(in_popup, first);
    tokio::time::timeout(PATIENCE, async {
        while !opened.observe().await.elements.iter().any(|element| element.name == "Name") {
            next(&mut view).await;
        }
    })
    .await
    .expect("the popup is shown");
    for input in [LiveInput::Press { x, y }, LiveInput::Release { x, y }, LiveInput::Text { text: "Zoë".to_owned() }] {
        opened.session.live_input(&input).await.unwrap();
    }
    let key = |key: &str| (key.to_owned(), "KeyA".to_owned(), 65, 0);
    let (name, code, virtual_code, modifiers) = key("a");
    opened.session.live_input(&LiveInput::KeyDown { key: name, code, virtual_code, modifiers }).await.unwrap();
    let (name, code, virtual_code, modifiers) = key("a");
    opened.session.live_input(&LiveInput::KeyUp { key: name, code, virtual_code, modifiers }).await.unwrap();
    assert_eq!(element(&opened.observe().await, "Name").value.as_deref(), Some("Zoëa"));
    drop(view);
    opened.observe().await;
}

#[tokio::test]
async fn view_ends_with_its_session() {
    let server = Server::with_page("home");
    let opened = open(&server).await;
    let mut view = opened.session.live_view();
    next(&mut view).await;
    opened.session.close().await;
    let end = tokio::time::timeout(PATIENCE, async { while view.next().await.is_some() {} }).await;
    assert!(end.is_ok());
}
