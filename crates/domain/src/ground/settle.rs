//! From a first extraction to settled data (SPEC §2): normalise → ground → prune → validate → repair once.

use std::collections::BTreeMap;

use serde_json::Value;

use super::lookup::Seen;
use super::{Evidence, Grounded, Hints, Source, ground_in};
use crate::schema::{OutputContract, Violation, normalise_and_rebase};

/// What stands on the run when its structure is settled.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settlement {
    pub data: Option<Value>,
    /// `extracted data does not match the schema: …`; only when extraction failed.
    pub data_error: Option<String>,
    /// By JSON Pointer into `data`.
    pub sources: BTreeMap<String, Source>,
}

/// The outcome of one extraction.
#[derive(Debug, Clone, PartialEq)]
pub enum Attempt {
    Valid(Settlement),
    Rejected(Rejected),
}

/// An extraction that does not fit: the planner gets the violations and may correct it once.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    pub violations: Vec<Violation>,
    grounded: Grounded,
}

/// Tries one extraction. A shell that must wait for its planner calls this, asks for the repair, and calls it again;
/// [`settle`] does the same with a repair that is at hand.
#[must_use]
pub fn attempt(contract: &OutputContract, raw: Value, evidence: &Evidence<'_>) -> Attempt {
    attempt_in(&Seen::new(evidence), contract, raw, evidence.hints)
}

fn attempt_in(seen: &Seen, contract: &OutputContract, raw: Value, hints: &Hints) -> Attempt {
    let (data, rebased) = normalise_and_rebase(contract, raw, hints);
    let grounded = ground_in(seen, contract, data, &rebased);
    match contract.validate(&grounded.data) {
        Ok(()) => Attempt::Valid(Settlement { data: Some(grounded.data), data_error: None, sources: grounded.sources }),
        Err(violations) => Attempt::Rejected(Rejected { violations, grounded }),
    }
}

/// Settles a finished run: the first extraction, or its one repair, or no data and the reason.
#[must_use]
pub fn settle(
    contract: &OutputContract,
    first: Value,
    evidence: &Evidence<'_>,
    repair: impl FnOnce(&[Violation]) -> Option<(Value, Hints)>,
) -> Settlement {
    let seen = Seen::new(evidence);
    let rejected = match attempt_in(&seen, contract, first, evidence.hints) {
        Attempt::Valid(settlement) => return settlement,
        Attempt::Rejected(rejected) => rejected,
    };
    let Some((repaired, hints)) = repair(&rejected.violations) else {
        return rejected.into_failure();
    };
    match attempt_in(&seen, contract, repaired, &hints) {
        Attempt::Valid(settlement) => settlement,
        Attempt::Rejected(again) => rejected.or_still(again).into_failure(),
    }
}

/// Settles a run that failed, timed out or lost its worker: what was found, possibly partial.
///
/// Required values that were not found are absent or null; a value that breaks the schema otherwise is taken out. Where
/// pages were read, fields that all are absent are null; where none was, or the schema allows no nulls, data is null, and
/// `data_error` says that nothing was shown. Partial data is no failed extraction: `data_error` stays empty.
#[must_use]
pub fn settle_partial(contract: &OutputContract, raw: Value, evidence: &Evidence<'_>) -> Settlement {
    match attempt(contract, raw, evidence) {
        Attempt::Valid(_) if !evidence.pages.iter().any(|page| !page.is_error()) => Settlement::of_nothing(),
        Attempt::Valid(settlement) => settlement,
        Attempt::Rejected(rejected) => rejected.into_partial(contract),
    }
}

impl Settlement {
    /// Of a run that saw nothing of what it was to find.
    fn of_nothing() -> Self {
        Self { data_error: Some(NOTHING_SHOWN.to_owned()), ..Self::default() }
    }
}

/// `data_error` of a run that failed and saw nothing of what it was to find (SPEC §2).
const NOTHING_SHOWN: &str = "nothing of what was asked was shown";

/// Rounds of taking out what breaks the schema: each may uncover more.
const PARTIAL_ROUNDS_MAX: usize = 8;

impl Rejected {
    /// The values that were found, though they break the schema.
    #[must_use]
    pub fn into_shown(self) -> Value {
        self.grounded.data
    }

    /// What a client is told when the repair did not help: the faults of what was shown, if it had any; the repair, which
    /// leaves faulty values out, is only short of them.
    fn or_still(self, again: Self) -> Self {
        if self.violations.iter().any(|violation| !violation.is_unfound) { self } else { again }
    }

    /// No data, and an error that names each failing field.
    #[must_use]
    pub fn into_failure(self) -> Settlement {
        let told: Vec<String> = self.violations.iter().map(Violation::to_string).collect();
        let data_error = format!("extracted data does not match the schema: {}", told.join("; "));
        Settlement { data: None, data_error: Some(data_error), sources: BTreeMap::new() }
    }

    fn into_partial(self, contract: &OutputContract) -> Settlement {
        let Grounded { mut data, mut sources, .. } = self.grounded;
        let mut violations = self.violations;
        for _ in 0..PARTIAL_ROUNDS_MAX {
            let breaking: Vec<&Violation> = violations.iter().filter(|violation| !violation.is_unfound).collect();
            if breaking.is_empty() {
                break;
            }
            for violation in breaking {
                take_out(&mut data, &mut sources, &violation.pointer);
            }
            violations = contract.validate(&data).err().unwrap_or_default();
        }
        let is_settled = violations.iter().all(|violation| violation.is_unfound);
        if !is_settled || sources.is_empty() {
            return Settlement::of_nothing();
        }
        Settlement { data: Some(data), data_error: None, sources }
    }
}

/// Makes the value null, with all that is in it.
fn take_out(data: &mut Value, sources: &mut BTreeMap<String, Source>, pointer: &str) {
    let below = format!("{pointer}/");
    sources.retain(|place, _| place != pointer && !place.starts_with(&below));
    if let Some(value) = data.pointer_mut(pointer) {
        *value = Value::Null;
    }
}
