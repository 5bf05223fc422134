//! Where a step's time goes, as the server's own metrics tell it.

use anyhow::Context;
use errand_tests::server::ErrandServer;
use std::collections::BTreeMap;

/// Seconds spent and times entered, by phase, since the server started.
#[derive(Debug, Default)]
pub struct Phases(BTreeMap<String, Phase>);

/// One phase so far.
#[derive(Debug, Default, Clone, Copy)]
pub struct Phase {
    pub seconds: f64,
    pub count: f64,
}

const METRIC: &str = "errand_step_phase_seconds";

impl Phases {
    /// Reads them from `/metrics`.
    pub async fn of(server: &ErrandServer) -> anyhow::Result<Self> {
        let answer = server.api.request(reqwest::Method::GET, "/metrics").send().await?.error_for_status()?;
        let mut phases = BTreeMap::<String, Phase>::new();
        for line in answer.text().await?.lines() {
            let Some(rest) = line.strip_prefix(METRIC) else { continue };
            let (series, value) = rest.rsplit_once(' ').context("a metric has a value")?;
            let Some(name) = series.split('"').nth(1) else { continue };
            let phase = phases.entry(name.to_owned()).or_default();
            if series.starts_with("_sum") {
                phase.seconds = value.parse()?;
            } else if series.starts_with("_count") {
                phase.count = value.parse()?;
            }
        }
        Ok(Self(phases))
    }

    /// What was added since an earlier reading, most time first.
    pub fn since(&self, earlier: &Self) -> Vec<(String, Phase)> {
        let added = |(name, now): (&String, &Phase)| {
            let before = earlier.0.get(name).copied().unwrap_or_default();
            (name.clone(), Phase { seconds: now.seconds - before.seconds, count: now.count - before.count })
        };
        let mut phases: Vec<_> = self.0.iter().map(added).collect();
        phases.sort_by(|(_, left), (_, right)| right.seconds.total_cmp(&left.seconds));
        phases
    }
}
