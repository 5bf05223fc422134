//! Orders: from a product list, a product page, a single form, with the many labels that shops use.

use errand_planner::Decision;

use super::browser::Errand;
use super::site::{Page, page};

const GOAL: &str = "Order one Blue Mug (size large) for Ada Lovelace, 12 Main St, Springfield, IL 62701, and tell me the order number and total.";

fn header(page: Page) -> Page {
    page.section("navigation").link("Shop", "/shop").link("Cart (0)", "/cart").section("")
}

fn list() -> Page {
    header(page("/shop", "Harbour Shop"))
        .text("Red Mug $12.00\nBlue Mug $14.00\nBlue Mug Rack $40.00")
        .link("Red Mug", "/p/red-mug")
        .link("Blue Mug Rack", "/p/blue-mug-rack")
        .link("Blue Mug", "/p/blue-mug")
}

fn product() -> Page {
    header(page("/p/blue-mug", "Blue Mug – Harbour Shop"))
        .text("Blue Mug\n$14.00")
        .section("Blue Mug")
        .form("post", "/cart")
        .select("Size", &["Small", "Medium", "Large"])
        .number("Quantity", "1")
        .button("Add to cart")
        .end_form()
}

fn cart() -> Page {
    header(page("/cart", "Your cart"))
        .text("Blue Mug Large 1 $20.00")
        .form("post", "/cart/remove")
        .button("Remove Blue Mug")
        .end_form()
        .link("Checkout", "/checkout")
}

fn review() -> Page {
    header(page("/review", "Review your order"))
        .text("Blue Mug, large. Total $20.00")
        .form("post", "/done")
        .button("Place order")
        .end_form()
        .link("Edit details", "/checkout")
}

fn done() -> Page {
    header(page("/done", "Thank you")).text("Thank you for your order.\nOrder number: BM-1234\nTotal: $20.00")
}

fn checkout() -> Page {
    header(page("/checkout", "Checkout"))
        .text("Checkout")
        .form("post", "/review")
        .field("Full name")
        .field("Street address")
        .field("City")
        .select("State", &["Choose a state", "Idaho", "Illinois", "Iowa"])
        .field("ZIP code")
        .input("Email (optional)", "email")
        .button("Continue to review")
        .end_form()
}

fn shop() -> Vec<Page> {
    vec![list(), product(), cart(), checkout(), review(), done()]
}

#[test]
fn the_order_goal_walks_the_whole_shop_and_asks_once() {
    let story = Errand::new(GOAL, shop()).filled_by(3, "Order number").run("/shop");
    story.assert_finished_at("/done");
    assert_eq!(story.approvals, ["Approve: click button \"Place order\" on Review your order?"]);
    for step in [
        "click link \"Blue Mug\"",
        "select \"Large\" in combobox \"Size\"",
        "type \"Ada Lovelace\" into textbox \"Full name\"",
        "type \"12 Main St\" into textbox \"Street address\"",
        "type \"Springfield\" into textbox \"City\"",
        "select \"Illinois\" in combobox \"State\"",
        "type \"62701\" into textbox \"ZIP code\"",
    ] {
        assert!(story.did(step), "{step}: {:#?}", story.done);
    }
}

#[test]
fn the_shop_is_walked_without_a_needless_step() {
    let story = Errand::new(GOAL, shop()).filled_by(3, "Order number").run("/shop");
    assert_eq!(story.done.len(), 11, "{:#?}", story.done);
}

#[test]
fn a_refused_order_is_not_tried_in_another_way() {
    let story = Errand::new(GOAL, shop()).refusing().filled_by(3, "Order number").run("/shop");
    let Decision::GiveUp { reason } = &story.end else { panic!("{story:#?}") };
    assert_eq!(reason, "click button \"Place order\" was refused");
    assert_eq!(story.approvals.len(), 1);
}

#[test]
fn a_single_page_order_form_is_filled_and_sent() {
    let form = page("/", "Mugs to go")
        .text("Order our mugs")
        .form("post", "/done")
        .select("Product", &["Red Mug — $12.00", "Blue Mug — $14.00"])
        .radio("size", "Small")
        .radio("size", "Large")
        .number("Quantity", "0")
        .field("Name")
        .required()
        .area("Delivery address")
        .required()
        .button("Place order")
        .end_form();
    let story = Errand::new(GOAL, vec![form, done()]).filled_by(3, "Order number").run("/");
    story.assert_finished_at("/done");
    assert!(
        story.did("type \"12 Main St, Springfield, IL 62701\" into textbox \"Delivery address\""),
        "{:#?}",
        story.done
    );
    assert!(story.did("select \"Blue Mug — $14.00\" in combobox \"Product\""), "{:#?}", story.done);
    assert!(story.did("check radio \"Large\""));
    assert!(story.did("type \"1\" into spinbutton \"Quantity\""));
    assert!(story.fields.contains(&"Name: \"Ada Lovelace\"".to_owned()), "{:?}", story.fields);
}

#[test]
fn other_words_for_the_same_details_are_understood() {
    let details = header(page("/checkout", "Delivery"))
        .form("post", "/review")
        .field("First name")
        .field("Last name")
        .field("Address line 1")
        .field("Address line 2 (optional)")
        .field("Town / City")
        .select("State/Province", &["-- Select --", "IA", "IL", "IN"])
        .field("Postcode")
        .select("Country", &["Select a country", "Canada", "United States"])
        .button("Continue")
        .end_form();
    let story = Errand::new(GOAL, vec![list(), product(), cart(), details, review(), done()])
        .filled_by(3, "Order number")
        .run("/shop");
    story.assert_finished_at("/done");
    for step in [
        "type \"Ada\" into textbox \"First name\"",
        "type \"Lovelace\" into textbox \"Last name\"",
        "type \"12 Main St\" into textbox \"Address line 1\"",
        "select \"IL\" in combobox \"State/Province\"",
        "type \"62701\" into textbox \"Postcode\"",
        "select \"United States\" in combobox \"Country\"",
    ] {
        assert!(story.did(step), "{step}: {:#?}", story.done);
    }
    assert!(!story.done.iter().any(|step| step.contains("line 2")));
}

#[test]
fn buy_now_leads_to_the_order_form() {
    let product = header(page("/p/blue-mug", "Blue Mug"))
        .text("Blue Mug")
        .section("Blue Mug")
        .form("get", "/checkout")
        .select("Size", &["S", "M", "L"])
        .button("Buy now")
        .end_form();
    let story = Errand::new(GOAL, vec![list(), product, checkout(), review(), done()])
        .filled_by(3, "Order number")
        .run("/shop");
    story.assert_finished_at("/done");
    assert!(story.did("select \"L\" in combobox \"Size\""));
}

#[test]
fn sizes_are_chosen_by_buttons_too() {
    let product = header(page("/p/blue-mug", "Blue Mug"))
        .text("Blue Mug\n$14.00")
        .section("Blue Mug")
        .script_button("Small")
        .script_button("Large")
        .script_button("Add to cart");
    let story = Errand::new(GOAL, vec![list(), product, cart(), checkout(), review(), done()])
        .script("Add to cart", "/cart")
        .filled_by(3, "Order number")
        .run("/shop");
    story.assert_finished_at("/done");
    assert!(story.did("click button \"Large\""), "{:#?}", story.done);
}

#[test]
fn an_item_that_is_not_in_the_list_is_searched_for() {
    let home = header(page("/", "Harbour Shop"))
        .form("get", "/shop")
        .input("Search products", "search")
        .button("Search")
        .end_form()
        .text("Welcome");
    let story = Errand::new(GOAL, [vec![home], shop()].concat()).filled_by(3, "Order number").run("/");
    story.assert_finished_at("/done");
    assert!(story.did("type \"Blue Mug\" into searchbox \"Search products\""), "{:#?}", story.done);
}

#[test]
fn the_shop_link_is_followed_when_there_is_no_search() {
    let home = page("/", "Harbour").text("Welcome to the harbour").link("About", "/about").link("Shop", "/shop");
    let story = Errand::new(GOAL, [vec![home], shop()].concat()).filled_by(3, "Order number").run("/");
    story.assert_finished_at("/done");
    assert_eq!(story.done[0], "click link \"Shop\"");
}

#[test]
fn the_card_of_the_item_is_the_one_that_is_added() {
    let cards = header(page("/shop", "Shop"))
        .text("Red Mug\nBlue Mug")
        .section("Red Mug")
        .form("post", "/cart")
        .button("Add to basket")
        .end_form()
        .section("Blue Mug")
        .form("post", "/cart")
        .button("Add to basket")
        .with(|element| element.fingerprint = "second".to_owned())
        .end_form();
    let goal = "Buy a Blue Mug for Ada Lovelace, 12 Main St, Springfield, IL 62701";
    let story = Errand::new(goal, vec![cards, cart(), checkout(), review(), done()]).run("/shop");
    story.assert_finished_at("/done");
}

#[test]
fn the_cheapest_item_is_chosen_by_its_price() {
    let list = header(page("/shop", "Shop"))
        .link("Blue Mug", "/p/blue-mug")
        .near("Blue Mug $14.00")
        .link("Plain Mug", "/p/plain")
        .near("Plain Mug $9.50")
        .link("Teapot", "/p/teapot")
        .near("Teapot $3.00");
    let plain = header(page("/p/plain", "Plain Mug"))
        .text("Plain Mug")
        .section("Plain Mug")
        .form("post", "/cart")
        .button("Add to cart")
        .end_form();
    let story = Errand::new("Add the cheapest mug to the cart", vec![list, plain, cart()]).run("/shop");
    story.assert_finished_at("/cart");
    assert_eq!(story.done, ["click link \"Plain Mug\"", "click button \"Add to cart\""]);
}

#[test]
fn a_quantity_in_the_goal_is_entered() {
    let goal = "Order 3 Blue Mugs for Ada Lovelace, 12 Main St, Springfield, IL 62701";
    let story = Errand::new(goal, shop()).run("/shop");
    story.assert_finished_at("/done");
    assert!(story.did("type \"3\" into spinbutton \"Quantity\""), "{:#?}", story.done);
}

#[test]
fn a_required_email_that_nobody_gave_is_asked_for() {
    let details = header(page("/checkout", "Checkout"))
        .form("post", "/review")
        .field("Full name")
        .area("Address")
        .input("Email", "email")
        .required()
        .button("Continue")
        .end_form();
    let story = Errand::new(GOAL, vec![list(), product(), cart(), details, review(), done()])
        .answer("Email", "ada@example.org")
        .filled_by(3, "Order number")
        .run("/shop");
    story.assert_finished_at("/done");
    assert_eq!(story.questions, ["What should be entered for \"Email\"?"]);
    assert!(story.did("type \"ada@example.org\" into textbox \"Email\""));
}

#[test]
fn card_details_are_handed_to_a_person() {
    let details = header(page("/checkout", "Checkout"))
        .form("post", "/done")
        .field("Full name")
        .area("Address")
        .field("Card number")
        .required()
        .field("CVC")
        .required()
        .button("Pay now")
        .end_form();
    let story = Errand::new(GOAL, vec![list(), product(), cart(), details]).filled_by(3, "Order number").run("/shop");
    assert!(matches!(story.end, Decision::HandOff { .. }), "{story:#?}");
}

#[test]
fn an_item_that_the_shop_does_not_have_ends_honestly() {
    let list = header(page("/shop", "Shop")).text("Teapots").link("Green Teapot", "/p/teapot");
    let story = Errand::new(GOAL, vec![list.clone(), page("/cart", "Your cart").text("Your cart is empty")])
        .filled_by(3, "Order number")
        .run("/shop");
    assert_eq!(story.end, Decision::GiveUp { reason: "\"Blue Mug\" was not found in the shop".to_owned() });
}

#[test]
fn shipping_and_payment_are_chosen_as_a_buyer_would() {
    let details = header(page("/checkout", "Checkout"))
        .form("post", "/review")
        .field("Name")
        .field("Address")
        .field("City")
        .field("Zip")
        .section("Shipping method")
        .radio("shipping", "Express ($12.00)")
        .required()
        .radio("shipping", "Standard ($4.00)")
        .required()
        .section("Payment")
        .radio("payment", "Credit card")
        .required()
        .radio("payment", "Cash on delivery")
        .required()
        .section("")
        .checkbox("I agree to the terms and conditions")
        .required()
        .checkbox("Send me offers by email")
        .button("Review order")
        .end_form();
    let story = Errand::new(GOAL, vec![list(), product(), cart(), details, review(), done()])
        .filled_by(3, "Order number")
        .run("/shop");
    story.assert_finished_at("/done");
    assert!(story.did("check radio \"Standard ($4.00)\""), "{:#?}", story.done);
    assert!(story.did("check radio \"Cash on delivery\""));
    assert!(story.did("check checkbox \"I agree to the terms and conditions\""));
    assert!(!story.did("check checkbox \"Send me offers by email\""));
}

#[test]
fn an_order_sheet_gets_its_number_in_the_row_of_the_item() {
    let row = |sheet: Page, name: &str, at: usize| {
        sheet.section(name).number("Quantity", "0").with(|element| element.fingerprint = format!("row{at}"))
    };
    let mut sheet = page("/", "Order sheet").text("Order sheet").form("post", "/done");
    for (at, name) in ["Red Mug | small", "Red Mug | large", "Blue Mug | small", "Blue Mug | large"].iter().enumerate()
    {
        sheet = row(sheet, name, at);
    }
    let sheet = sheet.section("").field("Name").field("Address").button("Order").end_form();
    let story = Errand::new(GOAL, vec![sheet, done()]).filled_by(3, "Order number").run("/");
    story.assert_finished_at("/done");
    let quantities: Vec<&String> = story.fields.iter().filter(|field| field.starts_with("Quantity")).collect();
    assert_eq!(quantities, ["Quantity: \"0\"", "Quantity: \"0\"", "Quantity: \"0\"", "Quantity: \"1\""]);
}

#[test]
fn options_come_before_a_button_that_waits_for_them() {
    let waiting = |path: &str, disabled: bool| {
        header(page(path, "Blue Mug"))
            .text("Blue Mug")
            .section("Blue Mug")
            .script_button("S")
            .script_button("L")
            .script_button("Add to bag")
            .with(move |element| element.disabled = disabled)
    };
    let pages =
        vec![list(), waiting("/p/blue-mug", true), waiting("/chosen", false), cart(), checkout(), review(), done()];
    let errand = Errand::new(GOAL, pages).script("L", "/chosen").script("Add to bag", "/cart");
    errand.filled_by(3, "Order number").run("/shop").assert_finished_at("/done");
}

#[test]
fn a_longer_name_with_the_same_words_is_another_item() {
    let card = |page: Page, name: &str, path: &str| {
        let fingerprint = path.to_owned();
        page.section(name).link("View product", path).with(move |element| element.fingerprint = fingerprint).near(name)
    };
    let shelf = card(header(page("/shop", "Mugs")), "Blue Mug XL", "/p/xl");
    let shelf = card(shelf, "Blue Mug", "/p/blue-mug");
    let shelf = card(shelf, "Blue Mug Gift Set", "/p/set");
    let story =
        Errand::new(GOAL, vec![shelf, product(), cart(), checkout(), review(), done()]).filled_by(3, "Order number");
    story.run("/shop").assert_finished_at("/done");
}

#[test]
fn a_review_form_on_the_product_page_is_left_alone() {
    let product = product()
        .form("post", "/review-sent")
        .area("Your review *")
        .field("Name *")
        .input("Email *", "email")
        .button("Submit")
        .end_form();
    let errand = Errand::new(GOAL, vec![list(), product, cart(), checkout(), review(), done()]);
    let story = errand.filled_by(3, "Order number").run("/shop");
    story.assert_finished_at("/done");
    assert_eq!(story.approvals.len(), 1);
}

#[test]
fn a_shop_that_asks_again_after_an_error_is_answered_and_not_ordered_twice() {
    let again = header(page("/done", "Checkout"))
        .text("Please correct: ZIP code is required")
        .form("post", "/done")
        .field("ZIP code")
        .button("Place order")
        .end_form();
    let goal = "Order one Blue Mug (size large) for Ada Lovelace, 12 Main St, Springfield";
    let errand = Errand::new(goal, vec![list(), product(), cart(), checkout(), review(), again]);
    let story = errand.filled_by(3, "Order number").run("/shop");
    assert!(matches!(story.end, Decision::Ask { .. }), "{story:#?}");
    assert_eq!(story.approvals.len(), 1);
}

#[test]
fn another_mug_is_no_category() {
    let first = header(page("/shop", "Shop"))
        .link("Red Mug", "/p/red")
        .link("Yellow Mug", "/p/yellow")
        .link("Next page", "/shop2");
    let second = header(page("/shop2", "Shop")).link("Blue Mug", "/p/blue-mug");
    let errand = Errand::new(GOAL, vec![first, second, product(), cart(), checkout(), review(), done()]);
    let story = errand.filled_by(3, "Order number").run("/shop");
    story.assert_finished_at("/done");
    assert_eq!(story.done[0], "click link \"Next page\"");
}

#[test]
fn the_order_link_of_the_right_card_is_followed() {
    let cards = page("/", "Potter Jo")
        .section("Red Mug")
        .link("Order now", "/red")
        .section("Blue Mug")
        .link("Order now", "/blue")
        .with(|element| element.fingerprint = "blue".to_owned())
        .section("");
    let form = page("/blue", "Order")
        .text("Order: blue mug")
        .form("post", "/done")
        .field("Your full name")
        .field("Delivery address")
        .button("Order")
        .end_form();
    let story = Errand::new(GOAL, vec![cards, form, done()]).filled_by(3, "Order number").run("/");
    story.assert_finished_at("/done");
}

#[test]
fn a_shop_in_another_language_is_explored_by_its_navigation() {
    let nav = |page: Page| {
        page.section("navigation")
            .link("Startseite", "/")
            .link("Tassen", "/tassen")
            .link("Warenkorb", "/cart")
            .section("")
    };
    let home = nav(page("/", "Tassenladen")).text("Willkommen");
    let cups = nav(page("/tassen", "Tassen")).link("Rote Tasse", "/rot").link("Blue Mug", "/p/blue");
    let mug = nav(page("/p/blue", "Blue Mug"))
        .text("Blue Mug")
        .form("post", "/korb")
        .select("Größe", &["klein", "L"])
        .button("In den Warenkorb")
        .end_form();
    let basket = nav(page("/korb", "Warenkorb")).text("Blue Mug").link("Zur Kasse", "/kasse");
    let till = nav(page("/kasse", "Kasse"))
        .form("post", "/pruefen")
        .field("Vorname")
        .field("Nachname")
        .field("Straße und Hausnummer")
        .field("PLZ")
        .field("Ort")
        .button("Weiter")
        .end_form();
    let check = nav(page("/pruefen", "Bestellung prüfen"))
        .form("post", "/done")
        .checkbox("Ich akzeptiere die AGB")
        .required()
        .button("Zahlungspflichtig bestellen")
        .end_form();
    let story =
        Errand::new(GOAL, vec![home, cups, mug, basket, till, check, done()]).filled_by(3, "Order number").run("/");
    story.assert_finished_at("/done");
    assert!(story.did("select \"L\" in combobox \"Größe\""), "{:#?}", story.done);
    assert!(story.did("type \"12 Main St\" into textbox \"Straße und Hausnummer\""));
    assert!(story.did("type \"62701\" into textbox \"PLZ\""));
}

#[test]
fn an_item_in_quotes_is_no_gift_message() {
    let goal = "Order one \"Blue Mug\" in large for Ada Lovelace, 12 Main St, Springfield, IL 62701";
    let form = page("/", "Mugs to go")
        .form("post", "/done")
        .select("Product", &["Red Mug", "Blue Mug"])
        .select("Size", &["S", "L"])
        .field("Name")
        .field("Address")
        .area("Gift message")
        .button("Place order")
        .end_form();
    let story = Errand::new(goal, vec![form, done()]).run("/");
    story.assert_finished_at("/done");
    assert!(story.did("select \"L\" in combobox \"Size\""), "{:#?}", story.done);
    assert!(!story.done.iter().any(|step| step.contains("Gift message")), "{:#?}", story.done);
}
