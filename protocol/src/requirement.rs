//! What an extension cannot do without (`report.required`).

use std::fmt;

use crate::capability::Capability;
use crate::frame::Rejection;

/// Something that an extension cannot do without. Its text is as it stands in a sentence, as
/// `the tool search`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The host must name it in `hello_ack`.
    Capability(Capability),
    /// The host must serve it, by the same frame.
    Method(String),
    /// The host must not reject it.
    Registration {
        /// What it is, one of [`Requirement::REGISTRATIONS`].
        kind: String,
        /// Its name.
        name: String,
    },
}

impl Requirement {
    /// What of the registrations can be required.
    pub const REGISTRATIONS: [&str; 5] = ["tool", "command", "event", "intercept", "guard"];

    /// The requirement of that kind: `capability`, `method`, or one of
    /// [`Requirement::REGISTRATIONS`]. `Err` says to its author what is wrong.
    pub fn of(kind: &str, name: &str) -> Result<Self, String> {
        match kind {
            "method" => Ok(Self::Method(name.to_owned())),
            "capability" => {
                let all = || Capability::ALL.map(Capability::as_str).join(", ");
                let unknown = || format!("there is no capability {name:?}; there are {}", all());
                Capability::of(name).map(Self::Capability).ok_or_else(unknown)
            }
            _ if Self::REGISTRATIONS.contains(&kind) => {
                Ok(Self::Registration { kind: kind.to_owned(), name: name.to_owned() })
            }
            _ => Err(format!(
                "{kind:?} cannot be required; use capability, method, {}",
                Self::REGISTRATIONS.join(", ")
            )),
        }
    }

    /// Whether a host says by that that it is not met.
    pub fn is_rejected_by(&self, rejection: &Rejection) -> bool {
        matches!(self, Self::Registration { kind, name }
            if rejection.kind == *kind && rejection.name == *name)
    }
}

impl From<Capability> for Requirement {
    fn from(capability: Capability) -> Self {
        Self::Capability(capability)
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capability(capability) => write!(formatter, "the capability {capability}"),
            Self::Method(name) => write!(formatter, "the method {name}"),
            Self::Registration { kind, name } => write!(formatter, "the {kind} {name}"),
        }
    }
}
