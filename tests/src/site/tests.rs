use std::time::Duration;

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, RequestBuilder, redirect};
use serde_json::Value;
use url::{Url, form_urlencoded};

use super::{ACCOUNT_PASSWORD, ACCOUNT_USERNAME, FixtureSite, GoldStory, PostOutcome};
use crate::client::http_builder;

const DEADLINE: Duration = Duration::from_secs(10);

/// A visitor that keeps cookies and sees redirects, as a browser does underneath.
struct Visitor {
    http: Client,
    base: String,
    cookies: String,
}

struct Page {
    status: u16,
    location: String,
    text: String,
}

impl Visitor {
    fn of(site: &FixtureSite) -> Self {
        let http = http_builder().redirect(redirect::Policy::none()).timeout(DEADLINE).build().unwrap();
        Self { http, base: site.url(""), cookies: String::new() }
    }

    async fn get(&mut self, path: &str) -> Page {
        let request = self.http.get(format!("{}{path}", self.base));
        self.send(request).await
    }

    async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.http.post(format!("{}{path}", self.base));
        self.send(request.header("content-type", "application/x-www-form-urlencoded").body(body)).await
    }

    async fn send(&mut self, request: RequestBuilder) -> Page {
        let answer = request.header(COOKIE, &self.cookies).send().await.unwrap();
        if let Some(cookie) = answer.headers().get(SET_COOKIE) {
            self.cookies = cookie.to_str().unwrap().split(';').next().unwrap().to_owned();
        }
        let location = answer.headers().get(LOCATION).map(|value| value.to_str().unwrap().to_owned());
        let status = answer.status().as_u16();
        Page { status, location: location.unwrap_or_default(), text: answer.text().await.unwrap() }
    }

    async fn fill_cart_and_check_out(&mut self, name: &str) -> String {
        self.post("/shop/cart", &[("product", "blue-mug"), ("size", "large"), ("quantity", "1")]).await;
        let fields =
            [("full_name", name), ("street", "12 Main St"), ("city", "Springfield"), ("state", "IL"), ("zip", "62701")];
        assert_eq!(self.post("/shop/checkout", &fields).await.location, "/shop/review");
        between(&self.get("/shop/review").await.text, "name=\"token\" value=\"", "\"").to_owned()
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("no {before:?} in {text}")).1;
    rest.split_once(after).unwrap_or_else(|| panic!("no {after:?} in {rest}")).0
}

#[tokio::test]
async fn order_goes_through_every_page_and_is_in_the_ledger_once() {
    let site = FixtureSite::start(7).await;
    let mut visitor = Visitor::of(&site);
    assert!(visitor.get("/shop").await.text.contains("<a href=\"/shop/p/blue-mug\">Blue Mug</a>"));
    assert!(visitor.get("/shop/p/blue-mug").await.text.contains("\"@type\":\"Product\""));
    let token = visitor.fill_cart_and_check_out("Ada Lovelace").await;
    assert_eq!(site.ledger().posts.len(), 0);

    let placed = visitor.post("/shop/orders", &[("token", &token)]).await;
    assert_eq!(placed.status, 303);
    let confirmation = visitor.get(&placed.location).await.text;
    let ledger = site.ledger();
    let order = &ledger.orders[0];
    assert_eq!(placed.location, format!("/shop/orders/{}", order.number));
    assert!(order.number.starts_with("BM-") && order.number.len() == 9, "{}", order.number);
    assert!(confirmation.contains(&format!("Order number: <b>{}</b>", order.number)));
    assert!(confirmation.contains(&format!("Total: ${}", order.total)));
    assert!(confirmation.contains("Currency: USD"));
    assert_eq!(
        (order.lines[0].product.as_str(), order.lines[0].size.as_str(), order.lines[0].quantity),
        ("Blue Mug", "large", 1)
    );
    assert_eq!(order.total_cents, order.lines[0].unit_cents + order.shipping_cents);
    assert_eq!(ledger.orders_for("Ada Lovelace").len(), 1);
    assert!(site.wait_for_order_posts(1, DEADLINE).await);
}

#[tokio::test]
async fn second_post_of_a_token_is_counted_as_a_duplicate_and_orders_nothing() {
    let site = FixtureSite::start(7).await;
    let mut visitor = Visitor::of(&site);
    let token = visitor.fill_cart_and_check_out("Ada Lovelace").await;
    visitor.post("/shop/orders", &[("token", &token)]).await;
    let again = visitor.post("/shop/orders", &[("token", &token)]).await;
    assert_eq!(again.status, 409);
    assert!(again.text.contains("already placed"));
    let invented = visitor.post("/shop/orders", &[("token", "abc")]).await;
    assert_eq!(invented.status, 400);

    let ledger = site.ledger();
    let outcomes: Vec<PostOutcome> = ledger.posts.iter().map(|post| post.outcome).collect();
    assert_eq!(outcomes, [PostOutcome::Placed, PostOutcome::Duplicate, PostOutcome::Refused]);
    assert_eq!((ledger.orders.len(), ledger.duplicates()), (1, 1));
    let json: Value = serde_json::from_str(&visitor.get("/shop/ledger.json").await.text).unwrap();
    assert_eq!((&json["posts"], &json["duplicates"], &json["by_token"][&token]), (&3.into(), &1.into(), &2.into()));
    assert_eq!(json["orders"][0]["full_name"], "Ada Lovelace");
}

#[tokio::test]
async fn after_an_order_the_cart_is_empty_and_review_leads_back_to_it() {
    let site = FixtureSite::start(7).await;
    let mut visitor = Visitor::of(&site);
    let token = visitor.fill_cart_and_check_out("Ada Lovelace").await;
    visitor.post("/shop/orders", &[("token", &token)]).await;
    let review = visitor.get("/shop/review").await;
    assert_eq!((review.status, review.location.as_str()), (303, "/shop/cart"));
    assert!(visitor.get("/shop/cart").await.text.contains("Your cart is empty"));
}

#[tokio::test]
async fn order_is_recorded_before_the_delayed_answer() {
    let mut options = super::SiteOptions::new(7);
    options.order_delay = Duration::from_secs(3600);
    let site = FixtureSite::start_with(options).await.unwrap();
    let mut visitor = Visitor::of(&site);
    let token = visitor.fill_cart_and_check_out("Ada Lovelace").await;
    let pending = tokio::spawn(async move { visitor.post("/shop/orders", &[("token", &token)]).await.status });
    assert!(site.wait_for_order_posts(1, DEADLINE).await);
    assert_eq!(site.ledger().orders.len(), 1);
    site.stop().await;
    assert_eq!(pending.await.unwrap(), 303);
}

#[tokio::test]
async fn incomplete_checkout_names_what_is_missing_and_keeps_what_was_typed() {
    let site = FixtureSite::start(3).await;
    let mut visitor = Visitor::of(&site);
    visitor.post("/shop/cart", &[("product", "red-mug"), ("size", "small"), ("quantity", "2")]).await;
    let fields = [("full_name", "A & B"), ("street", ""), ("city", "X"), ("state", ""), ("zip", "123")];
    let page = visitor.post("/shop/checkout", &fields).await;
    assert_eq!(page.status, 422);
    assert!(page.text.contains("value=\"A &amp; B\""));
    for message in ["Enter a street address.", "Choose a state.", "Enter a ZIP code of five digits."] {
        assert!(page.text.contains(message), "{message}");
    }
    assert!(!page.text.contains("Enter a city."));
}

#[tokio::test]
async fn visitors_have_carts_of_their_own() {
    let site = FixtureSite::start(7).await;
    let (mut ada, mut bob) = (Visitor::of(&site), Visitor::of(&site));
    let (ada_token, bob_token) = (ada.fill_cart_and_check_out("Ada").await, bob.fill_cart_and_check_out("Bob").await);
    assert_ne!(ada_token, bob_token);
    assert_eq!(bob.post("/shop/orders", &[("token", &ada_token)]).await.status, 400);
    bob.post("/shop/orders", &[("token", &bob_token)]).await;
    ada.post("/shop/orders", &[("token", &ada_token)]).await;
    let numbers: Vec<String> = site.ledger().orders.into_iter().map(|order| order.number).collect();
    assert_ne!(numbers[0], numbers[1]);
}

#[tokio::test]
async fn same_seed_gives_the_same_site_and_another_seed_another() {
    let (mut pages, mut orders) = (Vec::new(), Vec::new());
    for seed in [5, 5, 6] {
        let site = FixtureSite::start(seed).await;
        let mut visitor = Visitor::of(&site);
        let token = visitor.fill_cart_and_check_out("Ada").await;
        visitor.post("/shop/orders", &[("token", &token)]).await;
        let order = site.ledger().orders[0].clone();
        orders.push((order.number, order.token, order.total_cents));
        let mut texts = String::new();
        for path in ["/news", "/news/item/3", "/shop", "/shop/p/oak-tray", "/pages/prices", "/pages/late"] {
            texts.push_str(&visitor.get(path).await.text);
        }
        pages.push(texts);
    }
    assert_eq!((&pages[0], &orders[0]), (&pages[1], &orders[1]));
    assert_ne!(pages[0], pages[2]);
    assert_ne!(orders[0], orders[2]);
}

#[tokio::test]
async fn gold_stories_are_what_the_front_page_shows_in_every_layout() {
    for seed in 0..3 {
        let site = FixtureSite::start(seed).await;
        let mut visitor = Visitor::of(&site);
        let page = visitor.get("/news").await.text;
        let gold: Vec<Value> = serde_json::from_str(&visitor.get("/news/gold.json").await.text).unwrap();
        let stories = site.gold_stories();
        assert_eq!(gold, stories.iter().map(|story| serde_json::to_value(story).unwrap()).collect::<Vec<_>>());
        assert_eq!(stories.len(), 30);
        assert_eq!(stories.iter().filter(|story| story.points.is_none()).count(), 1);
        assert!(stories[..3].iter().all(|story| story.points.is_some()));
        let places: Vec<usize> = stories.iter().map(|story| place(&page, &site, story)).collect();
        assert!(places.is_sorted(), "seed {seed}: {places:?}");
    }
}

/// Where the page shows a story: its link with a gold URL, and its points after that.
fn place(page: &str, site: &FixtureSite, story: &GoldStory) -> usize {
    let title = format!(">{}</a>", super::html::escape(&story.title));
    let at = page.find(&title).unwrap_or_else(|| panic!("{title} is not on the page"));
    let href = page[..at].rsplit_once("href=\"").unwrap().1.trim_end_matches('"').replace("&amp;", "&");
    assert_eq!(Url::parse(&site.url("/news")).unwrap().join(&href).unwrap().as_str(), story.url);
    if let Some(points) = story.points {
        let after: String = page[at..].chars().take(700).filter(|character| *character != ',').collect();
        assert!(after.contains(&points.to_string()), "{points} does not follow {title}");
    }
    at
}

#[tokio::test]
async fn search_lists_matching_stories_and_says_when_there_are_none() {
    let site = FixtureSite::start(2).await;
    let mut visitor = Visitor::of(&site);
    let title = site.gold_stories()[0].title.clone();
    let query: String = form_urlencoded::byte_serialize(title.as_bytes()).collect();
    let found = visitor.get(&format!("/news/search?q={query}")).await.text;
    assert!(found.contains("1 story matches") && found.contains("href=\"/news/item/1\""), "{found}");
    let none = visitor.get("/news/search?q=%3Cb%3Ezebra").await.text;
    assert!(none.contains("No stories match “&lt;b&gt;zebra”."), "{none}");
    let article = visitor.get("/news/item/1").await.text;
    assert!(article.contains("\"@type\":\"NewsArticle\""));
    assert_eq!(visitor.get("/news/item/31").await.status, 404);
}

#[tokio::test]
async fn contact_form_keeps_what_was_sent() {
    let site = FixtureSite::start(1).await;
    let mut visitor = Visitor::of(&site);
    let fields = [
        ("name", "Ada"),
        ("email", "ada@example.com"),
        ("topic", "Billing"),
        ("message", "Hello & bye"),
        ("copy", "yes"),
    ];
    let sent = visitor.post("/forms/contact", &fields).await;
    let page = visitor.get(&sent.location).await.text;
    assert!(page.contains(&format!("Reference: {}", sent.location.rsplit('/').next().unwrap())));
    let kept = &site.submissions("contact")[0];
    assert_eq!(
        (kept["topic"].as_str(), kept["message"].as_str(), kept["copy"].as_str()),
        ("Billing", "Hello & bye", "yes")
    );
    assert_eq!(visitor.post("/forms/contact", &fields[..1]).await.status, 422);
}

#[tokio::test]
async fn wizard_takes_ten_actions_and_cannot_be_skipped() {
    let site = FixtureSite::start(4).await;
    let mut visitor = Visitor::of(&site);
    let mut path = visitor.get("/wizard").await.location;
    let mut actions = 0;
    loop {
        let page = visitor.get(&path).await.text;
        if let Some((_, code)) = page.split_once("Your code: ") {
            assert!(code.starts_with("WZ-"));
            break;
        }
        let key = between(&page, "name=\"key\" value=\"", "\"");
        let action = between(&page, "<form action=\"", "\"");
        let asks = page.contains("name=\"answer\"");
        actions += if asks { 2 } else { 1 };
        path = if asks { format!("{action}?key={key}&answer=teal") } else { format!("{action}?key={key}") };
    }
    assert_eq!(actions, 10);
    assert_eq!(visitor.get("/wizard/8?key=guess").await.location, "/wizard/1");
}

#[tokio::test]
async fn wizard_asks_again_for_a_blank_answer() {
    let site = FixtureSite::start(4).await;
    let mut visitor = Visitor::of(&site);
    let start = visitor.get("/wizard/1").await.text;
    let asking = visitor.get(&format!("/wizard/2?key={}", between(&start, "name=\"key\" value=\"", "\""))).await.text;
    let key = between(&asking, "name=\"key\" value=\"", "\"");
    let again = visitor.get(&format!("/wizard/3?key={key}&answer=+")).await.text;
    assert!(again.contains("Step 2 of 7") && again.contains("Please answer the question."), "{again}");
}

#[tokio::test]
async fn login_shows_the_account_and_the_leaky_one_shows_the_password() {
    let site = FixtureSite::start(1).await;
    let mut visitor = Visitor::of(&site);
    assert_eq!(visitor.get("/account").await.location, "/account/login");
    let wrong = [("username", ACCOUNT_USERNAME), ("password", "x")];
    assert_eq!(visitor.post("/account/login", &wrong).await.status, 401);
    let right = [("username", ACCOUNT_USERNAME), ("password", ACCOUNT_PASSWORD)];
    assert_eq!(visitor.post("/account/login", &right).await.location, "/account");
    assert!(visitor.get("/account").await.text.contains("Balance: $"));
    let leak = visitor.post("/account/leaky", &right).await.location;
    assert!(leak.contains("Violet+kettle+%26+7719%2F%C3%B6l"), "{leak}");
    assert!(visitor.get(&leak).await.text.contains("Your password is Violet kettle &amp; 7719/öl"));
}

#[tokio::test]
async fn every_link_of_the_start_page_answers_and_requests_are_counted() {
    let site = FixtureSite::start(1).await;
    let mut visitor = Visitor::of(&site);
    let start = visitor.get("/").await.text;
    for path in start.split("href=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0) {
        let status = visitor.get(path).await.status;
        let expected: &[u16] = match path {
            "/pages/loop" => &[302],
            "/pages/failing" => &[500],
            "/wizard" => &[303],
            _ => &[200],
        };
        assert!(expected.contains(&status), "{path} answered {status}");
    }
    assert_eq!(visitor.get("/favicon.ico").await.status, 204);
    assert_eq!((site.requests("/news"), site.requests("/favicon.ico"), site.requests("/nowhere")), (1, 1, 0));
    let counts: Value = serde_json::from_str(&visitor.get("/requests.json").await.text).unwrap();
    assert_eq!(counts["/shop"], 1);
    assert!(visitor.get("/pages/big").await.text.len() >= 2 * 1024 * 1024);
}

#[tokio::test]
async fn hostile_target_cannot_break_out_of_its_page() {
    let site = FixtureSite::start(1).await;
    let mut visitor = Visitor::of(&site);
    for way in [
        "fetch",
        "websocket",
        "image",
        "iframe",
        "beacon",
        "worker",
        "script",
        "webrtc",
        "all",
        "meta",
        "location",
        "form",
    ] {
        let page = visitor.get(&format!("/hostile/{way}?to=%22%3C/script%3E%3Cb%3E:1")).await;
        assert_eq!(page.status, 200, "{way}");
        assert!(!page.text.contains("<b>"), "{way}");
    }
    assert_eq!(visitor.get("/hostile/redirect?to=127.0.0.1:9").await.location, "http://127.0.0.1:9/redirect");
    assert_eq!(visitor.get("/hostile/redirect?to=a%0d%0ab").await.status, 400);
}

#[tokio::test]
async fn stop_ends_requests_that_would_never_be_answered() {
    let site = FixtureSite::start(1).await;
    let mut visitor = Visitor::of(&site);
    let hanging = tokio::spawn(async move { visitor.get("/pages/never").await.status });
    while site.requests("/pages/never") == 0 {
        tokio::task::yield_now().await;
    }
    tokio::time::timeout(DEADLINE, site.stop()).await.unwrap();
    assert_eq!(hanging.await.unwrap(), 503);
}
