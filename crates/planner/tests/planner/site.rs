//! Hand-made pages: a builder for observations.

use errand_planner::{Element, Form, FormField, Observation};

/// A page under construction; what is added after [`Page::form`] belongs to that form until [`Page::end_form`].
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub observation: Observation,
    form: Option<usize>,
    section: String,
}

const ORIGIN: &str = "https://site.test";

/// An absolute URL on the test site.
pub fn url(path: &str) -> String {
    if path.starts_with("http") { path.to_owned() } else { format!("{ORIGIN}{path}") }
}

pub fn page(path: &str, title: &str) -> Page {
    let observation = Observation { url: url(path), title: title.to_owned(), ..Observation::default() };
    Page { observation, form: None, section: String::new() }
}

impl Page {
    pub fn text(mut self, text: &str) -> Self {
        self.observation.text.push_str(text);
        self.observation.text.push('\n');
        self
    }

    pub fn more_below(mut self) -> Self {
        self.observation.more_below = true;
        self
    }

    pub fn section(mut self, section: &str) -> Self {
        section.clone_into(&mut self.section);
        self
    }

    pub fn form(mut self, method: &str, action: &str) -> Self {
        self.observation.forms.push(Form { method: method.to_owned(), action: url(action), ..Form::default() });
        self.form = Some(self.observation.forms.len() - 1);
        self
    }

    pub fn end_form(mut self) -> Self {
        self.form = None;
        self
    }

    fn push(mut self, role: &str, tag: &str, name: &str) -> Self {
        let number = self.observation.elements.len();
        let same =
            self.observation.elements.iter().filter(|element| element.role == role && element.name == name).count();
        self.observation.elements.push(Element {
            reference: format!("e{number}"),
            role: role.to_owned(),
            name: name.to_owned(),
            tag: tag.to_owned(),
            form: self.form,
            section: self.section.clone(),
            in_viewport: true,
            fingerprint: format!("{tag}.{name}~{same}"),
            ..Element::default()
        });
        self
    }

    /// Changes the element added last.
    pub fn with(mut self, change: impl FnOnce(&mut Element)) -> Self {
        change(self.observation.elements.last_mut().expect("an element was added"));
        self
    }

    pub fn link(self, name: &str, path: &str) -> Self {
        let target = url(path);
        self.push("link", "a", name).with(|element| element.href = Some(target))
    }

    pub fn button(self, name: &str) -> Self {
        let submits = self.form.is_some();
        self.push("button", "button", name).with(|element| element.submits = submits)
    }

    /// A button that only a script reacts to.
    pub fn script_button(self, name: &str) -> Self {
        self.push("button", "button", name)
    }

    pub fn near(self, text: &str) -> Self {
        self.with(|element| text.clone_into(&mut element.near_text))
    }

    pub fn required(self) -> Self {
        self.with(|element| element.required = true)
    }

    pub fn input(self, name: &str, kind: &str) -> Self {
        let role = match kind {
            "number" => "spinbutton",
            "search" => "searchbox",
            _ => "textbox",
        };
        self.push(role, "input", name).with(|element| {
            element.input_type = Some(kind.to_owned());
            element.value = (kind != "password").then(String::new);
        })
    }

    pub fn field(self, name: &str) -> Self {
        self.input(name, "text")
    }

    pub fn area(self, name: &str) -> Self {
        self.push("textbox", "textarea", name).with(|element| element.value = Some(String::new()))
    }

    pub fn number(self, name: &str, value: &str) -> Self {
        self.input(name, "number").with(|element| element.value = Some(value.to_owned()))
    }

    pub fn select(self, name: &str, options: &[&str]) -> Self {
        self.push("combobox", "select", name).with(|element| {
            element.options = options.iter().map(|option| (*option).to_owned()).collect();
            element.value = options.first().map(|option| (*option).to_owned());
        })
    }

    pub fn checkbox(self, name: &str) -> Self {
        self.push("checkbox", "input", name).with(|element| {
            element.input_type = Some("checkbox".to_owned());
            element.checked = Some(false);
        })
    }

    pub fn radio(self, group: &str, name: &str) -> Self {
        self.push("radio", "input", name).with(|element| {
            element.input_type = Some("radio".to_owned());
            element.control_name = Some(group.to_owned());
            element.checked = Some(false);
        })
    }
}

/// The observation as a browser would hand it out: form fields and digest follow from the elements.
pub fn seen(mut observation: Observation) -> Observation {
    group_loose_controls(&mut observation);
    for (at, form) in observation.forms.iter_mut().enumerate() {
        let fields = observation.elements.iter().filter(|element| element.form == Some(at));
        form.fields = fields.filter_map(shown_field).collect();
    }
    let state: Vec<String> =
        observation.elements.iter().map(|e| format!("{}={:?}/{:?}", e.fingerprint, e.value, e.checked)).collect();
    observation.digest = format!("{}|{}|{}", observation.url, observation.text, state.join(";"));
    observation
}

/// Controls outside any form are one group without a method, once there is a field among them.
fn group_loose_controls(observation: &mut Observation) {
    let is_field = |element: &Element| !matches!(element.role.as_str(), "link" | "button");
    if !observation.elements.iter().any(|element| element.form.is_none() && is_field(element)) {
        return;
    }
    observation.forms.push(Form::default());
    let group = observation.forms.len() - 1;
    for element in observation.elements.iter_mut().filter(|element| element.form.is_none()) {
        element.form = Some(group);
    }
}

fn shown_field(element: &Element) -> Option<FormField> {
    let value = match element.role.as_str() {
        "checkbox" | "radio" => if element.checked == Some(true) { "yes" } else { "" }.to_owned(),
        "button" | "link" => return None,
        _ if element.input_type.as_deref() == Some("password") => "[secret]".to_owned(),
        _ => element.value.clone().unwrap_or_default(),
    };
    Some(FormField { label: element.name.clone(), value })
}
