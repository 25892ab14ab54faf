//! `extline inspect`: what an extension registers, and what is wrong with it.

use std::ffi::OsString;
use std::sync::Arc;

use clap::error::ErrorKind;
use extline_host::{
    Command, ExtensionSource, ExtensionStatus, Notice, SecretStore, Tool, declared_secrets,
    default_home,
};
use extline_protocol::frame::Rejection;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::args::{Inspect, Program, Timeout};
use crate::arguments;
use crate::content::{json_of, json_of_value};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::remarks::remarks;
use crate::secret;
use crate::session::with_one;
use crate::styled::{BOLD, DIM, Text, YELLOW, text};
use crate::target::{source_of, usage};

pub(crate) async fn run(inspect: Inspect, printer: Printer) -> Result<Exit, clap::Error> {
    let source = source(inspect.dir, inspect.program)?;
    let timeout = Timeout { after: None };
    let exit = with_one(source, &timeout, &inspect.settings, printer, async |session| {
        let statuses = session.host.extensions();
        let (tools, commands) = (session.host.tools(), session.host.commands());
        if let Some(status) = statuses.first() {
            if session.printer.json {
                session.printer.json(&Json::of(status, &tools, &commands));
            } else {
                describe(status, &tools, &commands, &mut session.printer);
            }
        }
        Exit::Ok
    });
    Ok(exit.await)
}

/// The extension that is meant: that of a folder, or a program.
pub(crate) fn source(
    dir: Option<OsString>,
    program: Program,
) -> Result<ExtensionSource, clap::Error> {
    match (dir, source_of("inspect", program)?) {
        (None, Some(program)) => Ok(program),
        (Some(dir), None) => Ok(ExtensionSource::folder(dir)),
        _ => {
            let message = "give either a folder or a program behind `--`, not both";
            Err(usage("inspect", ErrorKind::ArgumentConflict, message))
        }
    }
}

fn describe(
    status: &ExtensionStatus,
    tools: &[Arc<Tool>],
    commands: &[Arc<Command>],
    printer: &mut Printer,
) {
    head(status, printer);
    let total: usize = tools.iter().map(|tool| tokens(tool)).sum();
    heading("tools", tools.len(), &format!(", about {total} tokens in all (estimate)"), printer);
    for tool in tools {
        let cost = text!("{DIM}about {} tokens{DIM:#}", tokens(tool));
        let name = text!("  {BOLD}{}{BOLD:#}  {cost}", tool.name());
        match approval(tool) {
            Some(approval) => printer.result(format_args!("{name}  {YELLOW}{approval}{YELLOW:#}")),
            None => printer.result(name),
        }
        for line in tool.description().lines() {
            printer.result(format_args!("    {line}"));
        }
        for line in arguments::lines(&tool.definition.schema, 6) {
            printer.result(line);
        }
    }
    heading("commands", commands.len(), "", printer);
    for command in commands {
        let usage = one_line(command.definition.usage.as_deref().unwrap_or_default());
        let usage = if usage.as_str().is_empty() { usage } else { text!(" {usage}") };
        let (name, description) = (command.name(), one_line(command.description()));
        printer.result(format_args!("  {BOLD}/{name}{BOLD:#}{usage}  {description}"));
    }
    let subscribed = &status.subscribed;
    secrets(status, printer);
    list("events", subscribed.events.as_deref(), printer);
    list("intercepts", subscribed.intercept.as_deref(), printer);
    list("guards", subscribed.guards.as_deref(), printer);
    rejections(&status.report.rejected, printer);
    tell_notices(&notices_of(status), status.further_notices, printer);
}

fn head(status: &ExtensionStatus, printer: &mut Printer) {
    let manifest = status.manifest.as_ref();
    let hello = status.hello.as_ref();
    let version = manifest.map(|it| it.version.as_str()).filter(|version| !version.is_empty());
    let version = version.or(hello.map(|hello| hello.version.as_str())).unwrap_or_default();
    let description = manifest.map(|it| it.description.as_str()).unwrap_or_default();
    let (name, version, description) =
        (one_line(&status.name), one_line(version), one_line(description));
    let line = text!("{BOLD}{name}{BOLD:#} {version}  {description}");
    printer.result(Text::made(line.as_str().trim_end().to_owned()));
    if let Some(dir) = &status.dir {
        printer.result(format_args!("folder     {}", dir.display()));
    }
    if let Some(hello) = hello {
        let sdk = hello.sdk.as_ref();
        let sdk = sdk.map(|sdk| format!(", sdk {} {}", sdk.name, sdk.version)).unwrap_or_default();
        let words = format!("{} {}{sdk}", hello.name, hello.version);
        printer.result(format_args!("hello      {}", one_line(&words)));
        list("knows", hello.capabilities.as_deref(), printer);
    }
    if let Some(took) = status.start_took {
        printer.result(format_args!("ready      after {} ms", took.as_millis()));
    }
    if let Some(log) = &status.log {
        printer.result(format_args!("log        {}", log.display()));
    }
}

fn heading(what: &str, count: usize, more: &str, printer: &mut Printer) {
    match count {
        0 => printer.result(format_args!("{what:<10} none")),
        count => printer.result(format_args!("{what:<10} {count}{more}")),
    }
}

fn list(what: &str, names: Option<&[String]>, printer: &mut Printer) {
    let names = names.filter(|names| !names.is_empty()).map(|names| names.join(", "));
    printer.result(format_args!("{what:<10} {}", one_line(names.as_deref().unwrap_or("none"))));
}

/// The secrets that its manifest declares, where it does.
fn secrets(status: &ExtensionStatus, printer: &mut Printer) {
    match secrets_of(status) {
        Ok(secrets) if secrets.is_empty() => {}
        Ok(secrets) => {
            heading("secrets", secrets.len(), "", printer);
            for secret in secrets {
                printer.result(secret::line(&secret));
            }
        }
        Err(error) => printer.warn(error),
    }
}

fn secrets_of(status: &ExtensionStatus) -> std::io::Result<Vec<secret::Listed>> {
    let declared = status.manifest.as_ref().map(declared_secrets).unwrap_or_default();
    if declared.is_empty() {
        return Ok(Vec::new());
    }
    secret::listed(&SecretStore::new(default_home()), &status.name, Some(&declared))
}

fn rejections(rejected: &[Rejection], printer: &mut Printer) {
    if rejected.is_empty() {
        return;
    }
    heading("rejected", rejected.len(), "", printer);
    for Rejection { kind, name, message, .. } in rejected {
        let (what, message) = (one_line(&format!("{kind} {name}")), one_line(message));
        printer.result(format_args!("  {YELLOW}{what}{YELLOW:#}: {message}"));
    }
}

/// What is wrong with how it describes itself, and what the host noticed.
fn notices_of(status: &ExtensionStatus) -> Vec<Notice> {
    remarks(status).into_iter().chain(status.notices.iter().cloned()).collect()
}

fn tell_notices(notices: &[Notice], further: u64, printer: &mut Printer) {
    heading("notices", notices.len(), "", printer);
    for notice in notices {
        let notice = one_line(&notice.to_string());
        printer.result(format_args!("  {YELLOW}{notice}{YELLOW:#}"));
    }
    if further > 0 {
        printer.result(format_args!("  and {further} more"));
    }
}

/// A field in one line, at most so long that it is read.
fn one_line(field: &str) -> Text {
    const MOST_CHARS: usize = 2000;
    Text::line(field, MOST_CHARS)
}

/// Whether calls of a tool need an approval, and which calls one covers.
fn approval(tool: &Tool) -> Option<Text> {
    let approval = tool.definition.approval.as_ref().filter(|it| it.gated || it.dynamic)?;
    let when = if approval.dynamic { "approval where it says so" } else { "approval" };
    let tier = approval.tier.as_ref().map(|tier| format!(", {tier}")).unwrap_or_default();
    let key = approval.key.as_ref().map(|key| format!(", key {key}")).unwrap_or_default();
    Some(Text::line(&format!("{when}{tier}{key}"), 200))
}

/// About what a tool costs in every request to a model: a token is four bytes of its description.
fn tokens(tool: &Tool) -> usize {
    let definition = &tool.definition;
    let words = json!({"name": definition.name, "description": tool.description()});
    let bytes =
        words.to_string().len() + ",\"input_schema\":".len() + definition.schema.get().len();
    (bytes + 2) / 4
}

/// What an extension registers, for programs.
#[derive(Serialize)]
pub(crate) struct Json<'a> {
    name: &'a str,
    version: &'a str,
    description: &'a str,
    dir: Option<&'a std::path::Path>,
    hello: Option<Box<RawValue>>,
    ready_after_ms: Option<u128>,
    log: Option<&'a std::path::Path>,
    tools: Vec<ToolJson>,
    tokens_estimate: usize,
    commands: Vec<Box<RawValue>>,
    events: &'a [String],
    intercepts: &'a [String],
    guards: &'a [String],
    /// Those that its manifest declares, and those that are set.
    secrets: Vec<secret::Listed>,
    rejected: Vec<RejectionJson<'a>>,
    notices: Vec<Notice>,
    further_notices: u64,
}

#[derive(Serialize)]
struct ToolJson {
    name: String,
    description: String,
    schema: Box<RawValue>,
    tokens_estimate: usize,
    /// `gated`, `dynamic` where the extension says of each call, or null.
    approval: Option<&'static str>,
    /// All that was registered.
    registration: Box<RawValue>,
}

#[derive(Serialize)]
struct RejectionJson<'a> {
    kind: &'a str,
    name: &'a str,
    code: &'a str,
    message: &'a str,
    winner: Option<&'a str>,
}

impl<'a> Json<'a> {
    pub(crate) fn of(
        status: &'a ExtensionStatus,
        tools: &[Arc<Tool>],
        commands: &[Arc<Command>],
    ) -> Self {
        let manifest = status.manifest.as_ref();
        let names = |names: &'a Option<Vec<String>>| names.as_deref().unwrap_or_default();
        Self {
            name: &status.name,
            version: manifest.map(|it| it.version.as_str()).unwrap_or_default(),
            description: manifest.map(|it| it.description.as_str()).unwrap_or_default(),
            dir: status.dir.as_deref(),
            hello: status.hello.as_ref().map(json_of),
            ready_after_ms: status.start_took.map(|took| took.as_millis()),
            log: status.log.as_deref(),
            tools: tools.iter().map(|tool| ToolJson::of(tool)).collect(),
            tokens_estimate: tools.iter().map(|tool| tokens(tool)).sum(),
            commands: commands.iter().map(|command| json_of(&command.definition)).collect(),
            events: names(&status.subscribed.events),
            intercepts: names(&status.subscribed.intercept),
            guards: names(&status.subscribed.guards),
            secrets: secrets_of(status).unwrap_or_default(),
            rejected: status.report.rejected.iter().map(RejectionJson::of).collect(),
            notices: notices_of(status),
            further_notices: status.further_notices,
        }
    }
}

impl ToolJson {
    fn of(tool: &Tool) -> Self {
        Self {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            schema: json_of_value(&tool.definition.schema),
            tokens_estimate: tokens(tool),
            approval: tool.definition.approval.as_ref().and_then(|approval| match approval {
                approval if approval.dynamic => Some("dynamic"),
                approval => approval.gated.then_some("gated"),
            }),
            registration: json_of(&tool.definition),
        }
    }
}

impl<'a> RejectionJson<'a> {
    fn of(rejection: &'a Rejection) -> Self {
        Self {
            kind: &rejection.kind,
            name: &rejection.name,
            code: rejection.code.as_str(),
            message: &rejection.message,
            winner: rejection.winner.as_deref(),
        }
    }
}
