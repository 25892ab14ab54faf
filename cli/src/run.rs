//! `extline run`: extensions at a prompt, or fed with lines.

use std::io::{self, BufRead, IsTerminal};
use std::ops::ControlFlow;

use extline_host::{ExtensionSource, ExtensionState, ExtensionStatus};
use serde::Serialize;
use tokio::sync::mpsc;

use crate::args::{Run, Timeout};
use crate::call;
use crate::command;
use crate::content::json_of_result;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::line::Line;
use crate::printer::{BOLD, DIM, GREEN, Printer, RED, YELLOW};
use crate::session::Session;
use crate::target::source_of;

const HELP: &str = "\
/NAME ARGS   run a slash command
!NAME JSON   call a tool, without JSON with {}
:tools       list the tools
:commands    list the slash commands
:status      how each extension stands
:quit        stop them all";

pub(crate) async fn run(run: Run, printer: Printer) -> Result<Exit, clap::Error> {
    let mut sources: Vec<_> = run.dirs.into_iter().map(ExtensionSource::folder).collect();
    sources.extend(source_of("run", run.program)?);
    let session = match Session::start(sources, &run.timeout, printer).await {
        Ok(session) => session,
        Err((printer, exit)) => return Ok(printer.finish(exit)),
    };
    let mut console =
        Console { session, timeout: run.timeout, interactive: false, a_line_failed: false };
    console.introduce();
    let failed = console.session.failed();
    for diagnosis in &failed {
        Failure::of_start(diagnosis).report(&mut console.session.printer);
    }
    let exit = if failed.len() == console.session.host.extensions().len() {
        Exit::NotStarted
    } else {
        let exit = console.take_lines().await;
        if exit == Exit::Ok && !failed.is_empty() { Exit::NotStarted } else { exit }
    };
    Ok(console.session.stop_and_tell(exit).await)
}

struct Console {
    session: Session,
    timeout: Timeout,
    interactive: bool,
    a_line_failed: bool,
}

impl Console {
    fn introduce(&mut self) {
        for status in self.session.host.extensions() {
            if status.state == ExtensionState::Ready {
                let line = summary(&status);
                self.tell(&line, &serde_json::json!({ "started": status.name }));
            }
        }
    }

    async fn take_lines(&mut self) -> Exit {
        self.interactive = io::stdin().is_terminal() && !self.session.printer.json;
        let mut lines = read_lines();
        loop {
            if self.interactive {
                self.session.printer.prompt("> ");
            }
            let line = match self.session.idle(lines.recv()).await {
                Ok(Some(line)) => line,
                Ok(None) => {
                    if self.interactive {
                        self.session.printer.result("");
                    }
                    break;
                }
                Err(exit) => return exit,
            };
            if let ControlFlow::Break(exit) = self.handle(&line).await {
                return exit;
            }
        }
        self.outcome()
    }

    /// Does what a line asks for; the exit when it is the last one.
    async fn handle(&mut self, text: &str) -> ControlFlow<Exit> {
        let line = Line::of(text);
        if line != Line::Blank && !self.interactive && !self.session.printer.json {
            let text = text.trim_end();
            self.session.printer.result(format_args!("{BOLD}> {text}{BOLD:#}"));
        }
        match line {
            Line::Blank => {}
            Line::Command { name, args } => match self.session.run_command(name, args).await {
                Ok(Ok(outcome)) => {
                    if self.session.printer.json {
                        self.outcome_json(text, true, &command::json(&outcome));
                    } else {
                        command::report(&outcome, &mut self.session.printer);
                    }
                }
                Ok(Err(error)) => {
                    let failure = Failure::of_call(&error, &self.session.host);
                    self.fail(text, &failure);
                }
                Err(exit) => return ControlFlow::Break(exit),
            },
            Line::Tool { name, args } => return self.call(text, name, args).await,
            Line::Tools => self.list_tools(),
            Line::Commands => self.list_commands(),
            Line::Status => self.list_extensions(),
            Line::Help => self.tell(HELP, &serde_json::json!({ "help": HELP })),
            Line::Quit => return ControlFlow::Break(self.outcome()),
            Line::Other => {
                let message = format!("{text:?} is not understood; :help tells what is");
                self.fail(text, &Failure::of_usage(&message));
            }
        }
        ControlFlow::Continue(())
    }

    async fn call(&mut self, line: &str, tool: &str, args: &str) -> ControlFlow<Exit> {
        match self.session.call(tool, args, &self.timeout).await {
            Ok(Ok(result)) if self.session.printer.json => {
                self.outcome_json(line, !result.is_error, &json_of_result(&result));
                self.note_failure(result.is_error);
            }
            Ok(Ok(result)) => {
                let exit = call::report(tool, &result, &mut self.session.printer);
                self.note_failure(exit != Exit::Ok);
            }
            Ok(Err(error)) => {
                let failure = Failure::of_call(&error, &self.session.host);
                self.fail(line, &failure);
            }
            Err(exit) => return ControlFlow::Break(exit),
        }
        ControlFlow::Continue(())
    }

    fn list_tools(&mut self) {
        let tools = self.session.host.tools();
        if tools.is_empty() {
            self.tell("no tools", &serde_json::json!({ "tools": [] }));
        }
        for tool in tools {
            let description = tool.description().lines().next().unwrap_or_default();
            let extension = &tool.extension;
            let line =
                format!("!{BOLD}{}{BOLD:#}  {description}  {DIM}{extension}{DIM:#}", tool.name());
            let json = serde_json::json!({ "tool": tool.name(), "extension": extension });
            self.tell(&line, &json);
        }
    }

    fn list_commands(&mut self) {
        let commands = self.session.host.commands();
        if commands.is_empty() {
            self.tell("no commands", &serde_json::json!({ "commands": [] }));
        }
        for command in commands {
            let description = command.description();
            let extension = &command.extension;
            let line = format!(
                "/{BOLD}{}{BOLD:#}  {description}  {DIM}{extension}{DIM:#}",
                command.name()
            );
            let json = serde_json::json!({ "command": command.name(), "extension": extension });
            self.tell(&line, &json);
        }
    }

    fn list_extensions(&mut self) {
        for status in self.session.host.extensions() {
            let json = serde_json::json!({
                "extension": status.name,
                "ready": status.state == ExtensionState::Ready,
                "pid": status.pid,
                "notices": status.notices,
            });
            self.tell(&summary(&status), &json);
            if !self.session.printer.json {
                for notice in &status.notices {
                    self.session.printer.result(format_args!("  {YELLOW}{notice}{YELLOW:#}"));
                }
            }
        }
    }

    fn tell(&mut self, text: &str, json: &serde_json::Value) {
        if self.session.printer.json {
            self.session.printer.json(json);
        } else {
            self.session.printer.result(text);
        }
    }

    fn fail(&mut self, line: &str, failure: &Failure) {
        if self.session.printer.json {
            self.outcome_json(line, false, failure.json());
        } else {
            failure.report(&mut self.session.printer);
        }
        self.note_failure(true);
    }

    fn outcome_json(&mut self, line: &str, ok: bool, outcome: &impl Serialize) {
        #[derive(Serialize)]
        struct Json<'a, T> {
            line: &'a str,
            ok: bool,
            outcome: &'a T,
        }
        self.session.printer.json(&Json { line: line.trim(), ok, outcome });
    }

    fn note_failure(&mut self, failed: bool) {
        self.a_line_failed |= failed;
    }

    /// A person has seen what failed; a script needs to be told.
    fn outcome(&self) -> Exit {
        if self.a_line_failed && !self.interactive { Exit::ToolError } else { Exit::Ok }
    }
}

/// How an extension stands, in one line.
fn summary(status: &ExtensionStatus) -> String {
    let name = format!("{BOLD}{}{BOLD:#}", status.name);
    match &status.state {
        ExtensionState::Ready => {
            let count = |count: usize, what: &str| match count {
                1 => format!("1 {what}"),
                count => format!("{count} {what}s"),
            };
            let tools = count(status.report.tools.len(), "tool");
            let commands = count(status.report.commands.len(), "command");
            let pid = status.pid.map(|pid| format!(", process {pid}")).unwrap_or_default();
            format!("{name} {GREEN}ready{GREEN:#}: {tools}, {commands}{pid}")
        }
        ExtensionState::Failed(diagnosis) => {
            format!("{name} {RED}failed{RED:#}: {}", diagnosis.problem)
        }
        ExtensionState::Ended(ending) => ending.to_string(),
        _ => format!("{name} is not ready"),
    }
}

/// Lines of stdin, read by a thread of their own: such a read cannot be given up, and the end of
/// the process must not wait for it.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}
