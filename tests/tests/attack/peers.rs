//! Clients that take places: connections, reads, streams, and pages that take time.

use anyhow::Context;
use errand_tests::client::Api;
use errand_tests::host::{Host, HostReply};
use errand_tests::process::{ChildProcess, Launch, wait_idle};
use errand_tests::server::{API_KEY, ErrandServer, ServerOptions, errand_binary};
use futures::future::join_all;
use reqwest::Method;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};

use crate::tally::{Tally, tries};

/// The beginning of a request that never goes on.
const HALF_OPEN: &[u8] = b"GET /v1/browser/runs HTTP/1.1\r\nHost: errand\r\nX-Slow: ";
const PROBE_MAX: Duration = Duration::from_secs(1);
const READ_MAX: Duration = Duration::from_secs(1);
const END_DEADLINE: Duration = Duration::from_secs(60);
/// In a debug build on a busy machine, where Chromium's layout of such a page alone takes ten seconds.
const HUGE_READ_MAX: Duration = Duration::from_secs(20);
const HUGE_RUN_MAX: Duration = Duration::from_secs(60);

fn address_of(api: &Api) -> anyhow::Result<SocketAddr> {
    Ok(api.base().trim_start_matches("http://").parse()?)
}

/// As many files as the machine allows this test.
fn raise_open_files() -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?)
}

async fn half_open(server: SocketAddr, count: usize) -> Vec<TcpStream> {
    let mut open = Vec::new();
    for _ in 0..count {
        // One that is refused or closed at once is one less to hold.
        let Ok(mut stream) = TcpStream::connect(server).await else { continue };
        let _ = stream.write_all(HALF_OPEN).await;
        open.push(stream);
    }
    open
}

/// `GET path` over a connection of its own from this address; what was answered, and how soon.
async fn probe(from: &str, server: SocketAddr, path: &str) -> anyhow::Result<(String, Duration)> {
    let began = Instant::now();
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(from.parse()?, 0))?;
    let mut stream = socket.connect(server).await?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: errand\r\nConnection: close\r\n\r\n").as_bytes()).await?;
    let mut answer = String::new();
    let reading = tokio::io::AsyncReadExt::read_to_string(&mut stream, &mut answer);
    tokio::time::timeout(END_DEADLINE, reading).await??;
    Ok((answer.lines().next().unwrap_or_default().to_owned(), began.elapsed()))
}

fn probe_fault(answered: anyhow::Result<(String, Duration)>) -> Option<String> {
    match answered {
        Ok((status, took)) if status.contains(" 200 ") && took <= PROBE_MAX => None,
        Ok((status, took)) => Some(format!("{status:?} after {took:?}")),
        Err(error) => Some(format!("{error:#}")),
    }
}

#[tokio::test]
async fn half_open_connections_keep_nobody_out() -> anyhow::Result<()> {
    raise_open_files()?;
    let mut tally = Tally::new("half-open connections");
    let variants = [
        ("5,000 of them", 5_000, None),
        ("600 with 256 files", 600, Some(256)),
        ("200 with 128 files", 200, Some(128)),
    ];
    for (variant, count, open_files) in variants.into_iter().take(tries(2, 3)) {
        let options = ServerOptions::default();
        let options = open_files.map_or(options.clone(), |files| options.with_open_files(files));
        let server = ErrandServer::start(options).await?;
        let address = address_of(&server.api)?;
        let held = half_open(address, count).await;
        for from in ["127.0.0.1", "127.0.0.2"] {
            let answered = probe(from, address, "/healthz").await;
            if let Ok((_, took)) = &answered {
                println!("{variant}: /healthz from {from} after {took:?}");
            }
            tally.add(&format!("{variant}, /healthz from {from}"), probe_fault(answered));
        }
        let (status, _) = server.api.list_runs("").await?;
        tally.add(&format!("{variant}, a call"), (status != 200).then(|| status.to_string()));
        drop(held);
    }
    tally.end();
    Ok(())
}

#[tokio::test]
async fn when_every_connection_is_at_work_probes_are_answered_and_others_told_so() -> anyhow::Result<()> {
    let mut tally = Tally::new("connections at work");
    // Half of the files are for connections, and half of those for one peer.
    let server = ErrandServer::start(ServerOptions::default().with_open_files(200)).await?;
    let address = address_of(&server.api)?;
    let site = Host::start("127.0.0.1", |_| HostReply::Hang).await;
    let run = json!({"goal": "Read the price.", "start_url": site.url("/")});
    let id = server.api.post_run(&run).await?.1["id"].as_str().context("no id")?.to_owned();
    let mut held = Vec::new();
    for number in 0..120 {
        held.push(long_poll(address, &format!("127.0.0.{}", 2 + number % 6), &id).await?);
    }
    // A poll whose head was not read yet gives way; until all have been, one more is added before each try.
    let mut answered = String::new();
    for _ in 0..50 {
        held.push(long_poll(address, "127.0.0.9", &id).await?);
        answered = probe("127.0.0.99", address, "/v1/browser/runs").await?.0;
        if answered.contains(" 503 ") {
            break;
        }
    }
    tally.add("another call", (!answered.contains(" 503 ")).then_some(answered));
    tally.add("/healthz", probe_fault(probe("127.0.0.99", address, "/healthz").await));
    drop(held);
    tally.end();
    Ok(())
}

/// A connection at work for as long as the run goes on.
async fn long_poll(server: SocketAddr, from: &str, id: &str) -> anyhow::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(from.parse()?, 0))?;
    let mut stream = socket.connect(server).await?;
    let head = format!(
        "GET /v1/browser/runs/{id}?wait=60 HTTP/1.1\r\nHost: errand\r\nAuthorization: Bearer {API_KEY}\r\n\r\n"
    );
    // One that finds no place is told so and closed: that is what this is for.
    let _ = stream.write_all(head.as_bytes()).await;
    Ok(stream)
}

/// A server with a second account, and a client of each.
async fn two_accounts() -> anyhow::Result<(ErrandServer, Api, Api)> {
    let mut server = ErrandServer::start(ServerOptions::default()).await?;
    server.terminate().await?;
    let launch = Launch::new(errand_binary()?)
        .arg("keys")
        .arg("create")
        .arg("--account")
        .arg("second")
        .env("ERRAND_DATA_DIR", server.folder.data().display().to_string());
    let mut created = ChildProcess::start(&launch, &server.folder.logs(), "keys")?;
    anyhow::ensure!(created.wait(END_DEADLINE).await?.success(), "{}", created.stderr());
    let key = created.stdout().trim().to_owned();
    server.restart().await?;
    let (first, second) = (server.api.clone(), server.api.with_key(&key));
    Ok((server, first, second))
}

#[tokio::test]
async fn one_accounts_hanging_reads_leave_places_to_another() -> anyhow::Result<()> {
    let mut tally = Tally::new("shares of accounts");
    let (_server, first, second) = two_accounts().await?;
    let hanging = Host::start("127.0.0.1", |_| HostReply::Hang).await;
    let site = Host::start("127.0.0.1", |_| HostReply::Page("<h1>Lamp</h1><p>Price: $5</p>".to_owned())).await;
    let body = json!({"url": hanging.url("/"), "engine": "http"});
    let reads: Vec<_> = (0..8)
        .map(|_| {
            let (api, body) = (first.clone(), body.clone());
            tokio::spawn(async move { api.request(Method::POST, "/v1/read").json(&body).send().await })
        })
        .collect();
    anyhow::ensure!(hanging.wait_for(END_DEADLINE, |_| hanging.requests().len() >= 4).await, "fewer than 4 reads hang");
    let began = Instant::now();
    let (status, answer) = second.post("/v1/read", &json!({"url": site.url("/"), "engine": "http"})).await?;
    let took = began.elapsed();
    println!("the other account's read: {status} after {took:?}");
    tally.add(
        "the other account's read",
        (status != 200 || took > READ_MAX).then(|| format!("{status} {took:?} {answer}")),
    );
    let refused = first.request(Method::POST, "/v1/read").json(&body).send().await?;
    let (status, retry) = (refused.status().as_u16(), refused.headers().get("retry-after").cloned());
    tally.add("its own ninth", (status != 429 || retry.is_none()).then(|| format!("{status} {retry:?}")));
    reads.iter().for_each(tokio::task::JoinHandle::abort);
    tally.end();
    Ok(())
}

#[tokio::test]
async fn one_accounts_streams_leave_places_to_another() -> anyhow::Result<()> {
    let mut tally = Tally::new("streams of accounts");
    let (_server, first, second) = two_accounts().await?;
    let open = |api: &Api| api.request(Method::GET, "/v1/events").header("accept", "text/event-stream").send();
    let opened = join_all((0..80).map(|_| open(&first))).await;
    let statuses: Vec<u16> = opened.iter().flatten().map(|answer| answer.status().as_u16()).collect();
    let streams = statuses.iter().filter(|status| **status == 200).count();
    let refused = statuses.iter().filter(|status| **status == 429).count();
    tally.add(
        "the first account's",
        ((streams, refused) != (64, 16)).then(|| format!("{streams} open, {refused} refused")),
    );
    let other = open(&second).await?.status().as_u16();
    tally.add("the other account's", (other != 200).then(|| other.to_string()));
    tally.end();
    Ok(())
}

#[tokio::test]
async fn huge_pages_end_in_seconds() -> anyhow::Result<()> {
    let mut tally = Tally::new("huge pages");
    let pages = [
        ("prices", format!("<h1>Lamp</h1>{}", "<p>Price".repeat(1_000_000))),
        ("nested", format!("<h1>Lamp</h1>{}Price: $5", "<div>".repeat(300_000))),
        ("open spans", format!("<h1>Lamp</h1><p>Price: $5</p>{}", "<span><b>".repeat(100_000))),
    ];
    let server = ErrandServer::start(ServerOptions::default()).await?;
    for (variant, page) in pages.into_iter().take(tries(1, 3)) {
        let site = Host::start("127.0.0.1", move |_| HostReply::Page(page.clone())).await;
        let body = json!({"url": site.url("/"), "engine": "http", "schema": {"name": "string", "price": "number"}});
        let began = Instant::now();
        let (status, _) = server.api.post("/v1/read", &body).await?;
        let took = began.elapsed();
        println!("huge page {variant}: read {status} after {took:?}");
        tally.add(&format!("{variant}, a read"), (took > HUGE_READ_MAX).then(|| format!("{status} after {took:?}")));
        let body = json!({"goal": "Read the price.", "start_url": site.url("/"), "output_schema": {"price": "number"}});
        let began = Instant::now();
        let id = server.api.post_run(&body).await?.1["id"].as_str().context("no id")?.to_owned();
        let run = server.api.wait_finished(&id, END_DEADLINE * 3).await?;
        let took = began.elapsed();
        println!("huge page {variant}: run {} {} after {took:?}", run["status"], run["terminal_reason"]);
        tally.add(&format!("{variant}, a run"), (took > HUGE_RUN_MAX).then(|| format!("{run} after {took:?}")));
    }
    tally.add("its processor is idle", wait_idle(server.process_id(), END_DEADLINE).await.err().map(|e| e.to_string()));
    tally.end();
    Ok(())
}
