//! Reading: what is shown already, what a search or a link leads to.

use errand_planner::Decision;

use super::browser::Errand;
use super::site::{Page, page};

fn news() -> Page {
    page("/news", "The Front Page")
        .section("navigation")
        .link("New", "/new")
        .link("Top stories", "/top")
        .section("")
        .text("1. A first story\n120 points\n2. A second story\n80 points\n3. A third story\n60 points")
        .link("A first story", "https://one.test/a")
        .link("A second story", "https://two.test/b")
        .link("A third story", "https://three.test/c")
        .more_below()
}

#[test]
fn the_news_goal_finishes_at_once() {
    let story =
        Errand::new("Get the top 3 stories on the front page.", vec![news()]).filled_by(1, "points").run("/news");
    story.assert_finished_at("/news");
    assert!(story.done.is_empty(), "{:?}", story.done);
}

#[test]
fn a_product_page_is_read_without_a_click() {
    let product = page("/p", "Brass lamp")
        .link("Products", "/all")
        .link("Price match", "/match")
        .text("Brass lamp\n$89.95")
        .script_button("Add to cart");
    let story = Errand::new("Get the name and the price of the product.", vec![product]).filled_by(2, "$").run("/p");
    story.assert_finished_at("/p");
    assert!(story.done.is_empty());
}

#[test]
fn a_reading_goal_without_a_schema_ends_where_the_topic_is_shown() {
    let home = page("/", "Museum").text("Opening hours\n10:30 to 17:45").link("Tickets", "/t");
    let story = Errand::new("What are the opening hours?", vec![home]).run("/");
    story.assert_finished_at("/");
    assert!(story.done.is_empty());
}

#[test]
fn the_link_that_names_the_topic_is_followed() {
    let home = page("/", "Museum").text("Welcome").link("Exhibitions", "/x").link("Opening hours", "/hours");
    let hours = page("/hours", "Opening hours").text("10:30 to 17:45");
    let story = Errand::new("Find the opening hours of the museum", vec![home, hours]).filled_by(2, "10:30").run("/");
    story.assert_finished_at("/hours");
}

#[test]
fn a_search_is_typed_and_submitted() {
    let home = page("/", "Library").form("get", "/results").input("Search", "search").button("Search").end_form();
    let results = page("/results", "Results")
        .form("get", "/results")
        .input("Search", "search")
        .end_form()
        .text("Gardening for beginners $12.00")
        .link("Gardening for beginners", "/b/1");
    let story = Errand::new("Search for \"gardening\" and return the price of the first result", vec![home, results])
        .filled_by(1, "$12.00")
        .run("/");
    story.assert_finished_at("/results");
    assert_eq!(story.done, ["type \"gardening\" into searchbox \"Search\"", "click button \"Search\""]);
}

#[test]
fn a_result_is_opened_when_the_list_does_not_show_enough() {
    let home = page("/", "Library").form("get", "/results").input("Search the catalogue", "text").end_form();
    let results = page("/results", "Results")
        .text("Two books")
        .link("Home", "/")
        .link("Gardening for beginners", "/b/1")
        .link("Gardening at sea", "/b/2");
    let book = page("/b/1", "Gardening for beginners").text("Author: Jo Ray");
    let story = Errand::new("Search for gardening and tell me who wrote the book", vec![home, results, book])
        .filled_by(1, "Author")
        .run("/");
    story.assert_finished_at("/b/1");
    assert_eq!(story.done[1], "press Enter");
}

#[test]
fn the_second_result_is_opened() {
    let home = page("/", "Library").form("get", "/results").input("Search", "search").button("Go").end_form();
    let results = page("/results", "Results")
        .link("Home", "/")
        .link("Gardening for beginners", "/b/1")
        .link("Gardening at sea", "/b/2");
    let book = page("/b/2", "Gardening at sea").text("Author: Kim");
    let story =
        Errand::new("Search for gardening, open the second result and read the author", vec![home, results, book])
            .filled_by(1, "Author")
            .run("/");
    story.assert_finished_at("/b/2");
}

#[test]
fn the_page_is_scrolled_when_nothing_is_shown_yet() {
    let home = page("/", "Catalogue").text("Lamps of all kinds").more_below();
    let story = Errand::new("List the prices of all lamps", vec![home]).filled_by(1, "$").run("/");
    assert_eq!(story.done[0], "scroll down");
    assert!(matches!(story.end, Decision::GiveUp { .. }));
}

#[test]
fn a_goal_for_something_the_site_does_not_show_ends_honestly() {
    let home = page("/", "Museum").text("Welcome").link("Exhibitions", "/x");
    let story = Errand::new("Find the phone number of the director", vec![home]).filled_by(1, "+44").run("/");
    assert_eq!(story.end, Decision::GiveUp { reason: "the page does not show what was asked for".to_owned() });
}

#[test]
fn what_is_partly_shown_is_taken() {
    let home = page("/", "Lamp").text("Brass lamp");
    let goal = "Get the name and the price of the product.";
    let errand = Errand::new(goal, vec![home]).filled_partly(1, 2);
    errand.run("/").assert_finished_at("/");
}

#[test]
fn a_question_about_cost_follows_the_link_to_prices() {
    let home =
        page("/", "Museum").text("Opening hours 10:30").link("Shipping rates", "/x").link("Show prices", "/prices");
    let prices = page("/prices", "Prices").text("Adults: $14.00");
    let story = Errand::new("What does an adult ticket cost?", vec![home, prices]).filled_by(1, "Adults").run("/");
    story.assert_finished_at("/prices");
    assert_eq!(story.done, ["click link \"Show prices\""]);
}

#[test]
fn a_goal_about_the_product_in_view_is_not_looked_for_elsewhere() {
    let product = page("/p", "Lamp")
        .text("Brass lamp")
        .link("Shipping Rates & Policies", "/s")
        .link("Products", "/all")
        .link("Plans", "/plans");
    let story = Errand::new("Get the name and the price of the product.", vec![product]).filled_by(2, "$").run("/p");
    assert!(story.done.is_empty(), "{:?}", story.done);
}

#[test]
fn a_banner_is_no_reason_to_wait_when_something_was_found() {
    let product = page("/p", "Lamp")
        .text("Brass lamp $12.00")
        .section("dialog Cookies")
        .script_button("Accept all")
        .near("We use cookies");
    Errand::new("Get the name and the price of the product.", vec![product])
        .filled_partly(1, 2)
        .run("/p")
        .assert_finished_at("/p");
}

#[test]
fn the_second_story_is_counted_among_headlines() {
    let list = page("/news", "News")
        .section("navigation")
        .link("About this small site", "/about")
        .section("")
        .link("A first story about tea", "https://one.test/x")
        .link("12 comments", "/news/1")
        .link("Boots for every puddle", "https://shop.test/")
        .near("Boots for every puddle Promoted")
        .link("A second story about trams", "/news/2")
        .link("7 comments", "/news/2#c")
        .link("A third story about clocks", "/news/3");
    let story = page("/news/2", "A second story").text("By Kim");
    let told = Errand::new("Open the second story and tell me the author", vec![list, story])
        .filled_by(1, "By Kim")
        .run("/news");
    told.assert_finished_at("/news/2");
}

#[test]
fn a_page_that_is_still_loading_is_waited_for() {
    let late = page("/late", "Departures").text("Loading…");
    let story = Errand::new("Tell me the price", vec![late]).filled_by(1, "$").run("/late");
    assert_eq!(story.done, ["wait 500 ms", "wait 1500 ms", "wait 3000 ms"]);
    assert!(matches!(story.end, Decision::GiveUp { .. }));
}

#[test]
fn a_goal_that_no_rule_understands_is_no_success() {
    let shop = page("/shop", "Shop").text("Blue Mug $12.00\nFree shipping").link("Blue Mug", "/shop/mug");
    for (goal, reason) in [
        ("Pay the outstanding invoice", "the built-in planner does not know how to pay"),
        ("Translate this page to French", "the built-in planner does not know how to translate"),
        ("Fülle das Formular mit Name Nora aus", "the built-in planner reads goals in English only"),
        ("🦄🎉", "the goal has no words that the built-in planner understands"),
        ("Find the phone number of the mayor", "the page does not show what was asked for"),
    ] {
        let story = Errand::new(goal, vec![shop.clone()]).run("/shop");
        assert!(story.done.is_empty(), "{goal}: {:?}", story.done);
        assert_eq!(story.end, Decision::GiveUp { reason: reason.to_owned() }, "{goal}");
    }
}

#[test]
fn a_goal_about_what_is_in_view_finishes_without_a_schema() {
    let shop = page("/shop", "Shop").text("Blue Mug $12.00\nYour balance: $3.00").link("Blue Mug", "/shop/mug");
    for goal in [
        "Read the page.",
        "Read it.",
        "Get the top 3 stories on the front page.",
        "Tell me the balance.",
        "Summarize this article",
        "What does the page say?",
    ] {
        let story = Errand::new(goal, vec![shop.clone()]).run("/shop");
        assert_eq!(story.end, Decision::Finish, "{goal}");
    }
}
