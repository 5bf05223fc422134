//! Where a step's time goes: each phase's duration as a histogram, `errand_step_phase_seconds`.

use std::future::Future;
use std::time::Instant;

/// A part of a step that is worth knowing the duration of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepPhase {
    /// Storing the claim.
    Claim,
    /// A new or restored browser session.
    OpenSession,
    /// Opening the start URL.
    OpenPage,
    Look,
    /// Reading the wanted fields from the page.
    Read,
    StorePage,
    Plan,
    /// Storing the chosen action.
    Choose,
    /// The action with the wait for what it starts.
    Act,
    /// Screenshot and checkpoint from the browser.
    Capture,
    StoreCaptures,
    /// Storing the step's end, or the question to a person.
    Finish,
}

impl StepPhase {
    fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::OpenSession => "open_session",
            Self::OpenPage => "open_page",
            Self::Look => "look",
            Self::Read => "read",
            Self::StorePage => "store_page",
            Self::Plan => "plan",
            Self::Choose => "choose",
            Self::Act => "act",
            Self::Capture => "capture",
            Self::StoreCaptures => "store_captures",
            Self::Finish => "finish",
        }
    }
}

/// Awaits one phase and records how long it took, whatever came of it.
pub async fn timed<T>(phase: StepPhase, work: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let done = work.await;
    metrics::histogram!("errand_step_phase_seconds", "phase" => phase.name()).record(began.elapsed().as_secs_f64());
    done
}
