//! How all extensions of a host stand, in one report.

use extline_protocol::frame::Rejection;
use serde::Serialize;

use super::status::{ExtensionState, ExtensionStatus};
use crate::redact::Redactor;

/// How all extensions of a host stand at one moment ([`Host::report`](crate::Host::report)). `Serialize` gives the same
/// to programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HostReport {
    /// Each, in load order.
    pub extensions: Vec<ExtensionReport>,
    /// Names that several want.
    pub conflicts: Vec<Conflict>,
    /// How many tools there are.
    pub tools: ToolCounts,
}

/// How one extension stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExtensionReport {
    /// Its name.
    pub name: String,
    /// Its version, by its own word, else by its manifest.
    pub version: Option<String>,
    /// `not_started`, `starting`, `ready`, `ending`, `ended`, `disabled` or `failed`.
    pub state: &'static str,
    /// Its tools that are used.
    pub tools: Vec<String>,
    /// Its commands that are used.
    pub commands: Vec<String>,
    /// Why it has failed.
    pub reason: Option<String>,
    /// What mends that.
    pub suggestion: Option<String>,
    /// Registrations that are not used, each with the reason.
    pub refused: Vec<String>,
    /// Points where nothing passes, because it guards there and cannot be asked.
    pub closed_points: Vec<String>,
    /// What its author should know of.
    pub notices: Vec<String>,
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

impl HostReport {
    /// `tools` is how many are offered, and how many of them are the agent's own.
    pub(crate) fn of(statuses: Vec<ExtensionStatus>, (total, builtin): (usize, usize)) -> Self {
        let mut conflicts: Vec<Conflict> = Vec::new();
        for status in &statuses {
            for rejection in &status.report.rejected {
                note(&mut conflicts, &status.name, rejection);
            }
        }
        let of_tools = conflicts.iter().filter(|conflict| conflict.kind == "tool");
        let shadowed = of_tools.map(|conflict| conflict.shadowed.len()).sum();
        let tools = ToolCounts { total, builtin, extension: total - builtin, shadowed };
        let extensions = statuses.into_iter().map(ExtensionReport::of).collect();
        Self { extensions, conflicts, tools }
    }

    /// Takes secrets out of what the extensions wrote.
    pub(crate) fn redact(&mut self, redactor: &Redactor) {
        for extension in &mut self.extensions {
            let told = extension.refused.iter_mut().chain(&mut extension.notices);
            for text in told.chain(&mut extension.reason).chain(&mut extension.suggestion) {
                *text = redactor.text(text).into_owned();
            }
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

impl ExtensionReport {
    fn of(status: ExtensionStatus) -> Self {
        let ExtensionStatus {
            name, state, hello, manifest, report, closed_points, notices, ..
        } = status;
        let version = hello.map(|it| it.version).or_else(|| manifest.map(|it| it.version));
        let (reason, suggestion) = match &state {
            ExtensionState::Failed(it) => (Some(it.summary()), Some(it.suggestion.clone())),
            _ => (None, None),
        };
        Self {
            name,
            version: version.filter(|version| !version.is_empty()),
            state: state.as_str(),
            refused: report.rejected.iter().map(refusal).collect(),
            tools: report.tools,
            commands: report.commands,
            reason,
            suggestion,
            closed_points,
            notices: notices.into_iter().map(|it| it.text).collect(),
        }
    }
}

/// Which registration is not used, and why.
fn refusal(refused: &Rejection) -> String {
    let Rejection { kind, name, message, .. } = refused;
    format!("{kind} {name}: {message}")
}
