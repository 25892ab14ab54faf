//! `pending.*`: what an extension proposes to do, and does only when the model, or a person, says so.
//!
//! A handler shows what it would do and pushes that as an action. The host tells the model that nothing was changed
//! yet, and offers it the tool `resolve` as long as an action is pending. Whoever resolves it, the host asks the
//! extension to apply it or to let go of it.

mod queue;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(feature = "schema")]
use schemars::JsonSchema;

pub use self::queue::{Action, Decided, Next, PendingAction, Queue, Refusal};
use crate::method::answered;
use crate::{Entry, Method};

/// Actions of one extension that may be pending at once.
pub const ACTIONS: usize = 64;
/// Bytes that a handle may have.
pub const HANDLE_BYTES: usize = 256;
/// Bytes that a label may have.
pub const LABEL_BYTES: usize = 1024;
/// Bytes that a summary may have: 64 KiB.
pub const SUMMARY_BYTES: usize = 1 << 16;
/// Bytes that the details of an action may have as JSON text: 256 KiB.
pub const DETAILS_BYTES: usize = 1 << 18;
/// The tool of the host that resolves actions.
pub const RESOLVE: &str = "resolve";

answered! {
    /// Proposes an action, which is pending until somebody resolves it.
    "pending.push": PushMethod(Push) => Pushed;
}

/// What `pending.push` is asked with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Push {
    /// What the extension knows it by, 1 to 256 bytes: no other pending action of its own has it.
    pub handle: String,
    /// What would be done, in a line, as "12 edits": 1 to 1,024 bytes.
    pub label: String,
    /// What would be done, for whoever decides: 64 KiB at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The same for programs: any JSON, of 256 KiB at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub details: Option<Box<RawValue>>,
}

/// The answer to `pending.push`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Pushed {
    /// What the host knows the action by. No other action of this run has it.
    pub action_id: String,
}

/// What is decided about an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Resolution {
    /// It is done.
    Apply,
    /// It is not done.
    Discard,
}

impl Resolution {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Discard => "discard",
        }
    }
}

/// What `pending.apply` is asked with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Apply {
    /// The handle of the action, as it was pushed.
    pub handle: String,
    /// Why whoever decided wants it; empty where they did not say.
    pub reason: String,
}

/// What `pending.reject` is asked with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Reject {
    /// The handle of the action, as it was pushed.
    pub handle: String,
    /// Why it is not wanted; empty where nobody said.
    pub reason: String,
    /// Whether nobody decided that: the conversation has moved on, and the action does not fit it any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub released: bool,
}

/// The answer to `pending.apply` and `pending.reject`: what the model is told, as the result of a tool.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Resolved {
    /// Blocks as those of `tool_result`. Where there are none the host says in its own words what became of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<serde_json::Value>"))]
    pub content: Vec<Box<RawValue>>,
    /// The result as a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub structured_content: Option<Box<RawValue>>,
    /// More for the user's eyes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub details: Option<Box<RawValue>>,
    /// Whether it was not done; then the action is still pending.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// Does what an action proposes.
#[derive(Clone, Copy, Debug)]
pub enum ApplyMethod {}

impl Method for ApplyMethod {
    const NAME: &'static str = "pending.apply";
    const WAITS_FOR_PERSON: bool = false;
    type Params = Apply;
    type Result = Resolved;
}

/// Lets go of an action that is not wanted.
#[derive(Clone, Copy, Debug)]
pub enum RejectMethod {}

impl Method for RejectMethod {
    const NAME: &'static str = "pending.reject";
    const WAITS_FOR_PERSON: bool = false;
    type Params = Reject;
    type Result = Resolved;
}

pub(crate) const EXTENSION_METHODS: &[Entry] = &[
    Entry {
        name: ApplyMethod::NAME,
        what: "Does what an action proposes.",
        waits_for_person: false,
        check: crate::method::check::<ApplyMethod>,
        #[cfg(feature = "schema")]
        params: || schemars::schema_for!(Apply),
        #[cfg(feature = "schema")]
        part: None,
        #[cfg(feature = "schema")]
        result: || schemars::schema_for!(Resolved),
    },
    Entry {
        name: RejectMethod::NAME,
        what: "Lets go of an action that is not wanted.",
        waits_for_person: false,
        check: crate::method::check::<RejectMethod>,
        #[cfg(feature = "schema")]
        params: || schemars::schema_for!(Reject),
        #[cfg(feature = "schema")]
        part: None,
        #[cfg(feature = "schema")]
        result: || schemars::schema_for!(Resolved),
    },
];

impl Push {
    fn check(&self) -> Result<(), String> {
        let sized = |at: &str, length: usize, range: std::ops::RangeInclusive<usize>| {
            if range.contains(&length) {
                return Ok(());
            }
            Err(format!(
                "{at}: it has {length} bytes, and may have {} to {}",
                range.start(),
                range.end()
            ))
        };
        sized("/handle", self.handle.len(), 1..=HANDLE_BYTES)?;
        sized("/label", self.label.len(), 1..=LABEL_BYTES)?;
        sized("/summary", self.summary.as_ref().map_or(0, String::len), 0..=SUMMARY_BYTES)?;
        sized("/details", self.details.as_ref().map_or(0, |it| it.get().len()), 0..=DETAILS_BYTES)
    }
}
