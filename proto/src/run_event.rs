//! Events of a run: which kind, and the kinds that have no file of their own.

use errand_domain::price::MicroUsd;
use errand_domain::run::RunEvent;
use wire::run_event::Kind;

use crate::error::DecodeError;
use crate::field::{kind, required};
use crate::unknown_kind::EVENT_KIND;
use crate::{ending, pause, spec, step, wire};

impl From<&RunEvent> for wire::RunEvent {
    fn from(event: &RunEvent) -> Self {
        let kind = match event {
            RunEvent::Created { spec, reserved } => {
                Kind::Created(wire::Created { spec: Some(spec.as_ref().into()), reserved_micro_usd: reserved.0 })
            }
            RunEvent::StepStarted(started) => Kind::StepStarted(started.into()),
            RunEvent::ActionChosen(chosen) => Kind::ActionChosen(chosen.into()),
            RunEvent::StepFinished(finished) => Kind::StepFinished(finished.into()),
            RunEvent::HumanAsked(asked) => Kind::HumanAsked(asked.as_ref().into()),
            RunEvent::HumanReplied { pause, reply } => Kind::HumanReplied(pause::write_reply(*pause, reply)),
            RunEvent::StopRequested => Kind::StopRequested(wire::StopRequested {}),
            RunEvent::ConclusionStarted(ending) => Kind::ConclusionStarted(ending.into()),
            RunEvent::WorkerLost { step, attempt, worker } => Kind::WorkerLost(wire::WorkerLost {
                step: *step,
                attempt: *attempt,
                worker: worker.as_str().to_owned(),
            }),
            RunEvent::Finished(finished) => Kind::Finished(finished.as_ref().into()),
            RunEvent::ChargeSettled { charge } => {
                Kind::ChargeSettled(wire::ChargeSettled { charge_micro_usd: charge.0 })
            }
            RunEvent::Deleted => Kind::Deleted(wire::Deleted {}),
        };
        Self { kind: Some(kind) }
    }
}

/// Reads an event; an unknown kind is an error that [`crate::unknown_kind`] completes.
pub(crate) fn read(event: wire::RunEvent) -> Result<RunEvent, DecodeError> {
    let event = match kind(event.kind, EVENT_KIND)? {
        Kind::Created(created) => RunEvent::Created {
            spec: Box::new(spec::read(required(created.spec, "created.spec")?)?),
            reserved: MicroUsd(created.reserved_micro_usd),
        },
        Kind::StepStarted(started) => RunEvent::StepStarted(step::read_started(started)?),
        Kind::ActionChosen(chosen) => RunEvent::ActionChosen(step::read_chosen(chosen)?),
        Kind::StepFinished(finished) => RunEvent::StepFinished(step::read_finished(finished)?),
        Kind::HumanAsked(asked) => RunEvent::HumanAsked(Box::new(pause::read_asked(asked)?)),
        Kind::HumanReplied(replied) => {
            let pause = replied.pause;
            let reply = pause::read_reply(replied)?;
            RunEvent::HumanReplied { pause, reply }
        }
        Kind::StopRequested(wire::StopRequested {}) => RunEvent::StopRequested,
        Kind::ConclusionStarted(ending) => RunEvent::ConclusionStarted(ending::read_ending(ending)?),
        Kind::WorkerLost(lost) => step::read_lost(&lost)?,
        Kind::Finished(finished) => RunEvent::Finished(Box::new(ending::read_finished(finished)?)),
        Kind::ChargeSettled(settled) => RunEvent::ChargeSettled { charge: MicroUsd(settled.charge_micro_usd) },
        Kind::Deleted(wire::Deleted {}) => RunEvent::Deleted,
    };
    Ok(event)
}
