//! What a planner sees of a page: visible text and the elements it can act on. The browser makes it, planners and the
//! risk rules read it.

use errand_domain::action::Target;
use serde::{Deserialize, Serialize};

/// One look at a page.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Observation {
    pub url: String,
    pub title: String,
    /// Visible text, a line per block, at most the limit.
    pub text: String,
    /// In document order.
    pub elements: Vec<Element>,
    pub forms: Vec<Form>,
    /// Text of the parts of the page that elements stand in: see [`Element::region`].
    pub regions: Vec<String>,
    /// More of the page lies below what the window shows.
    pub more_below: bool,
    /// Changes whenever what is shown changes: same digest, same page as far as a planner can tell.
    pub digest: String,
    /// Something the browser could not do for the page, such as `navigation to 10.0.0.1 was blocked`.
    pub notice: Option<String>,
    /// The document's end has not come yet: what is wanted may still follow.
    pub still_loading: bool,
    /// Status of the HTTP answer that the document came with, where it came with one.
    pub http_status: Option<u16>,
}

/// An element that can be acted on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Element {
    /// Reference for [`Target::element`], unique in this observation.
    pub reference: String,
    /// ARIA role: `button`, `link`, `textbox`, `searchbox`, `combobox`, `checkbox`, `radio`, `spinbutton`, `menuitem`, `tab`, …
    pub role: String,
    /// Accessible name, or the nearest text.
    pub name: String,
    /// Lower-case tag.
    pub tag: String,
    /// Lower-case `type` of an input or button: `submit`, `password`, `email`, …
    pub input_type: Option<String>,
    /// The control's `name` attribute, a weak hint.
    pub control_name: Option<String>,
    pub placeholder: Option<String>,
    pub autocomplete: Option<String>,
    /// Current value; `None` for password fields and fields holding a secret.
    pub value: Option<String>,
    /// Labels of a select's options, in order.
    pub options: Vec<String>,
    pub checked: Option<bool>,
    pub required: bool,
    pub disabled: bool,
    /// Absolute target of a link.
    pub href: Option<String>,
    /// Index into [`Observation::forms`].
    pub form: Option<usize>,
    /// Would submit its form when clicked.
    pub submits: bool,
    /// What a submit button with a name sends of its own.
    pub sent_value: Option<String>,
    /// Index into [`Observation::regions`]: the landmark or dialog round it, else the page without its landmarks.
    pub region: Option<usize>,
    /// What it shows where its accessible name says something else.
    pub shown_text: Option<String>,
    /// Its role is written in the page, not only read from a listener or a pointer.
    pub has_role: bool,
    /// It says that it opens a part of the page: `aria-expanded`, `aria-haspopup`, `popovertarget`, …
    pub opens: bool,
    /// Role of the composite widget that it is a part of: `tablist`, `menu`, `toolbar`, `grid`, …
    pub widget: Option<String>,
    /// Text around it, when the name alone says little.
    pub near_text: String,
    /// Heading, dialog, navigation or table-row text it stands under.
    pub section: String,
    pub in_viewport: bool,
    pub fingerprint: String,
    /// Of a text field: the origin of the document it stands in, such as `https://shop.example.com`; empty when the document
    /// has none of its own.
    #[serde(default)]
    pub origin: String,
    /// Of a text field: the origins that its form may be sent to, by itself or by one of its buttons, sorted.
    #[serde(default)]
    pub destinations: Vec<String>,
}

/// A form (or a group of controls that acts as one).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Form {
    /// `get`, `post` or `dialog`.
    pub method: String,
    /// Absolute URL it submits to.
    pub action: String,
    /// The form that this is a variant of: a button of it sends it elsewhere or otherwise.
    pub variant_of: Option<usize>,
    /// `formenctype` or `enctype`, as written.
    pub encoding: String,
    /// Visible fields: label and value, secrets shown as `[secret]`.
    pub fields: Vec<FormField>,
    /// Its successful controls (HTML Living Standard, "constructing the entry list") but the button.
    pub sent: Vec<SentControl>,
    /// It has more of them than are listed, or longer values.
    pub is_cut: bool,
}

/// One name and value that a form sends.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SentControl {
    pub name: String,
    /// Empty for a hidden control.
    pub label: String,
    /// `[secret]` for passwords and fields that hold a secret.
    pub value: String,
    /// An `input` of type `hidden`.
    pub is_hidden: bool,
}

/// A visible field as a person would read it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FormField {
    pub label: String,
    pub value: String,
}

impl Element {
    /// The element as an action's target.
    #[must_use]
    pub fn target(&self) -> Target {
        Target {
            element: self.reference.clone(),
            role: self.role.clone(),
            name: self.name.clone(),
            fingerprint: self.fingerprint.clone(),
        }
    }
}
