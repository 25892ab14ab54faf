//! `extline command`: one slash command.

use anstream::adapter::strip_str;
use clap::error::ErrorKind;
use extline_host::view::{self, Fold};
use extline_host::{CommandOutcome, Panel, PanelView};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::Command;
use crate::content::json_of_value;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::session::with_one;
use crate::styled::{BOLD, DIM, Text, text};
use crate::target::{Target, usage};
use crate::views;

pub(crate) async fn run(command: Command, mut printer: Printer) -> Result<Exit, clap::Error> {
    let Target { source, mut words } = Target::of("command", command.words, command.program)?;
    if words.is_empty() {
        let message = "the name of a command is missing; `extline inspect DIR` lists them";
        return Err(usage("command", ErrorKind::MissingRequiredArgument, message));
    }
    let name = words.remove(0);
    let name = name.strip_prefix('/').unwrap_or(&name);
    let args = match command.args {
        Some(_) if !words.is_empty() => {
            let message = "give either ARGS or --args, not both";
            return Err(usage("command", ErrorKind::ArgumentConflict, message));
        }
        Some(args) => args,
        None => words.join(" "),
    };
    if let Some(why) = command.settings.timeout_in_vain(&command.timeout) {
        printer.warn(why);
    }
    printer.views = command.views.when;
    let exit =
        with_one(
            source,
            &command.timeout,
            &command.settings,
            printer,
            async |session| match session.run_command(name, &args).await {
                Ok(Ok(outcome)) => {
                    report(&outcome, &mut session.printer);
                    Exit::Ok
                }
                Ok(Err(error)) => {
                    Failure::of_call(&error, &session.host).report(&mut session.printer)
                }
                Err(exit) => exit,
            },
        );
    Ok(exit.await)
}

/// Prints what a command wants done: the action, and what it is done with.
pub(crate) fn report(outcome: &CommandOutcome, printer: &mut Printer) {
    if printer.json {
        printer.json_result(&json(outcome));
        return;
    }
    match outcome {
        CommandOutcome::Prompt(text) => printer.text(format_args!("prompt: {text}")),
        CommandOutcome::Insert(text) => printer.text(format_args!("insert: {text}")),
        CommandOutcome::Display(text) => printer.text(format_args!("display: {text}")),
        CommandOutcome::ToolPrompt { prompt, tool, args } => {
            printer.text(format_args!("tool_prompt: {tool} {args}: {prompt}"));
        }
        CommandOutcome::OpenPanel(panel) => printer.text(panel_text(panel, printer.views.is_now())),
        _ => printer.result("noop"),
    }
}

/// The same as JSON, with the names of the wire.
pub(crate) fn json(outcome: &CommandOutcome) -> impl Serialize {
    let mut json = Json::default();
    match outcome.clone() {
        CommandOutcome::Prompt(text) => (json.action, json.prompt) = ("prompt", Some(text)),
        CommandOutcome::Insert(text) => (json.action, json.insert) = ("insert", Some(text)),
        CommandOutcome::Display(text) => (json.action, json.display) = ("display", Some(text)),
        CommandOutcome::ToolPrompt { prompt, tool, args } => {
            (json.action, json.prompt) = ("tool_prompt", Some(prompt));
            (json.tool_name, json.tool_args) = (Some(tool), Some(json_of_value(&args)));
        }
        CommandOutcome::OpenPanel(panel) => {
            let PanelView { title, lines, footer, view, .. } = panel.view();
            let view = view.as_ref().map(json_of_value);
            let panel = PanelJson { id: panel.id().to_owned(), title, lines, footer, view };
            (json.action, json.open_panel) = ("open_panel", Some(panel));
        }
        _ => json.action = "noop",
    }
    json
}

#[derive(Default, Serialize)]
struct Json {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    insert: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_args: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_panel: Option<PanelJson>,
}

#[derive(Serialize)]
struct PanelJson {
    id: String,
    title: String,
    lines: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    footer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<Box<RawValue>>,
}

/// A panel where it has no screen of its own, without its colours.
fn panel_text(panel: &Panel, shows_views: bool) -> Text {
    let PanelView { title, lines, footer, view, .. } = panel.view();
    let plain = |line: &str| Text::line(&strip_str(line).to_string(), usize::MAX);
    let mut shown = vec![text!("open_panel: {BOLD}{}{BOLD:#}", plain(&title))];
    match view.as_ref().and_then(view::of).filter(|_| shows_views) {
        Some(view) => {
            let (rows, _) = views::rows(&view, views::columns().saturating_sub(2), Fold::Unfolded);
            shown.extend(rows.iter().map(|row| text!("  {row}")));
        }
        None => shown.extend(lines.iter().map(|line| text!("  {}", plain(line)))),
    }
    if !footer.is_empty() {
        shown.push(text!("  {DIM}{}{DIM:#}", plain(&footer)));
    }
    Text::of_lines(&shown)
}
