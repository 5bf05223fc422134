//! Simulator: schedulers, notifiers, workers and gateways as they are, over the in-memory store, on one thread, in
//! virtual time, under faults that one seed decides. Every failure names its seed: `SIM_SEED=17 cargo test -p errand-tests
//! --test sim one_seed -- --nocapture` runs it again and prints its history.

mod browser;
mod chaos;
mod check;
mod client;
mod cluster;
mod faults;
mod history;
mod planner;
mod process;
mod receiver;
mod sabotage;
mod scenarios;
mod seeds;
mod shop;
mod simulation;
mod world;
