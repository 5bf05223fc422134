//! The real `errand serve` as a child process, as tests start it: its own folder, a free port, loopback allowed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;

use crate::client::Api;
use crate::process::{ChildProcess, DataDir, Launch};

/// The first key of the account `default` in every test server.
pub const API_KEY: &str = "test-key-of-the-default-account";
/// Names the safeguard to leave out; the stores' crate knows which there are.
const SABOTAGE_VARIABLE: &str = "ERRAND_SABOTAGE";
/// Cold start of a debug build on a busy machine.
const START_DEADLINE: Duration = Duration::from_secs(60);
/// A drain finishes the steps that are held.
const DRAIN_DEADLINE: Duration = Duration::from_secs(60);

/// Settings that differ from a plain server's.
#[derive(Debug, Clone, Default)]
pub struct ServerOptions {
    /// `ERRAND_*` variables.
    pub variables: Vec<(String, String)>,
    /// Files that the server, and each process that it starts, may have open.
    pub open_files: Option<u32>,
}

impl ServerOptions {
    /// Sets one variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Bounds the files that may be open.
    #[must_use]
    pub fn with_open_files(self, open_files: u32) -> Self {
        Self { open_files: Some(open_files), ..self }
    }
}

/// A running server and its folder; dropping it kills the whole process group.
#[derive(Debug)]
pub struct ErrandServer {
    pub api: Api,
    pub folder: DataDir,
    options: ServerOptions,
    process: ChildProcess,
    starts: u32,
}

impl ErrandServer {
    /// Starts a server in a folder of its own and waits until it is ready.
    ///
    /// # Errors
    /// When it does not become ready; its output is in the error.
    pub async fn start(options: ServerOptions) -> anyhow::Result<Self> {
        let folder = DataDir::new()?;
        let (api, process) = launch(&folder, &options, 1).await?;
        Ok(Self { api, folder, options, process, starts: 1 })
    }

    /// `kill -9` on the server process alone: what it started has to notice by itself.
    ///
    /// # Errors
    /// When it does not die.
    pub async fn kill(&mut self) -> anyhow::Result<()> {
        self.process.kill().await
    }

    /// Starts it again on the same folder, on another port.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn restart(&mut self) -> anyhow::Result<()> {
        self.starts += 1;
        let (api, process) = launch(&self.folder, &self.options, self.starts).await?;
        self.api = api;
        self.process = process;
        Ok(())
    }

    /// Process id of the server as it runs now.
    #[must_use]
    pub fn process_id(&self) -> i32 {
        self.process.id()
    }

    /// SIGTERM; gives the exit status.
    ///
    /// # Errors
    /// When it does not end in time.
    pub async fn terminate(&mut self) -> anyhow::Result<std::process::ExitStatus> {
        self.process.terminate(DRAIN_DEADLINE).await
    }

    /// All that it has written to stdout and stderr since its last start.
    #[must_use]
    pub fn output(&self) -> String {
        format!("{}{}", self.process.stdout(), self.process.stderr())
    }
}

async fn launch(folder: &DataDir, options: &ServerOptions, number: u32) -> anyhow::Result<(Api, ChildProcess)> {
    let mut launch = match options.open_files {
        None => Launch::new(errand_binary()?),
        Some(files) => Launch::new("/bin/sh")
            .arg("-c")
            .arg(format!("ulimit -n {files} && exec \"$0\" \"$@\""))
            .arg(errand_binary()?),
    };
    launch = launch
        .arg("serve")
        .env("ERRAND_DATA_DIR", folder.data().display().to_string())
        .env("ERRAND_LISTEN", "127.0.0.1:0")
        .env("ERRAND_API_KEY", API_KEY)
        .env("ERRAND_ALLOW_NETWORKS", "127.0.0.0/8")
        .env("ERRAND_LOG", "info,errand=debug")
        .env("TMPDIR", folder.path("tmp").display().to_string());
    std::fs::create_dir_all(folder.path("tmp"))?;
    // A safeguard that is left out on purpose is left out of the server.
    if let Ok(safeguard) = std::env::var(SABOTAGE_VARIABLE) {
        launch = launch.env(SABOTAGE_VARIABLE, safeguard);
    }
    for (name, value) in &options.variables {
        launch = launch.env(name, value.clone());
    }
    let mut process = ChildProcess::start(&launch, &folder.logs(), &format!("serve-{number}"))?;
    let line = process.wait_for_line("errand serves on ", START_DEADLINE).await?;
    let address = line.split_whitespace().find(|word| word.starts_with("http://")).context("no address was printed")?;
    Ok((Api::new(address.trim_end_matches('/'), API_KEY), process))
}

/// The `errand` binary that was built beside this test.
///
/// # Errors
/// When it was not built.
pub fn errand_binary() -> anyhow::Result<PathBuf> {
    let test = std::env::current_exe()?;
    // target/<profile>/deps/<test> → target/<profile>/errand
    let built = test.ancestors().find(|folder| !folder.ends_with("deps") && folder.is_dir()).map(Path::to_path_buf);
    let binary = built.context("the test stands nowhere")?.join("errand");
    anyhow::ensure!(
        binary.is_file(),
        "{} is missing: run `make test`, or `cargo build --workspace --bins`",
        binary.display()
    );
    Ok(binary)
}
