//! `errand doctor --salvage`: copies what is whole of a damaged store into a new folder, and says what is lost.

use anyhow::Context;
use errand_domain::RunId;
use errand_store::embedded;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;

use crate::config::Config;
use crate::output::{print_line, unless_closed};

/// Carries it out. The new folder is served with `ERRAND_DATA_DIR`.
pub async fn salvage(config: &Config, target: &Path) -> anyhow::Result<ExitCode> {
    let report = embedded::salvage(&config.data_dir, target).await?;
    copy_master_key(&config.data_dir, target)?;
    for line in lines(&report, target) {
        unless_closed(print_line(&line))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Without it nothing that is sealed opens. A configured key is no file.
fn copy_master_key(from: &Path, to: &Path) -> anyhow::Result<()> {
    let (from, to) = (from.join("master.key"), to.join("master.key"));
    if !from.exists() {
        return Ok(());
    }
    let copy = || {
        let mut source = std::fs::File::open(&from)?;
        let mut file = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(&to)?;
        std::io::copy(&mut source, &mut file)?;
        file.sync_all()
    };
    copy().with_context(|| format!("cannot copy {}", from.display()))
}

fn lines(report: &embedded::SalvageReport, target: &Path) -> Vec<String> {
    let salvaged = &report.salvaged;
    let mut lines = vec![match &salvaged.damage {
        Some(damage) => format!("damage   {damage}"),
        None => "damage   none: the store was whole, and all of it was copied".to_owned(),
    }];
    lines.push(format!("kept     {} run(s)", salvaged.runs.len()));
    lines.extend(salvaged.values.iter().map(|(bucket, count)| format!("kept     {count} value(s) of {bucket}")));
    let listed = |what: &str, runs: &[RunId]| runs.iter().map(|run_id| format!("{what} {run_id}")).collect::<Vec<_>>();
    lines.extend(listed("LOST     run", &salvaged.lost));
    lines.extend(listed("CUT      later commits of run", &salvaged.cut));
    lines.extend(listed("stopped  run, which was open in what could be read:", &report.stopped));
    lines.extend(listed("in doubt a webhook that may have been sent, of run", &report.in_doubt));
    if salvaged.damage.is_some() {
        let hint = "secrets, profiles, API keys and runs that were stored last may be missing without a trace, and API keys \
                    that were revoked last may be back: look at `errand secrets list` and `errand keys list`";
        lines.push(format!("note     {hint}"));
    }
    lines.push(format!("{} can be served: ERRAND_DATA_DIR={} errand serve", target.display(), target.display()));
    lines
}
