//! Why an output contract was refused, in the words of SPEC §2.

use thiserror::Error;

use crate::limits::SCHEMA_BYTES_MAX;

pub(super) const OUTPUT_SCHEMA: &str = "output_schema";
pub(super) const OUTPUT_FORMAT: &str = "output_format";

/// A request whose `output_schema` or `output_format` cannot be used. Permanent: the same request is refused again.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SchemaFault {
    #[error("give \"output_schema\" or \"output_format\", not both")]
    Both,
    #[error("\"{param}\" must be an object")]
    NotAnObject { param: &'static str },
    #[error("\"{param}\" must be at most {SCHEMA_BYTES_MAX} bytes of JSON, not {bytes}")]
    TooLarge { param: &'static str, bytes: usize },
    #[error("\"output_format\" has the unknown field \"{field}\"")]
    UnknownField { field: String },
    #[error("\"output_format.type\" must be \"json_schema\"")]
    FormatType,
    #[error("\"output_format.schema\" must be an object")]
    FormatSchema,
    /// `reason` names the place in the schema and what is wrong there.
    #[error("\"{param}\" is not a usable JSON Schema: {reason}")]
    Unusable { param: &'static str, reason: String },
}

impl SchemaFault {
    /// The request field at fault, for the `param` of an API error.
    #[must_use]
    pub fn param(&self) -> &'static str {
        match self {
            Self::NotAnObject { param } | Self::TooLarge { param, .. } | Self::Unusable { param, .. } => param,
            Self::Both | Self::UnknownField { .. } | Self::FormatType | Self::FormatSchema => OUTPUT_FORMAT,
        }
    }

    /// The text after `is not a usable JSON Schema: `, or the whole text of another fault: the command line puts its
    /// own words before it (SPEC §7).
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Unusable { reason, .. } => reason.clone(),
            Self::Both
            | Self::NotAnObject { .. }
            | Self::TooLarge { .. }
            | Self::UnknownField { .. }
            | Self::FormatType
            | Self::FormatSchema => self.to_string(),
        }
    }
}
