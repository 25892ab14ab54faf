//! What an extension cannot do without.

use std::fmt;

use extline_protocol::Capability;
use extline_protocol::frame::Rejection;

use crate::point::{self, Point};
use crate::{Extension, Host};

/// What the extension needs of its host.
impl Extension {
    /// Declares something that the extension cannot do without: a [`Capability`] of the host, or
    /// another [`Requirement`]. Where the host does not offer it, the user is notified, a line on
    /// stderr says what is missing, and the process ends with status 78 (`report.required`), before
    /// [`setup`](Extension::setup) where that is known by then.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::Requirement;
    ///
    /// let extension = Extension::new("careful", "1.0.0")
    ///     .guard("no_bash", async |call, _| {
    ///         if call.tool() == "bash" { call.block("no bash here") } else { call.allow() }
    ///     })
    ///     .required(Requirement::guards())
    ///     .required(Capability::CallTool);
    /// ```
    pub fn required(mut self, requirement: impl Into<Requirement>) -> Self {
        self.requirements.push(requirement.into());
        self
    }
}

/// Something that an extension cannot do without, for [`Extension::required`].
///
/// ```
/// use extline::{Capability, Requirement, point};
///
/// let requirements = [
///     Capability::ToolRegistry.into(),
///     Requirement::method("ui.confirm"),
///     Requirement::tool("search"),
///     Requirement::intercept(point::ToolCall),
/// ];
/// assert_eq!(requirements[0].to_string(), "the capability tool_registry");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// What the host must name in `hello_ack`.
    Capability(Capability),
    Method(String),
    /// What it must not reject: the kind and the name of a registration.
    Registration(&'static str, String),
}

impl Requirement {
    /// The host serves that method, for [`Context::request`](crate::Context::request).
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::method("ui.confirm").to_string(), "the method ui.confirm");
    /// ```
    pub fn method(name: impl Into<String>) -> Self {
        Self(Kind::Method(name.into()))
    }

    /// The host offers that tool of the extension.
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::tool("search").to_string(), "the tool search");
    /// ```
    pub fn tool(name: impl Into<String>) -> Self {
        Self(Kind::Registration("tool", name.into()))
    }

    /// The host offers that command of the extension.
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::command("search").to_string(), "the command search");
    /// ```
    pub fn command(name: impl Into<String>) -> Self {
        Self(Kind::Registration("command", name.into()))
    }

    /// The host sends that event.
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::event("turn_end").to_string(), "the event turn_end");
    /// ```
    pub fn event(name: impl Into<String>) -> Self {
        Self(Kind::Registration("event", name.into()))
    }

    /// The host asks at that point.
    ///
    /// ```
    /// use extline::{Requirement, point};
    ///
    /// assert_eq!(Requirement::intercept(point::TurnStart).to_string(), "the intercept turn_start");
    /// ```
    pub fn intercept<P: Point>(_point: P) -> Self {
        Self(Kind::Registration("intercept", P::NAME.to_owned()))
    }

    /// The host asks the extension's guards.
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::guards().to_string(), "the guard tool_call");
    /// ```
    pub fn guards() -> Self {
        Self(Kind::Registration("guard", point::ToolCall::NAME.to_owned()))
    }

    /// Whether the host's first answer already tells that it is not met.
    pub(crate) fn is_missing_from(&self, host: &Host) -> bool {
        match &self.0 {
            Kind::Capability(capability) => !host.supports(*capability),
            Kind::Method(name) => !host.serves(name),
            Kind::Registration(..) => false,
        }
    }

    pub(crate) fn is_rejected_by(&self, rejection: &Rejection) -> bool {
        matches!(&self.0, Kind::Registration(kind, name)
            if rejection.kind == *kind && rejection.name == *name)
    }
}

impl From<Capability> for Requirement {
    fn from(capability: Capability) -> Self {
        Self(Kind::Capability(capability))
    }
}

/// As it stands in a sentence.
impl fmt::Display for Requirement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Capability(capability) => write!(formatter, "the capability {capability}"),
            Kind::Method(name) => write!(formatter, "the method {name}"),
            Kind::Registration(kind, name) => write!(formatter, "the {kind} {name}"),
        }
    }
}
