//! `errand doctor`: what this machine lacks for serving, and how to get it. It tries things instead of guessing: it starts
//! the browser, opens a page, takes the port and writes a file.

use errand_browser::{Browser, LaunchOptions, Session, SessionOptions, find_certutil, find_executable};
use errand_browser_worker::default_sessions;
use errand_egress::{AddressPolicy, Dialer, EgressProxy, HostRules};
use errand_store::embedded::{EmbeddedError, examine};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::config::{Config, LogFormat};
use crate::options::DoctorOptions;
use crate::output::{print_line, unless_closed};
use crate::server::{launch_options, tls};
use crate::{exit, logging, machine, salvage};

/// One browser with one page takes about so much (measured).
const MEMORY_BYTES_MIN: u64 = 512 * 1024 * 1024;
const PAGE_TITLE: &str = "Errand's doctor";

/// One line of the report.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    Fine(String),
    /// Wanted by some uses only.
    Optional {
        what: String,
        remedy: String,
    },
    Missing {
        what: String,
        remedy: String,
    },
}

/// Looks at everything and reports; never stops at the first fault.
pub async fn doctor(options: DoctorOptions) -> anyhow::Result<ExitCode> {
    let config = Config::of_process(options.serve.config.as_deref())?;
    logging::start(LogFormat::Human, "error");
    if let Some(target) = options.salvage {
        return salvage::salvage(&config, &target).await;
    }
    let findings = [
        chromium(&config).await,
        certificates(&config),
        data_folder(&config.data_dir),
        store(&config.data_dir),
        port(config.listen).await,
        memory(machine::memory_bytes(), machine::cores(), config.worker_sessions),
        nats_server(),
    ];
    for finding in &findings {
        unless_closed(print_line(&line(finding)))?;
    }
    let is_missing = findings.iter().any(|finding| matches!(finding, Finding::Missing { .. }));
    let verdict = if is_missing { "something that serving needs is missing or damaged" } else { "ready to serve" };
    unless_closed(print_line(verdict))?;
    Ok(if is_missing { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}

fn line(finding: &Finding) -> String {
    match finding {
        Finding::Fine(what) => format!("ok       {what}"),
        Finding::Optional { what, remedy } => format!("optional {what}\n         {remedy}"),
        Finding::Missing { what, remedy } => format!("MISSING  {what}\n         {remedy}"),
    }
}

fn missing(what: impl Into<String>, remedy: impl Into<String>) -> Finding {
    Finding::Missing { what: what.into(), remedy: remedy.into() }
}

async fn chromium(config: &Config) -> Finding {
    let remedy =
        "install it (Debian: apt-get install chromium-headless-shell; here: make setup), or set ERRAND_CHROMIUM";
    let Some(executable) = config.chromium.clone().or_else(find_executable) else {
        return missing("Chromium: none found", remedy);
    };
    if config.extra_ca.is_some() && find_certutil().is_none() {
        let remedy = "install it (Debian: apt-get install libnss3-tools; here: make setup)";
        return missing("Chromium: it needs certutil to trust the extra CA", remedy);
    }
    let shown = executable.display();
    match open_page(&executable, config).await {
        Ok(product) => Finding::Fine(format!("Chromium: {shown} ({product}) starts and opens a page")),
        Err(error) => missing(format!("Chromium: {shown} does not work: {error:#}"), remedy),
    }
}

/// Starts the browser and opens a page of our own through an egress proxy, as runs do.
async fn open_page(executable: &Path, config: &Config) -> anyhow::Result<String> {
    let launch = LaunchOptions { executable: Some(executable.to_path_buf()), ..launch_options(config) };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}/", listener.local_addr()?);
    let dialer = Dialer::new(AddressPolicy::everything(), tls(config)?);
    let proxy = EgressProxy::start(dialer, HostRules::every()).await?;
    let browser = Browser::launch(launch).await?;
    let product = browser.product().to_owned();
    let options = SessionOptions { proxy: Some(proxy.address()), ..SessionOptions::default() };
    let title = match browser.new_session(options).await {
        Ok(session) => tokio::select! {
            title = title_of(session, &url) => title,
            served = serve_page(&listener) => served,
        },
        Err(error) => Err(error.into()),
    };
    browser.shutdown().await;
    proxy.stop().await;
    anyhow::ensure!(title? == PAGE_TITLE, "the page it opened is not the one it was sent to");
    Ok(product)
}

async fn title_of(session: Session, url: &str) -> anyhow::Result<String> {
    session.goto(url).await?;
    let title = session.snapshot_page().await?.title;
    session.close().await;
    Ok(title)
}

/// Answers every connection with the page; ends only when the listener fails.
async fn serve_page(listener: &TcpListener) -> anyhow::Result<String> {
    let body = format!("<!doctype html><title>{PAGE_TITLE}</title><p>It works.");
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    let mut request = [0; 4_096];
    loop {
        let (mut stream, _) = listener.accept().await?;
        // A browser opens connections ahead and may close them unused: each is only one try.
        let exchanged = async {
            if stream.read(&mut request).await? > 0 {
                stream.write_all(answer.as_bytes()).await?;
            }
            stream.shutdown().await
        };
        let _: std::io::Result<()> = exchanged.await;
    }
}

fn certificates(config: &Config) -> Finding {
    match tls(config) {
        Ok(_) => Finding::Fine("certificates: the system's are there".to_owned()),
        Err(error) => {
            missing(format!("certificates: {error:#}"), "install them (Debian: apt-get install ca-certificates)")
        }
    }
}

/// Writes into the folder, or into the nearest one above that exists: looking makes no folder.
fn data_folder(folder: &Path) -> Finding {
    let shown = folder.display();
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let existing = absolute.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(&absolute);
    let written = tempfile::NamedTempFile::new_in(existing).and_then(|file| file.as_file().sync_all());
    match written {
        Ok(()) => Finding::Fine(format!("data folder: {shown} can be written")),
        Err(error) => {
            let remedy = "make it writable for this user, or name another with ERRAND_DATA_DIR";
            missing(format!("data folder: {shown} cannot be written: {error}"), remedy)
        }
    }
}

/// Checks the store that is in the folder, if any.
fn store(folder: &Path) -> Finding {
    let shown = folder.display();
    match examine(folder) {
        Ok(runs) => Finding::Fine(format!("store: {shown} is whole ({runs} runs)")),
        Err(EmbeddedError::NoStore { .. }) => Finding::Fine(format!("store: {shown} holds none yet")),
        Err(EmbeddedError::InUse { .. }) => Finding::Optional {
            what: format!("store: {shown} is in use by a running server and was not looked at"),
            remedy: "stop the server to have its store checked".to_owned(),
        },
        Err(EmbeddedError::Damaged { damage, .. }) => {
            let remedy = "put a backup in its place, or copy what is whole: errand doctor --salvage NEW_FOLDER";
            missing(format!("store: {shown} is damaged: {damage}"), remedy)
        }
        Err(error) => {
            missing(format!("store: {error}"), "see what is in the folder, or name another with ERRAND_DATA_DIR")
        }
    }
}

async fn port(listen: SocketAddr) -> Finding {
    match TcpListener::bind(listen).await {
        Ok(_) => Finding::Fine(format!("port: {listen} is free")),
        Err(error) => {
            let remedy = "end what listens there (another `errand serve`?), or name another address with ERRAND_LISTEN";
            missing(format!("port: {listen} cannot be taken: {error}"), remedy)
        }
    }
}

fn memory(memory_bytes: u64, cores: usize, configured: Option<usize>) -> Finding {
    let mib = memory_bytes / (1024 * 1024);
    let sessions = configured.unwrap_or_else(|| default_sessions(memory_bytes, cores));
    let what = format!("memory: {mib} MiB, {cores} core(s): {sessions} run(s) at a time");
    if memory_bytes >= MEMORY_BYTES_MIN {
        return Finding::Fine(what);
    }
    missing(what, format!("a browser needs at least {} MiB", MEMORY_BYTES_MIN / (1024 * 1024)))
}

/// Only the tests and a later clustered store want it.
fn nats_server() -> Finding {
    let configured = std::env::var_os("ERRAND_NATS_SERVER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|folder| folder.join("nats-server"));
    let known = configured.into_iter().chain([PathBuf::from("target/tools/bin/nats-server")]).chain(in_path);
    match known.into_iter().find(|file| file.is_file()) {
        Some(file) => Finding::Fine(format!("nats-server: {} (for the tests)", file.display())),
        None => Finding::Optional {
            what: "nats-server: none found (only the tests use it)".to_owned(),
            remedy: "make setup, or set ERRAND_NATS_SERVER".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_is_missing_and_says_what_to_do() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let Finding::Missing { what, remedy } = port(taken.local_addr().unwrap()).await else { panic!("not missing") };
        assert!(what.contains("cannot be taken") && remedy.contains("ERRAND_LISTEN"), "{what} {remedy}");
    }

    #[test]
    fn a_folder_that_is_not_there_yet_is_judged_by_the_one_above_and_not_made() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        assert!(matches!(data_folder(&folder), Finding::Fine(_)));
        assert!(!folder.exists());
        assert!(matches!(data_folder(Path::new("/proc/errand")), Finding::Missing { .. }));
    }

    #[test]
    fn little_memory_is_reported_with_what_is_needed() {
        assert!(matches!(memory(8 << 30, 4, None), Finding::Fine(_)));
        assert!(matches!(memory(128 << 20, 1, None), Finding::Missing { .. }));
    }
}
