//! The tool with which the model looks how extensions stand.

use std::sync::{Arc, Weak};

use extline_protocol::ErrorKind;
use extline_protocol::RawJson;
use extline_protocol::frame::{Annotations, Content, ErrorInfo, RegisterTool, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{HostBuilder, Slots};
use crate::connection::ExtensionReport;
use crate::tool::{Builtin, BuiltinCall};

const NAME: &str = "extensions_status";

impl HostBuilder {
    /// Offers the tool `extensions_status {include_details}`, with which the model itself sees which extensions
    /// there are, how each stands, and of one that has failed the reason and what mends it. With `include_details`,
    /// which is `false` by default, it also has the names of tools and commands, the registrations that were refused,
    /// the points where nothing passes, and notices. The text is Markdown, and `structured_content` has the same:
    /// `{"extensions": [{name, version, state, ...}]}`, where the state is `not_started`, `starting`, `ready`,
    /// `ending`, `ended`,
    /// `disabled` or `failed`.
    ///
    /// It starts nothing and changes nothing. What it answers is marked as `untrusted`, as names and reasons are the
    /// extensions' words. By default the model has no such tool.
    #[must_use]
    pub fn status_tool(mut self) -> Self {
        self.has_status_tool = true;
        self
    }

    /// Adds it, where it is wanted.
    pub(super) fn add_status_tool(&mut self, slots: &Arc<Slots>) {
        if !self.has_status_tool {
            return;
        }
        let slots = Arc::downgrade(slots);
        let tool = Builtin::new(move |call| {
            let slots = Weak::clone(&slots);
            async move { answer(&slots, &call).map_err(|gone| *gone) }
        });
        // In front: the agent may have one of its own with this name. The definition is always correct.
        self.builtin_tools.splice(..0, tool.tool(definition()).ok().map(Arc::new));
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Args {
    include_details: bool,
}

fn answer(slots: &Weak<Slots>, call: &BuiltinCall) -> Result<ToolResult, Box<ErrorInfo>> {
    let gone = || Box::new(ErrorInfo::new(ErrorKind::Cancelled, "the host shuts down".to_owned()));
    let report = slots.upgrade().ok_or_else(gone)?.report();
    // The schema lets nothing else through.
    let Args { include_details } = call.args.to().unwrap_or_default();
    let standings = report.extensions.into_iter();
    let standings: Vec<_> = standings.map(|it| Standing::of(it, include_details)).collect();
    Ok(ToolResult {
        structured_content: Some(RawJson::from(json!({ "extensions": standings }))),
        trust: Some("untrusted".to_owned()),
        ..call.result(vec![Content::text(markdown(&standings))])
    })
}

/// How one extension stands.
#[derive(Serialize)]
struct Standing {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    state: &'static str,
    tools: usize,
    commands: usize,
    /// Why it has failed, and what mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
}

#[derive(Serialize)]
struct Details {
    tools: Vec<String>,
    commands: Vec<String>,
    /// Registrations that are not used, each with the reason.
    refused: Vec<String>,
    /// Points where nothing passes, because it guards there and cannot be asked.
    closed_points: Vec<String>,
    notices: Vec<String>,
}

impl Standing {
    fn of(report: ExtensionReport, include_details: bool) -> Self {
        let ExtensionReport { name, version, state, reason, suggestion, .. } = report;
        let ExtensionReport { tools, commands, refused, closed_points, notices, .. } = report;
        let counts = (tools.len(), commands.len());
        let details =
            include_details.then_some(Details { tools, commands, refused, closed_points, notices });
        let (tools, commands) = counts;
        Self { name, version, state, tools, commands, reason, suggestion, details }
    }

    fn lines(&self) -> Vec<String> {
        let Self { name, version, state, tools, commands, reason, suggestion, details } = self;
        let version = version.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
        let counts = match *state {
            "ready" | "not_started" => {
                format!(", {}, {}", counted(*tools, "tool"), counted(*commands, "command"))
            }
            _ => String::new(),
        };
        let mut lines = vec![format!("- {name}{version}: {state}{counts}")];
        let told = [("reason", reason), ("to mend it", suggestion)];
        lines.extend(
            told.iter().filter_map(|(what, it)| Some(format!("  - {what}: {}", it.as_ref()?))),
        );
        lines.extend(details.iter().flat_map(Details::lines));
        lines
    }
}

impl Details {
    fn lines(&self) -> Vec<String> {
        let listed = [
            ("tools", &self.tools),
            ("commands", &self.commands),
            ("refused", &self.refused),
            ("nothing passes at", &self.closed_points),
            ("notices", &self.notices),
        ];
        let listed = listed.iter().filter(|(_, all)| !all.is_empty());
        listed.map(|(what, all)| format!("  - {what}: {}", all.join("; "))).collect()
    }
}

fn markdown(standings: &[Standing]) -> String {
    if standings.is_empty() {
        return "# Extensions\n\nThere are none.".to_owned();
    }
    let count = |state| standings.iter().filter(|it| it.state == state).count();
    let (ready, failed) = (count("ready"), count("failed"));
    let lines: Vec<_> = standings.iter().flat_map(Standing::lines).collect();
    format!("# Extensions: {ready} ready, {failed} failed\n\n{}", lines.join("\n"))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn definition() -> RegisterTool {
    let about = "whether to list tools, commands, what was refused, and notices";
    let schema = json!({
        "type": "object",
        "properties": {"include_details": {"type": "boolean", "default": false, "description": about}},
        "additionalProperties": false
    });
    let description = "Shows which extensions there are, how each stands, and why one has failed.";
    let annotations = Annotations { read_only: Some(true), ..Annotations::default() };
    RegisterTool {
        name: NAME.to_owned(),
        description: Some(description.to_owned()),
        schema: schema.into(),
        annotations: Some(annotations),
        ..RegisterTool::default()
    }
}
