//! Pages that try to reach an address given as `?to=host:port` by every way a page has; for tests of the egress rules.
//!
//! Each page writes what it noticed into `#outcome`; whether a connection was made is for the listener at `to` to say.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::json;

use super::html::{self, escape};
use super::state::SiteState;

#[derive(Debug, Deserialize)]
struct Target {
    /// `host:port` to try to reach.
    to: String,
}

/// A way and the script that tries it; `to` and `note` are in scope.
const SCRIPTS: [(&str, &str); 10] = [
    ("fetch", "fetch('http://'+to+'/fetch',{mode:'no-cors'}).then(()=>note('reached'),()=>note('failed'));"),
    (
        "websocket",
        "const s=new WebSocket('ws://'+to+'/websocket');s.onopen=()=>note('reached');s.onerror=()=>note('failed');",
    ),
    (
        "image",
        "const i=new Image();i.onload=()=>note('reached');i.onerror=()=>note('failed');i.src='http://'+to+'/image';",
    ),
    (
        "iframe",
        "const f=document.createElement('iframe');f.onload=()=>note('settled');f.src='http://'+to+'/iframe';document.body.append(f);",
    ),
    ("beacon", "note(navigator.sendBeacon('http://'+to+'/beacon','x')?'queued':'refused');"),
    (
        "worker",
        "const code=\"fetch('http://\"+to+\"/worker',{mode:'no-cors'}).then(()=>postMessage('reached'),()=>postMessage('failed'))\";\
         const w=new Worker(URL.createObjectURL(new Blob([code])));w.onmessage=event=>note(event.data);w.onerror=()=>note('failed');",
    ),
    (
        "script",
        "const j=document.createElement('script');j.onload=()=>note('reached');j.onerror=()=>note('failed');j.src='http://'+to+'/script';document.head.append(j);",
    ),
    (
        "eventsource",
        "const e=new EventSource('http://'+to+'/eventsource');e.onopen=()=>note('reached');e.onerror=()=>{e.close();note('failed');};",
    ),
    ("popup", "note(open('http://'+to+'/popup')?'opened':'refused');"),
    (
        "webrtc",
        "const p=new RTCPeerConnection({iceServers:[{urls:'stun:'+to}]});p.createDataChannel('x');\
         p.onicegatheringstatechange=()=>{if(p.iceGatheringState==='complete')note('settled');};p.createOffer().then(o=>p.setLocalDescription(o));",
    ),
];

pub fn routes() -> Router<Arc<SiteState>> {
    Router::new()
        .route("/hostile", get(index))
        .route("/hostile/all", get(all))
        .route("/hostile/meta", get(meta_refresh))
        .route("/hostile/redirect", get(redirect))
        .route("/hostile/location", get(location))
        .route("/hostile/form", get(form))
        .route("/hostile/checking", get(checking))
        .route("/hostile/{way}", get(by_script))
}

/// Refused until a script of the refusal has set a cookie and loaded it again, as sites do that check the browser.
async fn checking(headers: HeaderMap) -> Response {
    let is_checked = headers.get(header::COOKIE).is_some_and(|cookies| cookies.as_bytes().starts_with(b"checked=1"));
    if is_checked {
        return html::page("Brass lamp", "<h1>Brass lamp</h1><p>Price: $12.50</p>").into_response();
    }
    let body = "<h1>Checking your browser</h1><p>This takes a moment. <a href=\"/news\">Help</a></p><script>setTimeout(()=>{document.cookie='checked=1';location.reload()},2500)</script>";
    (StatusCode::SERVICE_UNAVAILABLE, html::page("One moment", body)).into_response()
}

async fn index() -> Html<String> {
    let ways = SCRIPTS.iter().map(|(way, _)| *way).chain(["all", "meta", "redirect", "location", "form"]);
    let items: String = ways.map(|way| format!("<li>/hostile/{way}?to=host:port</li>")).collect();
    html::page("Hostile pages", &format!("<h1>Hostile pages</h1><ul>{items}</ul>"))
}

async fn by_script(Path(way): Path<String>, Query(target): Query<Target>) -> Response {
    let Some((_, script)) = SCRIPTS.iter().find(|(name, _)| *name == way) else {
        return (StatusCode::NOT_FOUND, html::page("Not found", "<h1>No such hostile page</h1>")).into_response();
    };
    page(&way, &target.to, &attempt(&way, script)).into_response()
}

/// Every way at once that leaves the page where it is.
async fn all(Query(target): Query<Target>) -> Html<String> {
    let scripts: String = SCRIPTS.iter().map(|(way, script)| attempt(way, script)).collect();
    page("all", &target.to, &scripts)
}

fn attempt(way: &str, script: &str) -> String {
    format!("(()=>{{const note=text=>say('{way}',text);try{{{script}}}catch(error){{note('threw')}}}})();\n")
}

fn page(title: &str, to: &str, scripts: &str) -> Html<String> {
    html::page(
        &format!("Hostile: {title}"),
        &format!(
            "<h1>Hostile page</h1><ul id=\"outcome\"></ul><script>const to={};\
             const say=(way,text)=>{{const item=document.createElement('li');item.textContent=way+': '+text;document.getElementById('outcome').append(item);}};\n{scripts}</script>",
            html::script_json(&json!(to))
        ),
    )
}

async fn meta_refresh(Query(target): Query<Target>) -> Html<String> {
    let head = format!("<meta http-equiv=\"refresh\" content=\"0; url=http://{}/meta\">", escape(&target.to));
    html::page_with_head("Hostile: meta", &head, "<h1>Hostile page</h1><p>Moving on by meta refresh.</p>")
}

async fn redirect(Query(target): Query<Target>) -> Response {
    let is_host_and_port = target.to.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".:-[]".contains(&byte));
    if !is_host_and_port {
        return (StatusCode::BAD_REQUEST, "to must be host:port").into_response();
    }
    (StatusCode::FOUND, [(header::LOCATION, format!("http://{}/redirect", target.to))]).into_response()
}

async fn location(Query(target): Query<Target>) -> Html<String> {
    page("location", &target.to, "location.href='http://'+to+'/location';")
}

async fn form(Query(target): Query<Target>) -> Html<String> {
    let action = escape(&target.to);
    html::page(
        "Hostile: form",
        &format!(
            "<h1>Hostile page</h1><form id=\"f\" method=\"post\" action=\"http://{action}/form\"><input name=\"x\" value=\"1\"></form><script>document.getElementById('f').submit();</script>"
        ),
    )
}
