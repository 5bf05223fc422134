//! Pages that are huge, never end or hang: what there is of them is read, or it is said that it cannot be.

use crate::server::{Answer, Server};
use crate::support::{Opened, element, launch, open, open_page};
use errand_browser::{BrowserError, NavigateError, SessionOptions};

const HEAD: &str = "<title>T</title><h1>Brass lamp</h1><p>Price: $89</p>";

async fn open_lamp(rest: &str) -> (Server, Opened) {
    open_page(&format!("{HEAD}{rest}")).await
}

/// Looks, expects the page's beginning, and gives what was said of the rest.
async fn look_at_lamp(opened: &Opened) -> String {
    let look = opened.session.look().await.expect("a look");
    assert!(look.observation.text.starts_with("Brass lamp\nPrice: $89"), "{:.200}", look.observation.text);
    assert!(look.snapshot.html.contains("<h1>Brass lamp</h1>"), "{:.200}", look.snapshot.html);
    assert!(look.snapshot.html.len() <= 2 * 1024 * 1024);
    opened.session.screenshot().await.expect("a picture");
    opened.session.checkpoint().await.expect("a checkpoint");
    look.observation.notice.unwrap_or_default()
}

#[tokio::test]
async fn page_of_ordinary_size_is_whole() {
    let (_server, opened) = open_lamp("<a href=/more>More</a>").await;
    assert_eq!(look_at_lamp(&opened).await, "");
}

#[tokio::test]
async fn page_with_thousands_of_links_is_cut_where_each_bound_says() {
    let label = "of a great many ".repeat(6);
    let links: String = (0..3_000).map(|n| format!("<a href=/item/{n}>link {n} {label}</a> ")).collect();
    let (_server, opened) = open_lamp(&links).await;
    let notice = look_at_lamp(&opened).await;
    assert!(notice.contains("links") && notice.contains("elements") && notice.contains("text"), "{notice}");
}

#[tokio::test]
async fn page_with_tens_of_thousands_of_links_is_cut() {
    let links: String = (0..30_000).map(|n| format!("<a href=/item/{n}>link number {n} of many</a> ")).collect();
    let (_server, opened) = open_lamp(&links).await;
    // A loaded machine reaches the walk's end of time before the other bounds.
    assert!(look_at_lamp(&opened).await.contains("cut"));
}

#[tokio::test]
async fn page_with_one_endless_text_is_cut() {
    let (_server, opened) = open_lamp(&format!("<p>{}</p><button>Go</button>", "x".repeat(16 * 1024 * 1024))).await;
    assert!(look_at_lamp(&opened).await.contains("text"));
}

#[tokio::test]
async fn page_with_an_endless_list_of_options_is_cut_and_its_form_sent() {
    let options: String =
        (0..50_000).map(|n| format!("<option value={n}>Option number {n} of them</option>")).collect();
    let form =
        format!("<form action=/go><label>Which <select name=s>{options}</select></label><button>Go</button></form>");
    let (server, opened) = open_lamp(&form).await;
    server.route("/go", Answer::html("thanks"));
    let notice = look_at_lamp(&opened).await;
    assert!(notice.contains("code"), "{notice}");
    assert_eq!(element(&opened.observe().await, "Which").options.len(), 100);
    opened.select("Which", "Option number 40000 of them").await.expect("the option is chosen");
    opened.click("Go").await;
    assert_eq!(server.wait_for("/go?s=40000").path, "/go?s=40000");
}

#[tokio::test]
async fn page_that_is_nested_without_end_is_cut() {
    let (_server, opened) = open_lamp(&format!("{}bottom", "<div>".repeat(100_000))).await;
    assert!(look_at_lamp(&opened).await.contains("cut"));
}

#[tokio::test]
async fn stream_without_end_is_stopped_and_read() {
    let server = Server::start();
    server.route("/", Answer::html(HEAD).endless(&format!("<!--{}-->", "-".repeat(64 * 1024))));
    let opened = open(&server).await;
    let notice = look_at_lamp(&opened).await;
    assert!(notice.contains("only the first 5 MiB of the page were loaded"), "{notice}");
}

#[tokio::test]
async fn stream_without_end_in_a_frame_is_stopped() {
    let server = Server::with_page(&format!("{HEAD}<iframe src=/inner></iframe>"));
    server.route("/inner", Answer::html("inner").endless(&format!("<!--{}-->", "-".repeat(64 * 1024))));
    let opened = open(&server).await;
    let notice = look_at_lamp(&opened).await;
    assert!(notice.contains("only the first 5 MiB of a frame of the page were loaded"), "{notice}");
}

#[tokio::test]
async fn script_without_end_is_ended_and_its_page_read() {
    let (_server, opened) = open_lamp("<script>while (1);</script><p>after the script</p>").await;
    look_at_lamp(&opened).await;
    assert!(opened.text().await.contains("after the script"));
}

#[tokio::test]
async fn click_that_starts_a_script_without_end_comes_to_an_end() {
    let (_server, opened) = open_lamp("<button onclick='while (1);'>Go</button>").await;
    opened.click("Go").await;
    look_at_lamp(&opened).await;
}

#[tokio::test]
async fn page_that_cannot_be_laid_out_is_a_timeout_and_spares_the_next() {
    let server = Server::with_page(&format!("<pre>{}</pre>", " \n".repeat(4 * 1024 * 1024)));
    server.route("/lamp", Answer::html(HEAD));
    let browser = launch().await;
    let stuck = browser.new_session(SessionOptions::default()).await.expect("a session");
    let reached = stuck.goto(&server.url("/")).await;
    // Its layout goes on for more than 25 s, where a call may take ten.
    assert!(matches!(reached, Err(NavigateError::Browser(BrowserError::Timeout { .. }))), "{reached:?}");
    let session = browser.new_session(SessionOptions::default()).await.expect("another session");
    session.goto(&server.url("/lamp")).await.expect("the next page");
    look_at_lamp(&Opened { session, browser }).await;
}

#[tokio::test]
async fn page_that_crashes_by_its_depth_is_told_and_spares_the_next() {
    let server = Server::with_page(
        "<div id=d></div><script>let at = d;
         for (let i = 0; i < 100000; i++) { const next = document.createElement('div'); at.append(next); at = next; }
         at.textContent = 'bottom'</script>",
    );
    server.route("/lamp", Answer::html(HEAD));
    let browser = launch().await;
    let session = browser.new_session(SessionOptions::default()).await.expect("a session");
    let reached = session.goto(&server.url("/")).await;
    assert!(matches!(reached, Err(NavigateError::Browser(BrowserError::Crashed))), "{reached:?}");
    let session = browser.new_session(SessionOptions::default()).await.expect("another session");
    session.goto(&server.url("/lamp")).await.expect("the next page");
    look_at_lamp(&Opened { session, browser }).await;
}

const COUNT_AND_HANG: &str =
    "const sent = new XMLHttpRequest(); sent.open('POST', '/count', false); sent.send(); while (1);";

#[tokio::test]
async fn handler_that_posts_and_then_runs_without_end_posts_once() {
    let selected = format!("<label>Size <select onchange=\"{COUNT_AND_HANG}\"><option>S<option>M</select></label>");
    let dated = format!("<label>Day <input type=date onchange=\"{COUNT_AND_HANG}\"></label>");
    let checked =
        format!("<label>Agree <input type=checkbox onclick=\"event.preventDefault(); {COUNT_AND_HANG}\"></label>");
    let (server, opened) = open_lamp(&format!("{selected}{dated}{checked}")).await;
    server.route("/count", Answer::html("counted"));
    let select = opened.select("Size", "M").await.expect("the option is chosen");
    assert!(select.notice.is_some_and(|notice| notice.contains("was ended")));
    assert_eq!(server.count("/count"), 1);
    let typed = opened.type_into("Day", "2026-11-30").await;
    assert!(typed.notice.is_some_and(|notice| notice.contains("was ended")));
    assert_eq!(server.count("/count"), 2);
    let agreed = opened.check("Agree", true).await;
    assert!(agreed.notice.is_some_and(|notice| notice.contains("was ended")));
    assert_eq!(server.count("/count"), 3);
}
