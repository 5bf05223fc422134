//! A session rebuilt from its checkpoint.

use crate::server::{Answer, Server};
use crate::support::{Opened, element, launch, open};
use errand_browser::{SessionCheckpoint, SessionOptions};

const PAGE: &str = "<p id=stored></p><form><label>City <input name=city></label><label>Password <input type=password name=p></label>
    <label><input type=checkbox name=ok> Agree</label><label>Size <select name=s><option>S<option>L</select></label></form>
    <div style='height:3000px'></div>
    <script>if (location.hash === '#set') localStorage.setItem('cart', '3 lamps');
    stored.textContent = 'stored: ' + localStorage.getItem('cart')</script>";

#[tokio::test]
async fn cookies_storage_page_fields_and_scroll_come_back() {
    let server = Server::start();
    server.route("/", Answer::html(PAGE).header("set-cookie", "sid=abc; Path=/; HttpOnly"));
    server.route("/plain", Answer::html(PAGE));
    let opened = open(&server).await;
    opened.session.goto(&server.url("/plain#set")).await.unwrap();
    opened.session.goto(&server.url("/plain")).await.unwrap();
    opened.type_into("City", "Bern").await;
    opened.type_into("Password", "hunter2").await;
    opened.check("Agree", true).await;
    opened.select("Size", "L").await.unwrap();
    opened.act(errand_domain::action::Action::Scroll { direction: errand_domain::action::ScrollDirection::Down }).await;
    let checkpoint = opened.session.checkpoint().await.unwrap();
    let stored = serde_json::to_string(&checkpoint).unwrap();
    assert!(!stored.contains("hunter2"), "{stored}");
    assert!(!format!("{checkpoint:?}").contains("abc"));
    drop(opened);

    let before = server.count("/plain");
    let checkpoint: SessionCheckpoint = serde_json::from_str(&stored).unwrap();
    let browser = launch().await;
    let options = SessionOptions { restore: Some(checkpoint), ..SessionOptions::default() };
    let session = browser.new_session(options).await.unwrap();
    let opened = Opened { session, browser };
    let observation = opened.observe().await;
    assert_eq!(observation.url, server.url("/plain"));
    assert!(observation.text.contains("stored: 3 lamps"), "{}", observation.text);
    assert_eq!(element(&observation, "City").value.as_deref(), Some("Bern"));
    assert_eq!(element(&observation, "Agree").checked, Some(true));
    assert_eq!(element(&observation, "Size").value.as_deref(), Some("L"));
    assert!(!element(&observation, "City").in_viewport, "scrolled down");
    assert_eq!(server.count("/plain"), before + 1, "storage is restored without asking the server");
    let last = server.seen().pop().unwrap();
    assert_eq!(last.headers.get("cookie").map(String::as_str), Some("sid=abc"));
    let again = opened.session.checkpoint().await.unwrap();
    assert_eq!(again.fields.len(), 3);
}

#[tokio::test]
async fn sessions_share_nothing() {
    let server = Server::start();
    server.route("/", Answer::html(PAGE).header("set-cookie", "sid=abc; Path=/"));
    let opened = open(&server).await;
    opened.session.goto(&server.url("/#set")).await.unwrap();
    let other = opened.browser.new_session(SessionOptions::default()).await.unwrap();
    other.goto(&server.url("/")).await.unwrap();
    assert!(other.observe().await.unwrap().text.contains("stored: null"));
    assert_eq!(server.seen().iter().rfind(|r| r.path == "/").unwrap().headers.get("cookie"), None);
}
