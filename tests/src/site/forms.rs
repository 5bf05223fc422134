//! Plain forms whose submissions are kept, so that a test sees what was really sent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Form, Json, Router};

use super::html::{self, escape};
use super::seed;
use super::state::{SiteState, lock};

/// The fields of one submitted form, by name.
pub type Submission = BTreeMap<String, String>;

/// Submissions kept per form; a test sends a handful.
const SUBMISSIONS_MAX: usize = 1000;
const NAV: &str = "<nav><a href=\"/\">Start</a><a href=\"/forms/contact\">Contact</a><a href=\"/forms/newsletter\">Newsletter</a></nav>";

#[derive(Debug, Default)]
pub struct Submissions {
    by_form: Mutex<BTreeMap<String, Vec<Submission>>>,
}

impl Submissions {
    pub fn of(&self, form: &str) -> Vec<Submission> {
        lock(&self.by_form).get(form).cloned().unwrap_or_default()
    }

    /// Keeps a submission and says how many came before it.
    pub fn add(&self, form: &str, submission: Submission) -> usize {
        let mut by_form = lock(&self.by_form);
        let kept = by_form.entry(form.to_owned()).or_default();
        let before = kept.len();
        if before < SUBMISSIONS_MAX {
            kept.push(submission);
        }
        before
    }
}

pub fn routes() -> Router<Arc<SiteState>> {
    Router::new()
        .route("/forms/contact", get(contact).post(send_contact))
        .route("/forms/contact/sent/{reference}", get(contact_sent))
        .route("/forms/newsletter", get(newsletter).post(subscribe))
        .route("/forms/delete-account", get(delete_account).post(account_deleted))
        .route("/forms/consent", get(consent))
        .route("/forms/submissions.json", get(submissions_json))
}

async fn submissions_json(State(state): State<Arc<SiteState>>) -> Json<BTreeMap<String, Vec<Submission>>> {
    Json(lock(&state.submissions.by_form).clone())
}

async fn contact() -> Html<String> {
    contact_page("")
}

fn contact_page(error: &str) -> Html<String> {
    let body = format!(
        "{NAV}<h1>Contact us</h1>{error}<form method=\"post\" action=\"/forms/contact\">\
         <p><label for=\"name\">Your name</label> <input id=\"name\" name=\"name\"></p>\
         <p><label for=\"email\">Email</label> <input id=\"email\" name=\"email\" type=\"email\"></p>\
         <p><label for=\"topic\">Topic</label> <select id=\"topic\" name=\"topic\"><option>General question</option>\
         <option>Billing</option><option>Technical problem</option><option>Press</option></select></p>\
         <p><label for=\"message\">Message</label> <textarea id=\"message\" name=\"message\" rows=\"4\"></textarea></p>\
         <p><label><input type=\"checkbox\" name=\"copy\" value=\"yes\"> Send me a copy</label></p>\
         <p><button type=\"submit\">Send message</button></p></form>"
    );
    html::page("Contact us", &body)
}

async fn send_contact(State(state): State<Arc<SiteState>>, Form(fields): Form<Submission>) -> Response {
    let lacks = |name: &str| fields.get(name).is_none_or(|value| value.trim().is_empty());
    if lacks("name") || lacks("email") || lacks("message") {
        let error = "<p class=\"error\" role=\"alert\">Name, email and message are needed.</p>";
        return (StatusCode::UNPROCESSABLE_ENTITY, contact_page(error)).into_response();
    }
    let before = state.submissions.add("contact", fields);
    let reference = seed::six_digits(state.seed, "contact", before as u64);
    Redirect::to(&format!("/forms/contact/sent/CF-{reference}")).into_response()
}

async fn contact_sent(Path(reference): Path<String>) -> Html<String> {
    let shown = escape(&reference);
    html::page(
        "Message sent",
        &format!("{NAV}<h1>Message sent</h1><p>Thank you for writing to us.</p><p>Reference: {shown}</p>"),
    )
}

async fn newsletter() -> Html<String> {
    html::page(
        "Newsletter",
        &format!(
            "{NAV}<h1>Newsletter</h1><form method=\"post\" action=\"/forms/newsletter\"><p><label for=\"email\">Email address</label> \
             <input id=\"email\" name=\"email\" type=\"email\" required></p><p><button>Subscribe</button></p></form>"
        ),
    )
}

async fn subscribe(State(state): State<Arc<SiteState>>, Form(fields): Form<Submission>) -> Html<String> {
    let email = escape(fields.get("email").map(String::as_str).unwrap_or_default());
    state.submissions.add("newsletter", fields);
    html::page("Subscribed", &format!("{NAV}<h1>You are subscribed</h1><p>The next issue goes to {email}.</p>"))
}

async fn delete_account() -> Html<String> {
    html::page(
        "Your account",
        &format!(
            "{NAV}<h1>Your account</h1><p>Member since 2019.</p><form method=\"post\" action=\"/forms/delete-account\">\
             <button type=\"submit\">Delete my account</button></form><p><a href=\"/\">Keep my account</a></p>"
        ),
    )
}

async fn account_deleted(State(state): State<Arc<SiteState>>, Form(fields): Form<Submission>) -> Html<String> {
    state.submissions.add("delete-account", fields);
    html::page(
        "Account deleted",
        &format!("{NAV}<h1>Your account has been deleted</h1><p>We are sorry to see you go.</p>"),
    )
}

/// The banner covers the page and swallows clicks until it is answered.
async fn consent() -> Html<String> {
    let head = "<style>#consent{position:fixed;inset:0;background:rgba(0,0,0,.6);display:flex;align-items:center;justify-content:center}\
                #consent div{background:#fff;padding:2rem}</style>";
    let body = format!(
        "{NAV}<h1>Opening hours</h1><p>The museum opens at <b>10:30</b> and closes at <b>17:45</b>.</p>\
         <p><a href=\"/forms/consent?details\" id=\"details\">Show prices</a></p><p id=\"prices\" hidden>Adults: $14.00. Children: $6.50.</p>\
         <div id=\"consent\" role=\"dialog\" aria-modal=\"true\" aria-label=\"Cookies\"><div><h2>We value your privacy</h2>\
         <p>We and our 412 partners would like to store cookies.</p><button id=\"accept\">Accept all</button> <button id=\"reject\">Reject all</button></div></div>\
         <script>const close=choice=>{{document.cookie='consent='+choice+'; path=/';document.getElementById('consent').remove();}};\
         for(const id of ['accept','reject'])document.getElementById(id).addEventListener('click',()=>close(id));\
         if(document.cookie.includes('consent='))document.getElementById('consent').remove();\
         document.getElementById('details').addEventListener('click',event=>{{event.preventDefault();document.getElementById('prices').hidden=false;}});</script>"
    );
    html::page_with_head("Opening hours", head, &body)
}
