//! What a page sends passes the guard, from wherever it is sent.

use crate::server::{Answer, Server};
use crate::support::{Opened, element, launch};
use errand_browser::{ActOptions, ActOutcome, Commits, GuardOptions, HeldRequest, SessionOptions};
use errand_domain::action::Action;

async fn open_guarded(server: &Server, holds: bool) -> Opened {
    let browser = launch().await;
    let guard = Some(GuardOptions { holds, wire: None });
    let session = browser.new_session(SessionOptions { guard, ..SessionOptions::default() }).await.unwrap();
    session.goto(&server.url("/")).await.unwrap();
    Opened { session, browser }
}

async fn press(opened: &Opened, name: &str, commits: Commits) -> ActOutcome {
    let target = element(&opened.observe().await, name).target();
    let options = ActOptions { commits, ..ActOptions::default() };
    opened.session.act(&Action::Click { target }, &options).await.unwrap()
}

/// Waits for what is sent a moment after the action.
async fn held(opened: &Opened) -> Vec<HeldRequest> {
    for _look in 0..50 {
        let held = opened.session.take_held();
        if !held.is_empty() {
            return held;
        }
        opened.act(Action::Wait { ms: 100 }).await;
    }
    Vec::new()
}

fn orders(server: &Server) -> usize {
    server.seen().iter().filter(|seen| seen.method != "GET" && seen.path.starts_with("/order")).count()
}

#[tokio::test]
async fn nothing_that_commits_leaves_a_page_its_frames_windows_or_workers() {
    let send = "fetch('/order', {method: 'POST', body: 'n=1'})";
    let server = Server::with_page(&format!(
        "<iframe name=i style='width:9px;height:9px'></iframe>
         <form id=f method=post action=/order><input type=hidden name=n value=1></form>
         <form id=g method=post action=/order target=i><input type=hidden name=n value=1></form>
         <button onclick=\"{send}\">Script</button>
         <button onclick=\"fetch('/order', {{method: 'DELETE', keepalive: true}})\">Kept</button>
         <button onclick=\"navigator.sendBeacon('/order', 'n=1')\">Beacon</button>
         <button onclick='f.submit()'>Form</button>
         <button onclick='g.submit()'>Frame</button>
         <button onclick=\"window.open('/auto')\">Window</button>
         <button onclick=\"new Worker('/worker.js')\">Worker</button>
         <button onclick=\"new SharedWorker('/shared.js')\">Shared</button>"
    ));
    server.route("/auto", Answer::html("<form id=f method=post action=/order></form><script>f.submit()</script>"));
    server.route("/worker.js", Answer::of("text/javascript", send));
    server.route("/shared.js", Answer::of("text/javascript", &format!("onconnect = () => {send}")));
    for name in ["Script", "Kept", "Beacon", "Form", "Frame", "Worker", "Shared", "Window"] {
        let opened = open_guarded(&server, true).await;
        press(&opened, name, Commits::None).await;
        assert_eq!(held(&opened).await.len(), 1, "{name}");
        assert_eq!(orders(&server), 0, "{name}");
    }
}

#[tokio::test]
async fn what_was_approved_leaves_once_and_a_reload_sends_it_no_more() {
    let server =
        Server::with_page("<form method=post action=/order><input name=n value=Ada><button>Go</button></form>");
    server.route("/order", Answer::html("<p>thanks</p><script>setTimeout(() => location.reload(), 50)</script>"));
    let opened = open_guarded(&server, true).await;
    press(&opened, "Go", Commits::None).await;
    let [request] = held(&opened).await.try_into().unwrap();
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/order"));
    assert_eq!(request.values, [("n".to_owned(), "Ada".to_owned())]);
    assert_eq!(opened.session.current_url(), server.url("/"), "the page stays");

    let outcome = press(&opened, "Go", Commits::Only(request.digest)).await;
    assert_eq!((outcome.url, outcome.doubt), (server.url("/order"), None));
    opened.act(Action::Wait { ms: 1_000 }).await;
    assert_eq!(orders(&server), 1);
    assert!(opened.observe().await.notice.unwrap().contains("was sent before, and was not sent again"));
}

#[tokio::test]
async fn without_holding_everything_leaves_once() {
    let server = Server::with_page(
        "<button onclick=\"for (const i of [1, 2, 3]) fetch('/order', {method: 'POST', body: 'n=1'}).catch(() => {})\">Go</button>",
    );
    let opened = open_guarded(&server, false).await;
    press(&opened, "Go", Commits::None).await;
    assert_eq!((orders(&server), opened.session.take_held()), (1, Vec::new()));
    press(&opened, "Go", Commits::None).await;
    assert_eq!(orders(&server), 2, "pressing again means it again");
}
