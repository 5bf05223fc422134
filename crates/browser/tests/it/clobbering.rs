//! Pages whose names stand in the way of the properties that our script reads.

use crate::server::{Answer, Server};
use crate::support::{element, open, open_page};
use errand_domain::action::{Action, ScrollDirection};
use std::collections::BTreeSet;
use std::path::Path;

/// Names a field of the form and an image of the document after every property that a form or a document has.
const CLOBBER: &str = "<script>
    const form = document.querySelector('form'), body = document.body, names = new Set(['constructor', 'toString', '__proto__', 'errand']);
    for (const name in form) names.add(name);
    for (const name in document) names.add(name);
    const make = (tag, name) => {
        const node = Document.prototype.createElement.call(document, tag);
        Element.prototype.setAttribute.call(node, 'name', name);
        Element.prototype.setAttribute.call(node, tag === 'input' ? 'type' : 'hidden', 'hidden');
        return node;
    };
    const append = Node.prototype.appendChild;
    for (const name of names) { append.call(form, make('input', name)); append.call(body, make('img', name)); }
    for (const name of ['getComputedStyle', 'innerHeight', 'top', 'errand']) append.call(body, make('iframe', name));
</script>";

fn order_form(around: &str) -> String {
    format!(
        "<title>Order</title><h1 id=errand>Order here</h1><div style='height:2000px'>
         <form action=/go method=post {around}><fieldset><legend>You</legend><label>Full name <input name=full></label>
         <label>Size <select name=size><option>Small<option>Large</select></label>
         <label><input type=checkbox name=news> Newsletter</label></fieldset>
         <p>Delivered tomorrow</p><button>Place order</button></form></div><p>The end</p>{CLOBBER}"
    )
}

async fn fill_and_submit(around: &str) {
    let server = Server::with_page(&order_form(around));
    server.route("/go", Answer::html("thanks"));
    let opened = open(&server).await;
    let look = opened.session.look().await.expect("a look");
    let observation = &look.observation;
    assert_eq!((observation.title.as_str(), observation.url.as_str()), ("Order", server.url("/").as_str()));
    for part in ["Order here", "Full name", "Delivered tomorrow", "The end"] {
        assert!(observation.text.contains(part), "{part} in {:?}", observation.text);
    }
    assert!(look.snapshot.html.contains("Delivered tomorrow"));
    let form = &observation.forms[element(observation, "Full name").form.expect("a form")];
    assert_eq!((form.method.as_str(), form.action.as_str()), ("post", server.url("/go").as_str()));
    assert_eq!(form.fields.len(), 3);

    opened.type_into("Full name", "Ann").await;
    opened.select("Size", "Large").await.expect("the option is chosen");
    opened.check("Newsletter", true).await;
    opened.act(Action::Scroll { direction: ScrollDirection::Down }).await;
    opened.session.mark_secret_field(&opened.target("Full name").await).await.expect("a secret field");
    opened.session.screenshot().await.expect("a picture");
    let checkpoint = opened.session.checkpoint().await.expect("a checkpoint");
    assert_eq!(checkpoint.fields.len(), 2, "{checkpoint:?}");

    assert!(opened.click("Place order").await.navigated);
    let sent = server.wait_for("/go").body;
    assert!(sent.contains("full=Ann&size=Large&news=on"), "{sent}");
}

#[tokio::test]
async fn form_whose_fields_are_called_like_its_properties_is_filled_and_submitted() {
    fill_and_submit("").await;
}

#[tokio::test]
async fn form_with_such_fields_is_an_element_to_act_on_itself() {
    fill_and_submit("onclick='1' role=button aria-label=Everything tabindex=0").await;
}

#[tokio::test]
async fn frame_with_such_a_form_is_read_too() {
    let server = Server::with_page("<p>outside</p><iframe src=/inner width=600 height=400></iframe>");
    server.route("/inner", Answer::html(&order_form("")));
    server.route("/go", Answer::html("thanks"));
    let opened = open(&server).await;
    opened.type_into("Full name", "Ann").await;
    opened.click("Place order").await;
    assert!(server.wait_for("/go").body.contains("full=Ann"));
}

/// Receivers that no name in a page reaches: what `safe` gave, values of ours, and elements that are no forms.
const KNOWN_RECEIVERS: [&str; 11] =
    ["safe", "own", "item", "described", "target", "options", "out", "walked", "file", "shadowRoot", "prototype"];
/// Of arrays, texts and lists; never asked of a form.
const KNOWN_NAMES: [&str; 1] = ["length"];

/// `receiver.name` of every property that a script reads; of a call, the receiver is the function's name.
fn accesses(script: &str) -> Vec<(String, String)> {
    let code: Vec<&str> = script.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n").replace("?.", ".").replace("...", " ");
    let mut found = Vec::new();
    for (at, _dot) in code.match_indices('.') {
        let name = code[at + 1..].split(is_no_word).next().unwrap_or_default();
        if !name.is_empty() {
            found.push((receiver(&code[..at]).to_owned(), name.to_owned()));
        }
    }
    found
}

fn receiver(code: &str) -> &str {
    let mut depth = 0;
    for (at, c) in code.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let called = if c == '(' { &code[..at] } else { code };
            return called.rsplit(is_no_word).next().unwrap_or_default();
        }
    }
    ""
}

fn is_no_word(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

#[tokio::test]
async fn scripts_read_what_a_page_can_shadow_only_through_safe() {
    let (_server, opened) = open_page(
        "<form></form><pre></pre><script>const names = new Set();
         for (const of of [document, document.forms[0]]) for (const name in of) names.add(name);
         document.querySelector('pre').textContent = [...names].join(' ')</script>",
    )
    .await;
    let text = opened.text().await;
    let shadowed: BTreeSet<&str> = text.split_whitespace().collect();
    assert!(shadowed.contains("parentNode") && shadowed.contains("elements"), "{text}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/script");
    let mut faults = BTreeSet::new();
    for file in std::fs::read_dir(folder).expect("the scripts").flatten() {
        let script = std::fs::read_to_string(file.path()).expect("a script");
        for (receiver, name) in accesses(&script) {
            let is_known = KNOWN_RECEIVERS.contains(&receiver.as_str()) || KNOWN_NAMES.contains(&name.as_str());
            if shadowed.contains(name.as_str()) && !is_known {
                faults.insert(format!("{}: {receiver}.{name}", file.file_name().display()));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
