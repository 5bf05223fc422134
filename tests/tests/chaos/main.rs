//! Chaos: real processes killed with -9 at seeded times while runs go on. Whatever happens, each run ends, nothing
//! happens twice, and nothing is left behind.
//!
//! `CHAOS_SEED=n cargo test -p errand-tests --test chaos` repeats one seed.

mod kills;
mod person;
