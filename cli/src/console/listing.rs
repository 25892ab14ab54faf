//! What `:tools`, `:commands` and `:status` show.

use extline_host::services::pending::PendingAction;
use extline_host::{ExtensionState, ExtensionStatus, Host};
use serde_json::{Value, json};

use crate::frames::{FrameView, describe};
use crate::printer::{Printer, columns};
use crate::styled::{BOLD, DIM, GREEN, RED, Text, YELLOW, counted, text};

/// Characters that are shown of a notice.
const NOTICE_CHARS: usize = 2000;

pub(crate) fn tools(host: &Host, printer: &mut Printer) {
    let tools = host.tools();
    if tools.is_empty() {
        printer.tell("no tools", &json!({ "tools": [] }));
    }
    for tool in tools {
        let (name, extension) = (tool.name(), &tool.extension);
        let line = offer('!', name, tool.description(), extension);
        printer.tell(line, &json!({ "tool": name, "extension": extension }));
    }
}

pub(crate) fn pending(host: &Host, printer: &mut Printer) {
    let actions = host.pending();
    if actions.is_empty() {
        printer.tell("nothing is pending", &json!({ "pending": [] }));
    }
    for action in actions {
        let PendingAction { id, extension, label, summary, .. } = action;
        let more = summary.as_deref().map(|it| format!("\n{it}")).unwrap_or_default();
        let line = format!("{label}  {extension}{more}");
        let json = json!({
            "pending": id, "extension": extension, "label": label, "summary": summary,
        });
        printer.tell(line, &json);
    }
}

pub(crate) fn commands(host: &Host, printer: &mut Printer) {
    let commands = host.commands();
    if commands.is_empty() {
        printer.tell("no commands", &json!({ "commands": [] }));
    }
    for command in commands {
        let (name, extension) = (command.name(), &command.extension);
        let line = offer('/', name, command.description(), extension);
        printer.tell(line, &json!({ "command": name, "extension": extension }));
    }
}

pub(crate) fn extensions(host: &Host, printer: &mut Printer) {
    for status in host.extensions() {
        let json = json!({
            "extension": status.name,
            "ready": status.state == ExtensionState::Ready,
            "state": status.state.as_str(),
            "pid": status.pid,
            "notices": status.notices,
        });
        printer.tell(summary(&status), &json);
        if !printer.json {
            for notice in &status.notices {
                let notice = Text::line(&notice.to_string(), NOTICE_CHARS);
                printer.result(format_args!("  {YELLOW}{notice}{YELLOW:#}"));
            }
        }
    }
}

/// The last lines on the wire.
pub(crate) fn frames(frames: &FrameView, count: usize, printer: &mut Printer) {
    if printer.json {
        for record in frames.last(count) {
            printer.json(&json!({ "frame": json_of_text(&record) }));
        }
        return;
    }
    let columns = columns();
    for record in frames.last(count) {
        printer.result(describe(&record, columns));
    }
}

fn json_of_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn offer(sign: char, name: &str, description: &str, extension: &str) -> Text {
    let first = description.lines().next().unwrap_or_default();
    text!("{sign}{BOLD}{name}{BOLD:#}  {first}  {DIM}{extension}{DIM:#}")
}

/// How an extension stands, in one line.
pub(crate) fn summary(status: &ExtensionStatus) -> Text {
    let name = text!("{BOLD}{}{BOLD:#}", status.name);
    match &status.state {
        ExtensionState::Ready => {
            let pid = status.pid.map(|pid| format!(", process {pid}")).unwrap_or_default();
            text!("{name} {GREEN}ready{GREEN:#}: {}{pid}", offers(status))
        }
        ExtensionState::Failed(diagnosis) => {
            text!("{name} {RED}failed{RED:#}: {}", diagnosis.problem)
        }
        ExtensionState::Ended(ending) => Text::of(ending),
        ExtensionState::Disabled => text!("{name} is disabled"),
        ExtensionState::NotStarted => {
            text!("{name} is started when it is first used: {}", offers(status))
        }
        _ => text!("{name} is not ready"),
    }
}

fn offers(status: &ExtensionStatus) -> String {
    let tools = counted(status.report.tools.len(), "tool");
    format!("{tools}, {}", counted(status.report.commands.len(), "command"))
}
