//! Arbitrary commits: any bytes the domain's types can hold, possible as a history or not.

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
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// Commits of the run log.
pub fn run_commits() -> impl Strategy<Value = Commit<RunEvent>> {
    commits(run_event())
}

/// Commits of the delivery log.
pub fn delivery_commits() -> impl Strategy<Value = Commit<DeliveryEvent>> {
    commits(delivery_event())
}

fn commits<E: std::fmt::Debug>(event: impl Strategy<Value = E>) -> impl Strategy<Value = Commit<E>> {
    let writers = vec![Writer::Gateway, Writer::Worker, Writer::Scheduler, Writer::Notifier];
    let head = (any::<u128>(), run_id(), any::<u64>(), option::of(any::<u128>()), any::<i64>(), select(writers));
    (head, vec(event, 0..4)).prop_map(|((id, run_id, seq, prev, at_ms, writer), events)| Commit {
        id: CommitId(id),
        run_id,
        seq,
        prev: prev.map(CommitId),
        at: Timestamp::from_millis(at_ms),
        writer,
        events,
    })
}

fn run_event() -> BoxedStrategy<RunEvent> {
    prop_oneof![
        (spec(), any::<u64>())
            .prop_map(|(spec, reserved)| RunEvent::Created { spec: Box::new(spec), reserved: MicroUsd(reserved) }),
        (any::<u32>(), any::<u32>(), worker()).prop_map(|(step, attempt, worker)| RunEvent::StepStarted(StepStarted {
            step,
            attempt,
            worker
        })),
        action_chosen().prop_map(RunEvent::ActionChosen),
        step_finished().prop_map(RunEvent::StepFinished),
        human_asked().prop_map(|asked| RunEvent::HumanAsked(Box::new(asked))),
        (any::<u32>(), reply()).prop_map(|(pause, reply)| RunEvent::HumanReplied { pause, reply }),
        Just(RunEvent::StopRequested),
        (terminal_reason(), option::of(text()))
            .prop_map(|(reason, error)| RunEvent::ConclusionStarted(Ending { reason, error })),
        (any::<u32>(), any::<u32>(), worker()).prop_map(|(step, attempt, worker)| RunEvent::WorkerLost {
            step,
            attempt,
            worker
        }),
        finished().prop_map(|finished| RunEvent::Finished(Box::new(finished))),
        any::<u64>().prop_map(|charge| RunEvent::ChargeSettled { charge: MicroUsd(charge) }),
        Just(RunEvent::Deleted),
    ]
    .boxed()
}

fn delivery_event() -> impl Strategy<Value = DeliveryEvent> {
    let event = select(vec![WebhookEvent::Waiting, WebhookEvent::Finished]);
    let claimed = (any::<u32>(), any::<u64>(), event, text(), any::<i64>()).prop_map(
        |(n, event_seq, event, epoch, deadline_ms)| {
            let deadline = Timestamp::from_millis(deadline_ms);
            DeliveryEvent::Claimed(DeliveryClaimed { n, event_seq, event, epoch, deadline })
        },
    );
    let outcome = prop_oneof![
        any::<u16>().prop_map(|status| DeliveryOutcome::Delivered { status }),
        any::<u16>().prop_map(|status| DeliveryOutcome::Rejected { status }),
        text().prop_map(|reason| DeliveryOutcome::NoResponse { reason }),
        text().prop_map(|reason| DeliveryOutcome::NotSent { reason }),
        Just(DeliveryOutcome::InDoubt),
    ];
    let resolved = (any::<u32>(), outcome, any::<u64>())
        .prop_map(|(n, outcome, duration_ms)| DeliveryEvent::Resolved(DeliveryResolved { n, outcome, duration_ms }));
    prop_oneof![claimed, resolved]
}

fn spec() -> impl Strategy<Value = RunSpec> {
    let who = (name().prop_map(|name| AccountId::parse(&name).unwrap()), text(), text(), text());
    let output = (option::of(json()), option::of(json()), option::of(text()));
    let secrets = vec(name().prop_map(|name| SecretName::parse(&name).unwrap()), 0..3);
    let approve = select(vec![ApprovePolicy::Risky, ApprovePolicy::Always, ApprovePolicy::Never]);
    let choices = (secrets, approve, select(vec![Mode::Fast, Mode::Precise]), option::of(text()));
    let limits = (any::<u32>(), any::<u32>(), any::<u32>());
    let profile = (option::of(text()), any::<bool>());
    let rest = (option::of(vec(text(), 0..3)), btree_map(text(), text(), 0..3));
    (who, output, choices, limits, profile, rest).prop_map(|(who, output, choices, limits, profile, rest)| RunSpec {
        account: who.0,
        goal: who.1,
        start_url: who.2,
        master_key_id: who.3,
        output_schema: output.0,
        output_format: output.1,
        webhook: output.2,
        secrets: choices.0,
        approve: choices.1,
        mode: choices.2,
        model: choices.3,
        max_steps: limits.0,
        timeout_s: limits.1,
        human_timeout_s: limits.2,
        profile: profile.0,
        save_profile: profile.1,
        allowed_hosts: rest.0,
        metadata: rest.1,
    })
}

fn action() -> BoxedStrategy<Action> {
    let typed = prop_oneof![
        text().prop_map(TypedText::Plain),
        name().prop_map(|name| TypedText::Secret(SecretName::parse(&name).unwrap())),
    ];
    let direction = select(vec![ScrollDirection::Up, ScrollDirection::Down]);
    prop_oneof![
        text().prop_map(|url| Action::Navigate { url }),
        target().prop_map(|target| Action::Click { target }),
        (target(), typed).prop_map(|(target, text)| Action::Type { target, text }),
        (target(), text()).prop_map(|(target, option)| Action::Select { target, option }),
        (target(), any::<bool>()).prop_map(|(target, checked)| Action::Check { target, checked }),
        direction.prop_map(|direction| Action::Scroll { direction }),
        (text(), option::of(target())).prop_map(|(key, target)| Action::Press { key, target }),
        Just(Action::Back),
        any::<u32>().prop_map(|ms| Action::Wait { ms }),
    ]
    .boxed()
}

fn target() -> impl Strategy<Value = Target> {
    (text(), text(), text(), text()).prop_map(|(element, role, name, fingerprint)| Target {
        element,
        role,
        name,
        fingerprint,
    })
}

fn action_chosen() -> impl Strategy<Value = ActionChosen> {
    let claim = (any::<u32>(), any::<u32>());
    (claim, action(), any::<bool>(), text(), text(), pages(), usage()).prop_map(
        |((step, attempt), action, committing, url, digest, pages, usage)| ActionChosen {
            step,
            attempt,
            action,
            committing,
            url,
            digest,
            pages,
            usage,
        },
    )
}

fn step_finished() -> impl Strategy<Value = StepFinished> {
    let outcome = prop_oneof![
        text().prop_map(|result| StepOutcome::Acted { result }),
        text().prop_map(|reason| StepOutcome::NotActed { reason }),
        Just(StepOutcome::GoalReached),
        text().prop_map(|reason| StepOutcome::GaveUp { reason }),
        (terminal_reason(), text()).prop_map(|(reason, error)| StepOutcome::Fatal { reason, error }),
    ];
    let claim = (any::<u32>(), any::<u32>());
    let blobs = (option::of(blob()), option::of(blob()));
    (claim, outcome, option::of(text()), pages(), blobs, usage()).prop_map(
        |((step, attempt), outcome, url, pages, (screenshot, checkpoint), usage)| StepFinished {
            step,
            attempt,
            outcome,
            url,
            pages,
            screenshot,
            checkpoint,
            usage,
        },
    )
}

fn human_asked() -> impl Strategy<Value = HumanAsked> {
    let kind = select(vec![PauseKind::Question, PauseKind::Approval, PauseKind::Handoff]);
    let numbers = (any::<u32>(), any::<u32>(), any::<u32>(), kind);
    let words = (text(), vec(text(), 0..3), vec(text(), 0..3), stakes());
    let blobs = (option::of(blob()), option::of(blob()));
    (numbers, words, option::of(proposal()), option::of(text()), pages(), blobs, usage()).prop_map(
        |(numbers, words, proposal, url, pages, (screenshot, checkpoint), usage)| HumanAsked {
            pause: numbers.0,
            step: numbers.1,
            attempt: numbers.2,
            kind: numbers.3,
            prompt: words.0,
            fields: words.1,
            options: words.2,
            stakes: words.3,
            proposal,
            url,
            pages,
            screenshot,
            checkpoint,
            usage,
        },
    )
}

fn stakes() -> impl Strategy<Value = Stakes> {
    let value = (text(), text(), text()).prop_map(|(name, label, value)| SentValue { name, label, value });
    (option::of(text()), vec(text(), 0..3), option::of(text()), vec(value, 0..3))
        .prop_map(|(total, items, target, values)| Stakes { total, items, target, values })
}

fn proposal() -> impl Strategy<Value = Proposal> {
    let parts = (action(), text(), text(), text(), any::<bool>(), option::of(text()));
    parts.prop_map(|(action, label, url, digest, in_doubt, request)| Proposal {
        action,
        label,
        url,
        digest,
        in_doubt,
        request,
    })
}

fn reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        text().prop_map(|answer| Reply::Answer { answer }),
        Just(Reply::Approve),
        option::of(text()).prop_map(|note| Reply::Refuse { note }),
        Just(Reply::Done),
    ]
}

fn finished() -> impl Strategy<Value = Finished> {
    let statuses = vec![
        Status::Running,
        Status::WaitingForHuman,
        Status::Succeeded,
        Status::Failed,
        Status::TimedOut,
        Status::Stopped,
    ];
    let source = (text(), text()).prop_map(|(url, place)| Source { url, place });
    let how = (select(statuses), terminal_reason());
    let data = (option::of(json()), option::of(blob()), option::of(text()));
    let texts = (option::of(text()), option::of(text()), option::of(text()));
    (how, data, texts, btree_map(text(), source, 0..3), usage()).prop_map(|(how, data, texts, sources, usage)| {
        Finished {
            status: how.0,
            reason: how.1,
            data: data.0,
            data_blob: data.1,
            data_error: data.2,
            answer: texts.0,
            error: texts.1,
            profile_saved: texts.2,
            sources,
            usage,
        }
    })
}

fn terminal_reason() -> impl Strategy<Value = TerminalReason> {
    select(vec![
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
    ])
}

fn pages() -> impl Strategy<Value = Vec<PageRef>> {
    vec((text(), text(), blob()).prop_map(|(url, title, blob)| PageRef { url, title, blob }), 0..3)
}

fn usage() -> impl Strategy<Value = Usage> {
    prop_oneof![
        Just(Usage::default()),
        (any::<u32>(), any::<u32>()).prop_map(|(decision_calls, llm_calls)| Usage { decision_calls, llm_calls }),
    ]
}

fn run_id() -> impl Strategy<Value = RunId> {
    (any::<i64>(), any::<u64>()).prop_map(|(ms, random)| RunId::new(Timestamp::from_millis(ms), random))
}

fn worker() -> impl Strategy<Value = WorkerId> {
    name().prop_map(|name| WorkerId::parse(&name).unwrap())
}

fn blob() -> impl Strategy<Value = BlobKey> {
    name().prop_map(|name| BlobKey::parse(&name).unwrap())
}

fn name() -> impl Strategy<Value = String> {
    vec(select("abzAZ09_-.".chars().collect::<Vec<_>>()), 1..12).prop_map(String::from_iter)
}

fn text() -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..8).prop_map(String::from_iter)
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}
