//! Forms that were sent and do not go away: one committing press for each deed of the goal.

use std::time::Duration;

use errand_tests::host::{Host, HostReply, HostRequest};
use errand_tests::server::{ErrandServer, ServerOptions};
use serde_json::json;

use crate::tally::{Tally, tries};

const RUN_DEADLINE: Duration = Duration::from_secs(90);

/// What a page does with what it is sent, and how many requests the deed may take.
struct Case {
    what: &'static str,
    goal: &'static str,
    /// The page with its form; `{note}` stands for what it says after a request.
    page: &'static str,
    note: &'static str,
    requests_max: usize,
}

const MESSAGE: &str = "Send the message \"Hello there\" from Ada with email ada@example.com.";
const CONTACT: &str = "<h1>Contact us</h1>{note}<form method=post action=/contact><label>Name <input name=name></label>
    <label>Email <input type=email name=email></label><label>Message <textarea name=message></textarea></label>
    <button>Send message</button></form>";
const EDITOR: &str = "<h1>Contact us</h1>{note}<div><button onclick=bold()>Bold</button><button>Italic</button>
    <button>Quote</button></div><form method=post action=/contact><label>Name <input name=name></label>
    <label>Email <input type=email name=email></label><label>Message <textarea name=message></textarea></label>
    <button>Send</button><button type=button>Attach</button><button type=button>Signature</button></form>";
/// The script empties the message when something goes wrong, and keeps the page.
const SCRIPTED: &str =
    "<h1>Contact us</h1><p id=note></p><form onsubmit='send(); return false'><label>Name <input name=name></label>
    <label>Email <input type=email name=email></label><label>Message <textarea name=message></textarea></label>
    <button>Send message</button></form><script>async function send() {
      const body = new URLSearchParams(new FormData(document.forms[0]));
      await fetch('/contact', {method: 'POST', body});
      document.forms[0].message.value = '';
      note.textContent = 'Something went wrong. Your message was not sent.'; }</script>";

const CASES: &[Case] = &[
    Case {
        what: "not sent",
        goal: MESSAGE,
        page: CONTACT,
        note: "<p>Something went wrong. Your message was not sent.</p>",
        requests_max: 1,
    },
    Case { what: "no word at all", goal: MESSAGE, page: EDITOR, note: "", requests_max: 1 },
    Case { what: "emptied by a script", goal: MESSAGE, page: SCRIPTED, note: "", requests_max: 1 },
    Case {
        what: "not sent, with a toolbar",
        goal: MESSAGE,
        page: EDITOR,
        note: "<p>Please try again.</p>",
        requests_max: 1,
    },
];

async fn fault_of(server: &ErrandServer, case: &'static Case) -> anyhow::Result<Option<String>> {
    let answer = |request: &HostRequest| {
        let note = if request.method == "POST" { case.note } else { "" };
        HostReply::Page(case.page.replace("{note}", note))
    };
    let host = Host::start("127.0.0.1", answer).await;
    let body = json!({"goal": case.goal, "start_url": host.url("/"), "approve": "never", "max_steps": 30});
    let (status, created) = server.api.post_run(&body).await?;
    anyhow::ensure!(status == 201, "{created}");
    let id = created["id"].as_str().unwrap_or_default();
    let run = server.api.wait_finished(id, RUN_DEADLINE).await?;
    let sent = host.commits();
    let is_whole = sent.iter().all(|request| request.body.contains("Hello+there"));
    let (_, events) = server.api.events(id).await?;
    let presses =
        events["data"].as_array().map_or(0, |events| events.iter().filter(|event| event["committing"] == true).count());
    let is_held = sent.len() == case.requests_max && is_whole && presses <= case.requests_max;
    let bodies: Vec<&str> = sent.iter().map(|request| request.body.as_str()).collect();
    Ok((!is_held).then(|| format!("{presses} committing presses, sent {bodies:?}; {}", run["error"])))
}

#[tokio::test]
async fn a_form_is_sent_once_and_never_emptied() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let mut tally = Tally::new("forms that stay after they were sent");
    for case in CASES.iter().take(tries(3, CASES.len())) {
        tally.add(case.what, fault_of(&server, case).await?);
    }
    tally.end();
    Ok(())
}
