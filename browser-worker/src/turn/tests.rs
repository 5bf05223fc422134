//! What a step does with the page in front of it.

use super::*;
use errand_domain::price::PriceTable;
use errand_domain::run::{
    ActionChosen, Command, Commit, GatewayCommand, HumanAsked, RunRequest, SchedulerCommand, StepFinished, StepStarted,
    Usage, WorkerCommand, Writer, create, decide, evolve,
};
use errand_domain::{AccountId, CommitId, RunId, SecretName, Timestamp, WorkerId};
use errand_egress::OriginRules;
use errand_planner::{Element, Form, FormField, SentControl};
use serde_json::json;

fn worker() -> WorkerId {
    WorkerId::parse("w1").unwrap()
}

/// A claimed first step of a run with this approval policy.
fn stepping(approve: &str) -> Run {
    let body = json!({"goal": "Order a mug.", "start_url": "https://shop.example/", "approve": approve});
    let request = RunRequest::parse(&body, AccountId::parse("a").unwrap(), String::new()).unwrap();
    let run = append(None, create(request.into_spec(), &PriceTable::default()));
    claim(run, 1, 1)
}

fn append(run: Option<Run>, events: Vec<errand_domain::run::RunEvent>) -> Run {
    let seq = run.as_ref().map_or(1, |run| run.seq + 1);
    let commit = Commit {
        id: CommitId(u128::from(seq)),
        run_id: run.as_ref().map_or_else(|| RunId::new(Timestamp::from_millis(1), 1), |run| run.id.clone()),
        seq,
        prev: run.as_ref().map(|run| run.last_commit),
        at: Timestamp::from_millis(i64::try_from(seq).unwrap()),
        writer: Writer::Worker,
        events,
    };
    evolve(run, &commit).unwrap()
}

fn after(run: Run, command: impl Into<Command>) -> Run {
    let events = decide(&run, command.into(), run.last_at).unwrap();
    append(Some(run), events)
}

fn claim(run: Run, step: u32, attempt: u32) -> Run {
    after(run, WorkerCommand::StartStep(StepStarted { step, attempt, worker: worker() }))
}

fn button(name: &str) -> Element {
    Element {
        reference: "e1".to_owned(),
        role: "button".to_owned(),
        name: name.to_owned(),
        tag: "button".to_owned(),
        input_type: Some("submit".to_owned()),
        form: Some(0),
        submits: true,
        fingerprint: format!("button-{name}"),
        ..Element::default()
    }
}

/// A review page whose form shows the customer's name and has one button.
fn review(customer: &str) -> Observation {
    let field = FormField { label: "Full name".to_owned(), value: customer.to_owned() };
    let form = Form {
        method: "post".to_owned(),
        action: "https://shop.example/orders".to_owned(),
        fields: vec![field],
        ..Form::default()
    };
    Observation {
        url: "https://shop.example/review".to_owned(),
        title: "Review your order".to_owned(),
        elements: vec![button("Place order")],
        forms: vec![form],
        ..Observation::default()
    }
}

fn decided(run: &Run, observation: &Observation, decision: Decision) -> Turn {
    let mut secrets = SecretOrigins::default();
    secrets.insert(password(), OriginRules::parse(["shop.example"]).unwrap());
    after_planning(run, observation, decision, &secrets)
}

fn password() -> SecretName {
    SecretName::parse("password").unwrap()
}

/// A field of a document of this origin, in a form that goes to these, and a secret typed into it.
fn typing(origin: &str, destinations: &[&str]) -> (Observation, Action) {
    let field = Element {
        reference: "e1".to_owned(),
        role: "textbox".to_owned(),
        name: "Password".to_owned(),
        origin: origin.to_owned(),
        destinations: destinations.iter().map(|each| (*each).to_owned()).collect(),
        ..Element::default()
    };
    let action = Action::Type { target: field.target(), text: TypedText::Secret(password()) };
    let page = Observation { url: "https://shop.example/".to_owned(), elements: vec![field], ..Observation::default() };
    (page, action)
}

fn place_order(observation: &Observation) -> Action {
    Action::Click { target: observation.elements[0].target() }
}

fn pause_of(turn: Turn) -> PauseRequest {
    match turn {
        Turn::Pause(request) => *request,
        other => panic!("not a pause: {other:?}"),
    }
}

/// Asked about the page, and approved: the next attempt's state.
fn approved(run: Run, observation: &Observation) -> Run {
    let request = pause_of(decided(&run, observation, Decision::Act(place_order(observation))));
    answered(run, 1, request)
}

/// The pause of this number is asked for and approved.
fn answered(run: Run, pause: u32, request: PauseRequest) -> Run {
    let asked = HumanAsked {
        pause,
        step: 1,
        attempt: pause,
        kind: request.kind,
        prompt: request.prompt,
        fields: request.fields,
        stakes: request.stakes,
        options: request.options,
        proposal: request.proposal,
        url: None,
        pages: vec![],
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    };
    let run = after(run, WorkerCommand::AskHuman(Box::new(asked)));
    claim(after(run, GatewayCommand::Reply { pause: Some(pause), reply: Reply::Approve }), 1, pause + 1)
}

/// The worker was lost in the committing click.
fn in_doubt(approve: &str, observation: &Observation) -> Run {
    let chosen = ActionChosen {
        step: 1,
        attempt: 1,
        action: place_order(observation),
        committing: true,
        url: observation.url.clone(),
        digest: String::new(),
        pages: vec![],
        usage: Usage::default(),
    };
    let run = after(stepping(approve), WorkerCommand::ChooseAction(chosen));
    let lost = SchedulerCommand::LoseWorker { step: 1, attempt: 1, worker: worker() };
    claim(after(run, lost), 1, 2)
}

#[test]
fn a_committing_action_asks_and_shows_what_the_form_holds() {
    let page = review("Ada Lovelace");
    let request = pause_of(decided(&stepping("risky"), &page, Decision::Act(place_order(&page))));
    assert_eq!(request.kind, PauseKind::Approval);
    assert_eq!(request.prompt, "Approve: click button \"Place order\" on Review your order?");
    assert_eq!(request.fields, ["Full name: \"Ada Lovelace\""]);
    assert_eq!(request.proposal.unwrap().label, "Place order");
}

#[test]
fn with_never_a_committing_action_is_taken_and_known_as_committing() {
    let page = review("Ada Lovelace");
    let turn = decided(&stepping("never"), &page, Decision::Act(place_order(&page)));
    assert_eq!(turn, Turn::Act { action: place_order(&page), committing: true });
}

#[test]
fn with_always_what_changes_a_page_asks_and_looking_around_does_not() {
    let page = review("Ada Lovelace");
    let press = Action::Press { key: "Escape".to_owned(), target: None };
    assert!(matches!(decided(&stepping("always"), &page, Decision::Act(press)), Turn::Pause(_)));
    let back = Turn::Act { action: Action::Back, committing: false };
    assert_eq!(decided(&stepping("always"), &page, Decision::Act(Action::Back)), back);
}

#[test]
fn an_approved_action_is_taken_on_the_element_that_was_shown() {
    let page = review("Ada Lovelace");
    let run = approved(stepping("risky"), &page);
    let mut later = page.clone();
    later.elements[0].reference = "e9".to_owned();
    let turn = before_planning(&run, &later, false);
    assert_eq!(turn, Some(Turn::Act { action: place_order(&later), committing: true }));
}

#[test]
fn an_approval_does_not_hold_for_a_form_that_changed_meanwhile() {
    let run = approved(stepping("risky"), &review("Ada Lovelace"));
    assert_eq!(before_planning(&run, &review("Eve"), false), None);
}

fn sent(name: &str, value: &str) -> SentControl {
    SentControl { name: name.to_owned(), label: String::new(), value: value.to_owned(), is_hidden: true }
}

/// A review page as a browser shows it: the order's text and all that its form sends.
fn order(change: impl FnOnce(&mut Observation)) -> Observation {
    let mut page = review("Ada Lovelace");
    page.regions = vec!["Ship to: Ada\nTotal: $12.00\nIt is 12:04".to_owned()];
    page.elements[0].region = Some(0);
    page.forms[0].sent = vec![sent("qty", "1"), sent("csrf", "9f8a7c6b5d4e3f2a1b0c")];
    change(&mut page);
    page
}

#[test]
fn an_approval_holds_only_for_what_was_shown_and_what_is_sent() {
    let run = approved(stepping("risky"), &order(|_| ()));
    let holds = |page: &Observation| before_planning(&run, page, false).is_some();
    assert!(holds(&order(|_| ())));
    assert!(holds(&order(|page| page.regions[0] = page.regions[0].replace("12:04", "12:05"))));
    assert!(holds(&order(|page| page.forms[0].sent[1].value = "0c1b2a3f4e5d6c7b8a9f".to_owned())));
    type Change = fn(&mut Observation);
    let changes: [(&str, Change); 8] = [
        ("total", |page| page.regions[0] = page.regions[0].replace("$12.00", "$9,999.00")),
        ("address", |page| page.regions[0] = page.regions[0].replace("Ada", "Mallory")),
        ("hidden value", |page| page.forms[0].sent[0].value = "500".to_owned()),
        ("one more hidden value", |page| page.forms[0].sent.push(sent("gift", "1"))),
        ("target", |page| page.forms[0].action = "https://shop.example/dear".to_owned()),
        ("method", |page| page.forms[0].method = "get".to_owned()),
        ("the button's own value", |page| {
            page.elements[0].control_name = Some("plan".to_owned());
            page.elements[0].sent_value = Some("gold".to_owned());
        }),
        ("more than is told", |page| page.forms[0].is_cut = true),
    ];
    for (what, change) in changes {
        assert!(!holds(&order(change)), "{what}");
    }
}

#[test]
fn who_is_asked_again_is_told_what_changed_and_not_for_ever() {
    let priced = |total: &str| order(|page| page.regions[0] = page.regions[0].replace("$12.00", total));
    let mut run = approved(stepping("risky"), &priced("$12.00"));
    let mut prompts = Vec::new();
    for (pause, total) in [(2, "$13.00"), (3, "$14.00"), (4, "$15.00")] {
        let page = priced(total);
        assert_eq!(before_planning(&run, &page, false), None);
        match decided(&run, &page, Decision::Act(place_order(&page))) {
            Turn::Pause(request) => {
                prompts.push(request.prompt.clone());
                run = answered(run, pause, *request);
            }
            other => {
                assert!(matches!(other, Turn::GiveUp { .. }), "{other:?}");
            }
        }
    }
    assert_eq!(prompts.len(), 2);
    assert!(
        prompts[0].ends_with("It changed since it was approved: total was \"$12.00\", is \"$13.00\""),
        "{prompts:?}"
    );
}

#[test]
fn an_approval_does_not_hold_on_another_page() {
    let page = review("Ada Lovelace");
    let run = approved(stepping("risky"), &page);
    let elsewhere = Observation { url: "https://shop.example/cart".to_owned(), ..page };
    assert_eq!(before_planning(&run, &elsewhere, false), None);
}

#[test]
fn of_two_elements_alike_none_is_the_approved_one() {
    let page = review("Ada Lovelace");
    let run = approved(stepping("risky"), &page);
    let mut twice = page.clone();
    twice.elements.push(page.elements[0].clone());
    assert_eq!(before_planning(&run, &twice, false), None);
}

#[test]
fn an_action_in_doubt_is_never_taken_again_by_itself() {
    let page = review("Ada Lovelace");
    let request = pause_of(before_planning(&in_doubt("risky", &page), &page, false).unwrap());
    assert!(
        request.prompt.starts_with("It may already have happened: click button \"Place order\""),
        "{}",
        request.prompt
    );
    assert!(request.proposal.unwrap().in_doubt);
}

#[test]
fn a_page_that_shows_all_that_is_wanted_settles_the_doubt() {
    let page = review("Ada Lovelace");
    assert_eq!(before_planning(&in_doubt("risky", &page), &page, true), Some(Turn::Finish));
}

#[test]
fn without_anybody_to_ask_a_doubt_ends_the_run() {
    let page = review("Ada Lovelace");
    let turn = before_planning(&in_doubt("never", &page), &page, false);
    assert!(matches!(turn, Some(Turn::Fail { reason: TerminalReason::ActionInDoubt, .. })), "{turn:?}");
}

#[test]
fn a_form_without_fields_shows_what_was_entered_before() {
    let name = Target {
        element: "e2".to_owned(),
        role: "textbox".to_owned(),
        name: "Full name".to_owned(),
        fingerprint: "name".to_owned(),
    };
    let typed = Action::Type { target: name, text: TypedText::Plain("Ada".to_owned()) };
    let chosen = ActionChosen {
        step: 1,
        attempt: 1,
        action: typed,
        committing: false,
        url: String::new(),
        digest: String::new(),
        pages: vec![],
        usage: Usage::default(),
    };
    let run = after(stepping("risky"), WorkerCommand::ChooseAction(chosen));
    let finished = StepFinished {
        step: 1,
        attempt: 1,
        outcome: StepOutcome::Acted { result: "done".to_owned() },
        url: None,
        pages: vec![],
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    };
    let run = claim(after(run, WorkerCommand::FinishStep(finished)), 2, 1);
    let mut page = review("");
    page.forms[0].fields.clear();
    let request = pause_of(decided(&run, &page, Decision::Act(place_order(&page))));
    assert_eq!(request.fields, ["Full name: \"Ada\""]);
}

fn lose(run: Run) -> Run {
    let Phase::Stepping { attempt, .. } = run.phase else { panic!("not stepping") };
    let step = run.steps + 1;
    claim(after(run, SchedulerCommand::LoseWorker { step, attempt, worker: worker() }), step, attempt + 1)
}

#[test]
fn a_page_that_is_lost_again_and_again_ends_the_run_as_a_fault_of_the_browser() {
    let run = lose(stepping("risky"));
    assert_eq!(after_loss(&run, "the page crashed"), None);
    let error = "the page crashed".to_owned();
    let ended = StepOutcome::Fatal { reason: TerminalReason::BrowserError, error };
    assert_eq!(after_loss(&lose(run), "the page crashed"), Some(ended));
}

#[test]
fn a_last_loss_names_the_action_in_doubt() {
    let page = review("Ada");
    for (approve, reason) in [("risky", TerminalReason::BrowserError), ("never", TerminalReason::ActionInDoubt)] {
        let run = lose(lose(stepping(approve)));
        let chosen = ActionChosen {
            step: 1,
            attempt: 3,
            action: place_order(&page),
            committing: true,
            url: page.url.clone(),
            digest: page.digest.clone(),
            pages: Vec::new(),
            usage: Usage::default(),
        };
        let run = after(run, WorkerCommand::ChooseAction(chosen));
        let error = "the page hung; outcome unknown: click button \"Place order\"".to_owned();
        assert_eq!(after_loss(&run, "the page hung"), Some(StepOutcome::Fatal { reason, error }));
    }
}

#[test]
fn a_goal_is_not_reached_on_a_page_that_the_server_calls_an_error() {
    let run = stepping("risky");
    let answered = |status| Observation { http_status: status, ..Observation::default() };
    let gave_up = |reason: &str| Turn::GiveUp { reason: reason.to_owned() };
    let missing = gave_up("the page answered with HTTP status 404");
    assert_eq!(decided(&run, &answered(Some(404)), Decision::Finish), missing);
    let nothing = Decision::GiveUp { reason: "the page shows nothing".to_owned() };
    assert_eq!(decided(&run, &answered(Some(404)), nothing.clone()), missing);
    assert_eq!(decided(&run, &answered(Some(200)), nothing), gave_up("the page shows nothing"));
    assert_eq!(decided(&run, &answered(None), Decision::Finish), Turn::Finish);
}

fn refusal_of(turn: Turn) -> String {
    match turn {
        Turn::Refuse { reason, .. } => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_secret_goes_where_its_field_is_and_not_where_the_page_is() {
    let (page, action) = typing("https://shop.example", &["https://shop.example"]);
    let act = Turn::Act { action: action.clone(), committing: false };
    assert_eq!(decided(&stepping("risky"), &page, Decision::Act(action)), act);
    for policy in ["risky", "never", "always"] {
        let (page, action) = typing("https://evil.example", &[]);
        let refused = refusal_of(decided(&stepping(policy), &page, Decision::Act(action)));
        assert_eq!(refused, r#"secret "password" may not be typed into pages of "https://evil.example""#);
        let (page, action) = typing("", &[]);
        let refused = refusal_of(decided(&stepping(policy), &page, Decision::Act(action)));
        assert_eq!(refused, r#"secret "password" may not be typed into a frame that has no origin of its own"#);
    }
}

#[test]
fn a_form_that_takes_a_secret_elsewhere_asks_by_its_hosts_name() {
    let (page, action) = typing("https://shop.example", &["https://evil.example:81", "https://shop.example"]);
    for policy in ["risky", "always"] {
        let request = pause_of(decided(&stepping(policy), &page, Decision::Act(action.clone())));
        let wanted =
            r#"type [secret:password] into textbox "Password" of shop.example, whose form goes to evil.example:81"#;
        assert!(request.prompt.contains(wanted), "{}", request.prompt);
    }
    let refused = refusal_of(decided(&stepping("never"), &page, Decision::Act(action.clone())));
    assert!(refused.starts_with(r#"secret "password" may not be sent to "https://evil.example:81""#), "{refused}");
    let (other, _) = typing("https://shop.example", &["https://shop.example", "https://worse.example"]);
    assert_ne!(approval_digest(&action, &page), approval_digest(&action, &other));
}
