//! The samples of the documentation, run as a reader would run them.

use anyhow::{Context, ensure};
use errand_tests::server::{API_KEY, ErrandServer, ServerOptions, errand_binary};
use errand_tests::site::FixtureSite;
use serde_json::json;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

use crate::goals::{RUN_DEADLINE, id_of, news};

const GUIDE: &str = include_str!("../../../docs/guide.md");
const MAKEFILE: &str = include_str!("../../../Makefile");
/// A sample that reads a page may start a browser.
const SAMPLE_DEADLINE: Duration = Duration::from_secs(90);

/// The text's code blocks of one language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).filter_map(|rest| rest.split("\n```").next()).map(str::to_owned).collect()
}

/// A shell block's commands: a command goes on after a backslash and within quotes.
fn commands(block: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut command = String::new();
    for line in block.lines() {
        command.push_str(line);
        command.push('\n');
        if !line.ends_with('\\') && command.matches('\'').count().is_multiple_of(2) {
            commands.push(std::mem::take(&mut command));
        }
    }
    commands
}

async fn output_of(command: &mut Command) -> anyhow::Result<(Option<i32>, String)> {
    let output = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let output = tokio::time::timeout(SAMPLE_DEADLINE, output).await.context("the sample did not end")??;
    let text = [output.stdout, output.stderr].concat();
    Ok((output.status.code(), String::from_utf8_lossy(&text).into_owned()))
}

/// What the samples' names stand for here, and where they run.
struct Reader {
    names: Vec<(&'static str, String)>,
    base: String,
    folder: tempfile::TempDir,
}

impl Reader {
    fn adapted(&self, command: &str) -> String {
        let command = self.names.iter().fold(command.to_owned(), |text, (name, value)| text.replace(name, value));
        // A refusal is a failure here.
        command.replace("curl ", "curl -S --fail-with-body ")
    }

    async fn run(&self, command: &str) -> anyhow::Result<(Option<i32>, String)> {
        let binaries = errand_binary()?.parent().map(Path::to_path_buf).context("the binary stands nowhere")?;
        let path = format!("{}:{}", binaries.display(), std::env::var("PATH")?);
        let mut shell = Command::new("bash");
        shell.args(["-euc", &self.adapted(command)]).current_dir(self.folder.path()).env("PATH", path);
        shell
            .env("ERRAND_API_KEY", API_KEY)
            .env("ERRAND_SERVER", &self.base)
            .env("ERRAND_ALLOW_NETWORKS", "127.0.0.0/8");
        shell.env("ERRAND_DATA_DIR", self.folder.path().join("data"));
        output_of(&mut shell).await
    }

    /// A sample does what it says; one that answers a pause may find none here.
    async fn check(&self, command: &str) -> anyhow::Result<()> {
        let words: Vec<&str> = command.split_whitespace().collect();
        if let ["make", target, ..] = words.as_slice() {
            ensure!(MAKEFILE.contains(&format!("\n{target}:")), "no such target: {target}");
            return Ok(());
        }
        let (code, text) = self.run(command).await?;
        let is_state = command.contains("/reply") || command.contains("runs reply");
        let holds = match words.as_slice() {
            // It may find something missing; it may not misunderstand.
            ["errand", "doctor", ..] => code != Some(2),
            _ if is_state => code == Some(0) || text.contains("finished") || text.contains("is not waiting"),
            _ => code == Some(0),
        };
        ensure!(holds, "{command}: exit {code:?}: {text}");
        Ok(())
    }
}

#[tokio::test]
async fn every_shell_sample_of_the_guide_runs() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let site = FixtureSite::start(1).await;
    let (_, created) = server.api.post_run(&news(&site.url("/news"))).await?;
    let id = id_of(&created);
    server.api.wait_finished(&id, RUN_DEADLINE).await?;
    let names = vec![
        ("http://127.0.0.1:8080", server.api.base().to_owned()),
        ("https://news.example.com/", site.url("/news")),
        ("https://shop.example.com/lamp", site.url("/shop/p/blue-mug")),
        ("brun_…", id),
    ];
    let reader = Reader { names, base: server.api.base().to_owned(), folder: tempfile::tempdir()? };
    std::fs::write(reader.folder.path().join("password.txt"), "correct horse battery staple")?;
    std::fs::write(reader.folder.path().join("seed.txt"), "JBSWY3DPEHPK3PXP")?;
    let all: Vec<String> = blocks(GUIDE, "sh").iter().flat_map(|block| commands(block)).collect();
    assert!(all.len() >= 14, "{all:#?}");
    for command in all.iter().filter(|command| !command.starts_with("export ")) {
        reader.check(command).await?;
    }
    Ok(())
}

/// Whatever anybody may send as headers: the sample says no, and never raises.
const PYTHON_CHECK: &str = r#"
import base64 as b64
secret, body = "0" * 48, '{"a": "é"}'.encode()
good = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
assert verify(secret, body, good) and not verify(secret, body + b" ", good)
for odd in [None, "", "sha256=", "é", "sha256=é", "\ud800", "\x00", good[:-1], good + "0", good.upper(), "x" * 100_000]:
    assert verify(secret, body, odd) is False, odd
def headers(at, webhook_id="brun_1-2"):
    mac = hmac.new(secret.encode(), f"{webhook_id}.{at}.".encode("utf-8", "replace") + body, hashlib.sha256).digest()
    return {"webhook-id": webhook_id, "webhook-timestamp": at, "webhook-signature": "v1," + b64.b64encode(mac).decode()}
now = int(time.time())
assert is_recent(secret, body, headers(str(now))) and is_recent(secret, body, headers(str(now - 200)))
for odd in [str(now - 400), str(now + 400), "", "-1", "+1", "1e9", "١٢٣", "²", "nan", "9" * 5000, "é", "\ud800", " 1", "1.5"]:
    assert is_recent(secret, body, headers(odd)) is False, odd
for name in ["webhook-id", "webhook-timestamp", "webhook-signature"]:
    for odd in [None, "", "é", "\ud800", "v1,é"]:
        assert is_recent(secret, body, {**headers(str(now)), name: odd}) is False, (name, odd)
assert is_recent(secret, body, {}) is False
print("held")
"#;

#[tokio::test]
async fn the_python_sample_verifies_and_never_raises() -> anyhow::Result<()> {
    let blocks = blocks(GUIDE, "python");
    let [sample] = blocks.as_slice() else { anyhow::bail!("one Python sample: {blocks:?}") };
    let (_, text) = output_of(Command::new("python3").args(["-c", &format!("{sample}\n{PYTHON_CHECK}")])).await?;
    assert_eq!(text.trim(), "held");
    Ok(())
}

const NODE_CHECK: &str = r#"
const [secret, body] = ["0".repeat(48), Buffer.from('{"a": "é"}')];
const good = "sha256=" + createHmac("sha256", secret).update(body).digest("hex");
if (!verify(secret, body, good)) throw new Error("the right signature");
for (const odd of [undefined, null, "", "sha256=", "é", "sha256=é", "\ud800", good.slice(0, -1), good + "0", good.toUpperCase()])
  if (verify(secret, body, odd) !== false) throw new Error(String(odd));
console.log("held");
"#;

#[tokio::test]
async fn the_node_sample_verifies_and_never_throws() -> anyhow::Result<()> {
    let samples = blocks(GUIDE, "js");
    let sample = samples.iter().find(|sample| sample.contains("verify")).context("a sample that verifies")?;
    let program = format!("{sample}\n{NODE_CHECK}");
    let mut node = Command::new("node");
    node.args(["--input-type=module", "-e", &program]);
    match output_of(&mut node).await {
        Ok((_, text)) => assert_eq!(text.trim(), "held"),
        Err(error) => eprintln!("not run, node is not installed: {error:#}"),
    }
    Ok(())
}

/// The EventSource of the sample, over fetch: the page's part runs as it is, on a stream that a token opened.
const EVENT_SOURCE: &str = r#"
const [server, token] = process.argv.slice(1);
globalThis.EventSource = class {
  constructor(url) {
    this.listeners = {};
    this.done = this.read(url);
  }
  addEventListener(name, listener) { this.listeners[name] = listener; }
  async read(url) {
    const response = await fetch(url, { headers: { accept: "text/event-stream" } });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    console.log("connected");
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
        const field = (name) => text.slice(0, end).split("\n").find((line) => line.startsWith(name))?.slice(name.length).trim();
        this.listeners[field("event:")]?.({ data: field("data:") });
      }
    }
  }
};
follow(server, token, (event) => { console.log(event.run_id, event.status); process.exit(0); });
"#;

#[tokio::test]
async fn the_browser_sample_follows_a_stream_with_a_token() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let (status, made) = server.api.post("/v1/stream_tokens", &json!({})).await?;
    assert_eq!(status, 201, "{made}");
    let samples = blocks(GUIDE, "js");
    let sample = samples.iter().find(|sample| sample.contains("EventSource")).context("a sample with EventSource")?;
    let program = format!("{sample}\n{EVENT_SOURCE}");
    let mut node = Command::new("node");
    node.args(["--input-type=module", "-e", &program, server.api.base(), made["token"].as_str().unwrap_or_default()]);
    let Ok(mut child) = node.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn() else {
        eprintln!("not run, node is not installed");
        return Ok(());
    };
    let mut lines = tokio::io::BufReader::new(child.stdout.take().context("no output")?);
    let mut line = String::new();
    let mut next = async || -> anyhow::Result<String> {
        line.clear();
        tokio::time::timeout(SAMPLE_DEADLINE, tokio::io::AsyncBufReadExt::read_line(&mut lines, &mut line)).await??;
        Ok(line.trim().to_owned())
    };
    assert_eq!(next().await?, "connected");
    let (_, created) = server.api.post_run(&json!({"goal": "Read it.", "start_url": "http://127.0.0.1:1/"})).await?;
    let id = id_of(&created);
    server.api.stop(&id).await?;
    assert!(next().await?.starts_with(&id), "the run's end, by its event's name");
    Ok(())
}
