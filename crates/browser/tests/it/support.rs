//! A browser and a session for one test, and short words for what tests do with them.

use crate::server::Server;
use errand_browser::{
    ActError, ActOptions, ActOutcome, Browser, LaunchOptions, Session, SessionOptions, TypedSecret, find_executable,
};
use errand_domain::SecretName;
use errand_domain::action::{Action, Target, TypedText};
use errand_planner::{Element, Observation};

pub struct Opened {
    pub session: Session,
    /// Dropped last: it kills the browser.
    pub browser: Browser,
}

pub async fn launch() -> Browser {
    launch_with(&[]).await
}

pub async fn launch_with(arguments: &[&str]) -> Browser {
    assert!(find_executable().is_some(), "these tests need Chromium: apt-get install chromium-headless-shell");
    let extra_args = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let options = LaunchOptions { extra_args, ..LaunchOptions::default() };
    Browser::launch(options).await.expect("the browser starts")
}

/// A session that shows the server's first page.
pub async fn open(server: &Server) -> Opened {
    open_in(launch().await, server).await
}

pub async fn open_in(browser: Browser, server: &Server) -> Opened {
    let session = browser.new_session(SessionOptions::default()).await.expect("a session");
    session.goto(&server.url("/")).await.expect("the first page");
    Opened { session, browser }
}

pub async fn open_page(body: &str) -> (Server, Opened) {
    let server = Server::with_page(body);
    let opened = open(&server).await;
    (server, opened)
}

pub fn element<'a>(observation: &'a Observation, name: &str) -> &'a Element {
    let named: Vec<&Element> = observation.elements.iter().filter(|element| element.name == name).collect();
    match named.as_slice() {
        [element] => element,
        found => {
            let names: Vec<&str> = observation.elements.iter().map(|element| element.name.as_str()).collect();
            panic!("{} elements named {name:?} in {names:?}", found.len())
        }
    }
}

impl Opened {
    pub async fn observe(&self) -> Observation {
        self.session.observe().await.expect("an observation")
    }

    pub async fn target(&self, name: &str) -> Target {
        element(&self.observe().await, name).target()
    }

    pub async fn text(&self) -> String {
        self.observe().await.text
    }

    pub async fn try_act(&self, action: Action) -> Result<ActOutcome, ActError> {
        self.session.act(&action, &ActOptions::default()).await
    }

    pub async fn act(&self, action: Action) -> ActOutcome {
        self.try_act(action).await.expect("the action is carried out")
    }

    pub async fn click(&self, name: &str) -> ActOutcome {
        let target = self.target(name).await;
        self.act(Action::Click { target }).await
    }

    pub async fn type_into(&self, name: &str, text: &str) -> ActOutcome {
        let target = self.target(name).await;
        self.act(Action::Type { target, text: TypedText::Plain(text.to_owned()) }).await
    }

    /// Types a secret where the field is at this moment.
    pub async fn type_secret(&self, name: &str, secret: &str) -> Result<ActOutcome, ActError> {
        self.type_secret_as_seen(element(&self.observe().await, name), secret).await
    }

    /// Types a secret where a look saw the field.
    pub async fn type_secret_as_seen(&self, field: &Element, secret: &str) -> Result<ActOutcome, ActError> {
        let text = TypedText::Secret(SecretName::parse("secret").expect("a valid name"));
        let secret = TypedSecret {
            text: secret.to_owned().into(),
            origin: field.origin.clone(),
            destinations: field.destinations.clone(),
        };
        let options = ActOptions { secret: Some(secret), ..ActOptions::default() };
        self.session.act(&Action::Type { target: field.target(), text }, &options).await
    }

    pub async fn select(&self, name: &str, option: &str) -> Result<ActOutcome, ActError> {
        let target = self.target(name).await;
        self.try_act(Action::Select { target, option: option.to_owned() }).await
    }

    pub async fn check(&self, name: &str, checked: bool) -> ActOutcome {
        let target = self.target(name).await;
        self.act(Action::Check { target, checked }).await
    }
}
