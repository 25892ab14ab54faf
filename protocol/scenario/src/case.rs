//! A case and what it says about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::step::{self, Step, Verb};

/// One case.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, which is never given to another: `E-FRM-14`, or `berlin-has-weather` for an
    /// author's own.
    pub id: String,
    /// What holds when it passes, in a line: `accepts a line of 64 KiB`.
    pub title: String,
    /// The clauses of docs/protocol/specification.md that it checks; the first decides level and quoted text. An
    /// author's own case may have none.
    #[serde(default)]
    pub clauses: Vec<String>,
    /// How strict a case without clauses is; `must` when it does not say.
    pub level: Option<Level>,
    /// What the extension must have for the case to say anything.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// The case that is played before this one: where that fails, this one could only fail for the same
    /// reason, and is not played.
    pub behind: Option<String>,
    /// Which process it runs in.
    #[serde(default)]
    pub process: Process,
    /// It measures a time: it comes last, in a process of its own.
    #[serde(default)]
    pub timing: bool,
    /// It takes too long for every run: `--deep` plays it, or its name.
    #[serde(default)]
    pub deep: bool,
    /// One run for each of these values, in order; `$value` stands for it.
    #[serde(default)]
    pub values: Vec<u64>,
    /// What the values count, when the smallest one that fails is worth finding: `bytes`.
    pub bisect: Option<String>,
    /// What is done, in order.
    #[serde(default, deserialize_with = "step::with_places")]
    pub steps: Vec<Step>,
    /// In place of steps: the name of a check over all that was seen.
    pub check: Option<String>,
    /// Why this matters and what usually breaks it; `explain` shows it.
    #[serde(default)]
    pub about: String,
    /// The file it was read from, as it was named.
    #[serde(skip)]
    pub file: String,
    /// The line in its file, from 1.
    #[serde(skip)]
    pub line: usize,
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
    /// It answers commands that it never registered.
    CommandCanary,
    /// It registered a tool.
    Tool,
    /// It registered a command.
    Command,
    /// It subscribed to an event.
    Event,
    /// It asked to be asked.
    Intercept,
    /// What it registered may be called: `--call`.
    Calls,
    /// Its hello names `panels`.
    Panels,
    /// Its hello names `tool_cancel`.
    Cancel,
    /// It has a manifest.
    Manifest,
    /// It is a kit: an extension with the surface that docs/tester/kits.md describes.
    Kit,
    /// An MCP server: it speaks only revisions that begin with `initialize`.
    Older,
    /// An MCP server: its revision has no batches, as those up to 2025-03-26 have.
    NoBatches,
    /// An MCP server: one of its tools has an argument that must be there.
    Required,
    /// An MCP server: it offers prompts.
    Prompts,
    /// An MCP server: it offers resources.
    Resources,
    /// An MCP server: it completes the arguments of a prompt, or of a template of resources.
    Completions,
    /// An MCP server: it declares `logging`.
    Logging,
    /// An MCP server: it declares that it tells when its tools change.
    ToolChanges,
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
    /// One of its own, ready for calls, while another one of the same extension runs.
    Beside,
    /// One of its own, of which nothing was read and to which nothing was written yet.
    Raw,
    /// The same, whose stdin is at its end from the start.
    StdinAtEnd,
}

/// How strict a rule is. The order is from strict to lax.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// What breaks it is wrong.
    #[serde(alias = "must")]
    Must,
    /// What breaks it should have a reason.
    #[serde(alias = "should")]
    Should,
    /// A liberty; only reported.
    #[serde(alias = "may")]
    May,
}

impl Case {
    /// Whether it may run in a process that other cases used.
    pub fn is_shared(&self) -> bool {
        self.process == Process::Shared && !self.timing
    }

    /// Whether time goes by in the middle of it, in which others may be played.
    pub fn is_set_aside(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.verb, Verb::Aside(_)))
    }

    /// The group it belongs to: `E-FRM`.
    pub fn group(&self) -> &str {
        self.id.rsplit_once('-').map_or(self.id.as_str(), |(group, _)| group)
    }
}

impl Level {
    /// The word as docs/protocol/specification.md has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::May => "MAY",
        }
    }
}

/// Cases by name.
pub type Cases = BTreeMap<String, Case>;
