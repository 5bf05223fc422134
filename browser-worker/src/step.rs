//! One attempt at a step: claim, open the page, look, decide, record, act, record (DESIGN §7).

mod choosing;

use errand_browser::{Commits, TypedSecret};
use errand_domain::action::Action;
use errand_domain::page::PageSnapshot;
use errand_domain::run::{
    HumanAsked, PageRef, StepFinished, StepOutcome, StepStarted, TerminalReason, Usage, WorkerCommand,
};
use errand_domain::{BlobKey, RunId};
use errand_planner::{Decision, Observation, Situation};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::claim::Claim;
use crate::context::Context;
use crate::driver::{ActError, ActReport, GotoError, SessionLost};
use crate::error::{SecretError, TaskError};
use crate::limits::{ACT_DEADLINE, LOADING_LOOKS_MAX, LOADING_PAUSE, LOOK_DEADLINE, PLAN_DEADLINE, REFUSED_LOOKS_MAX};
use crate::loss::{abandon, after_loss, fatal};
use crate::opening::open_session;
use crate::phase::{StepPhase, timed};
use crate::reading::{self, Reading};
use crate::secrets::RunSecrets;
use crate::sessions::HeldSession;
use crate::turn::{self, PauseRequest, Turn};
use crate::{captures, held, pages, refusal};

mod guarding;
mod navigating;

/// Carries out one attempt. The session is held again afterwards unless it was lost. `place` is for a new session.
///
/// # Errors
/// When the claim was lost, or the step could not be carried to an outcome; the log then offers it again.
pub async fn attempt(
    context: &Context,
    run_id: &RunId,
    started: StepStarted,
    place: Option<OwnedSemaphorePermit>,
) -> Result<(), TaskError> {
    let act_within_ms = context.config.act_within_ms;
    let claiming = Claim::take(&context.stores, &context.runs, run_id, started, act_within_ms);
    let mut claim = timed(StepPhase::Claim, claiming).await?;
    let secrets = match open_secrets(context, &claim).await {
        Ok(secrets) => secrets,
        // The store may be back soon; a secret that is gone or cannot be opened stays so.
        Err(error @ SecretError::Store(_)) => return abandon(claim, error.into()).await,
        Err(error) => return claim.append(fatal(&claim, TerminalReason::BrowserError, error.to_string())).await,
    };
    let opened = match timed(StepPhase::OpenSession, open_session(context, &mut claim, place)).await {
        Ok(opened) => opened,
        Err(lost) => return after_loss(claim, &secrets, lost).await,
    };
    let mut attempt = Attempt {
        context,
        claim,
        secrets,
        session: opened.session,
        is_new: opened.is_new,
        is_restored: opened.is_restored,
    };
    let result = attempt.run().await;
    let Attempt { claim, secrets, session, .. } = attempt;
    match result {
        Ok(command) => end(context, run_id, claim, session, command).await,
        Err(TaskError::Session(lost)) => {
            session.close().await;
            after_loss(claim, &secrets, lost).await
        }
        Err(error @ TaskError::Stale { .. }) => {
            session.close().await;
            abandon(claim, error).await
        }
        // The claim may be another's by now, whose session is the live one: the next attempt restores from the checkpoint.
        Err(error) => {
            session.close().await;
            Err(error)
        }
    }
}

/// Stores the step's end. The session is held before, since the next step may begin from then on and looks for it; when
/// the end is refused, another attempt has gone on without this session.
async fn end(
    context: &Context,
    run_id: &RunId,
    mut claim: Claim<'_>,
    session: HeldSession,
    command: WorkerCommand,
) -> Result<(), TaskError> {
    let holder = session.holder;
    if let Some(older) = context.sessions.put(run_id.clone(), session) {
        older.close().await;
    }
    let ended = timed(StepPhase::Finish, claim.append(command)).await;
    if ended.is_err()
        && let Some(session) = context.sessions.take_back(run_id, holder)
    {
        session.close().await;
    }
    ended
}

async fn open_secrets(context: &Context, claim: &Claim<'_>) -> Result<RunSecrets, SecretError> {
    let now = context.stores.clock.time_of_day();
    RunSecrets::open(&*context.stores.keyvalue, &context.config.master_key, &claim.run.spec, now).await
}

/// Until the page changes, at most this long.
const LOADING_WAIT: Action = Action::Wait { ms: 1_500 };

struct Attempt<'a> {
    context: &'a Context,
    claim: Claim<'a>,
    secrets: RunSecrets,
    session: HeldSession,
    is_new: bool,
    is_restored: bool,
}

/// A look at the page, without secrets, and where its snapshot was stored.
struct Look {
    observation: Observation,
    pages: Vec<PageRef>,
    reading: Reading,
    /// A refusal with which the site checks the browser.
    may_pass: bool,
}

impl Attempt<'_> {
    /// Gives the command that ends the step.
    async fn run(&mut self) -> Result<WorkerCommand, TaskError> {
        if self.is_new
            && let Err(error) = timed(StepPhase::OpenPage, self.open_page()).await
        {
            return self.navigation_failed(error);
        }
        let look = self.look().await?;
        let is_complete = look.reading.is_complete();
        if let Some(turn) = turn::before_planning(&self.claim.run, &look.observation, is_complete) {
            return self.take_turn(turn, look, Usage::default()).await;
        }
        if let Some(request) = self.held_question(&look.observation) {
            return self.pause(request, look, Usage::default()).await;
        }
        let planned = timed(StepPhase::Plan, self.plan(&look)).await;
        match planned {
            Ok((turn, usage)) => self.take_turn(turn, look, usage).await,
            Err(error) => {
                let turn = Turn::Fail { reason: TerminalReason::ModelError, error };
                self.take_turn(turn, look, Usage { decision_calls: 1, llm_calls: 0 }).await
            }
        }
    }

    /// Looks; a page that may soon show more of what is wanted is looked at again, within bounds: one whose end has not come
    /// yet, or a refusal that may pass.
    async fn look(&mut self) -> Result<Look, TaskError> {
        let mut look = self.look_once().await?;
        for looks in 0.. {
            let looks_max = if look.reading.is_complete() {
                0
            } else if look.observation.still_loading {
                LOADING_LOOKS_MAX
            } else if look.may_pass {
                REFUSED_LOOKS_MAX
            } else {
                0
            };
            if looks >= looks_max {
                break;
            }
            let waiting = timeout(ACT_DEADLINE, self.session.driver.act(&LOADING_WAIT, None, false, Commits::None));
            // The next look tells what became of the page.
            let _ = self.claim.while_beating(waiting).await;
            tokio::time::sleep(LOADING_PAUSE).await;
            let later = self.look_once().await?;
            let pages = look.pages.into_iter().chain(later.pages).collect();
            look = Look { pages, ..later };
        }
        Ok(look)
    }

    async fn look_once(&mut self) -> Result<Look, TaskError> {
        let looking = timeout(LOOK_DEADLINE, self.session.driver.look());
        let hung = |_| SessionLost { reason: "the page could not be read in time".to_owned() };
        let looking = timed(StepPhase::Look, self.claim.while_beating(looking));
        let (observation, snapshot) = looking.await.map_err(hung)??;
        let mut observation = reading::redact_observation(observation, self.secrets.redactor());
        // Both go into events, which stay small whatever a page calls itself.
        observation.url = captures::short(&observation.url);
        observation.title = captures::short(&observation.title);
        let snapshot = pages::redact(snapshot, self.secrets.redactor());
        let (reading, page) = self.read_and_store(&snapshot).await?;
        Ok(Look { observation, pages: page.into_iter().collect(), reading, may_pass: refusal::may_pass(&snapshot) })
    }

    /// Reads the wanted fields while the page is put on disk, unless it shows just what the last stored one did. Reading a
    /// large page takes the processor for a while, so it has a thread of its own.
    async fn read_and_store(&mut self, snapshot: &PageSnapshot) -> Result<(Reading, Option<PageRef>), TaskError> {
        let (run, page) = (self.claim.run.clone(), snapshot.clone());
        let reading = reading::apart(move || Reading::of_page(&run, &page));
        let content = captures::content_hash(&[&snapshot.url, &snapshot.title, &snapshot.text]);
        let is_stored = self.session.last_stored == Some(content);
        let key = BlobKey::parse(&format!("page-{}-{}-{content:016x}", self.claim.step(), self.claim.attempt()))?;
        let (blobs, run_id) = (&*self.context.stores.blobs, self.claim.run.id.clone());
        let storing =
            async { if is_stored { Ok(None) } else { pages::store(blobs, &run_id, key, snapshot).await.map(Some) } };
        let both = async { tokio::join!(timed(StepPhase::Read, reading), timed(StepPhase::StorePage, storing)) };
        let (reading, page) = self.claim.while_beating(both).await;
        let page = page?;
        self.session.last_stored = Some(content);
        Ok((reading.map_err(|_died| TaskError::Reading)?, page))
    }

    async fn plan(&mut self, look: &Look) -> Result<(Turn, Usage), String> {
        let history = turn::past_steps(&self.claim.run);
        let run = self.claim.run.clone();
        let situation = Situation {
            goal: &run.spec.goal,
            start_url: &run.spec.start_url,
            schema: look.reading.schema(),
            secrets: &run.spec.secrets,
            observation: &look.observation,
            history: &history,
            filled: look.reading.filled(),
            steps_left: run.spec.max_steps.saturating_sub(self.claim.step()),
        };
        let deciding = timeout(PLAN_DEADLINE, self.context.planner.decide(&situation));
        match self.claim.while_beating(deciding).await {
            Ok(Ok(planned)) => Ok((self.turn_of(planned.decision, &look.observation), planned.usage)),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the planner did not decide in time".to_owned()),
        }
    }

    fn turn_of(&self, decision: Decision, observation: &Observation) -> Turn {
        turn::after_planning(&self.claim.run, observation, decision, self.secrets.origins())
    }

    async fn take_turn(&mut self, turn: Turn, look: Look, usage: Usage) -> Result<WorkerCommand, TaskError> {
        match turn {
            Turn::Act { action, committing } => self.act(action, committing, look, usage).await,
            Turn::Pause(request) => self.pause(*request, look, usage).await,
            Turn::Refuse { action, reason } => self.refuse(action, reason, look, usage).await,
            Turn::Finish => self.finish(StepOutcome::GoalReached, look, usage).await,
            Turn::GiveUp { reason } => self.finish(StepOutcome::GaveUp { reason }, look, usage).await,
            Turn::Fail { reason, error } => self.finish(StepOutcome::Fatal { reason, error }, look, usage).await,
        }
    }

    async fn act(
        &mut self,
        action: Action,
        committing: bool,
        look: Look,
        usage: Usage,
    ) -> Result<WorkerCommand, TaskError> {
        let typed = match self.typed_secret(&action, &look.observation) {
            Ok(typed) => typed,
            Err(error) => return self.refuse(action, error.to_string(), look, usage).await,
        };
        let commits = held::permission(&self.claim.run, committing, &action, &look.observation);
        self.choose(action.clone(), committing, look, usage).await?;
        if let Err(error) = self.claim.check_fresh() {
            // Nothing was done, and the log refuses this end when the claim is another's.
            return self.record_outcome(StepOutcome::NotActed { reason: error.to_string() }).await;
        }
        let acting = self.carry_out(&action, typed.as_ref(), committing, commits);
        let outcome = timed(StepPhase::Act, acting).await?;
        if !committing && let Some(command) = self.ask_about_held(&action).await? {
            return Ok(command);
        }
        self.record_outcome(outcome).await
    }

    async fn carry_out(
        &mut self,
        action: &Action,
        typed: Option<&TypedSecret>,
        committing: bool,
        commits: Commits,
    ) -> Result<StepOutcome, TaskError> {
        if let Action::Navigate { url } = action {
            return Ok(match self.goto(url).await {
                Ok(()) => StepOutcome::Acted { result: format!("opened {url}") },
                Err(GotoError::Blocked { reason } | GotoError::Failed { reason }) => self.not_acted(&reason),
                Err(GotoError::Lost(lost)) => return Err(lost.into()),
            });
        }
        let acting = timeout(ACT_DEADLINE, self.session.driver.act(action, typed, committing, commits));
        match self.claim.while_beating(acting).await {
            // The next attempt looks whether it happened, and asks when the page does not tell.
            Ok(Ok(ActReport { doubt: Some(reason), .. })) if committing => Err(SessionLost { reason }.into()),
            Ok(Ok(report)) => {
                let told = match report.doubt {
                    Some(doubt) => format!("{}; {doubt}", report.result),
                    None => report.result,
                };
                let result = self.secrets.redactor().text(&told);
                Ok(StepOutcome::Acted { result: captures::short(&result) })
            }
            Ok(Err(ActError::NotActed { reason })) => Ok(self.not_acted(&reason)),
            Ok(Err(ActError::Lost(lost))) => Err(lost.into()),
            Err(_) => Err(SessionLost { reason: "the action hung".to_owned() }.into()),
        }
    }

    /// What covers an element, or where a navigation led, is the page's text.
    fn not_acted(&self, reason: &str) -> StepOutcome {
        StepOutcome::NotActed { reason: captures::short(&self.secrets.redactor().text(reason)) }
    }

    /// After the last step nobody looks again, so the page it led to is stored now.
    async fn record_outcome(&mut self, outcome: StepOutcome) -> Result<WorkerCommand, TaskError> {
        let is_last = self.claim.step() >= self.claim.run.spec.max_steps;
        let pages = if is_last { self.look().await?.pages } else { Vec::new() };
        let captured = captures::capture(self.context, &mut self.claim, &self.secrets, &mut self.session).await?;
        let finished = StepFinished {
            step: self.claim.step(),
            attempt: self.claim.attempt(),
            outcome,
            url: captured.url,
            pages,
            screenshot: captured.screenshot,
            checkpoint: captured.checkpoint,
            usage: Usage::default(),
        };
        Ok(WorkerCommand::FinishStep(finished))
    }

    async fn finish(&mut self, outcome: StepOutcome, look: Look, usage: Usage) -> Result<WorkerCommand, TaskError> {
        let captured = captures::capture(self.context, &mut self.claim, &self.secrets, &mut self.session).await?;
        let finished = StepFinished {
            step: self.claim.step(),
            attempt: self.claim.attempt(),
            outcome,
            url: Some(look.observation.url),
            pages: look.pages,
            screenshot: captured.screenshot,
            checkpoint: captured.checkpoint,
            usage,
        };
        Ok(WorkerCommand::FinishStep(finished))
    }

    async fn pause(&mut self, request: PauseRequest, look: Look, usage: Usage) -> Result<WorkerCommand, TaskError> {
        let captured = captures::capture(self.context, &mut self.claim, &self.secrets, &mut self.session).await?;
        let redactor = self.secrets.redactor();
        let asked = HumanAsked {
            pause: self.claim.run.pauses + 1,
            step: self.claim.step(),
            attempt: self.claim.attempt(),
            kind: request.kind,
            prompt: captures::short(&redactor.text(&request.prompt)),
            fields: request.fields.iter().map(|field| captures::short(&redactor.text(field))).collect(),
            stakes: reading::redact_stakes(request.stakes, redactor),
            options: request.options,
            proposal: request.proposal,
            url: Some(look.observation.url),
            pages: look.pages,
            screenshot: captured.screenshot,
            checkpoint: captured.checkpoint,
            usage,
        };
        Ok(WorkerCommand::AskHuman(Box::new(asked)))
    }
}
