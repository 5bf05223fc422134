//! Actions and the elements they work on.

use errand_domain::action::{Action, ScrollDirection, Target, TypedText};
use errand_domain::ids::SecretName;
use wire::action::Kind;

use crate::error::DecodeError;
use crate::field::{enumeration, id, kind, required, unspecified};
use crate::wire;

impl From<&Action> for wire::Action {
    fn from(action: &Action) -> Self {
        let kind = match action {
            Action::Navigate { url } => Kind::Navigate(wire::Navigate { url: url.clone() }),
            Action::Click { target } => Kind::Click(wire::Click { target: Some(target.into()) }),
            Action::Type { target, text } => {
                Kind::Type(wire::Type { target: Some(target.into()), text: Some(text.into()) })
            }
            Action::Select { target, option } => {
                Kind::Select(wire::Select { target: Some(target.into()), option: option.clone() })
            }
            Action::Check { target, checked } => {
                Kind::Check(wire::Check { target: Some(target.into()), checked: *checked })
            }
            Action::Scroll { direction } => {
                Kind::Scroll(wire::Scroll { direction: wire::ScrollDirection::from(*direction).into() })
            }
            Action::Press { key, target } => {
                Kind::Press(wire::Press { key: key.clone(), target: target.as_ref().map(wire::Target::from) })
            }
            Action::Back => Kind::Back(wire::Back {}),
            Action::Wait { ms } => Kind::Wait(wire::Wait { ms: *ms }),
        };
        Self { kind: Some(kind) }
    }
}

impl TryFrom<wire::Action> for Action {
    type Error = DecodeError;

    fn try_from(action: wire::Action) -> Result<Self, DecodeError> {
        let action = match kind(action.kind, "action.kind")? {
            Kind::Navigate(navigate) => Self::Navigate { url: navigate.url },
            Kind::Click(click) => Self::Click { target: read_target(click.target)? },
            Kind::Type(typing) => Self::Type {
                target: read_target(typing.target)?,
                text: kind(typing.text, "action.type.text")?.try_into()?,
            },
            Kind::Select(select) => Self::Select { target: read_target(select.target)?, option: select.option },
            Kind::Check(check) => Self::Check { target: read_target(check.target)?, checked: check.checked },
            Kind::Scroll(scroll) => Self::Scroll { direction: read_direction(scroll.direction)? },
            Kind::Press(press) => Self::Press { key: press.key, target: press.target.map(Target::from) },
            Kind::Back(wire::Back {}) => Self::Back,
            Kind::Wait(wait) => Self::Wait { ms: wait.ms },
        };
        Ok(action)
    }
}

fn read_target(target: Option<wire::Target>) -> Result<Target, DecodeError> {
    Ok(required(target, "action.target")?.into())
}

fn read_direction(direction: i32) -> Result<ScrollDirection, DecodeError> {
    match enumeration(direction, "action.scroll.direction")? {
        wire::ScrollDirection::Unspecified => Err(unspecified("action.scroll.direction")),
        wire::ScrollDirection::Up => Ok(ScrollDirection::Up),
        wire::ScrollDirection::Down => Ok(ScrollDirection::Down),
    }
}

impl From<ScrollDirection> for wire::ScrollDirection {
    fn from(direction: ScrollDirection) -> Self {
        match direction {
            ScrollDirection::Up => Self::Up,
            ScrollDirection::Down => Self::Down,
        }
    }
}

impl From<&Target> for wire::Target {
    fn from(target: &Target) -> Self {
        Self {
            element: target.element.clone(),
            role: target.role.clone(),
            name: target.name.clone(),
            fingerprint: target.fingerprint.clone(),
        }
    }
}

impl From<wire::Target> for Target {
    fn from(target: wire::Target) -> Self {
        Self { element: target.element, role: target.role, name: target.name, fingerprint: target.fingerprint }
    }
}

impl From<&TypedText> for wire::r#type::Text {
    fn from(text: &TypedText) -> Self {
        match text {
            TypedText::Plain(text) => Self::Plain(text.clone()),
            TypedText::Secret(name) => Self::Secret(name.as_str().to_owned()),
        }
    }
}

impl TryFrom<wire::r#type::Text> for TypedText {
    type Error = DecodeError;

    fn try_from(text: wire::r#type::Text) -> Result<Self, DecodeError> {
        match text {
            wire::r#type::Text::Plain(text) => Ok(Self::Plain(text)),
            wire::r#type::Text::Secret(name) => {
                let name = id(&name, SecretName::parse, "action.type.secret")?;
                Ok(Self::Secret(name))
            }
        }
    }
}
