//! Runs the command without the tester's own `ERRAND_*` variables, and a server that ends with its test.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;
use tempfile::TempDir;

/// Variables about the machine, which tests need too.
const KEPT: [&str; 2] = ["ERRAND_CHROMIUM", "ERRAND_NATS_SERVER"];

/// The command with some words, in a clean environment, with nothing on stdin.
pub fn errand(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_errand"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("ERRAND_") && !KEPT.contains(&name.as_str()))
    {
        command.env_remove(name);
    }
    command.args(words).stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub fn output(words: &[&str]) -> Output {
    errand(words).output().unwrap()
}

/// Its exit status and what it wrote to stderr.
pub fn refusal(output: &Output) -> (i32, String) {
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Its stdout as JSON; stderr is shown when it is none.
pub fn json(output: &Output) -> Value {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let read = serde_json::from_str(&stdout);
    read.unwrap_or_else(|error| panic!("{error}: {stdout}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// What it writes when stdout is a terminal.
pub fn on_terminal(mut command: Command) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let child = command.stdout(theirs).stderr(Stdio::piped()).spawn().unwrap();
    // The command holds the other end: without it here, the last reading meets its end.
    drop(command);
    let mut written = Vec::new();
    let mut ours = File::from(ours);
    // A terminal whose other end was closed gives an error instead of nothing.
    let _ended = ours.read_to_end(&mut written);
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(written).unwrap().replace("\r\n", "\n")
}

/// Runs it with something on stdin.
pub fn output_with(mut command: Command, stdin: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

pub fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// `errand serve` on a free port and a folder of its own.
pub struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub address: String,
    pub key: Option<String>,
}

impl Server {
    /// Starts it on a folder; returns when it serves.
    pub fn start(folder: &TempDir) -> Self {
        Self::start_with(&mut serve(folder))
    }

    /// As [`Self::start`] on a new folder, whose first key is printed.
    pub fn start_new(folder: &TempDir) -> Self {
        let mut server = Self::start(folder);
        server.read_key();
        server
    }

    pub fn start_with(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
        Self { address: address.trim_end_matches('/').to_owned(), child, stdout, key: None }
    }

    /// Takes the key that a first start prints.
    pub fn read_key(&mut self) {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        assert!(line.contains("shown this once"), "{line}");
        self.key = line.split_whitespace().last().map(str::to_owned);
    }

    /// A POST, for which the command has no word.
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let host = self.address.trim_start_matches("http://");
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            self.key.as_deref().unwrap(),
            body.len()
        );
        let mut stream = TcpStream::connect(host).unwrap();
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// The command for this server, with its first key.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = errand(words);
        command.env("ERRAND_SERVER", &self.address).env("ERRAND_API_KEY", self.key.as_deref().unwrap());
        command
    }

    /// Sends SIGTERM; gives the exit status and the rest of stdout.
    pub fn terminate(mut self) -> (ExitStatus, String) {
        send(&self.child, Signal::TERM);
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap(), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ended already, or no longer wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn serve(folder: &TempDir) -> Command {
    let mut command = errand(&["serve"]);
    command.env("ERRAND_DATA_DIR", folder.path()).env("ERRAND_LISTEN", "127.0.0.1:0");
    command
}
