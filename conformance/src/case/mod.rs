//! Cases: what is done to an extension and what must come of it, as data.
//!
//! A case is a `[[case]]` table of a TOML file; docs/cases.md documents the format. The files of
//! this crate are built into it.

mod builtin;
mod parse;
mod step;
mod template;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use self::builtin::builtin;
pub use self::parse::{CaseError, parse};
pub use self::step::{Amount, Close, Exits, Handshake, Step, Text, Verb};
pub(crate) use self::template::{Values, expand, replace};
use crate::clause::{Binds, Clause, Level};

/// One case.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, which is never given to another: `E-FRM-14`.
    pub id: String,
    /// What holds when it passes, in a line: `accepts a line of 64 KiB`.
    pub title: String,
    /// The clauses it checks; the first decides level and quoted text.
    pub clauses: Vec<String>,
    /// What the extension must have for the case to say anything.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// Which process it runs in.
    #[serde(default)]
    pub process: Process,
    /// One run for each of these values, in order; `$value` stands for it.
    #[serde(default)]
    pub values: Vec<u64>,
    /// What the values count, when the smallest one that fails is worth finding: `bytes`.
    pub bisect: Option<String>,
    /// What is done, in order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// In place of steps: the name of a check over all that was seen.
    pub check: Option<String>,
    /// Why this matters and what usually breaks it; `explain` shows it.
    #[serde(default)]
    pub about: String,
    /// The case as it stands in its file.
    #[serde(skip)]
    pub source: String,
    /// Broken extensions that this case must catch, and how: see `selftest`.
    #[serde(default)]
    pub mutants: Vec<String>,
}

/// What a case needs of the extension.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// It answers a question that runs none of its author's code.
    Canary,
    /// It answers calls of a tool that it never registered.
    ToolCanary,
    /// It registered a tool.
    Tool,
    /// It registered a command.
    Command,
    /// It subscribed to an event.
    Event,
    /// It asked to be asked.
    Intercept,
    /// It may be called: `--call`, or samples in its manifest.
    Calls,
    /// Its hello names `panels`.
    Panels,
    /// It has a manifest.
    Manifest,
}

/// Which process a case runs in.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    /// One that other cases used before: nothing it does may end or wound it.
    #[default]
    Shared,
    /// One of its own, ready for calls.
    Own,
    /// One of its own, of which nothing was read and to which nothing was written yet.
    Raw,
    /// The same, whose stdin is at its end from the start.
    StdinAtEnd,
}

impl Case {
    /// The clause that gives it its level.
    pub fn clause(&self) -> &'static Clause {
        // `parse` refuses a case whose clauses do not exist.
        self.clauses
            .first()
            .and_then(|id| Clause::named(id))
            .unwrap_or_else(|| unreachable!("{} cites no clause", self.id))
    }

    /// How strict it is.
    pub fn level(&self) -> Level {
        self.clause().level
    }

    /// Whom it binds.
    pub fn binds(&self) -> Binds {
        self.clause().binds()
    }

    /// The group it belongs to: `E-FRM`.
    pub fn group(&self) -> &str {
        self.id.rsplit_once('-').map_or(self.id.as_str(), |(group, _)| group)
    }
}

/// Cases by name.
pub type Cases = BTreeMap<String, Case>;
