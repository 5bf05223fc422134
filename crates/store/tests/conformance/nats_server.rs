//! A real NATS server of a test's own, in a folder and on a port of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

use crate::lines::Lines;

/// It takes a second at most on a busy machine.
const READY_DEADLINE: Duration = Duration::from_secs(60);

/// A running server; killed and its data removed when dropped.
pub struct NatsServer {
    process: Child,
    port: u16,
    folder: TempDir,
}

impl NatsServer {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (process, port) = spawn(folder.path(), "-1");
        Self { process, port, folder }
    }

    pub async fn connect(&self) -> async_nats::Client {
        async_nats::connect(format!("nats://127.0.0.1:{}", self.port)).await.unwrap()
    }

    /// Ends the server at once, as kill -9 does.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again with its data and its port.
    pub fn start_again(&mut self) {
        (self.process, self.port) = spawn(self.folder.path(), &self.port.to_string());
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a server and waits until it says that it is ready.
fn spawn(folder: &Path, port: &str) -> (Child, u16) {
    let config = folder.join("nats.conf");
    let store = folder.join("jetstream");
    let text = format!("jetstream {{ store_dir: \"{}\", sync_interval: always }}\n", store.display());
    fs::write(&config, text).unwrap();
    let program = find_program();
    let mut process = Command::new(&program)
        .args(["--addr", "127.0.0.1", "--port", port, "--config"])
        .arg(&config)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{} cannot be started: {error}", program.display()));
    let lines = Lines::of(process.stderr.take().unwrap());
    let mut port = None;
    while let Some(line) = lines.next_within(READY_DEADLINE) {
        if let Some((_, address)) = line.split_once("Listening for client connections on ") {
            port = address.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        }
        if line.contains("Server is ready") {
            return (process, port.expect("a server that is ready has said where it listens"));
        }
    }
    panic!("nats-server ended before it was ready: {}", process.wait().unwrap());
}

/// `ERRAND_NATS_SERVER`, else what `make setup` installed, else the one in the path.
fn find_program() -> PathBuf {
    if let Some(program) = std::env::var_os("ERRAND_NATS_SERVER") {
        return program.into();
    }
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/bin/nats-server");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|folder| folder.join("nats-server"));
    std::iter::once(installed)
        .chain(in_path)
        .find(|program| program.is_file())
        .expect("these tests need a nats-server: run `make setup`, or set ERRAND_NATS_SERVER to one")
}
