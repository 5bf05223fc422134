//! A CONNECT tunnel: bytes both ways until an end, silence, or the proxy's stop.

use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, copy_bidirectional},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use crate::{
    activity::{Activity, Watched},
    limits::{PROXY_EXCHANGE_MAX, PROXY_IDLE_MAX},
};

/// Relays between the browser's connection, once it is handed over, and the site.
pub(super) async fn relay<S>(browser: OnUpgrade, site: S, stopping: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let activity = Activity::new();
    let mut site = Watched::new(site, activity.clone());
    let relaying = async {
        if let Ok(browser) = browser.await {
            // Either side breaking off is an ordinary end of a tunnel.
            let _ = copy_bidirectional(&mut TokioIo::new(browser), &mut site).await;
        }
    };
    tokio::select! {
        () = relaying => {}
        () = activity.quiet_for(PROXY_IDLE_MAX) => {}
        () = sleep(PROXY_EXCHANGE_MAX) => {}
        () = stopping.cancelled() => {}
    }
}
