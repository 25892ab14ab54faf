//! What an extension cannot do without.

use std::fmt;

use extline_protocol::Capability;

use crate::Extension;
use crate::point::{self, Point};

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
        self.registrations.requirements.push(requirement.into().0);
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
pub struct Requirement(pub(crate) extline_protocol::Requirement);

impl Requirement {
    /// The host serves that method, for [`Context::request`](crate::Context::request).
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::method("ui.confirm").to_string(), "the method ui.confirm");
    /// ```
    pub fn method(name: impl Into<String>) -> Self {
        Self(extline_protocol::Requirement::Method(name.into()))
    }

    /// The host offers that tool of the extension.
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::tool("search").to_string(), "the tool search");
    /// ```
    pub fn tool(name: impl Into<String>) -> Self {
        Self::registration("tool", name)
    }

    /// The host offers that command of the extension.
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::command("search").to_string(), "the command search");
    /// ```
    pub fn command(name: impl Into<String>) -> Self {
        Self::registration("command", name)
    }

    /// The host sends that event.
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::event("turn_end").to_string(), "the event turn_end");
    /// ```
    pub fn event(name: impl Into<String>) -> Self {
        Self::registration("event", name)
    }

    /// The host asks at that point.
    ///
    /// ```
    /// use extline::{Requirement, point};
    ///
    /// assert_eq!(Requirement::intercept(point::TurnStart).to_string(), "the intercept turn_start");
    /// ```
    pub fn intercept<P: Point>(_point: P) -> Self {
        Self::registration("intercept", P::NAME.to_owned())
    }

    /// The host asks the extension's guards.
    ///
    /// ```
    /// use extline::Requirement;
    ///
    /// assert_eq!(Requirement::guards().to_string(), "the guard tool_call");
    /// ```
    pub fn guards() -> Self {
        Self::registration("guard", point::ToolCall::NAME.to_owned())
    }

    fn registration(kind: &str, name: impl Into<String>) -> Self {
        Self(extline_protocol::Requirement::Registration {
            kind: kind.to_owned(),
            name: name.into(),
        })
    }
}

impl From<Capability> for Requirement {
    fn from(capability: Capability) -> Self {
        Self(capability.into())
    }
}

/// As it stands in a sentence.
impl fmt::Display for Requirement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
