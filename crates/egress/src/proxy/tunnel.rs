//! A CONNECT tunnel: bytes both ways until an end, silence, or the proxy's stop.

use std::io;

use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use super::{commits::EndedBy, tunnels::Entry};
use crate::{
    activity::{Activity, Watched},
    limits::{PROXY_EXCHANGE_MAX, PROXY_IDLE_MAX, TUNNEL_READ_BYTES},
};

/// Relays between the browser's connection, once it is handed over, and the site. The site is connected to before, so that
/// the browser hears of a refusal.
pub(super) async fn relay<S>(browser: OnUpgrade, site: S, entry: &Entry<'_>, stopping: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let activity = Activity::new();
    let site = Watched::new(site, activity.clone());
    let relaying = async {
        if let Ok(browser) = browser.await {
            both_ways(TokioIo::new(browser), site, entry).await;
        }
    };
    tokio::select! {
        () = relaying => {}
        () = activity.quiet_for(PROXY_IDLE_MAX) => {}
        () = sleep(PROXY_EXCHANGE_MAX) => {}
        () = entry.end.cancelled() => {}
        () = stopping.cancelled() => {}
    }
}

/// Ends when both directions have ended, or one broke; either is an ordinary end of a tunnel.
async fn both_ways<B, S>(browser: B, site: S, entry: &Entry<'_>)
where
    B: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (from_browser, to_browser) = split(browser);
    let (from_site, to_site) = split(site);
    let asking = carry(from_browser, to_site, |_bytes| entry.asked(), || entry.ends(EndedBy::Browser));
    let answering = carry(from_site, to_browser, |bytes| entry.answered(bytes), || entry.ends(EndedBy::Site));
    let _ = tokio::try_join!(asking, answering);
}

/// Copies until the end. What moved is noted before it goes on, and the end before it is passed on.
async fn carry<R, W>(mut from: R, mut to: W, moved: impl Fn(u64), ended: impl Fn()) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut buffer = vec![0; TUNNEL_READ_BYTES];
    loop {
        let count = from.read(&mut buffer).await.inspect_err(|_error| ended())?;
        if count == 0 {
            ended();
            return to.shutdown().await;
        }
        moved(count as u64);
        to.write_all(&buffer[..count]).await?;
        to.flush().await?;
    }
}
