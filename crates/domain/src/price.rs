//! What a run costs: reserve at the start, charge at the end. Money is counted in whole micro-dollars.

use serde::{Deserialize, Serialize};

use crate::run::Mode;

/// An amount of US dollars in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroUsd(pub u64);

impl MicroUsd {
    /// Dollars, as the API shows them.
    #[must_use]
    pub fn as_usd(self) -> f64 {
        self.0 as f64 / 1_000_000.0
    }
}

/// The server's prices in micro-dollars (SPEC §1, "Money").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PriceTable {
    pub fast_step: u64,
    pub precise_step: u64,
    pub fast_step_reserve: u64,
    pub precise_step_reserve: u64,
    /// Run time that costs nothing, in seconds.
    pub free_time_s: u64,
    pub second: u64,
}

impl Default for PriceTable {
    fn default() -> Self {
        Self {
            fast_step: 6_000,
            precise_step: 12_000,
            fast_step_reserve: 8_900,
            precise_step_reserve: 17_800,
            free_time_s: 600,
            second: 100,
        }
    }
}

impl PriceTable {
    /// Held while a run of at most `max_steps` steps goes on.
    #[must_use]
    pub fn reserve(&self, mode: Mode, max_steps: u32) -> MicroUsd {
        let step = match mode {
            Mode::Fast => self.fast_step_reserve,
            Mode::Precise => self.precise_step_reserve,
        };
        MicroUsd(step.saturating_mul(u64::from(max_steps)))
    }

    /// Whole seconds of run time beyond the free ones.
    #[must_use]
    pub fn billable_time_s(&self, run_ms: u64) -> u64 {
        (run_ms / 1_000).saturating_sub(self.free_time_s)
    }

    /// Price of the billable time.
    #[must_use]
    pub fn time(&self, run_ms: u64) -> MicroUsd {
        MicroUsd(self.billable_time_s(run_ms).saturating_mul(self.second))
    }

    /// Steps and time together.
    #[must_use]
    pub fn charge(&self, mode: Mode, steps: u32, run_ms: u64) -> MicroUsd {
        let step = match mode {
            Mode::Fast => self.fast_step,
            Mode::Precise => self.precise_step,
        };
        MicroUsd(step.saturating_mul(u64::from(steps)).saturating_add(self.time(run_ms).0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_table_is_the_specs() {
        let table = PriceTable::default();
        assert_eq!(table.reserve(Mode::Fast, 50).as_usd(), 0.445);
        assert_eq!(table.reserve(Mode::Precise, 50).as_usd(), 0.89);
        assert_eq!(table.charge(Mode::Fast, 1, 599_000).as_usd(), 0.006);
        assert_eq!(table.charge(Mode::Precise, 2, 0).as_usd(), 0.024);
    }

    #[test]
    fn time_beyond_ten_minutes_costs_a_ten_thousandth_a_second() {
        let table = PriceTable::default();
        assert_eq!(table.billable_time_s(610_999), 10);
        assert_eq!(table.time(610_999).as_usd(), 0.001);
    }
}
