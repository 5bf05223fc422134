//! One request of the browser: where it wants to go, whether it may, and carrying it there.

use std::{convert::Infallible, sync::Arc};

use http::{HeaderValue, Method, Request, Response, Uri, header, uri::Scheme};
use http_body_util::BodyExt;
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpStream,
    sync::OwnedSemaphorePermit,
    time::{Instant, sleep},
};
use url::{Host, Url};

use super::{
    Shared,
    answer::{Body, EGRESS_HEADER, Refusal, tunnel_opened},
    commits::{Leave, Place},
    headers::strip_hop_by_hop,
    ledger::{BlockReason, BlockedAttempt},
    tunnel,
};
use crate::{
    activity::{Activity, Watched},
    dialer::ConnectError,
    hosts::normal_host,
    limits::{PROXY_CONNECT_MAX, PROXY_EXCHANGE_MAX, PROXY_IDLE_MAX},
};

const HTTP_PORT: u16 = 80;

/// Answers the requests of one connection.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    shared: Arc<Shared>,
    slot: Arc<OwnedSemaphorePermit>,
}

impl Exchange {
    pub(super) fn new(shared: Arc<Shared>, slot: Arc<OwnedSemaphorePermit>) -> Self {
        Self { shared, slot }
    }

    /// Every request gets an answer; what is not a site's carries [`EGRESS_HEADER`].
    pub(super) async fn answer(self, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        let answered = match Destination::of(request.method(), request.uri()) {
            Some(destination) if request.method() == Method::CONNECT => self.open_tunnel(&destination, request).await,
            Some(destination) => self.forward(&destination, request).await,
            None => Err(Refusal::NotForAProxy),
        };
        Ok(answered.unwrap_or_else(Refusal::into_response))
    }

    async fn open_tunnel(self, to: &Destination, mut request: Request<Incoming>) -> Result<Response<Body>, Refusal> {
        if !self.shared.tunnels.may_open(&to.place()).await {
            tracing::info!(host = %to.host, port = to.port, "no second connection while a committing request is under way");
            return Err(Refusal::Repeated);
        }
        let site = self.connect(to).await?;
        let browser = hyper::upgrade::on(&mut request);
        let stopping = self.shared.stopping.clone();
        let (slot, shared, place) = (self.slot, self.shared.clone(), to.place());
        self.shared.tasks.spawn(async move {
            let entry = shared.tunnels.enter(place);
            tunnel::relay(browser, site, &entry, stopping).await;
            drop(entry);
            drop(slot);
        });
        Ok(tunnel_opened())
    }

    /// Forwards over a connection of its own: none is shared or reused, so the check at connecting covers the request.
    async fn forward(self, to: &Destination, mut request: Request<Incoming>) -> Result<Response<Body>, Refusal> {
        self.check_leave(&request)?;
        let site = self.connect(to).await?;
        rewrite_for_site(&mut request, to);
        let activity = Activity::new();
        let watched = TokioIo::new(Watched::new(site, activity.clone()));
        let (mut sender, connection) = http1::handshake(watched).await.map_err(|error| self.broken(error))?;
        let stopping = self.shared.stopping.clone();
        self.shared.tasks.spawn(async move {
            tokio::select! {
                // Its errors reach the request or the response's body.
                _ = connection => {}
                () = activity.quiet_for(PROXY_IDLE_MAX) => {}
                () = sleep(PROXY_EXCHANGE_MAX) => {}
                () = stopping.cancelled() => {}
            }
        });
        let mut response = sender.send_request(request).await.map_err(|error| self.broken(error))?;
        strip_hop_by_hop(response.headers_mut());
        response.headers_mut().remove(EGRESS_HEADER);
        Ok(response.map(BodyExt::boxed))
    }

    /// What changes things goes once, and only when it was decided on.
    fn check_leave(&self, request: &Request<Incoming>) -> Result<(), Refusal> {
        let url = Url::parse(&request.uri().to_string()).map_err(|_error| Refusal::NotForAProxy)?;
        match self.shared.tunnels.commits(|commits| commits.leave(request.method(), url)) {
            Leave::Granted => Ok(()),
            Leave::Repeated => Err(Refusal::Repeated),
            Leave::Unknown => Err(Refusal::Undecided),
        }
    }

    /// The only place where a connection for the browser is opened: first the host rules, then the address policy.
    async fn connect(&self, to: &Destination) -> Result<TcpStream, Refusal> {
        if !self.shared.rules.allows_normal(&to.host) {
            return Err(self.blocked(to, BlockReason::HostNotAllowed));
        }
        let deadline = Instant::now() + PROXY_CONNECT_MAX;
        match self.shared.dialer.connect(&to.host.to_string(), to.port, deadline).await {
            Ok((site, _)) => {
                self.shared.ledger.record_allowed();
                Ok(site)
            }
            Err(ConnectError::Blocked { source, .. }) => Err(self.blocked(to, BlockReason::Address(source))),
            Err(error) => {
                self.shared.ledger.record_failed();
                if error.is_of_machine() {
                    self.shared.ledger.record_starved();
                }
                Err(Refusal::Unreachable(error))
            }
        }
    }

    fn broken(&self, error: hyper::Error) -> Refusal {
        self.shared.ledger.record_failed();
        Refusal::Broken(error)
    }

    fn blocked(&self, to: &Destination, reason: BlockReason) -> Refusal {
        let host = to.host.to_string();
        tracing::info!(host, port = to.port, %reason, "egress blocked");
        self.shared.ledger.record_blocked(BlockedAttempt { host: host.clone(), port: to.port, reason: reason.clone() });
        Refusal::Blocked { host, reason }
    }
}

/// Where a request wants to go.
#[derive(Debug, PartialEq, Eq)]
struct Destination {
    host: Host<String>,
    port: u16,
}

impl Destination {
    /// CONNECT in authority form, everything else in absolute form with http (RFC 9112 §3.2); all else is no request
    /// for a proxy.
    fn of(method: &Method, uri: &Uri) -> Option<Self> {
        let authority = uri.authority()?;
        let port = match (method, uri.scheme()) {
            (&Method::CONNECT, None) => authority.port_u16()?,
            (_, Some(scheme)) if *scheme == Scheme::HTTP => authority.port_u16().unwrap_or(HTTP_PORT),
            (_, Some(_) | None) => return None,
        };
        let host = normal_host(authority.host()).ok()?;
        Some(Self { host, port })
    }

    fn place(&self) -> Place {
        (self.host.to_string(), self.port)
    }

    fn host_header(&self) -> Option<HeaderValue> {
        let text = if self.port == HTTP_PORT { self.host.to_string() } else { format!("{}:{}", self.host, self.port) };
        HeaderValue::from_str(&text).ok()
    }
}

/// Origin form, the destination as Host, and nothing that belongs to the browser's connection (RFC 9112 §3.2.1).
fn rewrite_for_site(request: &mut Request<Incoming>, to: &Destination) {
    let path = request.uri().path_and_query().cloned();
    *request.uri_mut() = path.map_or_else(|| Uri::from_static("/"), Uri::from);
    let headers = request.headers_mut();
    strip_hop_by_hop(headers);
    if let Some(host) = to.host_header() {
        headers.insert(header::HOST, host);
    }
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(method: Method, uri: &str) -> Option<(String, u16)> {
        let uri = uri.parse().unwrap();
        Destination::of(&method, &uri).map(|to| (to.host.to_string(), to.port))
    }

    #[test]
    fn connect_and_absolute_forms_name_their_destination_as_browsers_read_it() {
        for (method, uri, host, port) in [
            (Method::CONNECT, "Example.com:443", "example.com", 443),
            (Method::CONNECT, "[::1]:8443", "[::1]", 8443),
            (Method::GET, "http://example.com/a?b", "example.com", 80),
            (Method::POST, "http://user:pass@example.com.:8080/", "example.com", 8080),
            (Method::GET, "http://0x7f.1/", "127.0.0.1", 80),
            (Method::GET, "http://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]", 80),
        ] {
            assert_eq!(destination(method, uri), Some((host.to_owned(), port)), "{uri}");
        }
    }

    #[test]
    fn other_forms_are_no_requests_for_a_proxy() {
        for (method, uri) in [
            (Method::GET, "/"),
            (Method::OPTIONS, "*"),
            (Method::GET, "https://example.com/"),
            (Method::GET, "ftp://example.com/"),
            (Method::CONNECT, "example.com"),
            (Method::GET, "example.com:80"),
        ] {
            assert_eq!(destination(method, uri), None, "{uri}");
        }
    }
}
