//! What was approved changes before it is done: the page itself between question and answer, or the page that a closed
//! session comes back to. Nobody's approval holds for what nobody saw.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use errand_tests::host::{Host, HostReply, HostRequest};
use errand_tests::server::{ErrandServer, ServerOptions};
use serde_json::{Value, json};

use crate::tally::{Tally, tries};

const RUN_DEADLINE: Duration = Duration::from_secs(60);

/// A change by a script of the page, once the test lets it. The first seven are those that were seen to pass.
const CHANGES: &[(&str, &str)] = &[
    ("total", "document.getElementById('total').textContent = '$9,999.00'"),
    ("hidden quantity", "document.forms[0].qty.value = '500'"),
    ("formaction", "document.querySelector('button').setAttribute('formaction', '/dear')"),
    ("ship-to", "document.getElementById('to').textContent = 'Mallory'"),
    ("form action", "document.forms[0].setAttribute('action', '/dear')"),
    ("visible value", "document.forms[0].n.value = 'Mallory'"),
    ("button's value", "document.querySelector('button').value = 'express'"),
    (
        "one more hidden value",
        "document.forms[0].insertAdjacentHTML('beforeend', '<input type=hidden name=gift value=1>')",
    ),
    ("form method", "document.forms[0].method = 'get'"),
];

/// What changes on honest pages by itself.
const HARMLESS: &[(&str, &str)] = &[
    (
        "clock and token",
        "document.getElementById('clock').textContent = '12:05:01';
        document.forms[0].csrf.value = '0c1b2a3f4e5d6c7b8a9f'",
    ),
    ("banner", "document.body.insertAdjacentHTML('afterbegin', '<nav>New: <a href=/sale>sale, $3 off</a></nav>')"),
];

/// A review page whose order costs this much. A script of it waits for leave, changes something, and says so.
fn review(total: &str, change: &str) -> String {
    format!(
        "<title>Review</title><h1>Review your order</h1><p id=clock>12:04:59</p><div>Blue mug</div><div>{total}</div>
         <p>Total: <b id=total>{total}</b></p><p>Ship to: <b id=to>Ada</b></p>
         <form id=order method=post action=/order><label>Full name <input name=n value=Ada></label>
         <input type=hidden name=qty value=1><input type=hidden name=total value='{total}'>
         <input type=hidden name=csrf value=9f8a7c6b5d4e3f2a1b0c><button name=speed value=slow>Place order</button></form>
         <script>const ask = async () => {{
           if (await (await fetch('/may-change')).text() !== 'yes') return setTimeout(ask, 50);
           {change};
           fetch('/has-changed');
         }}; ask()</script>"
    )
}

/// A shop whose page changes when `may_change` says so.
async fn shop(change: &str, restored_total: &'static str, may_change: &Arc<AtomicBool>) -> Host {
    let (change, may_change) = (change.to_owned(), Arc::clone(may_change));
    let answer = move |request: &HostRequest| {
        let has_leave = may_change.load(Ordering::SeqCst);
        match (request.method.as_str(), request.path()) {
            ("GET", "/may-change") => HostReply::Page(if has_leave { "yes" } else { "no" }.to_owned()),
            ("GET", "/") => HostReply::Page(review(if has_leave { restored_total } else { "$12.00" }, &change)),
            ("POST", _) => HostReply::Page("<h1>Thank you</h1><p>Your order was placed.</p>".to_owned()),
            _ => HostReply::Page(String::new()),
        }
    };
    Host::start("127.0.0.1", answer).await
}

async fn start(server: &ErrandServer, shop: &Host) -> anyhow::Result<(String, Value)> {
    let body = json!({"goal": "Click \"Place order\".", "start_url": shop.url("/"), "timeout_s": 50});
    let (status, created) = server.api.post_run(&body).await?;
    anyhow::ensure!(status == 201, "{created}");
    let id = created["id"].as_str().unwrap_or_default().to_owned();
    let run = server.api.wait_paused_or_finished(&id, RUN_DEADLINE).await?;
    anyhow::ensure!(run["needs"]["kind"] == "approval", "{run}");
    Ok((id, run))
}

/// Approves the pause and waits for what comes of it.
async fn approve(server: &ErrandServer, id: &str, run: &Value) -> anyhow::Result<Value> {
    let pause = run["needs"]["pause"].clone();
    let (status, answer) = server.api.reply(id, &json!({"approve": true, "pause": pause})).await?;
    anyhow::ensure!(status == 200, "{answer}");
    let is_next = |run: &Value| run["status"] != "running" && run["needs"]["pause"] != pause;
    server.api.wait_until(id, RUN_DEADLINE, is_next).await
}

/// Approved after the change: nothing may be sent, and the person is asked again.
async fn fault_of(server: &ErrandServer, change: &str) -> anyhow::Result<Option<String>> {
    let may_change = Arc::new(AtomicBool::new(false));
    let shop = shop(change, "$12.00", &may_change).await;
    let (id, run) = start(server, &shop).await?;
    may_change.store(true, Ordering::SeqCst);
    anyhow::ensure!(shop.wait_for(RUN_DEADLINE, |request| request.path() == "/has-changed").await, "no change");
    let next = approve(server, &id, &run).await?;
    server.api.stop(&id).await?;
    let sent: Vec<String> =
        shop.commits().into_iter().map(|request| format!("{} {}", request.target, request.body)).collect();
    Ok(match next["needs"]["prompt"].as_str() {
        _ if !sent.is_empty() => Some(format!("sent {sent:?}")),
        Some(prompt) if prompt.contains("It changed since it was approved") => None,
        _ => Some(format!("not asked again: {next}")),
    })
}

#[tokio::test]
async fn an_approval_is_not_carried_out_on_what_changed_since() -> anyhow::Result<()> {
    let mut server = ErrandServer::start(ServerOptions::default()).await?;
    let mut tally = Tally::new("changes after an approval");
    for (what, change) in CHANGES.iter().take(tries(4, CHANGES.len())) {
        tally.add(what, fault_of(&server, change).await?);
    }
    tally.add("restored page with another total", restored(&mut server).await?);
    tally.end();
    Ok(())
}

/// The session is lost while the person thinks; the page that comes back from the checkpoint costs more.
async fn restored(server: &mut ErrandServer) -> anyhow::Result<Option<String>> {
    let may_change = Arc::new(AtomicBool::new(false));
    let shop = shop("", "$9,999.00", &may_change).await;
    let (id, run) = start(server, &shop).await?;
    may_change.store(true, Ordering::SeqCst);
    let opened = shop.requests_of("GET", "/").len();
    server.kill().await?;
    server.restart().await?;
    let next = approve(server, &id, &run).await?;
    let is_restored = shop.requests_of("GET", "/").len() > opened;
    server.api.stop(&id).await?;
    let prompt = next["needs"]["prompt"].as_str().unwrap_or_default();
    let is_told = prompt.contains("total was \"$12.00\", is \"$9,999.00\"");
    let is_held = is_restored && is_told && shop.commits().is_empty();
    Ok((!is_held).then(|| format!("restored: {is_restored}, sent {:?}, then {next}", shop.commits())))
}

#[tokio::test]
async fn what_changes_by_itself_on_honest_pages_asks_once_and_never_for_ever() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let mut tally = Tally::new("harmless changes after an approval");
    for (what, change) in HARMLESS {
        let may_change = Arc::new(AtomicBool::new(false));
        let shop = shop(change, "$12.00", &may_change).await;
        let (id, run) = start(&server, &shop).await?;
        may_change.store(true, Ordering::SeqCst);
        anyhow::ensure!(shop.wait_for(RUN_DEADLINE, |request| request.path() == "/has-changed").await, "no change");
        let next = approve(&server, &id, &run).await?;
        let is_once = next["needs"].is_null() && shop.requests_of("POST", "/order").len() == 1;
        tally.add(what, (!is_once).then(|| format!("{} requests, then {next}", shop.commits().len())));
    }
    tally.add("a total that never stands still", endless(&server).await?);
    tally.end();
    Ok(())
}

/// Every approval is overtaken: the run ends by itself, with nothing sent.
async fn endless(server: &ErrandServer) -> anyhow::Result<Option<String>> {
    let may_change = Arc::new(AtomicBool::new(true));
    let ticking = "let n = 1; setInterval(() => document.getElementById('total').textContent = `$${++n}.00`, 20)";
    let shop = shop(ticking, "$12.00", &may_change).await;
    let (id, mut run) = start(server, &shop).await?;
    let mut approvals = 0;
    while !run["needs"].is_null() && approvals < 10 {
        run = approve(server, &id, &run).await?;
        approvals += 1;
    }
    let is_held = approvals == 3 && shop.commits().is_empty() && run["status"] == "failed";
    Ok((!is_held).then(|| format!("{approvals} approvals, {} requests, then {run}", shop.commits().len())))
}

#[tokio::test]
async fn an_approval_shows_the_sum_the_target_and_every_value() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let shop = shop("", "$12.00", &Arc::new(AtomicBool::new(false))).await;
    let (id, run) = start(&server, &shop).await?;
    server.api.stop(&id).await?;
    let needs = &run["needs"];
    assert_eq!(needs["total"], "$12.00");
    assert_eq!(needs["items"], json!(["Blue mug $12.00"]));
    assert_eq!(needs["target"], shop.address().to_string());
    let value = |name: &str, label: &str, value: &str| json!({"name": name, "label": label, "value": value});
    let sent = [
        value("n", "Full name", "Ada"),
        value("qty", "", "1"),
        value("total", "", "$12.00"),
        value("csrf", "", "[token]"),
        value("speed", "Place order", "slow"),
    ];
    assert_eq!(needs["values"], json!(sent));
    Ok(())
}
