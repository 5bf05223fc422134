//! One commit of every kind of event, with every field set; variants of a kind are further events of its commit. These
//! commits need not be possible histories: they are about bytes.

use errand_domain::action::{Action, ScrollDirection, Target, TypedText};
use errand_domain::delivery::{DeliveryClaimed, DeliveryEvent, DeliveryOutcome, DeliveryResolved, WebhookEvent};
use errand_domain::ground::Source;
use errand_domain::price::MicroUsd;
use errand_domain::run::{
    ActionChosen, ApprovePolicy, Commit, Ending, Finished, HumanAsked, Mode, PageRef, PauseKind, Proposal, Reply,
    RunEvent, RunSpec, SentValue, Stakes, Status, StepFinished, StepOutcome, StepStarted, TerminalReason, Usage,
    Writer,
};
use errand_domain::{AccountId, BlobKey, CommitId, RunId, SecretName, Timestamp, WorkerId};
use serde_json::json;
use std::collections::BTreeMap;

/// Run commits by the name of their golden file.
pub fn run_commits() -> Vec<(&'static str, Commit<RunEvent>)> {
    let created = |spec| vec![RunEvent::Created { spec: Box::new(spec), reserved: MicroUsd(445_000) }];
    let replies = [
        Reply::Answer { answer: "blue".to_owned() },
        Reply::Approve,
        Reply::Refuse { note: Some("too dear".to_owned()) },
        Reply::Refuse { note: None },
        Reply::Done,
    ];
    let replied = replies.map(|reply| RunEvent::HumanReplied { pause: 2, reply }).to_vec();
    let lost = RunEvent::WorkerLost { step: 3, attempt: 2, worker: worker() };
    vec![
        ("run-created", commit(Writer::Gateway, created(full_spec()))),
        ("run-created-bare", first_commit(created(bare_spec()))),
        ("step-started", commit(Writer::Worker, vec![step_started()])),
        ("action-chosen", commit(Writer::Worker, actions_chosen())),
        ("step-finished", commit(Writer::Worker, steps_finished())),
        ("human-asked", commit(Writer::Worker, humans_asked())),
        ("human-asked-about-a-request", commit(Writer::Worker, vec![human_asked_about_a_request()])),
        ("human-asked-with-stakes", commit(Writer::Worker, humans_asked_with_stakes())),
        ("human-replied", commit(Writer::Gateway, replied)),
        ("stop-requested", commit(Writer::Gateway, vec![RunEvent::StopRequested])),
        ("conclusion-started", commit(Writer::Scheduler, conclusions_started())),
        ("worker-lost", commit(Writer::Scheduler, vec![lost])),
        ("finished", commit(Writer::Worker, finishes())),
        ("charge-settled", commit(Writer::Scheduler, vec![RunEvent::ChargeSettled { charge: MicroUsd(84_000) }])),
        ("deleted", commit(Writer::Gateway, vec![RunEvent::Deleted])),
    ]
}

/// Delivery commits by the name of their golden file.
pub fn delivery_commits() -> Vec<(&'static str, Commit<DeliveryEvent>)> {
    let claimed = [WebhookEvent::Waiting, WebhookEvent::Finished].map(|event| {
        DeliveryEvent::Claimed(DeliveryClaimed {
            n: 2,
            event_seq: 9,
            event,
            epoch: "notifier-7f".to_owned(),
            deadline: Timestamp::from_millis(1_791_711_630_000),
        })
    });
    let outcomes = [
        DeliveryOutcome::Delivered { status: 204 },
        DeliveryOutcome::Rejected { status: 503 },
        DeliveryOutcome::NoResponse { reason: "timed out".to_owned() },
        DeliveryOutcome::NotSent { reason: "address not allowed".to_owned() },
        DeliveryOutcome::InDoubt,
    ];
    let resolved = outcomes.map(|outcome| DeliveryEvent::Resolved(DeliveryResolved { n: 2, outcome, duration_ms: 41 }));
    vec![
        ("delivery-claimed", commit(Writer::Notifier, claimed.to_vec())),
        ("delivery-resolved", commit(Writer::Notifier, resolved.to_vec())),
    ]
}

fn commit<E>(writer: Writer, events: Vec<E>) -> Commit<E> {
    Commit {
        id: CommitId(0x0123_4567_89ab_cdef_0011_2233_4455_6677),
        run_id: RunId::new(Timestamp::from_millis(1_791_711_621_000), 0xa1b2_c3d4_e5f6),
        seq: 7,
        prev: Some(CommitId(1)),
        at: Timestamp::from_millis(1_791_711_622_345),
        writer,
        events,
    }
}

fn first_commit<E>(events: Vec<E>) -> Commit<E> {
    Commit { seq: 1, prev: None, ..commit(Writer::Gateway, events) }
}

fn blob(name: &str) -> BlobKey {
    BlobKey::parse(name).unwrap()
}

fn worker() -> WorkerId {
    WorkerId::parse("worker-1").unwrap()
}

fn usage() -> Usage {
    Usage { decision_calls: 16, llm_calls: 3 }
}

fn page() -> PageRef {
    let url = "https://shop.example.com/lamps?page=2".to_owned();
    PageRef { url, title: "Lampen – page 2".to_owned(), blob: blob("page-3-1") }
}

fn target() -> Target {
    Target {
        element: "e12".to_owned(),
        role: "button".to_owned(),
        name: "Get my quote".to_owned(),
        fingerprint: "button#quote[name=go]/form:1".to_owned(),
    }
}

fn full_spec() -> RunSpec {
    RunSpec {
        account: AccountId::parse("default").unwrap(),
        goal: "Find the cheapest brass lamp; größer als 40 cm".to_owned(),
        start_url: "https://shop.example.com/".to_owned(),
        output_schema: Some(json!({"name": "string", "price": "number"})),
        output_format: Some(json!({"type": "json_schema", "schema": {"type": "object"}})),
        webhook: Some("https://hooks.example.com/errand".to_owned()),
        secrets: vec![SecretName::parse("shop.password").unwrap()],
        approve: ApprovePolicy::Always,
        mode: Mode::Precise,
        model: Some("small".to_owned()),
        max_steps: 50,
        timeout_s: 600,
        human_timeout_s: 86_400,
        profile: Some("shopper".to_owned()),
        save_profile: true,
        allowed_hosts: Some(vec!["*.example.com".to_owned(), "example.org".to_owned()]),
        metadata: BTreeMap::from([("order".to_owned(), "17".to_owned()), ("team".to_owned(), "a b".to_owned())]),
        master_key_id: "k1".to_owned(),
    }
}

fn bare_spec() -> RunSpec {
    RunSpec {
        output_schema: None,
        output_format: None,
        webhook: None,
        secrets: Vec::new(),
        approve: ApprovePolicy::Never,
        mode: Mode::Fast,
        model: None,
        profile: None,
        save_profile: false,
        // Present and empty is not the same as absent.
        allowed_hosts: Some(Vec::new()),
        metadata: BTreeMap::new(),
        ..full_spec()
    }
}

fn step_started() -> RunEvent {
    RunEvent::StepStarted(StepStarted { step: 3, attempt: 2, worker: worker() })
}

fn all_actions() -> Vec<Action> {
    let secret = TypedText::Secret(SecretName::parse("shop.password").unwrap());
    vec![
        Action::Navigate { url: "https://shop.example.com/lamps".to_owned() },
        Action::Click { target: target() },
        Action::Type { target: target(), text: TypedText::Plain("40 cm".to_owned()) },
        Action::Type { target: target(), text: secret },
        Action::Select { target: target(), option: "Standard".to_owned() },
        Action::Check { target: target(), checked: true },
        Action::Scroll { direction: ScrollDirection::Up },
        Action::Scroll { direction: ScrollDirection::Down },
        Action::Press { key: "Enter".to_owned(), target: Some(target()) },
        Action::Press { key: "Escape".to_owned(), target: None },
        Action::Back,
        Action::Wait { ms: 500 },
    ]
}

fn actions_chosen() -> Vec<RunEvent> {
    let chosen = |action| {
        RunEvent::ActionChosen(ActionChosen {
            step: 3,
            attempt: 2,
            action,
            committing: true,
            url: "https://shop.example.com/checkout".to_owned(),
            digest: "5f2d".to_owned(),
            pages: vec![page()],
            usage: usage(),
        })
    };
    all_actions().into_iter().map(chosen).collect()
}

fn steps_finished() -> Vec<RunEvent> {
    let outcomes = vec![
        StepOutcome::Acted { result: "the page changed".to_owned() },
        StepOutcome::NotActed { reason: "the element is gone".to_owned() },
        StepOutcome::GoalReached,
        StepOutcome::GaveUp { reason: "no such lamp".to_owned() },
        StepOutcome::Fatal { reason: TerminalReason::NavigationError, error: "net::ERR_FAILED".to_owned() },
    ];
    let finished = |outcome| {
        RunEvent::StepFinished(StepFinished {
            step: 3,
            attempt: 2,
            outcome,
            url: Some("https://shop.example.com/lamps".to_owned()),
            pages: vec![page(), page()],
            screenshot: Some(blob("shot-3")),
            checkpoint: Some(blob("checkpoint-3")),
            usage: usage(),
        })
    };
    outcomes.into_iter().map(finished).collect()
}

fn humans_asked() -> Vec<RunEvent> {
    let proposal = Proposal {
        action: Action::Click { target: target() },
        label: "Get my quote".to_owned(),
        url: "https://shop.example.com/quote".to_owned(),
        digest: "77aa".to_owned(),
        in_doubt: true,
        request: None,
    };
    let approval = HumanAsked {
        pause: 2,
        step: 3,
        attempt: 2,
        kind: PauseKind::Approval,
        prompt: "Approve: click button \"Get my quote\"?".to_owned(),
        fields: vec!["Full name: \"John Smith\"".to_owned()],
        stakes: Stakes::default(),
        options: Vec::new(),
        proposal: Some(proposal),
        url: Some("https://shop.example.com/quote".to_owned()),
        pages: vec![page()],
        screenshot: Some(blob("shot-3")),
        checkpoint: Some(blob("checkpoint-3")),
        usage: usage(),
    };
    let question = HumanAsked {
        kind: PauseKind::Question,
        options: vec!["red".to_owned(), "blue".to_owned()],
        proposal: None,
        ..approval.clone()
    };
    let handoff = HumanAsked { kind: PauseKind::Handoff, options: Vec::new(), ..question.clone() };
    [approval, question, handoff].map(|asked| RunEvent::HumanAsked(Box::new(asked))).to_vec()
}

fn human_asked_about_a_request() -> RunEvent {
    let Some(RunEvent::HumanAsked(mut asked)) = humans_asked().into_iter().next() else { unreachable!("it asks") };
    if let Some(proposal) = &mut asked.proposal {
        proposal.request = Some("88bb".to_owned());
    }
    RunEvent::HumanAsked(asked)
}

fn humans_asked_with_stakes() -> Vec<RunEvent> {
    let value = |name: &str, label: &str, value: &str| SentValue {
        name: name.to_owned(),
        label: label.to_owned(),
        value: value.to_owned(),
    };
    let stakes = Stakes {
        total: Some("$12.00".to_owned()),
        items: vec!["Blue mug | $12.00".to_owned()],
        target: Some("shop.example.com:8443".to_owned()),
        values: vec![value("name", "Full name", "John Smith"), value("qty", "", "1"), value("csrf", "", "[token]")],
    };
    let with_stakes = |event: RunEvent| match event {
        RunEvent::HumanAsked(asked) => RunEvent::HumanAsked(Box::new(HumanAsked { stakes: stakes.clone(), ..*asked })),
        other => other,
    };
    humans_asked().into_iter().take(1).map(with_stakes).collect()
}

fn conclusions_started() -> Vec<RunEvent> {
    let reasons = [
        TerminalReason::Completed,
        TerminalReason::MaxSteps,
        TerminalReason::GoalNotReached,
        TerminalReason::ModelError,
        TerminalReason::NavigationError,
        TerminalReason::BrowserError,
        TerminalReason::RejectedByHuman,
        TerminalReason::ActionInDoubt,
        TerminalReason::WorkerLost,
        TerminalReason::BudgetExhausted,
        TerminalReason::Timeout,
        TerminalReason::HumanTimeout,
        TerminalReason::Stopped,
    ];
    let started =
        |reason| RunEvent::ConclusionStarted(Ending { reason, error: Some("reached the step limit (50)".to_owned()) });
    reasons.map(started).to_vec()
}

fn finishes() -> Vec<RunEvent> {
    let source =
        Source { url: "https://shop.example.com/".to_owned(), place: "jsonld:product.offers.price".to_owned() };
    let full = Finished {
        status: Status::Succeeded,
        reason: TerminalReason::Completed,
        answer: Some("The lamp costs $89.95.".to_owned()),
        data: Some(json!({"name": "Brass desk lamp", "price": 89.95, "sizes": [40, -1], "ok": true, "none": null})),
        data_blob: Some(blob("data")),
        data_error: Some("extracted data does not match the schema: /price".to_owned()),
        sources: BTreeMap::from([("/price".to_owned(), source)]),
        error: Some("outcome unknown".to_owned()),
        profile_saved: Some("shopper".to_owned()),
        usage: usage(),
    };
    let bare = Finished {
        status: Status::Stopped,
        reason: TerminalReason::Stopped,
        answer: None,
        data: None,
        data_blob: None,
        data_error: None,
        sources: BTreeMap::new(),
        error: None,
        profile_saved: None,
        usage: Usage::default(),
    };
    // JSON null is data, and no data is none.
    let null = Finished { status: Status::TimedOut, data: Some(json!(null)), ..bare.clone() };
    let failed = Finished { status: Status::Failed, ..bare.clone() };
    [full, bare, null, failed].map(|finished| RunEvent::Finished(Box::new(finished))).to_vec()
}
