//! `session.*`: the conversation, and entries that an extension adds to its history.
//!
//! Entries are kept with the conversation and are not for the model. They stand in a tree: each behind the one that
//! was the last when it was added, the leaf. A branch is the way from the first one to the leaf.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::method::answered;

/// Bytes that the data of an entry may have as JSON text: 256 KiB.
pub const ENTRY_BYTES: usize = 1 << 18;
/// Bytes that the entries of an extension on a branch may have together: 16 MiB.
pub const BRANCH_BYTES: u64 = 1 << 24;
/// Bytes that the type of an entry may have.
pub const TYPE_BYTES: usize = 128;
/// Entries that a page of `session.branch` has at most.
pub const ENTRIES: u64 = 1000;
/// Bytes of data that a page has, about: it fits into one frame.
pub const PAGE_BYTES: usize = 1 << 20;

answered! {
    /// Says which conversation it is.
    "session.info": InfoMethod(Info) => Session;
    /// Adds an entry behind the leaf, which is then the leaf.
    "session.append": AppendMethod(Append) => Appended;
    /// Lists the entries of the extension from the first one to the leaf.
    "session.branch": BranchMethod(Branch) => Entries;
}

/// What `session.info` is asked with: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Info {}

/// The answer to `session.info`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Session {
    /// Its id; absent where the host has none. Then what is kept with the session is gone when the host ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The conversation that it branched off from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The place in the history that the next entry stands behind; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf: Option<String>,
    /// The project's folder, by which the scope `project` is kept.
    pub project: String,
    /// Whether what is kept is still there when the host is started again.
    pub durable: bool,
}

/// What `session.append` is asked with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Append {
    /// What kind of entry it is, in the extension's own words: 1 to 128 bytes.
    pub r#type: String,
    /// What it holds: any JSON, of 262,144 bytes at most.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub data: Box<RawValue>,
}

/// The answer to `session.append`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Appended {
    /// Names the entry.
    pub id: String,
}

/// What `session.branch` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Branch {
    /// Only entries of these types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<String>>,
    /// Only entries behind this one: `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// So many entries at most: 1 to 1,000, and as many where it is unsaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub limit: Option<u64>,
}

/// The answer to `session.branch`: a page of entries, the oldest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Entries {
    /// The entries.
    pub entries: Vec<SessionEntry>,
    /// The place in the history that the branch leads to; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf: Option<String>,
    /// What the next page is asked for with, as `after`; absent where this is the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// An entry of the history.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SessionEntry {
    /// Names it.
    pub id: String,
    /// Its type.
    pub r#type: String,
    /// What it holds.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub data: Box<RawValue>,
    /// When it was added, in milliseconds since 1970.
    pub at_ms: u64,
}

impl Info {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "as every method's"
    )]
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

impl Append {
    fn check(&self) -> Result<(), String> {
        match self.r#type.len() {
            0 => Err("/type: it is empty".to_owned()),
            1..=TYPE_BYTES => Ok(()),
            bytes => {
                Err(format!("/type: it has {bytes} bytes, and a type has {TYPE_BYTES} at most"))
            }
        }
    }
}

impl Branch {
    fn check(&self) -> Result<(), String> {
        match self.limit {
            Some(limit) if !(1..=ENTRIES).contains(&limit) => {
                Err(format!("/limit: it is 1 to {ENTRIES}"))
            }
            _ => Ok(()),
        }
    }
}
