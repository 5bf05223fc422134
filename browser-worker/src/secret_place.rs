//! Where a run's secrets may go. Pure: it decides by what the last look showed, and the browser types a secret only if that
//! still holds.

use errand_domain::SecretName;
use errand_domain::action::{Action, TypedText};
use errand_egress::OriginRules;
use errand_planner::{Element, Observation};
use std::collections::BTreeMap;

use crate::error::SecretError;

/// The origins that each secret may be typed into.
#[derive(Debug, Clone, Default)]
pub struct SecretOrigins(BTreeMap<SecretName, OriginRules>);

/// Whether an action may give a secret away.
#[derive(Debug)]
pub enum Leave {
    /// It types none, or types it where it belongs.
    Free,
    /// The form may be sent elsewhere: a person decides.
    Asks {
        name: SecretName,
        destination: String,
    },
    Refused(SecretError),
}

impl SecretOrigins {
    pub fn insert(&mut self, name: SecretName, origins: OriginRules) {
        self.0.insert(name, origins);
    }

    /// Whether a secret may be typed into a document of this origin.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, name: &SecretName, origin: &str) -> Result<(), SecretError> {
        let origins = self.0.get(name).ok_or_else(|| SecretError::Missing { name: name.to_string() })?;
        if origin.is_empty() {
            return Err(SecretError::NoOrigin { name: name.to_string() });
        }
        if origins.allows(origin) {
            Ok(())
        } else {
            Err(SecretError::OtherOrigin { name: name.to_string(), origin: origin.to_owned() })
        }
    }

    /// Judges an action on the page it was chosen for.
    #[must_use]
    pub fn judge(&self, action: &Action, observation: &Observation) -> Leave {
        let Action::Type { text: TypedText::Secret(name), .. } = action else { return Leave::Free };
        let element = element_of(action, observation);
        let origin = element.map(|element| element.origin.as_str()).unwrap_or_default();
        if let Err(error) = self.check(name, origin) {
            return Leave::Refused(error);
        }
        let mut destinations = element.into_iter().flat_map(|element| &element.destinations);
        match destinations.find(|destination| self.check(name, destination).is_err()) {
            Some(destination) => Leave::Asks { name: name.clone(), destination: destination.clone() },
            None => Leave::Free,
        }
    }
}

/// The element that an action was chosen for, on the page it was chosen on.
#[must_use]
pub fn element_of<'a>(action: &Action, observation: &'a Observation) -> Option<&'a Element> {
    let target = action.target()?;
    observation.elements.iter().find(|element| element.reference == target.element)
}

/// Where an action would take a secret, for the digest of its approval; empty for an action that types none.
#[must_use]
pub fn place_of(action: &Action, observation: &Observation) -> Option<String> {
    let Action::Type { text: TypedText::Secret(_), .. } = action else { return None };
    let element = element_of(action, observation)?;
    Some(format!("{}\n{}", element.origin, element.destinations.join("\n")))
}
