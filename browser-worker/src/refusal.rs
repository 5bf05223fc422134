//! Refusals that may pass: a site that checks the browser answers with an error status and a page that reloads itself.

use errand_domain::page::PageSnapshot;

/// Pages that check a browser are small; more of a page than this says nothing new about it.
const LOOKED_AT_BYTES_MAX: usize = 256 * 1024;
/// What a page says while it checks: asked last, when its structure tells nothing. Lower case.
const CHECKING: [&str; 7] = [
    "checking your browser",
    "checking if the site connection is secure",
    "verifying you are human",
    "verify you are human",
    "just a moment",
    "enable javascript and cookies",
    "überprüfung ihres browsers",
];
/// How a script leads on once the check is done: by loading again, by sending a form, by leaving a cookie for the next visit.
const LEADING_ON: [&str; 8] = [
    "reload(",
    "location.replace(",
    "location.assign(",
    "location.href=",
    "location=",
    "location.search=",
    ".submit(",
    "document.cookie=",
];

/// Whether the page is a refusal with which the site checks the browser. A page that is forbidden or missing for good is not
/// waited for.
#[must_use]
pub fn may_pass(page: &PageSnapshot) -> bool {
    let can_pass = page.http_status.is_some_and(may_be_check);
    can_pass && (leads_on(&page.html) || says_it_checks(page))
}

/// Forbidden, too many requests, unavailable: what sites answer meanwhile.
fn may_be_check(http_status: u16) -> bool {
    matches!(http_status, 403 | 429 | 503)
}

/// The page refreshes itself, or a script of it goes on by itself.
fn leads_on(html: &str) -> bool {
    let html = html[..html.floor_char_boundary(LOOKED_AT_BYTES_MAX)].to_ascii_lowercase();
    let refreshes = elements(&html, "<meta").any(|meta| meta.contains("http-equiv") && meta.contains("refresh"));
    refreshes || scripts(&html).any(is_leading_on)
}

fn is_leading_on(script: &str) -> bool {
    let dense: String = script.split_whitespace().collect();
    // A comparison is no assignment.
    let dense = dense.replace("===", "").replace("==", "");
    LEADING_ON.iter().any(|way| dense.contains(way))
}

/// Start tags of one name.
fn elements<'a>(html: &'a str, opening: &'a str) -> impl Iterator<Item = &'a str> {
    html.split(opening).skip(1).map(|rest| rest.split('>').next().unwrap_or_default())
}

/// What stands in script elements.
fn scripts(html: &str) -> impl Iterator<Item = &str> {
    let bodies = html.split("<script").skip(1).filter_map(|rest| rest.split_once('>'));
    bodies.map(|(_, body)| body.split("</script").next().unwrap_or_default())
}

fn says_it_checks(page: &PageSnapshot) -> bool {
    let said = format!("{}\n{}", page.title, page.text).to_lowercase();
    CHECKING.iter().any(|words| said.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(http_status: u16, html: &str) -> PageSnapshot {
        PageSnapshot {
            url: "https://shop.example/".to_owned(),
            base_url: "https://shop.example/".to_owned(),
            title: "Forbidden".to_owned(),
            text: "403 Forbidden\nnginx".to_owned(),
            links: Vec::new(),
            html: html.to_owned(),
            http_status: Some(http_status),
        }
    }

    #[test]
    fn a_page_that_checks_the_browser_is_waited_for() {
        for html in [
            "<META http-equiv=refresh content='5'>",
            "<script>setTimeout(function(){ window.location . reload (true) }, 4000)</script>",
            "<script type=x>a=1</script><script>document.cookie = 'ok=1'; location.href = '/'</script>",
            "<form id=c method=post></form><script>document.getElementById('c').submit()</script>",
        ] {
            assert!(may_pass(&page(503, html)), "{html}");
            assert!(
                !may_pass(&page(404, html)) && !may_pass(&page(401, html)) && !may_pass(&page(200, html)),
                "{html}"
            );
        }
        let mut says = page(403, "<p>x</p>");
        says.title = "Just a moment...".to_owned();
        assert!(may_pass(&says));
    }

    #[test]
    fn a_page_that_is_forbidden_for_good_is_not() {
        for html in [
            "<h1>403 Forbidden</h1>",
            "<script src=/analytics.js></script><script>if (location.href == 'x') track(location.pathname)</script>",
            "<meta name=viewport content='width=device-width'><p>reload() the page</p>",
            "",
        ] {
            assert!(!may_pass(&page(403, html)), "{html}");
        }
    }
}
