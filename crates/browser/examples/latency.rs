//! Prints the median time of each thing a step asks of the browser, on a small form and on a page of given size.
//! `cargo run --release -p errand-browser --example latency -- http://127.0.0.1:8000/`

use errand_browser::{ActOptions, Browser, LaunchOptions, SessionOptions};
use errand_domain::action::{Action, TypedText};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const ROUNDS: usize = 20;

#[derive(Default)]
struct Times(BTreeMap<&'static str, Vec<Duration>>);

impl Times {
    fn add(&mut self, what: &'static str, began: Instant) {
        self.0.entry(what).or_default().push(began.elapsed());
    }

    fn print(&mut self) {
        for (what, times) in &mut self.0 {
            times.sort();
            println!("{what:<16} {:>8.1} ms", times[times.len() / 2].as_secs_f64() * 1e3);
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: latency URL")?;
    let mut times = Times::default();
    let began = Instant::now();
    let browser = Browser::launch(LaunchOptions::default()).await?;
    times.add("launch", began);
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let session = browser.new_session(SessionOptions::default()).await?;
        times.add("new session", began);
        let began = Instant::now();
        session.goto(&url).await?;
        times.add("goto", began);
        let began = Instant::now();
        let observation = session.observe().await?;
        times.add("observe", began);
        let began = Instant::now();
        session.look().await?;
        times.add("look", began);
        let began = Instant::now();
        session.screenshot().await?;
        times.add("screenshot", began);
        let began = Instant::now();
        session.checkpoint().await?;
        times.add("checkpoint", began);
        if let Some(field) = observation.elements.iter().find(|element| element.role == "textbox") {
            let began = Instant::now();
            let text = TypedText::Plain("some text".to_owned());
            session.act(&Action::Type { target: field.target(), text }, &ActOptions::default()).await?;
            times.add("type", began);
        }
        for (role, what) in [("button", "click button"), ("link", "click link")] {
            let observation = session.observe().await?;
            if let Some(element) = observation.elements.iter().find(|element| element.role == role) {
                let began = Instant::now();
                session.act(&Action::Click { target: element.target() }, &ActOptions::default()).await?;
                times.add(what, began);
            }
        }
        session.close().await;
    }
    times.print();
    Ok(())
}
