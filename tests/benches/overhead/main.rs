//! `make bench`: what the log, a step and an idle server cost, each beside a bare counterpart in the same run. Ratios
//! hold better than absolutes: both sides are measured in turn on the same machine.

mod durable;
mod figures;
mod memory;
mod phases;
mod raw_cdp;
mod wizard;

use errand_tests::server::{ErrandServer, ServerOptions};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    print_machine()?;
    durable::measure().await?;
    let options = ServerOptions::default().with("ERRAND_LOG", "warn").with("ERRAND_WORKER_SESSIONS", "8");
    let server = ErrandServer::start(options).await?;
    let idle = memory::idle(&server).await?;
    wizard::measure(&server).await?;
    memory::measure(&server, idle).await
}

fn print_machine() -> anyhow::Result<()> {
    let cores = std::thread::available_parallelism()?;
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let load = std::fs::read_to_string("/proc/loadavg")?;
    let minute = load.split_whitespace().next().unwrap_or_default();
    println!("machine: {cores} cores, Linux {}, load {minute} at the start", kernel.trim());
    Ok(())
}
