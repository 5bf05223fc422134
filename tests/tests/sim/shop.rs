//! The simulated web: a shop with a ledger of orders on its own side, and a newspaper to leaf through. Each errand has
//! its own pages; an errand's number is the token of its one order.

use errand_domain::page::{Link, PageSnapshot};
use errand_planner::{Element, Form, FormField, Observation};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

pub const PLACE_ORDER: &str = "Place order";

/// The server's side of the web.
#[derive(Debug, Default)]
pub struct Shop {
    orders: Mutex<BTreeMap<u32, u32>>,
    /// An order was sent off and is under way to the server.
    pub order_sent: Notify,
}

/// One page's address: `https://shop.test/17/basket`, `https://news.test/17/3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub errand: u32,
    pub page: String,
}

impl Address {
    pub fn parse(url: &str) -> Option<Self> {
        let path = url.strip_prefix("https://web.test/")?;
        let (errand, page) = path.split_once('/')?;
        Some(Self { errand: errand.parse().ok()?, page: page.to_owned() })
    }

    pub fn url(errand: u32, page: &str) -> String {
        format!("https://web.test/{errand}/{page}")
    }
}

impl Shop {
    fn orders(&self) -> MutexGuard<'_, BTreeMap<u32, u32>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The side effect: it has no idempotency of its own.
    pub fn order(&self, errand: u32) {
        *self.orders().entry(errand).or_default() += 1;
    }

    /// How many orders a token made.
    pub fn orders_of(&self, errand: u32) -> u32 {
        self.orders().get(&errand).copied().unwrap_or_default()
    }

    pub fn all_orders(&self) -> BTreeMap<u32, u32> {
        self.orders().clone()
    }

    /// What a browser shows of a page; `name` is what the form's field holds.
    pub fn show(&self, url: &str, name: &str) -> (Observation, PageSnapshot) {
        let Some(Address { errand, page }) = Address::parse(url) else {
            return Page::new("Not found").shown(url, name);
        };
        let page = match page.as_str() {
            "product" => Page::new("Brass desk lamp").text("Price: $89.95").link("Add to basket", errand, "basket"),
            "basket" => Page::new("Your basket").text("1 lamp").link("Go to checkout", errand, "checkout"),
            "checkout" => Page::new("Checkout").form(errand),
            "orders" | "done" if self.orders_of(errand) > 0 => {
                Page::new("Thank you").text(&format!("Order number: ORD-{errand}"))
            }
            "orders" | "done" => Page::new("Your orders").text("You have no orders."),
            issue => newspaper(errand, issue),
        };
        page.shown(url, name)
    }
}

fn newspaper(errand: u32, issue: &str) -> Page {
    let number: u32 = issue.parse().unwrap_or_default();
    let headline = format!("Headline: Story {number} of errand {errand}");
    Page::new(&format!("Issue {number}")).text(&headline).link("Older issue", errand, &(number + 1).to_string())
}

#[derive(Debug)]
struct Page {
    title: String,
    text: Vec<String>,
    link: Option<(String, String)>,
    form_action: Option<String>,
}

impl Page {
    fn new(title: &str) -> Self {
        Self { title: title.to_owned(), text: vec![title.to_owned()], link: None, form_action: None }
    }

    fn text(mut self, text: &str) -> Self {
        self.text.push(text.to_owned());
        self
    }

    fn link(mut self, text: &str, errand: u32, page: &str) -> Self {
        self.link = Some((text.to_owned(), Address::url(errand, page)));
        self
    }

    fn form(mut self, errand: u32) -> Self {
        self.form_action = Some(Address::url(errand, "order"));
        self
    }

    fn shown(self, url: &str, name: &str) -> (Observation, PageSnapshot) {
        let text = self.text.join("\n");
        let links: Vec<Link> =
            self.link.iter().map(|(text, url)| Link { text: text.clone(), url: url.clone() }).collect();
        let paragraphs: String = self.text.iter().map(|line| format!("<p>{line}</p>")).collect();
        let snapshot = PageSnapshot {
            url: url.to_owned(),
            base_url: url.to_owned(),
            title: self.title.clone(),
            text: text.clone(),
            links,
            html: format!("<html><head><title>{}</title></head><body>{paragraphs}</body></html>", self.title),
            http_status: Some(200),
        };
        let fields = vec![FormField { label: "Full name".to_owned(), value: name.to_owned() }];
        let form = |action: &String| Form {
            method: "post".to_owned(),
            action: action.clone(),
            fields: fields.clone(),
            ..Form::default()
        };
        let observation = Observation {
            url: url.to_owned(),
            title: self.title.clone(),
            digest: format!("{url} {text} {name}"),
            text,
            elements: self.elements(name),
            forms: self.form_action.iter().map(form).collect(),
            ..Observation::default()
        };
        (observation, snapshot)
    }

    fn elements(&self, name: &str) -> Vec<Element> {
        let mut elements = Vec::new();
        if let Some((text, url)) = &self.link {
            let link = element("link", "a", text);
            elements.push(Element { href: Some(url.clone()), ..link });
        }
        if self.form_action.is_some() {
            let field = element("textbox", "input", "Full name");
            elements.push(Element { value: Some(name.to_owned()), form: Some(0), ..field });
            let button = element("button", "button", PLACE_ORDER);
            elements.push(Element { form: Some(0), submits: true, ..button });
        }
        elements
    }
}

fn element(role: &str, tag: &str, name: &str) -> Element {
    Element {
        reference: format!("e-{tag}"),
        role: role.to_owned(),
        name: name.to_owned(),
        tag: tag.to_owned(),
        in_viewport: true,
        fingerprint: format!("{tag} {name}"),
        ..Element::default()
    }
}
