//! The tool with which the model looks how extensions stand, and has them reloaded.

use std::sync::{Arc, Weak};
use std::time::Duration;

use extline_protocol::ErrorKind;
use extline_protocol::RawJson;
use extline_protocol::frame::{Annotations, Content, ErrorInfo, RegisterTool, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::slot::Slot;
use super::{HostBuilder, Slots};
use crate::status::{Finding, Level, Standing};
use crate::tool::{Builtin, BuiltinCall};

const NAME: &str = "extensions_status";

/// What the model may do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusTool {
    Look,
    Reload,
}

impl HostBuilder {
    /// Offers the tool `extensions_status {include_details}`, with which the model itself sees which extensions
    /// there are, how each stands, and of one that has failed the reason and what mends it. With `include_details`,
    /// which is `false` by default, it also has the names of tools and commands, and all that is to be said of each.
    /// The text is Markdown, and `structured_content` has the same:
    /// `{"extensions": [{name, version, state, tools, commands, findings}]}`, where the state is `not_started`,
    /// `starting`, `ready`, `inactive`, `ending`, `ended`, `disabled` or `failed`.
    ///
    /// It starts nothing and changes nothing. What it answers is marked as `untrusted`, as names and reasons are the
    /// extensions' words. By default the model has no such tool.
    #[must_use]
    pub fn status_tool(mut self) -> Self {
        self.status_tool = Some(StatusTool::Look);
        self
    }

    /// The same tool, which also has `{"action": "reload", "extension": NAME}`, without a name for all that are in use:
    /// what is there now takes the place of what runs, as by [`Host::reload`](crate::Host::reload). It is for agents
    /// that write extensions. The answer does not wait for that, as within a turn nothing is reloaded before it has
    /// ended: [`News::Reloaded`](crate::News::Reloaded) tells of it, and so does the next `status`.
    ///
    /// A reload runs what is in the files by then. So this tool is not one that only reads, and where approvals are
    /// asked for, one is asked for here.
    #[must_use]
    pub fn status_tool_with_reload(mut self) -> Self {
        self.status_tool = Some(StatusTool::Reload);
        self
    }

    /// Adds it, where it is wanted.
    pub(super) fn add_status_tool(&mut self, slots: &Arc<Slots>) {
        let Some(kind) = self.status_tool else { return };
        let slots = Arc::downgrade(slots);
        let drain = self.drain;
        let tool = Builtin::new(move |call| {
            let slots = Weak::clone(&slots);
            async move { answer(&slots, &call, drain).map_err(|error| *error) }
        });
        // In front: the agent may have one of its own with this name. The definition is always correct.
        self.builtin_tools.splice(..0, tool.tool(definition(kind)).ok().map(Arc::new));
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Args {
    action: Action,
    extension: Option<String>,
    include_details: bool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    #[default]
    Status,
    Reload,
}

fn answer(
    slots: &Weak<Slots>,
    call: &BuiltinCall,
    drain: Duration,
) -> Result<ToolResult, Box<ErrorInfo>> {
    let gone = || Box::new(ErrorInfo::new(ErrorKind::Cancelled, "the host shuts down".to_owned()));
    let slots = slots.upgrade().ok_or_else(gone)?;
    // The schema lets nothing else through.
    let args: Args = call.args.to().unwrap_or_default();
    let (value, text) = match args.action {
        Action::Status => status(&slots, args.include_details),
        Action::Reload => reload(&slots, args.extension.as_deref(), drain)?,
    };
    Ok(ToolResult {
        structured_content: Some(RawJson::from(value)),
        trust: Some("untrusted".to_owned()),
        ..call.result(vec![Content::text(text)])
    })
}

fn status(slots: &Slots, include_details: bool) -> (Value, String) {
    let standings = slots.report().extensions.into_iter();
    let told: Vec<_> = standings.map(|it| Told::of(it, include_details)).collect();
    (json!({ "extensions": told }), markdown(&told))
}

/// Begins it; the turn in which this is called has to end before.
fn reload(
    slots: &Arc<Slots>,
    name: Option<&str>,
    drain: Duration,
) -> Result<(Value, String), Box<ErrorInfo>> {
    let wanted: Vec<Arc<Slot>> = match name {
        Some(name) => slots.named(name).into_iter().collect(),
        None => slots.all().into_iter().filter(|slot| slot.is_in_use()).collect(),
    };
    if let (Some(name), []) = (name, &*wanted) {
        let text = format!("there is no extension {name}: action status lists all");
        return Err(Box::new(ErrorInfo::new(ErrorKind::NotFound, text)));
    }
    let names: Vec<String> = wanted.iter().map(|slot| slot.name().to_owned()).collect();
    let slots = Arc::clone(slots);
    tokio::spawn(async move {
        for slot in wanted {
            // What came of it is told as news, and stands in the next status.
            let _ = slot.reload(drain).await;
        }
        if let Some(slot) = slots.all().first() {
            slots.tell_report(slot.news());
        }
    });
    let list = if names.is_empty() { "none is in use".to_owned() } else { names.join(", ") };
    let text = format!(
        "Reloading: {list}. Within a turn that waits for its end. Ask for the status then."
    );
    Ok((json!({ "reloading": names }), text))
}

/// What the model is told of one extension: no paths.
#[derive(Serialize)]
struct Told {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    state: &'static str,
    tools: usize,
    commands: usize,
    findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
}

#[derive(Serialize)]
struct Details {
    tools: Vec<String>,
    commands: Vec<String>,
}

impl Told {
    fn of(standing: Standing, include_details: bool) -> Self {
        let Standing { name, version, state, tools, commands, mut findings, .. } = standing;
        findings.retain(|it| include_details || it.level == Level::Fail);
        let counts = (tools.len(), commands.len());
        let details = include_details.then_some(Details { tools, commands });
        let (tools, commands) = counts;
        Self { name, version, state: state.unwrap_or_default(), tools, commands, findings, details }
    }

    fn lines(&self) -> Vec<String> {
        let Self { name, version, state, tools, commands, findings, details } = self;
        let version = version.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
        let counts = match *state {
            "ready" | "not_started" => {
                format!(", {}, {}", counted(*tools, "tool"), counted(*commands, "command"))
            }
            _ => String::new(),
        };
        let mut lines = vec![format!("- {name}{version}: {state}{counts}")];
        lines.extend(details.iter().flat_map(Details::lines));
        for finding in findings {
            lines.push(format!("  - {}: {}", finding.level.as_str(), finding.what));
            lines.extend(finding.mend.iter().map(|mend| format!("  - to mend it: {mend}")));
        }
        lines
    }
}

impl Details {
    fn lines(&self) -> Vec<String> {
        let listed = [("tools", &self.tools), ("commands", &self.commands)];
        let listed = listed.iter().filter(|(_, all)| !all.is_empty());
        listed.map(|(what, all)| format!("  - {what}: {}", all.join("; "))).collect()
    }
}

fn markdown(told: &[Told]) -> String {
    if told.is_empty() {
        return "# Extensions\n\nThere are none.".to_owned();
    }
    let count = |state| told.iter().filter(|it| it.state == state).count();
    let (ready, failed) = (count("ready"), count("failed"));
    let lines: Vec<_> = told.iter().flat_map(Told::lines).collect();
    format!("# Extensions: {ready} ready, {failed} failed\n\n{}", lines.join("\n"))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn definition(kind: StatusTool) -> RegisterTool {
    let about = "whether to list tools, commands, and all that is to be said of each";
    let mut properties = json!({
        "include_details": {"type": "boolean", "default": false, "description": about}
    });
    let mut description =
        "Shows which extensions there are, how each stands, and why one has failed.".to_owned();
    if kind == StatusTool::Reload {
        properties["action"] = json!({"enum": ["status", "reload"], "default": "status"});
        let about = "which one to reload; all that are in use by default";
        properties["extension"] = json!({"type": "string", "description": about});
        description += " Reloads those whose files were changed.";
    }
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    let read_only = Some(kind == StatusTool::Look);
    RegisterTool {
        name: NAME.to_owned(),
        description: Some(description),
        schema: schema.into(),
        annotations: Some(Annotations { read_only, ..Annotations::default() }),
        ..RegisterTool::default()
    }
}
