//! The running processes, and what befalls them: they are killed, halted, or told to leave, and start again.

use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::process::Process;
use crate::world::{Kind, World};

/// One place for a process.
struct Slot {
    kind: Kind,
    number: u32,
    incarnation: u32,
    state: SlotState,
}

enum SlotState {
    Up(Running),
    Halted { running: Running, until: Instant },
    Down { until: Instant },
}

struct Running {
    process: Arc<Process>,
    service: JoinHandle<Result<(), String>>,
    shutdown: CancellationToken,
}

impl Running {
    /// As SIGKILL: all that the process held is gone.
    fn kill(self) {
        self.process.kill();
        self.service.abort();
    }
}

/// All processes but the gateways.
pub struct Cluster<'a> {
    world: &'a World,
    slots: Vec<Slot>,
    /// How services ended that should not have.
    pub faults: Vec<String>,
    pub crashes: u32,
    /// Processes that halted at a chosen passage.
    pub halts: u32,
}

/// Longer than it takes to lose the claim, to ask a person, to be answered, and to act again.
const LONG_HALT: Duration = Duration::from_secs(100);

impl<'a> Cluster<'a> {
    /// Starts two schedulers, two notifiers and the workers.
    pub fn start(world: &'a World) -> Self {
        let mut cluster = Self { world, slots: Vec::new(), faults: Vec::new(), crashes: 0, halts: 0 };
        let numbers = |kind, count| (1..=count).map(move |number| (kind, number));
        let schedulers = numbers(Kind::Scheduler, 2);
        let all = schedulers.chain(numbers(Kind::Notifier, 2)).chain(numbers(Kind::Worker, world.options.workers));
        for (kind, number) in all {
            let mut slot = Slot { kind, number, incarnation: 0, state: SlotState::Down { until: world.began } };
            slot.start(world);
            cluster.slots.push(slot);
        }
        cluster
    }

    /// Lets things befall the processes until then.
    pub async fn storm(&mut self, until: Instant) {
        let mut orders_left = self.world.options.crashes_in_orders;
        while Instant::now() < until {
            tokio::select! {
                biased;
                () = self.world.shop.order_sent.notified(), if orders_left > 0 => {
                    orders_left -= 1;
                    self.kill_workers();
                }
                () = tokio::time::sleep(self.world.chaos.ms(100..1_900)) => self.tick().await,
            }
        }
    }

    /// Everybody runs again.
    pub fn calm(&mut self) {
        for slot in &mut self.slots {
            match &slot.state {
                SlotState::Up(_) => {}
                SlotState::Halted { .. } => slot.resume(),
                SlotState::Down { .. } => slot.start(self.world),
            }
        }
    }

    fn kill_workers(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.kind == Kind::Worker) {
            slot.kill(Instant::now() + Duration::from_secs(2));
            self.crashes += 1;
        }
    }

    /// About once a second.
    pub async fn tick(&mut self) {
        for index in 0..self.slots.len() {
            self.bury(index).await;
            self.befall(index);
        }
    }

    /// A service that came to its end is started again; an end with an error is a fault.
    async fn bury(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        let SlotState::Up(running) = &mut slot.state else { return };
        if running.process.is_dead() {
            self.crashes += 1;
            return slot.kill(Instant::now() + Duration::from_secs(1));
        }
        if running.process.is_halted() {
            self.halts += 1;
            return slot.halt(Instant::now() + LONG_HALT);
        }
        if !running.service.is_finished() {
            return;
        }
        let ended = (&mut running.service).await.unwrap_or_else(|error| Err(error.to_string()));
        if let Err(error) = ended {
            self.faults.push(format!("{} ended: {error}", running.process.name));
        }
        slot.start(self.world);
    }

    fn befall(&mut self, index: usize) {
        let chaos = &self.world.chaos;
        let now = Instant::now();
        let slot = &mut self.slots[index];
        match &slot.state {
            SlotState::Up(running) => {
                if chaos.strikes(|rates| rates.crash) {
                    self.crashes += 1;
                    slot.kill(now + chaos.ms(0..15_000));
                } else if chaos.strikes(|rates| rates.pause) {
                    let is_long = chaos.below(8) == 0;
                    slot.halt(now + if is_long { LONG_HALT } else { chaos.ms(200..25_000) });
                } else if chaos.strikes(|rates| rates.crash / 3) {
                    running.shutdown.cancel();
                }
            }
            SlotState::Halted { until, .. } if *until <= now => slot.resume(),
            SlotState::Down { until } if *until <= now => slot.start(self.world),
            SlotState::Halted { .. } | SlotState::Down { .. } => {}
        }
    }
}

impl Slot {
    fn start(&mut self, world: &World) {
        self.incarnation += 1;
        let kind = match self.kind {
            Kind::Scheduler => "scheduler",
            Kind::Notifier => "notifier",
            Kind::Worker => "worker",
        };
        let is_first = (self.number, self.incarnation) == (1, 1);
        let fate = world.options.fate.filter(|(kind, ..)| is_first && *kind == self.kind);
        let name = format!("{kind}-{}-{}", self.number, self.incarnation);
        let process = Process::fated(name, fate.map(|(_, passage, fate)| (passage, fate)));
        let shutdown = CancellationToken::new();
        let service = world.start(self.kind, &process, shutdown.clone());
        self.state = SlotState::Up(Running { process, service, shutdown });
    }

    fn take(&mut self) -> Option<Running> {
        match std::mem::replace(&mut self.state, SlotState::Down { until: Instant::now() }) {
            SlotState::Up(running) | SlotState::Halted { running, .. } => Some(running),
            SlotState::Down { .. } => None,
        }
    }

    fn kill(&mut self, until: Instant) {
        if let Some(running) = self.take() {
            running.kill();
        }
        self.state = SlotState::Down { until };
    }

    fn halt(&mut self, until: Instant) {
        if let Some(running) = self.take() {
            running.process.halt();
            self.state = SlotState::Halted { running, until };
        }
    }

    fn resume(&mut self) {
        if let Some(running) = self.take() {
            running.process.resume();
            self.state = SlotState::Up(running);
        }
    }
}
