//! What an observation and a snapshot hold.

use crate::server::{Answer, Server};
use crate::support::{element, open, open_page};

#[tokio::test]
async fn visible_text_comes_line_by_line_and_cells_are_separated() {
    let (_server, opened) = open_page(
        "<title>T</title><h1>Offers</h1><p>Two <b>kinds</b> of<br>lamps</p>
         <table><tr><th>Name</th><th>Price</th></tr><tr><td>Brass</td><td>9 €</td></tr></table>
         <p style='display:none'>never</p><p style='visibility:hidden'>nor this</p><script>var x = 'code'</script>
         <pre>one\ntwo</pre><ul><li>a</li><li>b</li></ul><details><summary>More</summary>hidden text</details>",
    )
    .await;
    let observation = opened.observe().await;
    assert_eq!(observation.title, "T");
    assert_eq!(observation.text, "Offers\nTwo kinds of\nlamps\nName | Price\nBrass | 9 €\none\ntwo\na\nb\nMore");
}

#[tokio::test]
async fn elements_have_role_name_value_and_form() {
    let (server, opened) = open_page(
        "<form action='/go' method='post'><label for=n>Full name</label><input id=n name=full value=Ann required>
         <label>Size <select name=size><option>Small<option selected>Large</select></label>
         <label><input type=checkbox checked name=news> Newsletter</label>
         <input placeholder='Coupon' name=c disabled><button>Place order</button></form>
         <a href='/terms'>Terms</a>",
    )
    .await;
    let observation = opened.observe().await;
    let name = element(&observation, "Full name");
    assert_eq!((name.role.as_str(), name.value.as_deref(), name.required), ("textbox", Some("Ann"), true));
    let size = element(&observation, "Size");
    assert_eq!((size.role.as_str(), size.value.as_deref()), ("combobox", Some("Large")));
    assert_eq!(size.options, ["Small", "Large"]);
    assert_eq!(element(&observation, "Newsletter").checked, Some(true));
    assert!(element(&observation, "Coupon").disabled);
    let button = element(&observation, "Place order");
    assert!(button.submits && button.form == Some(0));
    assert_eq!(element(&observation, "Terms").href.as_deref(), Some(server.url("/terms").as_str()));
    let form = &observation.forms[0];
    assert_eq!((form.method.as_str(), form.action.as_str()), ("post", server.url("/go").as_str()));
    let fields: Vec<(&str, &str)> = form.fields.iter().map(|f| (f.label.as_str(), f.value.as_str())).collect();
    assert_eq!(fields, [("Full name", "Ann"), ("Size", "Large"), ("Newsletter", "yes"), ("Coupon", "")]);
}

#[tokio::test]
async fn all_that_a_form_sends_is_told_and_where_its_buttons_send_it() {
    let (server, opened) = open_page(
        "<nav>Menu</nav><p>Total: $12</p><time>12:04</time><p>New: <a href=/sale>sale $3</a></p>
         <form action=/go method=post><label>Name <input name=n value=Ann></label><input type=hidden name=qty value=2>
         <input type=password name=pw aria-label=Password value=x><input name=off value=1 disabled aria-label=Off>
         <label>Size <select name=size><option value=s>Small<option value=l selected>Large</select></label>
         <label><input type=checkbox name=a> A</label><label><input type=checkbox name=b value=yes checked> B</label>
         <button name=speed value=slow>Order</button>
         <button formaction=/dear formmethod=get formenctype=text/plain>Express</button></form>
         <button aria-label=Search>Pay $5</button><div role=tablist><button>Specs</button></div>
         <button aria-expanded=false>More</button><div role=button tabindex=0>Box</div>",
    )
    .await;
    let observation = opened.observe().await;
    let order = element(&observation, "Order");
    let form = &observation.forms[order.form.expect("its form")];
    let sent: Vec<(&str, &str, bool)> =
        form.sent.iter().map(|control| (control.name.as_str(), control.value.as_str(), control.is_hidden)).collect();
    let wanted =
        [("n", "Ann", false), ("qty", "2", true), ("pw", "[secret]", false), ("size", "l", false), ("b", "yes", false)];
    assert_eq!(sent, wanted);
    assert_eq!((order.sent_value.as_deref(), form.sent[0].label.as_str()), (Some("slow"), "Name"));
    let express = &observation.forms[element(&observation, "Express").form.expect("its variant")];
    let elsewhere = ("get", server.url("/dear"), "text/plain", order.form);
    assert_eq!(
        (express.method.as_str(), express.action.clone(), express.encoding.as_str(), express.variant_of),
        elsewhere
    );
    let region = &observation.regions[order.region.expect("the page")];
    assert!(region.contains("Total: $12"), "{region}");
    for aside in ["Menu", "12:04", "sale"] {
        assert!(!region.contains(aside), "{aside} in {region}");
    }
    assert_eq!(element(&observation, "Search").shown_text.as_deref(), Some("Pay $5"));
    assert_eq!(element(&observation, "Specs").widget.as_deref(), Some("tablist"));
    assert!(element(&observation, "More").opens && element(&observation, "Box").has_role && !order.opens);
}

#[tokio::test]
async fn open_shadow_roots_and_frames_of_the_same_origin_are_seen() {
    let server = Server::with_page(
        "<div id=host><span slot=s>slotted</span></div><iframe src='/inner' width=400 height=200></iframe>
         <script>const root = host.attachShadow({mode:'open'});
         root.innerHTML = '<p>in shadow</p><slot name=s></slot><button>Shadow button</button>'</script>",
    );
    server.route("/inner", Answer::html("<p>in frame</p><button>Frame button</button>"));
    let opened = open(&server).await;
    let look = opened.session.look().await.unwrap();
    for part in ["in shadow", "slotted", "in frame"] {
        assert!(look.observation.text.contains(part), "{part} in {:?}", look.observation.text);
    }
    element(&look.observation, "Shadow button");
    element(&look.observation, "Frame button");
    assert!(look.snapshot.html.contains("in shadow"), "{}", look.snapshot.html);
}

#[tokio::test]
async fn things_that_only_look_clickable_are_elements() {
    let (_server, opened) = open_page(
        "<div onclick='1' style='width:90px'>By attribute</div><div style='cursor:pointer'>By cursor <b>part</b></div>
         <div role=tab>By role</div><p>Plain</p>",
    )
    .await;
    let observation = opened.observe().await;
    for name in ["By attribute", "By cursor part", "By role"] {
        element(&observation, name);
    }
    assert!(!observation.elements.iter().any(|element| element.name == "Plain"));
}

#[tokio::test]
async fn unnamed_controls_are_named_by_the_text_beside_them() {
    let (_server, opened) = open_page(
        "<p>Your city: <input name=q7></p><table><tr><td>Street</td><td><input name=q8></td></tr></table>
         <input type=radio name=r> Express<br><div style='display:flex'><div>Phone</div><div><input></div></div>",
    )
    .await;
    let observation = opened.observe().await;
    for name in ["Your city:", "Street", "Express", "Phone"] {
        element(&observation, name);
    }
}

#[tokio::test]
async fn passwords_and_marked_fields_never_leave_the_page() {
    let (_server, opened) = open_page(
        "<form><label>Password <input type=password value=hunter2></label>
         <label>Token <input value=tok-123></label><label>Notes<textarea>tok-456</textarea></label></form>",
    )
    .await;
    for field in ["Token", "Notes"] {
        let target = opened.target(field).await;
        opened.session.mark_secret_field(&target).await.unwrap();
    }
    let look = opened.session.look().await.unwrap();
    let everything = format!("{look:?}");
    for secret in ["hunter2", "tok-123", "tok-456"] {
        assert!(!everything.contains(secret), "{secret} in {everything}");
    }
    let values: Vec<&str> = look.observation.forms[0].fields.iter().map(|field| field.value.as_str()).collect();
    assert_eq!(values, ["[secret]", "[secret]", "[secret]"]);
    assert!(look.snapshot.html.contains("<textarea"), "the rest of the document is kept");
}

#[tokio::test]
async fn digest_follows_values_and_text_but_not_looking_again() {
    let (_server, opened) = open_page("<label>City <input id=c></label><p id=p>one</p>").await;
    let first = opened.observe().await;
    assert_eq!(first.digest, opened.observe().await.digest);
    opened.type_into("City", "Bern").await;
    assert_ne!(first.digest, opened.observe().await.digest);
}

#[tokio::test]
async fn links_are_absolute_against_the_base() {
    let (_server, opened) = open_page("<base href='https://cdn.test/x/'><a href='y'>Y</a>").await;
    let snapshot = opened.session.snapshot_page().await.unwrap();
    assert_eq!(snapshot.base_url, "https://cdn.test/x/");
    assert_eq!(snapshot.links[0].url, "https://cdn.test/x/y");
}

#[tokio::test]
async fn elements_and_text_are_bounded() {
    let (_server, opened) = open_page(
        "<script>for (let i = 0; i < 3000; i++) document.write('<a href=/' + i + '>link ' + i + ' with some words</a><br>')</script>
         <button>Last</button>",
    )
    .await;
    let look = opened.session.look().await.unwrap();
    assert_eq!(look.observation.elements.len(), 400);
    element(&look.observation, "Last");
    assert!(look.observation.text.chars().count() <= 40_000);
    assert!(look.observation.more_below);
    assert_eq!(look.snapshot.links.len(), 2_000);
}

#[tokio::test]
async fn elements_with_nothing_but_a_listener_are_found() {
    let (_server, opened) = open_page(
        "<div id=a>Listening</div><svg width=60 height=60><circle id=dot class=red cx=30 cy=30 r=20></circle></svg><div>Plain</div>
         <script>a.addEventListener('click', () => a.textContent = 'heard'); dot.addEventListener('mousedown', () => 1)</script>",
    )
    .await;
    let observation = opened.observe().await;
    let names: Vec<&str> = observation.elements.iter().map(|element| element.name.as_str()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(names[0], "Listening");
    opened.click("Listening").await;
    assert!(opened.text().await.contains("heard"));
}

#[tokio::test]
async fn halved_characters_and_endless_depth_do_no_harm() {
    let (_server, opened) = open_page(
        "<button id=b></button><p id=p></p><script>b.textContent = '\u{1F600}'.repeat(200); p.textContent = 'a\\ud83db';
         let at = p; for (let i = 0; i < 900; i++) { const next = document.createElement('div'); at.append(next); at = next; }
         at.textContent = 'bottom'</script>",
    )
    .await;
    let observation = opened.observe().await;
    assert!(observation.text.contains("a\u{fffd}b"), "{}", observation.text);
    assert!(observation.elements[0].name.starts_with('\u{1F600}'));
}

#[tokio::test]
async fn secret_that_the_server_sends_back_is_masked_by_its_field() {
    let server = Server::with_page("<form><label>Token <input name=t></label></form>");
    let opened = open(&server).await;
    let target = opened.target("Token").await;
    opened.session.mark_secret_field(&target).await.unwrap();
    server.route("/", Answer::html("<form><label>Token <input name=t value=tok-123></label></form>"));
    opened.session.goto(&server.url("/")).await.unwrap();
    let checkpoint = serde_json::to_string(&opened.session.checkpoint().await.unwrap()).unwrap();
    assert!(!checkpoint.contains("tok-123"));
    assert!(!format!("{:?}", opened.session.look().await.unwrap()).contains("tok-123"));
}

#[tokio::test]
async fn button_that_sends_its_form_otherwise_has_a_form_of_its_own() {
    let (server, opened) = open_page(
        "<form action=/search><input name=q aria-label=Query><button>Search</button>
         <button formmethod=post formaction=/delete>Delete</button></form>",
    )
    .await;
    let observation = opened.observe().await;
    let form = |name: &str| &observation.forms[element(&observation, name).form.unwrap()];
    assert_eq!(
        (form("Search").method.as_str(), form("Search").action.as_str()),
        ("get", server.url("/search").as_str())
    );
    assert_eq!(
        (form("Delete").method.as_str(), form("Delete").action.as_str()),
        ("post", server.url("/delete").as_str())
    );
    assert_eq!(form("Delete").fields.len(), 1);
}
