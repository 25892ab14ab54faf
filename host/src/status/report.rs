//! The one report of how extensions stand.

use std::path::PathBuf;

use extline_protocol::frame::Rejection;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::{ExtensionStatus, Finding, Level};
use crate::discovery::Found;
use crate::redact::Redactor;

/// How extensions stand at one moment: those of a host ([`Host::report`](crate::Host::report)), those that were found in
/// folders ([`Discovery::report`](crate::discovery::Discovery::report)), or both ([`StatusReport::add_started`]).
///
/// `Serialize` gives the same to programs: `extensions`, each with what [`Found`] gives where it was found, and `name`,
/// `version`, `path`, `log`, `findings`, and of a host `state`, `tools` and `commands`; `conflicts`; and `tools` of a
/// host.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct StatusReport {
    /// Each: in the order of [`Discovery::find`](crate::discovery::Discovery::find), of a host in load order.
    pub extensions: Vec<Standing>,
    /// Names that several want which a host has started.
    pub conflicts: Vec<Conflict>,
    /// How many tools the host has. Absent where none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolCounts>,
}

/// How one extension stands.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Its version, by its own word, else by its manifest.
    pub version: Option<String>,
    /// Its folder, or the working directory of a program without one.
    pub path: Option<PathBuf>,
    /// What was found in its folder, where one looked for it.
    pub found: Option<Found>,
    /// In a host: `not_started`, `starting`, `ready`, `inactive`, `ending`, `ended`, `disabled` or `failed`.
    pub state: Option<&'static str>,
    /// Its tools that are used.
    pub tools: Vec<String>,
    /// Its commands that are used.
    pub commands: Vec<String>,
    /// What it wrote to stderr, where it ever ran: at most two files of 1 MiB, the older one with `.1` behind its name.
    pub log: Option<PathBuf>,
    /// What is to be said of it.
    pub findings: Vec<Finding>,
}

/// A name that several want.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Conflict {
    /// `tool` or `command`.
    pub kind: String,
    /// The name.
    pub name: String,
    /// Who has it: an extension, or `the host`.
    pub winner: String,
    /// The extensions that wanted it too.
    pub shadowed: Vec<String>,
}

/// How many tools a host offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolCounts {
    /// All of them.
    pub total: usize,
    /// The agent's own.
    pub builtin: usize,
    /// Those of extensions.
    pub extension: usize,
    /// Those that are not offered, since another one has the name.
    pub shadowed: usize,
}

impl StatusReport {
    /// Of a host. `tools` is how many are offered, and how many of them are the agent's own.
    pub(crate) fn of_host(
        statuses: Vec<ExtensionStatus>,
        (total, builtin): (usize, usize),
    ) -> Self {
        let mut conflicts: Vec<Conflict> = Vec::new();
        for status in &statuses {
            for rejection in &status.report.rejected {
                note(&mut conflicts, &status.name, rejection);
            }
        }
        let of_tools = conflicts.iter().filter(|conflict| conflict.kind == "tool");
        let shadowed = of_tools.map(|conflict| conflict.shadowed.len()).sum();
        let tools = ToolCounts { total, builtin, extension: total - builtin, shadowed };
        let extensions = statuses.into_iter().map(Standing::started).collect();
        Self { extensions, conflicts, tools: Some(tools) }
    }

    /// Adds to what was found how that stands which a host has started.
    pub fn add_started(&mut self, started: Self) {
        for one in started.extensions {
            let is_it = |standing: &&mut Standing| standing.path == one.path;
            if let Some(standing) = self.extensions.iter_mut().find(is_it) {
                standing.add_started(one);
            }
        }
        self.conflicts.extend(started.conflicts);
        self.tools = started.tools.or(self.tools);
    }

    /// The worst of all findings.
    pub fn level(&self) -> Level {
        self.extensions.iter().map(Standing::level).max().unwrap_or(Level::Pass)
    }

    /// Takes secrets out of what the extensions wrote.
    pub(crate) fn redact(&mut self, redactor: &Redactor) {
        for finding in self.extensions.iter_mut().flat_map(|it| &mut it.findings) {
            finding.redact(redactor);
        }
    }
}

fn note(conflicts: &mut Vec<Conflict>, extension: &str, rejection: &Rejection) {
    let Rejection { kind, name, winner: Some(winner), .. } = rejection else { return };
    let is_it = |conflict: &&mut Conflict| conflict.kind == *kind && conflict.name == *name;
    match conflicts.iter_mut().find(is_it) {
        Some(conflict) => conflict.shadowed.push(extension.to_owned()),
        None => conflicts.push(Conflict {
            kind: kind.clone(),
            name: name.clone(),
            winner: winner.clone(),
            shadowed: vec![extension.to_owned()],
        }),
    }
}

impl Standing {
    /// The worst of its findings.
    pub fn level(&self) -> Level {
        self.findings.iter().map(|finding| finding.level).max().unwrap_or(Level::Pass)
    }

    fn add_started(&mut self, started: Self) {
        let Self { version, state, tools, commands, log, findings, .. } = started;
        self.version = version.or(self.version.take());
        self.state = state;
        self.tools = tools;
        self.commands = commands;
        self.log = log.or(self.log.take());
        self.findings.extend(findings);
    }
}

impl Serialize for Standing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = self.found.as_ref().map_or_else(|| json!({}), |found| json!(found));
        value["name"] = json!(self.name);
        value["version"] = json!(self.version);
        value["path"] = json!(self.path);
        value["log"] = json!(self.log);
        value["findings"] = json!(self.findings);
        if let Some(state) = self.state {
            value["state"] = json!(state);
            value["tools"] = json!(self.tools);
            value["commands"] = json!(self.commands);
        }
        value.serialize(serializer)
    }
}
