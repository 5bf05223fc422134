//! Shops that make the browser send an approved order again: by closing or resetting its connection, by answers that ask
//! for a repetition, by pages that reload themselves.

use errand_tests::host::{Host, HostReply, HostRequest};
use errand_tests::receiver::TestCa;
use errand_tests::server::{ErrandServer, ServerOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::tally::{Tally, tries};

const RUN_DEADLINE: Duration = Duration::from_secs(120);
/// Runs at the same time; more only wait for each other.
const AT_ONCE: usize = 3;
/// Questions that one run may ask here: the order, and whether it happened.
const QUESTIONS_MAX: u64 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trick {
    Close,
    Reset,
    Status408,
    Status421,
    FetchClose,
    Reload,
}

const TRICKS: [Trick; 6] =
    [Trick::Close, Trick::Reset, Trick::Status408, Trick::Status421, Trick::FetchClose, Trick::Reload];

#[derive(Debug, Clone, Copy)]
struct Variant {
    trick: Trick,
    is_tls: bool,
    approve: &'static str,
}

impl Trick {
    /// The server got it, and nobody knows what it did.
    fn leaves_doubt(self) -> bool {
        match self {
            Self::Close | Self::Reset | Self::Status421 | Self::FetchClose => true,
            Self::Status408 | Self::Reload => false,
        }
    }

    fn page(self) -> String {
        let button = match self {
            Self::FetchClose => {
                "<button onclick=\"event.preventDefault();
                fetch('/order', {method: 'POST', body: new URLSearchParams({n: 'Ada'})})
                    .then(a => a.text()).then(t => out.textContent = t, () => out.textContent = 'Network error')\">
                Place order</button><p id=out></p>"
            }
            Self::Close | Self::Reset | Self::Status408 | Self::Status421 | Self::Reload => {
                "<button>Place order</button>"
            }
        };
        format!(
            "<title>Review</title><h1>Review</h1>
             <form method=post action=/order><label>Name <input name=n value=Ada></label>{button}</form>"
        )
    }

    /// The answer to the first order; a second one, should it come, is answered well.
    fn answer(self) -> HostReply {
        match self {
            Self::Close | Self::FetchClose => HostReply::Close,
            Self::Reset => HostReply::Reset,
            Self::Status408 => HostReply::Status(408, "<h1>Request timeout</h1>".to_owned()),
            Self::Status421 => HostReply::Status(421, "<h1>Misdirected</h1>".to_owned()),
            Self::Reload => HostReply::Page(
                "<h1>Order number: ZX-1</h1><script>setTimeout(() => location.reload(), 100)</script>".to_owned(),
            ),
        }
    }
}

/// The ones that differ most come first, since only some of them are tried in every run of the tests.
fn variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    for (is_tls, approve) in [(true, "never"), (true, "risky"), (false, "never"), (false, "risky")] {
        variants.extend(TRICKS.map(|trick| Variant { trick, is_tls, approve }));
    }
    variants
}

async fn shop(variant: Variant, ca: &TestCa) -> Host {
    let orders = AtomicUsize::new(0);
    let handler = move |request: &HostRequest| match (request.method.as_str(), request.path()) {
        ("POST", "/order") if orders.fetch_add(1, Ordering::Relaxed) == 0 => variant.trick.answer(),
        ("POST", "/order") => HostReply::Page("<h1>Order number: ZX-2</h1>".to_owned()),
        (_, "/") => HostReply::Page(variant.trick.page()),
        _ => HostReply::Status(404, String::new()),
    };
    if variant.is_tls {
        Host::start_tls("127.0.0.1", ca, handler).await
    } else {
        Host::start("127.0.0.1", handler).await
    }
}

/// Approves the order, and says of one that may have happened that it has.
async fn answer_questions(server: &ErrandServer, id: &str) -> anyhow::Result<(Value, bool)> {
    let mut has_doubted = false;
    for question in 1..=QUESTIONS_MAX {
        let run = server.api.wait_paused_or_finished(id, RUN_DEADLINE).await?;
        if run["status"] != "waiting_for_human" {
            return Ok((run, has_doubted));
        }
        let is_doubt = run["needs"]["prompt"].as_str().unwrap_or_default().contains("may already have happened");
        has_doubted |= is_doubt;
        server.api.reply(id, &json!({"approve": !is_doubt, "pause": question})).await?;
    }
    Ok((server.api.wait_paused_or_finished(id, RUN_DEADLINE).await?, has_doubted))
}

async fn fault(server: &ErrandServer, variant: Variant, ca: &TestCa) -> anyhow::Result<Option<String>> {
    let shop = shop(variant, ca).await;
    let body = json!({"goal": "Click \"Place order\".", "start_url": shop.url("/"), "approve": variant.approve});
    let (status, created) = server.api.post_run(&body).await?;
    anyhow::ensure!(status == 201, "{created}");
    let id = created["id"].as_str().unwrap_or_default().to_owned();
    let (run, has_doubted) = answer_questions(server, &id).await?;
    let orders = shop.requests_of("POST", "/order");
    if orders.len() != 1 {
        let connections: Vec<usize> = orders.iter().map(|order| order.connection).collect();
        return Ok(Some(format!("{} orders over connections {connections:?}; {}", orders.len(), run["error"])));
    }
    let is_doubted = match variant.approve {
        "never" => run["terminal_reason"] == "action_in_doubt",
        _ => has_doubted,
    };
    let is_wrong = variant.trick.leaves_doubt() && !is_doubted;
    Ok(is_wrong.then(|| format!("not in doubt: {} {}", run["terminal_reason"], run["error"])))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_order_is_sent_once() -> anyhow::Result<()> {
    let ca = Arc::new(TestCa::new());
    let folder = tempfile::tempdir()?;
    let ca_file = folder.path().join("ca.pem");
    ca.write_pem(&ca_file)?;
    let options = ServerOptions::default().with("ERRAND_EXTRA_CA", ca_file.display().to_string());
    let server = Arc::new(ErrandServer::start(options).await?);
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for variant in variants().into_iter().take(tries(6, 24)) {
        let (server, ca, places) = (Arc::clone(&server), Arc::clone(&ca), Arc::clone(&places));
        running.spawn(async move {
            let _place = places.acquire_owned().await?;
            let fault = fault(&server, variant, &ca).await;
            anyhow::Ok((variant, fault?))
        });
    }
    let mut tally = Tally::new("orders sent again");
    while let Some(tried) = running.join_next().await {
        let (variant, fault) = tried??;
        tally.add(&format!("{variant:?}"), fault);
    }
    tally.end();
    Ok(())
}
