//! Pages that a browser shows: the dashboard and the API's description. All that a run or a page said reaches them
//! through the API and is shown as text.

use crate::rest::Page;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, and what is there.
pub(crate) const PAGES: [(&str, Page); 14] = [
    ("/", Page { media_type: HTML, text: include_str!("assets/dashboard.html") }),
    ("/docs", Page { media_type: HTML, text: include_str!("assets/docs.html") }),
    ("/assets/page.css", Page { media_type: STYLE, text: include_str!("assets/page.css") }),
    ("/assets/dashboard.css", Page { media_type: STYLE, text: include_str!("assets/dashboard.css") }),
    ("/assets/docs.css", Page { media_type: STYLE, text: include_str!("assets/docs.css") }),
    ("/assets/dashboard.js", Page { media_type: SCRIPT, text: include_str!("assets/dashboard.js") }),
    ("/assets/api.js", Page { media_type: SCRIPT, text: include_str!("assets/api.js") }),
    ("/assets/dom.js", Page { media_type: SCRIPT, text: include_str!("assets/dom.js") }),
    ("/assets/runs.js", Page { media_type: SCRIPT, text: include_str!("assets/runs.js") }),
    ("/assets/run.js", Page { media_type: SCRIPT, text: include_str!("assets/run.js") }),
    ("/assets/needs.js", Page { media_type: SCRIPT, text: include_str!("assets/needs.js") }),
    ("/assets/picture.js", Page { media_type: SCRIPT, text: include_str!("assets/picture.js") }),
    ("/assets/docs.js", Page { media_type: SCRIPT, text: include_str!("assets/docs.js") }),
    ("/assets/timeline.js", Page { media_type: SCRIPT, text: include_str!("assets/timeline.js") }),
];
