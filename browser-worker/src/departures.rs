//! The session's proxy as the wire that the browser's guard speaks to.

use errand_browser::{Departure, Wire};
use errand_egress::Departures;
use std::future::Future;
use std::pin::Pin;
use url::Url;

#[derive(Debug)]
pub(crate) struct ProxyWire {
    pub(crate) departures: Departures,
}

impl Wire for ProxyWire {
    fn allow(&self, method: &str, url: &Url) {
        self.departures.allow(method, url);
    }

    fn departs<'a>(&'a self, departure: Departure<'a>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        self.departures.allow(departure.method, departure.url);
        Box::pin(async move {
            if departure.is_watched {
                self.departures.depart(departure.url).await;
            }
        })
    }

    fn answered(&self, url: &Url) {
        self.departures.answered(url);
    }

    fn has_refused(&self, url: &Url) -> bool {
        self.departures.has_refused(url)
    }
}
