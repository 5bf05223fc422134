//! Tables of requests, and the guard's decisions about them.

use super::*;
use serde_json::json;
use std::time::Duration;

/// Sent by a page of `https://www.shop.test`.
fn request(kind: &str, method: &str, url: &str, body: &str) -> Outgoing {
    request_as(kind, method, url, "application/x-www-form-urlencoded", body)
}

fn request_as(kind: &str, method: &str, url: &str, content_type: &str, body: &str) -> Outgoing {
    let url = if url.starts_with('/') { format!("https://www.shop.test{url}") } else { url.to_owned() };
    let paused = json!({
        "requestId": "r", "resourceType": kind, "networkId": "n",
        "request": {
            "url": url, "method": method, "hasPostData": !body.is_empty(), "postData": body,
            "headers": { "Origin": "https://www.shop.test", "Content-Type": content_type },
        },
    });
    serde_json::from_value::<RequestPaused>(paused).unwrap().outgoing().unwrap()
}

const TOUCHED: Sender = Sender { is_touched: true, is_redirected: false };
const UNTOUCHED: Sender = Sender { is_touched: false, is_redirected: false };

fn verdict(outgoing: &Outgoing, sender: Sender) -> Verdict {
    let mut guard = Guard::new(true);
    guard.begin(Commits::None, true);
    guard.judge(outgoing, sender, Instant::now())
}

#[test]
fn what_does_something_is_held() {
    for (kind, method, url, body) in [
        ("Document", "POST", "/order", "n=Ada"),
        ("Document", "POST", "/x", "n=Ada"),
        ("Document", "POST", "/order", "q=mug"),
        ("Document", "POST", "/transfer", "user=ada&password=x&amount=1000"),
        ("Document", "POST", "/login", "user=ada&password=x&amount=1000"),
        ("Document", "POST", "https://evil.test/login", "user=ada&password=x"),
        ("Document", "POST", "/account", "password=a&confirm_password=a"),
        ("Document", "POST", "/contact", "name=Ada&email=a%40b.test&query=hello"),
        ("Document", "POST", "/join", "name=Ada&terms=on"),
        ("Document", "POST", "/check-out", "a=1"),
        ("Document", "POST", "/cart/checkout", "a=1"),
        ("Document", "POST", "/", "action=place"),
        ("Document", "GET", "/items/1/remove?confirm=yes", ""),
        ("Document", "GET", "/buy?item=1&confirm=1", ""),
        ("Document", "GET", "/buy", ""),
        ("Document", "GET", "/account/remove?confirm=1", ""),
        ("Document", "GET", "/account?action=delete", ""),
        ("XHR", "POST", "/api/orders", r#"{"sku":"1","qty":1}"#),
        ("XHR", "DELETE", "/api/account", ""),
        ("XHR", "PUT", "/api/profile", r#"{"name":"Ada"}"#),
        ("XHR", "POST", "/api/events", r#"{"title":"Party","day":"Monday"}"#),
        ("XHR", "POST", "/graphql", r#"{"query":"mutation { placeOrder(id: 1) { id } }"}"#),
        ("XHR", "POST", "/graphql", r#"{"operationName":"BuyNow","variables":{}}"#),
        ("XHR", "POST", "/graphql", r#"[{"query":"{ a }"},{"query":"mutation { buy }"}]"#),
        ("XHR", "POST", "/graphql", r#"{"query":"query A { a } mutation B { buy }","operationName":"B"}"#),
        ("XHR", "POST", "/graphql", r#"{"query":"mutation { cartAdd(id: 1) { id } placeOrder { id } }"}"#),
        ("XHR", "POST", "/rpc", r#"{"jsonrpc":"2.0","method":"transferFunds","params":[]}"#),
        ("XHR", "POST", "/like", ""),
        ("Ping", "POST", "/order", "n=Ada"),
        ("Ping", "POST", "/k", "n=Ada"),
        ("Ping", "POST", "https://evil.test/order", "n=Ada"),
        ("Document", "POST", "/cookies/subscribe", "agree=1"),
        ("Document", "POST", "/consent", "plan=gold&price=9"),
    ] {
        let outgoing = request(kind, method, url, body);
        assert_eq!(verdict(&outgoing, TOUCHED), Verdict::Hold, "{kind} {method} {url} {body}");
    }
}

#[test]
fn what_only_asks_goes_on() {
    for (kind, method, url, body) in [
        ("Document", "GET", "/orders/17", ""),
        ("Document", "GET", "/items?page=2&sort=price", ""),
        ("Document", "GET", "/cart/remove?id=3&confirm=1", ""),
        ("Document", "GET", "/admin/user/3/delete/", ""),
        ("Document", "GET", "/en/where-to-buy", ""),
        ("Document", "POST", "/search", "q=mug"),
        ("Document", "POST", "/", "q=mug&lang=en"),
        ("Document", "POST", "/catalogue/filter", "colour=red"),
        ("Document", "POST", "/login", "user=ada&password=x&csrf=1"),
        ("Document", "POST", "/", "email=a%40b.test&password=x"),
        ("Document", "POST", "/signin/identifier", "username=ada"),
        ("Document", "POST", "/logout", "csrf=1"),
        ("Document", "POST", "/cart/add", "id=3&quantity=1"),
        ("Document", "POST", "/cart", "checkout="),
        ("Document", "POST", "/grid.aspx", "__VIEWSTATE=abc&__EVENTTARGET=g&__EVENTARGUMENT=Page%242"),
        ("Document", "POST", "/cookie-consent", "analytics=1"),
        ("XHR", "GET", "/api/buy?item=1&confirm=1", ""),
        ("XHR", "HEAD", "/order", ""),
        ("XHR", "POST", "/api/orders/search", r#"{"page":2}"#),
        ("XHR", "POST", "/api/getProducts", r#"{"page":2}"#),
        ("XHR", "POST", "/api/check-availability", r#"{"day":"2026-12-01"}"#),
        ("XHR", "POST", "/graphql", r#"{"query":"query Q { orders { id } }","variables":{}}"#),
        ("XHR", "POST", "/graphql", r#"{"query":"mutation Add { cartLinesAdd(id: 1) { id } }"}"#),
        ("XHR", "POST", "/graphql", r#"{"operationName":"ProductQuery","extensions":{}}"#),
        ("XHR", "POST", "/rpc", r#"{"jsonrpc":"2.0","method":"getRates","params":[]}"#),
        ("XHR", "POST", "/api/addItem", r#"{"sku":"1","qty":1}"#),
        ("XHR", "DELETE", "/api/cart/items/3", ""),
        ("XHR", "POST", "/drafts/7", r#"{"text":"Dear"}"#),
        ("XHR", "PUT", "/posts/7/autosave", r#"{"text":"Dear"}"#),
        ("XHR", "POST", "https://stats.test/v1/t", r#"{"event":"click","timestamp":1,"anonymousId":"a"}"#),
        ("XHR", "POST", "/api/events", r#"{"event":"click","timestamp":1,"sessionId":"a"}"#),
        ("XHR", "POST", "/recaptcha/api2/reload", "k=1"),
        ("Ping", "POST", "https://stats.test/x", "a=1"),
        ("Ping", "POST", "/collect", "a=1"),
        ("CSPViolationReport", "POST", "/order", "{}"),
    ] {
        let outgoing = request(kind, method, url, body);
        assert_eq!(verdict(&outgoing, TOUCHED), Verdict::Go, "{kind} {method} {url} {body}");
    }
}

#[test]
fn a_document_that_nobody_touched_asks_for_its_own_data() {
    let unknown = request("XHR", "POST", "/api/bootstrap", "{}");
    assert_eq!(verdict(&unknown, UNTOUCHED), Verdict::Go);
    assert_eq!(verdict(&unknown, TOUCHED), Verdict::Hold);
    assert_eq!(verdict(&request("XHR", "POST", "/order", "{}"), UNTOUCHED), Verdict::Hold);
    assert_eq!(
        verdict(&request("Document", "POST", "/x", "a=1"), UNTOUCHED),
        Verdict::Hold,
        "a form that sends itself"
    );
    let statement = format!("SAMLResponse={}", "a".repeat(200));
    let relayed = request("Document", "POST", "https://other.test/acs", &statement);
    assert_eq!(verdict(&relayed, UNTOUCHED), Verdict::Go, "a sign-in that is handed on");
    let redirected = Sender { is_touched: true, is_redirected: true };
    assert_eq!(verdict(&request("Document", "GET", "/buy?confirm=1", ""), redirected), Verdict::Go);
}

#[test]
fn the_form_that_was_judged_may_be_sent_unless_its_address_says_that_it_commits() {
    let form = |path: &str| Commits::Form { method: "post".to_owned(), url: format!("https://www.shop.test{path}") };
    for (judged, kind, path, expected) in [
        ("/checkout", "Document", "/checkout", Verdict::Go),
        ("/checkout?step=1", "Document", "/checkout", Verdict::Go),
        ("/orders", "Document", "/orders", Verdict::Hold),
        ("/checkout", "Document", "/other", Verdict::Hold),
        ("/checkout", "XHR", "/checkout", Verdict::Hold),
    ] {
        let mut guard = Guard::new(true);
        guard.begin(form(judged), true);
        let outgoing = request(kind, "POST", path, "name=Ada");
        assert_eq!(guard.judge(&outgoing, TOUCHED, Instant::now()), expected, "{judged} {kind} {path}");
    }
}

#[test]
fn a_committing_action_sends_each_request_once() {
    let (order, other) = (request("XHR", "POST", "/order", "n=1"), request("XHR", "POST", "/order", "n=2"));
    let now = Instant::now();
    let mut guard = Guard::new(true);
    guard.begin(Commits::Any, true);
    assert_eq!(guard.judge(&order, TOUCHED, now), Verdict::Commit);
    assert_eq!(guard.judge(&order, TOUCHED, now), Verdict::Repeat);
    assert_eq!(guard.judge(&other, TOUCHED, now), Verdict::Commit);
    guard.end(now);
    assert_eq!(guard.judge(&order, UNTOUCHED, now), Verdict::Repeat, "after the action, too");
    let late = now + COMMIT_TAIL + Duration::from_secs(1);
    assert_eq!(guard.judge(&request("XHR", "POST", "/order", "n=3"), TOUCHED, late), Verdict::Hold);
    guard.begin(Commits::None, true);
    assert_eq!(guard.judge(&order, TOUCHED, late), Verdict::Repeat, "and in the next one");
    guard.begin(Commits::Any, true);
    assert_eq!(guard.judge(&order, TOUCHED, late), Verdict::Commit, "approved again");
}

#[test]
fn an_approval_holds_for_the_request_that_was_shown() {
    let shown = request("Document", "POST", "/order?t=1764500000", "n=Ada&token=a8f3b2c9d7e6f5a4b3c2&at=1764500000000");
    let now = Instant::now();
    let mut guard = Guard::new(true);
    guard.begin(Commits::None, true);
    assert_eq!(guard.judge(&shown, TOUCHED, now), Verdict::Hold);
    let [held] = guard.take_held().try_into().unwrap();
    assert_eq!((held.method.as_str(), held.target.as_str(), held.path.as_str()), ("POST", "www.shop.test", "/order"));
    assert!(held.values.contains(&("n".to_owned(), "Ada".to_owned())), "{:?}", held.values);
    guard.begin(Commits::Only(held.digest), true);
    let other = request("Document", "POST", "/order", "n=Mallory&token=a8f3b2c9d7e6f5a4b3c2");
    assert_eq!(guard.judge(&other, TOUCHED, now), Verdict::Hold);
    let again = request("Document", "POST", "/order?t=1764500099", "n=Ada&token=b9a8f3b2c9d7e6f5a4b3&at=1764500099000");
    assert_eq!(guard.judge(&again, TOUCHED, now), Verdict::Commit, "tokens and times pass");
    assert_eq!(guard.judge(&again, TOUCHED, now), Verdict::Repeat);
}

#[test]
fn where_nobody_is_asked_everything_goes_once() {
    let (order, page) = (request("XHR", "POST", "/order", "n=1"), request("Document", "POST", "/order", "n=1"));
    let now = Instant::now();
    let mut guard = Guard::new(false);
    guard.begin(Commits::None, true);
    assert_eq!(guard.judge(&order, TOUCHED, now), Verdict::Commit);
    assert_eq!(guard.judge(&order, TOUCHED, now), Verdict::Repeat);
    guard.begin(Commits::None, false);
    assert_eq!(guard.judge(&order, TOUCHED, now), Verdict::Repeat, "waiting means nothing again");
    guard.begin(Commits::None, true);
    assert_eq!(guard.judge(&order, TOUCHED, now), Verdict::Commit, "pressing again does");
    assert_eq!(guard.judge(&page, TOUCHED, now), Verdict::Repeat, "the address and the values are the same");
}

#[test]
fn what_a_person_is_shown_hides_what_is_secret_by_its_name() {
    let json = r#"{"user":{"name":"Ada","password":"hunter2"},"ids":[1,2],"key":"a8f3b2c9d7e6f5a4b3c2"}"#;
    let outgoing = request_as("XHR", "POST", "/x", "application/json", json);
    let shown: Vec<String> =
        outgoing.shown_values().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(shown, ["user.name=Ada", "user.password=[hidden]", "ids.0=1", "ids.1=2", "key=[token]"]);
    let multipart = "--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nAda\r\n--b\r\n\
                     Content-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\nxyz\r\n--b--\r\n";
    let outgoing = request_as("Document", "POST", "/x", "multipart/form-data; boundary=b", multipart);
    let expected = [("n".to_owned(), "Ada".to_owned()), ("f".to_owned(), "[file a.txt]".to_owned())];
    assert_eq!(outgoing.shown_values(), expected);
}

#[test]
fn a_request_without_an_answer_leaves_a_doubt() {
    let order = request("Document", "POST", "/order", "n=1");
    let mut guard = Guard::new(true);
    guard.begin(Commits::Any, true);
    guard.leaves("n", &order);
    assert!(guard.is_awaiting());
    assert_eq!(guard.doubt().as_deref(), Some("POST www.shop.test/order was not answered"));
    assert_eq!(guard.answered("n").as_ref(), Some(&order.url));
    assert_eq!((guard.doubt(), guard.is_awaiting()), (None, false));
}
