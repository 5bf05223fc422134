//! The wizard by bare CDP: JSON over the browser's pipe and nothing of ours in between. It looks with one expression,
//! clicks and types with input events, and waits for the load event only.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Longest wait for an answer or an event; the browser's start is the slowest.
const DEADLINE: Duration = Duration::from_secs(20);

/// Puts the pipe, which a child process gets as its input and output, where the browser looks for it.
const MOVE_PIPE: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;

/// What a hand-written script would look for: the code, else an empty field, else the button.
const LOOK: &str = r"(() => {
    const code = /Your code: (\S+)/.exec(document.body.innerText);
    if (code) return { code: code[1] };
    const field = [...document.querySelectorAll('input:not([type=hidden])')].find((input) => !input.value);
    const box = (field ?? document.querySelector('button')).getBoundingClientRect();
    return { types: Boolean(field), x: box.x + box.width / 2, y: box.y + box.height / 2 };
})()";

/// A browser of its own, spoken to in raw messages.
pub struct RawCdp {
    browser: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
    /// Load events since the last action.
    loads: u32,
    profile: tempfile::TempDir,
}

impl RawCdp {
    pub async fn launch() -> anyhow::Result<Self> {
        let executable = errand_browser::find_executable().context("no Chromium on this machine")?;
        let profile = tempfile::tempdir()?;
        let mut browser = Command::new("sh")
            .args(["-c", MOVE_PIPE, "sh"])
            .arg(executable)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-startup-window"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let input = browser.stdin.take().context("the browser has an input")?;
        let output = BufReader::new(browser.stdout.take().context("the browser has an output")?);
        let mut raw = Self { browser, input, output, last_id: 0, loads: 0, profile };
        raw.call(None, "Browser.getVersion", json!({})).await?;
        Ok(raw)
    }

    /// Seconds for the whole wizard in a context and a page of its own.
    pub async fn wizard(&mut self, url: &str, actions: u32) -> anyhow::Result<f64> {
        let began = Instant::now();
        let context = self.call(None, "Target.createBrowserContext", json!({})).await?["browserContextId"].clone();
        let page = json!({"url": "about:blank", "browserContextId": context});
        let target = self.call(None, "Target.createTarget", page).await?["targetId"].clone();
        let attach = json!({"targetId": target, "flatten": true});
        let attached = self.call(None, "Target.attachToTarget", attach).await?;
        let session = attached["sessionId"].as_str().context("a session has an id")?.to_owned();
        self.call(Some(&session), "Page.enable", json!({})).await?;
        self.loads = 0;
        self.call(Some(&session), "Page.navigate", json!({"url": url})).await?;
        self.loaded().await?;
        let mut taken = 0;
        while self.act(&session).await? {
            taken += 1;
            ensure!(taken <= actions, "the wizard does not end");
        }
        self.call(None, "Target.disposeBrowserContext", json!({"browserContextId": context})).await?;
        ensure!(taken == actions, "the raw script took {taken} actions");
        Ok(began.elapsed().as_secs_f64())
    }

    /// Looks and takes one action; false when the code is shown.
    async fn act(&mut self, session: &str) -> anyhow::Result<bool> {
        let look = json!({"expression": LOOK, "returnByValue": true});
        let seen = self.call(Some(session), "Runtime.evaluate", look).await?["result"]["value"].clone();
        if seen["code"].is_string() {
            return Ok(false);
        }
        self.loads = 0;
        for kind in ["mousePressed", "mouseReleased"] {
            let at = json!({"type": kind, "x": seen["x"], "y": seen["y"], "button": "left", "clickCount": 1});
            self.call(Some(session), "Input.dispatchMouseEvent", at).await?;
        }
        if seen["types"] == true {
            self.call(Some(session), "Input.insertText", json!({"text": "Ada"})).await?;
        } else {
            self.loaded().await?;
        }
        Ok(true)
    }

    async fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> anyhow::Result<Value> {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = serde_json::to_vec(&message)?;
        bytes.push(0);
        self.input.write_all(&bytes).await?;
        loop {
            let answer = self.read().await.with_context(|| format!("waiting for {method}"))?;
            if answer["id"] == self.last_id {
                if let Some(error) = answer.get("error") {
                    bail!("{method}: {error}");
                }
                return Ok(answer["result"].clone());
            }
        }
    }

    async fn loaded(&mut self) -> anyhow::Result<()> {
        while self.loads == 0 {
            self.read().await.context("waiting for a page to load")?;
        }
        Ok(())
    }

    async fn read(&mut self) -> anyhow::Result<Value> {
        let mut bytes = Vec::new();
        tokio::time::timeout(DEADLINE, self.output.read_until(0, &mut bytes)).await??;
        ensure!(bytes.pop() == Some(0), "the browser has closed its pipe");
        let message: Value = serde_json::from_slice(&bytes)?;
        self.loads += u32::from(message["method"] == "Page.loadEventFired");
        Ok(message)
    }

    /// Closes the browser and removes its profile.
    pub async fn shutdown(mut self) -> anyhow::Result<()> {
        self.call(None, "Browser.close", json!({})).await?;
        tokio::time::timeout(DEADLINE, self.browser.wait()).await??;
        Ok(self.profile.close()?)
    }
}
