//! `tool.approval`: whether and how one call of a tool is to be approved, said by the extension that has the tool.
//!
//! The host asks where the tool declares `approval: {"dynamic": true}`. What the extension says is advice: the host
//! makes the key itself, and its own rules stand above all of it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::{Entry, Method};

/// Lines of details that are shown at least.
pub const DETAILS: usize = 20;

/// Says whether a call is to be approved, and what a person is shown of it.
#[derive(Clone, Copy, Debug)]
pub enum ApprovalMethod {}

impl Method for ApprovalMethod {
    const NAME: &'static str = "tool.approval";
    const WAITS_FOR_PERSON: bool = false;
    type Params = Proposed;
    type Result = Advice;
}

pub(crate) const METHODS: &[Entry] = &[Entry {
    name: ApprovalMethod::NAME,
    what: "Says whether a call is to be approved, and what a person is shown of it.",
    waits_for_person: false,
    check: crate::method::check::<ApprovalMethod>,
    #[cfg(feature = "schema")]
    params: || schemars::schema_for!(Proposed),
    #[cfg(feature = "schema")]
    part: None,
    #[cfg(feature = "schema")]
    result: || schemars::schema_for!(Advice),
}];

/// What `tool.approval` is asked with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Proposed {
    /// The tool that is to be called.
    pub tool: String,
    /// The arguments, as they would run.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub args: Box<RawValue>,
}

/// The answer to `tool.approval`. What it does not say stands as the tool declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Advice {
    /// Whether the call needs an approval; it does where that is unsaid.
    #[serde(default, skip_serializing_if = "Policy::is_prompt")]
    pub policy: Policy,
    /// How much the call can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// Template over the arguments that says which calls one approval covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why it is asked, or why it is denied, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the call would do, a line each, for the person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

/// Whether a call needs an approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Policy {
    /// It needs none by what the tool declares. What the host requires holds all the same.
    Allow,
    /// It must not run.
    Deny,
    /// It needs one.
    #[default]
    Prompt,
}

impl Advice {
    /// The call needs no approval.
    pub fn allow() -> Self {
        Self { policy: Policy::Allow, ..Self::default() }
    }

    /// The call needs an approval, for that reason.
    pub fn prompt(reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..Self::default() }
    }

    /// The call must not run, for that reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { policy: Policy::Deny, ..Self::prompt(reason) }
    }
}

/// Whether the call needs an approval.
impl From<bool> for Advice {
    fn from(is_gated: bool) -> Self {
        if is_gated { Self::default() } else { Self::allow() }
    }
}

impl Policy {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "for serde")]
    fn is_prompt(&self) -> bool {
        *self == Self::Prompt
    }
}

/// How much a call can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Tier {
    /// It looks.
    Read,
    /// It changes something.
    Write,
    /// It runs programs.
    Exec,
}
