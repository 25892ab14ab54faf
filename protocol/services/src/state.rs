//! `state.*`: values that an extension keeps with its host, and that are there again when it is started again.
//!
//! An extension has a slot in each scope, and no other one can be asked for: the host knows who asks. Each value has
//! a revision, by which one is replaced only if nobody else did so meanwhile, and each slot a version, which is the
//! extension's own: where it is another one than before, the host has the values migrated first.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::method::answered;
use crate::{Entry, Method};

/// Bytes that a value may have as JSON text: 64 KiB.
pub const VALUE_BYTES: usize = 1 << 16;
/// Bytes that the keys and values of a slot may have together: 16 MiB.
pub const SLOT_BYTES: u64 = 1 << 24;
/// Bytes that a key may have.
pub const KEY_BYTES: usize = 256;
/// Keys that a page of `state.list` has at most.
pub const KEYS: u64 = 1000;
/// The version of a slot whose extension says none.
pub const FIRST_VERSION: u64 = 1;
/// Bytes of values that `state.migrate` is asked with at once, about: they fit into one frame.
pub const MIGRATED_BYTES: usize = 1 << 20;

answered! {
    /// Reads a value that was kept.
    "state.get": GetMethod(Get) => Got;
    /// Keeps a value.
    "state.set": SetMethod(Set) => WasSet;
    /// Takes a value away.
    "state.delete": DeleteMethod(Delete) => Deleted;
    /// Lists the keys of a slot in their order.
    "state.list": ListMethod(List) => Listed;
}

/// Turns the values of a slot into those of another version.
#[derive(Clone, Copy, Debug)]
pub enum MigrateMethod {}

impl Method for MigrateMethod {
    const NAME: &'static str = "state.migrate";
    const WAITS_FOR_PERSON: bool = false;
    type Params = Migrate;
    type Result = Migrated;
}

pub(crate) const EXTENSION_METHODS: &[Entry] = &[Entry {
    name: MigrateMethod::NAME,
    what: "Turns the values of a slot into those of another version.",
    waits_for_person: false,
    check: crate::method::check::<MigrateMethod>,
    #[cfg(feature = "schema")]
    params: || schemars::schema_for!(Migrate),
    #[cfg(feature = "schema")]
    part: None,
    #[cfg(feature = "schema")]
    result: || schemars::schema_for!(Migrated),
}];

/// For how long a value is kept, and who shares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Scope {
    /// With the conversation: another one has values of its own, and one that branched off begins with those that
    /// were there.
    Session,
    /// With the project's folder.
    Project,
    /// Everywhere.
    Global,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Session, Self::Project, Self::Global];

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

/// What `state.get` is asked with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Get {
    /// The scope.
    pub scope: Scope,
    /// The key: 1 to 256 bytes.
    pub key: String,
    /// The version of the slot that the extension knows; 1 where it is unsaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub slot_version: Option<u64>,
}

/// The answer to `state.get`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Got {
    /// The value; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub value: Option<Box<RawValue>>,
    /// Its revision; 0 where there is none. A later one is greater.
    pub revision: u64,
    /// The version of the slot.
    pub slot_version: u64,
}

/// `null` is a value too.
fn there<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(value).map(Some)
}

/// What `state.set` is asked with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Set {
    /// The scope.
    pub scope: Scope,
    /// The key: 1 to 256 bytes.
    pub key: String,
    /// The value: any JSON, of 65,536 bytes at most.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub value: Box<RawValue>,
    /// Only if the value has this revision still; 0: only if there is none. Unsaid: whatever there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The version of the slot that the extension knows; 1 where it is unsaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub slot_version: Option<u64>,
}

/// The answer to `state.set`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WasSet {
    /// The revision that the value has now.
    pub revision: u64,
}

/// What `state.delete` is asked with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Delete {
    /// The scope.
    pub scope: Scope,
    /// The key: 1 to 256 bytes.
    pub key: String,
    /// Only if the value has this revision still. Unsaid: whatever there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The version of the slot that the extension knows; 1 where it is unsaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub slot_version: Option<u64>,
}

/// The answer to `state.delete`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Deleted {
    /// Whether there was a value.
    pub deleted: bool,
}

/// What `state.list` is asked with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct List {
    /// The scope.
    pub scope: Scope,
    /// Only keys that begin with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Only keys behind this one: `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// So many keys at most: 1 to 1,000, and as many where it is unsaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub limit: Option<u64>,
    /// The version of the slot that the extension knows; 1 where it is unsaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub slot_version: Option<u64>,
}

/// The answer to `state.list`: a page of keys, by their bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Listed {
    /// The keys.
    pub keys: Vec<Key>,
    /// What the next page is asked for with, as `after`; absent where this is the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Bytes that the whole slot has.
    pub bytes: u64,
}

/// A key that has a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Key {
    /// The key.
    pub key: String,
    /// The revision of its value.
    pub revision: u64,
    /// Bytes of its value.
    pub bytes: u64,
}

/// What `state.migrate` is asked with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Migrate {
    /// The version that the values have.
    pub from: u64,
    /// The version that they are to have.
    pub to: u64,
    /// The scope whose slot it is.
    pub scope: Scope,
    /// Values by their keys: all of the slot, or a megabyte of them.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub data: BTreeMap<String, Box<RawValue>>,
    /// Whether the slot has more, which is asked for next.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// The answer to `state.migrate`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Migrated {
    /// What stands in their place.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub data: BTreeMap<String, Box<RawValue>>,
}

impl Get {
    fn check(&self) -> Result<(), String> {
        check_key(&self.key)?;
        check_version(self.slot_version)
    }
}

impl Set {
    fn check(&self) -> Result<(), String> {
        check_key(&self.key)?;
        check_version(self.slot_version)
    }
}

impl Delete {
    fn check(&self) -> Result<(), String> {
        check_key(&self.key)?;
        check_version(self.slot_version)
    }
}

impl List {
    fn check(&self) -> Result<(), String> {
        check_version(self.slot_version)?;
        match self.limit {
            Some(limit) if !(1..=KEYS).contains(&limit) => {
                Err(format!("/limit: it is 1 to {KEYS}"))
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn check_key(key: &str) -> Result<(), String> {
    match key.len() {
        0 => Err("/key: it is empty".to_owned()),
        1..=KEY_BYTES => Ok(()),
        bytes => Err(format!("/key: it has {bytes} bytes, and a key has {KEY_BYTES} at most")),
    }
}

fn check_version(version: Option<u64>) -> Result<(), String> {
    match version {
        Some(0) => Err("/slot_version: versions are 1 and more".to_owned()),
        // What a database counts with.
        Some(version) if version > u64::from(u32::MAX) => {
            Err(format!("/slot_version: versions are {} at most", u32::MAX))
        }
        _ => Ok(()),
    }
}
