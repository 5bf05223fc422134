//! Actions with real input.

use crate::server::{Answer, Server};
use crate::support::{element, launch_with, open, open_in, open_page};
use errand_browser::{ActError, ActOptions};
use errand_domain::SecretName;
use errand_domain::action::{Action, ScrollDirection, TypedText};
use std::time::{Duration, Instant};

#[tokio::test]
async fn click_submits_a_form_and_waits_for_the_next_page() {
    let server = Server::with_page(
        "<form action=/next method=post><label>Name <input name=n></label><button>Go</button></form>",
    );
    server.route("/next", Answer::html("thanks"));
    let opened = open(&server).await;
    opened.type_into("Name", "Zoë Ångström, né é").await;
    let outcome = opened.click("Go").await;
    assert!(outcome.navigated);
    assert_eq!(outcome.url, server.url("/next"));
    assert_eq!(opened.text().await, "thanks");
    let posted = server.wait_for("/next");
    assert_eq!(posted.method, "POST");
    assert_eq!(posted.body, "n=Zo%C3%AB+%C3%85ngstr%C3%B6m%2C+n%C3%A9+%C3%A9");
}

#[tokio::test]
async fn click_that_changes_nothing_returns_soon() {
    let (_server, opened) = open_page("<button>Idle</button>").await;
    let target = opened.target("Idle").await;
    let began = Instant::now();
    let outcome = opened.act(Action::Click { target }).await;
    assert!(!outcome.navigated);
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
}

#[tokio::test]
async fn answer_that_a_click_asks_for_is_waited_for() {
    let server = Server::with_page(
        "<button onclick=\"fetch('/data').then(r => r.text()).then(t => out.textContent = t)\">Load</button><p id=out></p>",
    );
    server.route("/data", Answer::of("text/plain", "fetched"));
    let opened = open(&server).await;
    opened.click("Load").await;
    assert!(opened.text().await.contains("fetched"));
}

#[tokio::test]
async fn typing_replaces_and_fires_input_and_change() {
    let (_server, opened) = open_page(
        "<label>Field <input value=old oninput='log.textContent += \"i\"' onchange='log.textContent += \"c\"'></label>
         <p id=log></p><div contenteditable aria-label=Editor>before</div><label>Day <input type=date></label>
         <label>Count <input type=number value=1></label><label>Area<textarea></textarea></label>",
    )
    .await;
    opened.type_into("Field", "ünicode").await;
    opened.type_into("Editor", "after").await;
    opened.type_into("Day", "2026-11-30").await;
    opened.type_into("Count", "42").await;
    opened.type_into("Area", "two\nlines").await;
    let observation = opened.observe().await;
    for (name, value) in
        [("Field", "ünicode"), ("Editor", "after"), ("Day", "2026-11-30"), ("Count", "42"), ("Area", "two\nlines")]
    {
        assert_eq!(element(&observation, name).value.as_deref(), Some(value), "{name}");
    }
    assert!(observation.text.contains("ic"), "{}", observation.text);
    opened.type_into("Field", "").await;
    assert_eq!(element(&opened.observe().await, "Field").value.as_deref(), Some(""));
}

#[tokio::test]
async fn enter_after_typing_submits_the_form() {
    let server = Server::with_page("<form action=/search><input type=search name=q aria-label=Search></form>");
    server.route("/search", Answer::html("results"));
    let opened = open(&server).await;
    opened.type_into("Search", "lamp").await;
    let outcome = opened.act(Action::Press { key: "Enter".to_owned(), target: None }).await;
    assert!(outcome.navigated);
    server.wait_for("/search?q=lamp");
}

#[tokio::test]
async fn select_goes_by_label_exact_then_without_case_then_by_beginning() {
    let (_server, opened) = open_page(
        "<label>Color <select onchange='out.textContent = this.value'><option value=r>Red<option value=g>Green (dark)<option value=b>Blue</select></label><p id=out></p>",
    )
    .await;
    for (wanted, value) in [("Blue", "b"), ("red", "r"), ("green", "g")] {
        opened.select("Color", wanted).await.unwrap();
        assert!(opened.text().await.ends_with(value));
    }
    let missing = opened.select("Color", "Pink").await;
    let Err(ActError::OptionNotFound { options, .. }) = missing else { panic!("{missing:?}") };
    assert_eq!(options, ["Red", "Green (dark)", "Blue"]);
}

#[tokio::test]
async fn list_drawn_by_the_page_is_opened_and_its_option_pressed() {
    let (_server, opened) = open_page(
        "<div role=combobox tabindex=0 aria-label=Country id=box onclick='list.hidden = false'>choose</div>
         <ul role=listbox id=list hidden onclick='box.textContent = event.target.textContent; list.hidden = true'>
         <li role=option>France</li><li role=option>Norway</li></ul>",
    )
    .await;
    opened.select("Country", "norway").await.unwrap();
    assert!(opened.text().await.contains("Norway"));
}

#[tokio::test]
async fn boxes_and_radios_are_set_and_left_when_right() {
    let (_server, opened) = open_page(
        "<label><input type=checkbox id=a onclick='n.textContent += \"x\"'> Terms</label>
         <label><input type=radio name=r value=1 checked> One</label><label><input type=radio name=r value=2> Two</label>
         <input type=checkbox id=styled style='opacity:0;position:absolute'><label for=styled>Styled</label>
         <div role=switch aria-checked=false tabindex=0 onclick='this.setAttribute(\"aria-checked\", \"true\")'>Dark</div><p id=n></p>",
    )
    .await;
    opened.check("Terms", true).await;
    opened.check("Terms", true).await;
    opened.check("Two", true).await;
    opened.check("Styled", true).await;
    opened.check("Dark", true).await;
    let observation = opened.observe().await;
    for (name, checked) in [("Terms", true), ("One", false), ("Two", true), ("Styled", true), ("Dark", true)] {
        assert_eq!(element(&observation, name).checked, Some(checked), "{name}");
    }
    assert_eq!(observation.text.matches('x').count(), 1, "a box that is right is not pressed again");
}

#[tokio::test]
async fn alerts_are_accepted_and_confirms_dismissed_unless_allowed() {
    let (_server, opened) = open_page(
        "<button onclick='alert(\"hello\"); out.textContent = confirm(\"Sure?\") ? \"yes\" : \"no\"'>Ask</button><p id=out></p>",
    )
    .await;
    let outcome = opened.click("Ask").await;
    assert!(outcome.notice.unwrap().contains("Sure?"));
    let observation = opened.observe().await;
    assert!(observation.text.ends_with("no"));
    let notice = observation.notice.unwrap();
    assert!(notice.contains("\"hello\", which was accepted") && notice.contains("dismissed"), "{notice}");
    let target = opened.target("Ask").await;
    let options = ActOptions { accept_dialogs: true, ..ActOptions::default() };
    opened.session.act(&Action::Click { target }, &options).await.unwrap();
    assert!(opened.text().await.ends_with("yes"));
}

#[tokio::test]
async fn windows_become_the_page_and_give_it_back_when_closed() {
    let server = Server::with_page(
        "<a href=/popup target=_blank>Blank</a><button onclick=\"window.open('/popup')\">Open</button>",
    );
    server.route("/popup", Answer::html("<p>in the popup</p><button onclick='window.close()'>Close</button>"));
    let opened = open(&server).await;
    for opener in ["Blank", "Open"] {
        let outcome = opened.click(opener).await;
        assert!(outcome.navigated);
        assert_eq!(outcome.url, server.url("/popup"), "{opener}");
        assert!(opened.text().await.contains("in the popup"));
        if opener == "Open" {
            opened.click("Close").await;
            assert_eq!(opened.session.current_url(), server.url("/"));
            element(&opened.observe().await, "Open");
        } else {
            opened.session.goto(&server.url("/")).await.unwrap();
        }
    }
}

#[tokio::test]
async fn windows_open_at_once_and_those_beyond_the_limit_are_closed() {
    let server = Server::with_page(
        "<a href=/popup target=_blank>Blank</a><button onclick=\"window.open('')\">Empty</button>
         <button onclick=\"const w = window.open(''); w.document.write('<p>written</p>')\">Written</button>",
    );
    server.route("/popup", Answer::html("<p>in the popup</p>"));
    let opened = open(&server).await;
    let clicked = Instant::now();
    opened.click("Blank").await;
    assert!(clicked.elapsed() < Duration::from_secs(5), "{:?}", clicked.elapsed());
    assert!(opened.text().await.contains("in the popup"));
    let opened = open(&server).await;
    opened.click("Written").await;
    assert!(opened.text().await.contains("written"));
    let opened = open(&server).await;
    for _window in 0..8 {
        // An empty window does not become the page worked on.
        opened.click("Empty").await;
    }
    assert!(opened.session.page_count() <= 6);
    assert!(opened.observe().await.notice.unwrap().contains("a window was closed"));
}

#[tokio::test]
async fn workers_of_a_page_run() {
    let server = Server::with_page(
        "<p id=p>waiting</p><button onclick=\"new Worker('/worker.js').onmessage = e => p.textContent = e.data\">Go</button>",
    );
    server.route("/worker.js", Answer::of("text/javascript", "postMessage('from the worker')"));
    let opened = open(&server).await;
    opened.click("Go").await;
    opened.act(Action::Wait { ms: 2_000 }).await;
    assert!(opened.text().await.contains("from the worker"));
}

#[tokio::test]
async fn covered_disabled_and_stale_elements_are_told_apart() {
    let (_server, opened) = open_page(
        "<button id=under>Under</button><div id=veil style='position:fixed;inset:0;background:#fff8'>veil</div>
         <button disabled>Off</button>",
    )
    .await;
    let target = opened.target("Under").await;
    let covered = opened.try_act(Action::Click { target }).await;
    let Err(ActError::Covered { by, .. }) = covered else { panic!("{covered:?}") };
    assert!(by.contains("veil"), "{by}");
    let target = opened.target("Off").await;
    assert!(matches!(opened.try_act(Action::Click { target }).await, Err(ActError::Disabled { .. })));
    let target = opened.target("Under").await;
    opened.session.goto(&opened.session.current_url()).await.unwrap();
    let stale = opened.try_act(Action::Click { target }).await;
    assert!(matches!(stale, Err(ActError::StaleElement { .. })), "{stale:?}");
}

#[tokio::test]
async fn element_drawn_anew_is_found_by_its_fingerprint_and_a_reused_one_is_not() {
    let (_server, opened) = open_page(
        "<div id=box><button onclick='out.textContent = 1'>Buy</button></div><p id=out></p>
         <button onclick='box.innerHTML = box.innerHTML'>Redraw</button>
         <button onclick='box.firstChild.textContent = \"Delete all\"'>Reuse</button>",
    )
    .await;
    let buy = opened.target("Buy").await;
    opened.click("Redraw").await;
    opened.act(Action::Click { target: buy.clone() }).await;
    assert!(opened.text().await.contains('1'));
    let found = opened.session.find_again(&buy).await.unwrap().expect("it is there");
    assert_eq!(found.element.name, "Buy");
    opened.click("Reuse").await;
    let reused = opened.try_act(Action::Click { target: buy.clone() }).await;
    assert!(matches!(reused, Err(ActError::StaleElement { .. })), "{reused:?}");
    assert!(opened.session.find_again(&buy).await.unwrap().is_none());
}

#[tokio::test]
async fn clicks_reach_shadow_roots_frames_and_what_is_below_the_window() {
    let server = Server::with_page(
        "<div id=host></div><div style='height:3000px'></div><iframe src=/inner width=300 height=150></iframe><p id=out></p>
         <script>host.attachShadow({mode:'open'}).innerHTML = '<button>Deep</button>';
         host.shadowRoot.querySelector('button').onclick = () => out.textContent += ' deep'</script>",
    );
    server.route(
        "/inner",
        Answer::html(
            "<div style='height:400px'></div><button onclick='parent.out.textContent += \" framed\"'>Framed</button>",
        ),
    );
    let opened = open(&server).await;
    opened.click("Framed").await;
    opened.click("Deep").await;
    assert!(opened.text().await.ends_with("framed deep"), "{}", opened.text().await);
}

#[tokio::test]
async fn typed_secret_is_masked_everywhere() {
    let (_server, opened) =
        open_page("<form><label>Code <input id=c name=code></label><button>Go</button></form>").await;
    let target = opened.target("Code").await;
    let text = TypedText::Secret(SecretName::parse("code").unwrap());
    let action = Action::Type { target, text };
    assert!(matches!(opened.try_act(action.clone()).await, Err(ActError::SecretMissing)));
    let plain = opened.session.screenshot().await.unwrap();
    opened.type_secret("Code", "s3cr3t-99").await.unwrap();
    let look = opened.session.look().await.unwrap();
    assert!(!format!("{look:?}").contains("s3cr3t"));
    assert_eq!(look.observation.forms[0].fields[0].value, "[secret]");
    let checkpoint = opened.session.checkpoint().await.unwrap();
    assert!(!serde_json::to_string(&checkpoint).unwrap().contains("s3cr3t"));
    let masked = opened.session.screenshot().await.unwrap();
    assert!(masked.starts_with(b"\x89PNG") && masked != plain);
}

#[tokio::test]
async fn scrolling_moves_by_most_of_a_screen() {
    let (_server, opened) = open_page("<div style='height:1500px'>top</div><button>Bottom</button>").await;
    let before = opened.observe().await;
    assert!(before.more_below && !element(&before, "Bottom").in_viewport);
    for _ in 0..2 {
        opened.act(Action::Scroll { direction: ScrollDirection::Down }).await;
    }
    let after = opened.observe().await;
    assert!(!after.more_below && element(&after, "Bottom").in_viewport);
    assert_eq!(before.digest, after.digest);
}

#[tokio::test]
async fn wait_ends_when_the_page_changes() {
    let (_server, opened) =
        open_page("<p id=p>before</p><script>setTimeout(() => p.textContent = 'after', 700)</script>").await;
    let began = Instant::now();
    opened.act(Action::Wait { ms: 8_000 }).await;
    assert!(opened.text().await.contains("after"));
    assert!(began.elapsed() < Duration::from_secs(5));
}

const FRAMED: &str = "<p>in the frame</p><div style='height:500px'></div><label>Card <input id=card></label>
    <button onclick=\"out.textContent = 'paid with ' + card.value\">Pay</button><p id=out></p>";

#[tokio::test]
async fn frames_of_other_origins_are_seen_and_acted_on() {
    pay_in_a_frame(&[]).await;
}

#[tokio::test]
async fn frames_in_processes_of_their_own_are_seen_and_acted_on() {
    pay_in_a_frame(&["--site-per-process"]).await;
}

async fn pay_in_a_frame(browser_arguments: &[&str]) {
    let server = Server::start();
    server.route("/framed", Answer::html(FRAMED));
    let frame = server.other_site("/framed");
    let top = "<h1>Shop</h1><div style='height:900px'></div>";
    server.route("/", Answer::html(&format!("{top}<iframe src='{frame}' height=200></iframe>")));
    let opened = open_in(launch_with(browser_arguments).await, &server).await;
    let observation = opened.observe().await;
    assert!(observation.text.starts_with("Shop") && observation.text.contains("in the frame"), "{}", observation.text);
    opened.type_into("Card", "4242").await;
    opened.click("Pay").await;
    assert!(opened.text().await.contains("paid with 4242"), "{}", opened.text().await);
    let target = opened.target("Card").await;
    assert!(target.element.starts_with('f') && target.fingerprint.starts_with("localhost|"), "{target:?}");
    opened.session.mark_secret_field(&target).await.unwrap();
    assert_eq!(element(&opened.observe().await, "Card").value, None);
}

#[tokio::test]
async fn page_that_does_not_want_to_be_left_is_left() {
    let server =
        Server::with_page("<input aria-label=Text><script>onbeforeunload = (event) => event.preventDefault()</script>");
    server.route("/next", Answer::html("next"));
    let opened = open(&server).await;
    opened.type_into("Text", "unsaved").await;
    opened.act(Action::Navigate { url: server.url("/next") }).await;
    assert_eq!(opened.text().await, "next");
}

#[tokio::test]
async fn control_in_a_dialog_on_top_is_pressed_and_one_below_is_told_covered() {
    let (_server, opened) = open_page(
        "<button>Below</button><dialog id=d><h2>Cookies</h2><button onclick='d.close()'>Accept</button></dialog>
         <script>d.showModal()</script>",
    )
    .await;
    let observation = opened.observe().await;
    assert!(element(&observation, "Accept").section.contains("Cookies"), "{:?}", element(&observation, "Accept"));
    let below = element(&observation, "Below").target();
    let covered = opened.try_act(Action::Click { target: below.clone() }).await;
    assert!(matches!(covered, Err(ActError::Covered { .. })), "{covered:?}");
    opened.click("Accept").await;
    opened.observe().await;
    opened.act(Action::Click { target: below }).await;
}

#[tokio::test]
async fn control_that_slides_in_is_pressed_where_it_comes_to_rest() {
    let (_server, opened) = open_page(
        "<style>#d{position:fixed;top:40px;left:0;transition:transform .4s;transform:translateX(-600px)} #d.in{transform:none}</style>
         <button onclick=\"d.classList.add('in')\" style='margin:200px'>Open</button>
         <div id=d><button onclick=\"out.textContent = 'agreed'\">Agree</button></div><p id=out></p>",
    )
    .await;
    opened.click("Open").await;
    opened.click("Agree").await;
    assert!(opened.text().await.contains("agreed"));
}

#[tokio::test]
async fn page_that_calls_itself_busy_is_waited_for() {
    let (_server, opened) = open_page(
        "<button onclick=\"out.ariaBusy = 'true'; setTimeout(() => { out.textContent = 'ready'; out.ariaBusy = 'false' }, 600)\">Work</button><p id=out>...</p>",
    )
    .await;
    opened.click("Work").await;
    assert!(opened.text().await.contains("ready"));
}
