//! The clauses of docs/protocol/specification.md: what a case cites, who is bound, how strictly.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::texts::packed;

pub use extline_scenario::Level;

/// One rule of the protocol.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Clause {
    /// Its name, which is never given to another: `frm.max-line`.
    pub id: String,
    /// How strict it is.
    pub level: Level,
    /// Its sentence.
    pub text: String,
}

/// Whom a clause binds, as its first words say.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(rename_all = "snake_case")]
pub enum Binds {
    /// Every extension, hand-written ones too.
    Extension,
    /// Only extensions built on an SDK.
    Sdk,
    /// Only hosts.
    Host,
    /// Only MCP servers.
    Server,
    /// Only clients of MCP.
    Client,
}

impl Clause {
    /// The clause of that name, also one that binds MCP servers or clients.
    pub fn named(id: &str) -> Option<&'static Self> {
        CLAUSES.get(id).or_else(|| super::mcp::CLAUSES.get(id))
    }

    /// Every clause of docs/protocol/specification.md, sorted by name.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        CLAUSES.values()
    }

    /// Every clause that binds MCP servers or clients, sorted by name: `2025-11-25/` and `2026-07-28/` begin those of
    /// a revision, `json-rpc/` those of JSON-RPC 2.0, `use/` what use has shown to be wanted.
    pub fn of_mcp() -> impl Iterator<Item = &'static Self> {
        super::mcp::CLAUSES.values()
    }

    /// Whom it binds on the extension's side, or a host.
    pub fn binds(&self) -> Binds {
        let subject = self.text.split([' ', '\n']).take(3).collect::<Vec<_>>().join(" ");
        match subject.as_str() {
            text if text.starts_with("An SDK") => Binds::Sdk,
            text if text.starts_with("A host") => Binds::Host,
            _ => Binds::Extension,
        }
    }
}

static CLAUSES: LazyLock<BTreeMap<String, Clause>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Document {
        clauses: Vec<Clause>,
    }
    // The file is generated and committed; a test of this crate reads it. A link in this crate leads to it,
    // for what is outside of it is not in its package.
    let document: Document = serde_json::from_str(packed("clauses.json"))
        .unwrap_or_else(|error| unreachable!("clauses.json cannot be read: {error}"));
    document.clauses.into_iter().map(|clause| (clause.id.clone(), clause)).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whom_a_clause_binds_is_read_from_its_sentence() {
        let binds = |id: &str| Clause::named(id).unwrap().binds();
        assert_eq!(binds("frm.blank-line"), Binds::Extension);
        assert_eq!(binds("hello.first"), Binds::Extension);
        assert_eq!(binds("frm.bom"), Binds::Sdk);
        assert_eq!(binds("canon.spaces"), Binds::Sdk);
        assert_eq!(binds("host.queue"), Binds::Host);
    }

    #[test]
    fn every_level_occurs() {
        for level in [Level::Must, Level::Should, Level::May] {
            assert!(Clause::all().any(|clause| clause.level == level), "{level:?}");
        }
    }
}
