//! Whom a held request is a question to, and what an answer lets go.

use super::*;
use errand_domain::price::PriceTable;
use errand_domain::run::{Commit, Pause, RunRequest, Writer, create, evolve};
use errand_domain::{AccountId, CommitId, RunId, Timestamp, WorkerId};
use errand_planner::{Element, Form};
use serde_json::json;

fn run(approve: &str, goal: &str) -> Run {
    let body = json!({"goal": goal, "start_url": "https://shop.example/", "approve": approve});
    let request = RunRequest::parse(&body, AccountId::parse("a").unwrap(), String::new()).unwrap();
    let commit = Commit {
        id: CommitId(1),
        run_id: RunId::new(Timestamp::from_millis(1), 1),
        seq: 1,
        prev: None,
        at: Timestamp::from_millis(1),
        writer: Writer::Gateway,
        events: create(request.into_spec(), &PriceTable::default()),
    };
    evolve(None, &commit).unwrap()
}

fn page() -> Observation {
    let button = Element {
        reference: "e1".to_owned(),
        role: "button".to_owned(),
        name: "Show details".to_owned(),
        fingerprint: "b".to_owned(),
        form: Some(0),
        ..Element::default()
    };
    let form = Form { method: "post".to_owned(), action: "https://shop.example/step".to_owned(), ..Form::default() };
    Observation { title: "Shop".to_owned(), elements: vec![button], forms: vec![form], ..Observation::default() }
}

fn press() -> Action {
    Action::Click { target: page().elements[0].target() }
}

fn order() -> HeldRequest {
    HeldRequest {
        method: "POST".to_owned(),
        target: "shop.example".to_owned(),
        path: "/order".to_owned(),
        values: vec![("n".to_owned(), "Ada".to_owned())],
        digest: "d1".to_owned(),
    }
}

fn asked(run: &Run) -> Option<PauseRequest> {
    question(run, &press(), &[order()], &page())
}

/// The question was put, and answered like this.
fn after(mut run: Run, reply: Reply) -> Run {
    let pause = pause_of(asked(&run).unwrap());
    run.history.push(StepRecord::Replied { pause: Box::new(pause), reply });
    run
}

fn pause_of(request: PauseRequest) -> Pause {
    Pause {
        number: 1,
        kind: request.kind,
        prompt: request.prompt,
        fields: request.fields,
        stakes: request.stakes,
        options: request.options,
        proposal: request.proposal,
        screenshot: None,
        since: Timestamp::from_millis(2),
    }
}

#[test]
fn a_person_is_asked_with_what_would_be_sent() {
    let request = asked(&run("risky", "Show the details.")).unwrap();
    assert!(request.prompt.ends_with("on Shop? It would send POST shop.example/order"), "{}", request.prompt);
    assert_eq!(request.fields, ["n: \"Ada\""]);
    assert_eq!(request.proposal.unwrap().request.as_deref(), Some("d1"));
}

#[test]
fn nobody_is_asked_where_nobody_may_be_or_the_goal_forbids_it() {
    assert!(asked(&run("never", "Show the details.")).is_none());
    assert!(asked(&run("risky", "Fill in the name. Do not submit the form.")).is_none());
    assert!(!holds(&run("never", "Show the details.")));
    assert!(holds(&run("never", "Fill in the name. Do not submit the form.")));
}

#[test]
fn what_was_refused_or_approved_in_vain_is_not_asked_again() {
    let refused = after(run("risky", "Show the details."), Reply::Refuse { note: None });
    assert!(asked(&refused).is_none());
    let once = after(run("risky", "Show the details."), Reply::Approve);
    assert!(asked(&once).is_some());
    assert!(asked(&after(once, Reply::Approve)).is_none());
}

#[test]
fn an_answer_lets_only_its_request_go() {
    let mut run = run("risky", "Show the details.");
    let form = Commits::Form { method: "post".to_owned(), url: "https://shop.example/step".to_owned() };
    assert_eq!(permission(&run, false, &press(), &page()), form, "what the page showed was judged");
    assert_eq!(permission(&run, true, &press(), &page()), Commits::Any);
    let pause = pause_of(asked(&run).unwrap());
    let worker = WorkerId::parse("w1").unwrap();
    let grant = Some(Grant { pause, reply: Reply::Approve });
    let since = Timestamp::from_millis(3);
    run.phase = Phase::Stepping { attempt: 2, worker, since, grant, in_doubt: None, chosen: None };
    assert_eq!(permission(&run, true, &press(), &page()), Commits::Only("d1".to_owned()));
}
