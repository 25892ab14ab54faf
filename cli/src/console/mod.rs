//! The console of `extline run`: a prompt on a terminal, lines from anywhere else.

mod completion;
mod cursor;
mod editor;
mod history;
mod json_completion;
mod line;
mod listing;
mod moments;
mod panel;

use std::io::{self, BufRead, IsTerminal};
use std::ops::ControlFlow;
use std::sync::Arc;

use extline_host::services::view::View;
use extline_host::view::{self, Fold};
use extline_host::{CommandOutcome, Panel};
use serde::Serialize;
use serde_json::json;
use tokio::sync::mpsc;

use crate::args::Timeout;
use crate::call;
use crate::command;
use crate::console::editor::{Editor, Entry};
use crate::console::line::{Frames, Line, WORDS};
use crate::console::moments::Shown;
use crate::content::json_of_result;
use crate::dialogs::{self, stage};
use crate::exit::Exit;
use crate::failure::{Failure, nearest};
use crate::frames::FrameView;
use crate::session::Session;
use crate::styled::{BOLD, DIM};

#[cfg(test)]
pub(crate) use json_completion::candidates;
pub(crate) use listing::summary;
pub(crate) use panel::KEYS;

/// Takes lines and does what they ask for.
pub(crate) struct Console {
    session: Session,
    frames: FrameView,
    timeout: Timeout,
    /// A person is told what failed; a script needs the exit code.
    interactive: bool,
    a_line_failed: bool,
    /// The calls of the model that were played.
    turns: u64,
    /// The view of the last result that has one.
    view: Option<View>,
    /// The last thing the user did was Ctrl-C: another one ends.
    interrupted: bool,
    /// The user said so.
    quits: bool,
}

impl Console {
    pub(crate) fn new(session: Session, frames: FrameView, timeout: Timeout) -> Self {
        Self {
            session,
            frames,
            timeout,
            interactive: false,
            a_line_failed: false,
            turns: 0,
            view: None,
            interrupted: false,
            quits: false,
        }
    }

    /// Takes lines until they end, `:quit`, or an interruption.
    pub(crate) async fn take_lines(&mut self) -> Exit {
        let on_terminal = io::stdin().is_terminal() && anstream::stdout().is_terminal();
        if !on_terminal || self.session.printer.json {
            return self.take_lines_of_stdin().await;
        }
        match Editor::open(&self.session.host) {
            Ok((editor, above)) => {
                self.interactive = true;
                self.session.printer.above = above;
                self.prompt(editor).await
            }
            Err(error) => {
                let text = format_args!("{DIM}no line editing: {error}{DIM:#}");
                self.session.printer.say(text);
                self.take_lines_of_stdin().await
            }
        }
    }

    /// The same; where they end by themselves and nobody typed them, waits for an interruption.
    pub(crate) async fn take_lines_and_stay(&mut self) -> Exit {
        let exit = self.take_lines().await;
        let have_ended = matches!(exit, Exit::Ok | Exit::ToolError) && !self.quits;
        if !have_ended || io::stdin().is_terminal() {
            return exit;
        }
        self.session.idle(std::future::pending()).await.unwrap_or_else(|exit| exit)
    }

    /// Tells that the session begins.
    pub(crate) fn open(&self) {
        self.session.host.start_session();
    }

    /// Tells that the session ends, stops the extensions and tells of each how it ended.
    pub(crate) async fn stop(self, exit: Exit) -> Exit {
        self.session.host.end_session("exit");
        self.session.stop_and_tell(exit).await
    }

    async fn prompt(&mut self, mut editor: Editor) -> Exit {
        loop {
            match self.entry(&mut editor).await {
                Ok(Entry::Line(line)) => {
                    self.interrupted = false;
                    if let ControlFlow::Break(exit) = self.handle(&line).await {
                        return exit;
                    }
                }
                Ok(Entry::Interrupt) if self.interrupted => return Exit::Interrupted,
                Ok(Entry::Interrupt) => self.first_interrupt(),
                Ok(Entry::End) => return Exit::Ok,
                Err(exit) => {
                    editor.restore();
                    return exit;
                }
            }
        }
    }

    /// What the user enters; what extensions say meanwhile is printed above the line.
    async fn entry(&mut self, editor: &mut Editor) -> Result<Entry, Exit> {
        // A dialog that waited for the line before has the terminal first.
        let above = self.session.printer.above.clone();
        let _turn = self.idle(stage::to_edit(above)).await?;
        self.session.printer.is_prompting = true;
        let outcome = self.idle(editor.next()).await;
        self.session.printer.is_prompting = false;
        outcome
    }

    /// Waits; the first Ctrl-C ends nothing.
    async fn idle<T>(&mut self, future: impl Future<Output = T>) -> Result<T, Exit> {
        let mut future = std::pin::pin!(future);
        loop {
            match self.session.idle(&mut future).await {
                // A signal, sent by somebody else or by a Ctrl-C before the editor was ready for it.
                Err(Exit::Interrupted) if !self.interrupted => self.first_interrupt(),
                outcome => return outcome,
            }
        }
    }

    fn first_interrupt(&mut self) {
        self.interrupted = true;
        self.session.printer.say(format_args!("{DIM}Ctrl-C again, or Ctrl-D, ends{DIM:#}"));
    }

    /// Takes lines of a terminal that are not edited. Nobody reads while one runs, so that the answer to a
    /// dialog goes to that.
    async fn take_lines_of_terminal(&mut self) -> Exit {
        loop {
            let line = async {
                let _turn = stage::to_edit(None).await;
                dialogs::line_of_terminal().await
            };
            match self.session.idle(line).await {
                Ok(Ok(Some(line))) => {
                    if let ControlFlow::Break(exit) = self.handle(&line).await {
                        return exit;
                    }
                }
                Ok(Ok(None)) => return self.outcome(),
                Ok(Err(error)) => {
                    self.session
                        .printer
                        .error(format_args!("the terminal cannot be read: {error}"));
                    return Exit::ToolError;
                }
                Err(exit) => return exit,
            }
        }
    }

    async fn take_lines_of_stdin(&mut self) -> Exit {
        if dialogs::stdin_is_terminal() {
            return self.take_lines_of_terminal().await;
        }
        let mut lines = read_lines();
        loop {
            match self.session.idle(lines.recv()).await {
                Ok(Some(line)) => {
                    if let ControlFlow::Break(exit) = self.handle(&line).await {
                        return exit;
                    }
                }
                Ok(None) => return self.outcome(),
                Err(exit) => return exit,
            }
        }
    }

    /// What somebody has set meanwhile by `extline config` holds from the next line on.
    fn reload_configs(&mut self) {
        for status in self.session.host.extensions() {
            if let Err(error) = self.session.host.reload_config(&status.name) {
                self.session.printer.error(format_args!("{error}; what was set before holds"));
            }
        }
    }

    /// Does what a line asks for; the exit when it is the last one.
    async fn handle(&mut self, text: &str) -> ControlFlow<Exit> {
        let line = Line::of(text);
        if line != Line::Blank && !self.interactive && !self.session.printer.json {
            let text = text.trim_end();
            self.session.printer.result(format_args!("{BOLD}> {text}{BOLD:#}"));
        }
        if line != Line::Blank {
            self.reload_configs();
        }
        let (host, printer) = (&self.session.host, &mut self.session.printer);
        match line {
            Line::Blank => {}
            Line::Command { name, args } => return self.command(text, name, args).await,
            Line::Tool { name, args } => return self.call(text, name, args).await,
            Line::Tools => listing::tools(host, printer),
            Line::Commands => listing::commands(host, printer),
            Line::Status => listing::extensions(host, printer),
            Line::Frames(Frames::Last(count)) => listing::frames(&self.frames, count, printer),
            Line::Frames(Frames::Live(on)) => self.frames.live(on),
            Line::Expand => match &self.view {
                Some(view) => _ = printer.view(view, Fold::Unfolded),
                None => self.fail(text, &Failure::of_usage("no result was cut")),
            },
            Line::Panel { keys } => return self.panel(text, keys).await,
            Line::Emit { event, fields } => {
                let shown = moments::emit(host, event, fields);
                self.show_moment(text, shown);
            }
            Line::Intercept { point, fields } => {
                let host = Arc::clone(host);
                let asked = Box::pin(moments::intercept(&host, point, fields));
                match self.session.listen_to(asked).await {
                    Ok(shown) => self.show_moment(text, shown),
                    Err(exit) => return self.interrupted_in(":intercept", exit),
                }
            }
            Line::Turn { text: said } => {
                self.turns += 1;
                let host = Arc::clone(host);
                let turn = moments::turn(&host, self.turns, said);
                match self.session.listen_to(turn).await {
                    Ok(shown) => self.show_moment(text, Ok(shown)),
                    Err(exit) => return self.interrupted_in(":turn", exit),
                }
            }
            Line::Session { args } => {
                let shown = moments::session(host, &self.session.conversation, args);
                self.show_moment(text, shown);
            }
            Line::Pending => listing::pending(host, printer),
            Line::Resolve { resolution: None, .. } => {
                self.fail(
                    text,
                    &Failure::of_usage("say :resolve apply or :resolve discard, and why"),
                );
            }
            Line::Resolve { resolution: Some(resolution), reason } => {
                let host = Arc::clone(host);
                let resolving = moments::resolve(&host, resolution, reason);
                match self.session.listen_to(Box::pin(resolving)).await {
                    Ok(shown) => self.show_moment(text, Ok(shown)),
                    Err(exit) => return self.interrupted_in(":resolve", exit),
                }
            }
            Line::Reload { name } => {
                let host = Arc::clone(host);
                match self.session.listen_to(Box::pin(moments::reload(&host, name))).await {
                    Ok(shown) => self.show_moment(text, shown),
                    Err(exit) => return self.interrupted_in(":reload", exit),
                }
            }
            Line::Help => printer.tell(help(), &json!({ "help": help() })),
            Line::Quit => {
                self.quits = true;
                return ControlFlow::Break(self.outcome());
            }
            Line::Other => self.fail(text, &not_understood(text.trim())),
        }
        ControlFlow::Continue(())
    }

    async fn command(&mut self, line: &str, name: &str, args: &str) -> ControlFlow<Exit> {
        match self.session.run_command(name, args).await {
            Ok(Ok(outcome)) if self.session.printer.json => {
                self.outcome_json(line, true, &command::json(&outcome));
            }
            Ok(Ok(CommandOutcome::OpenPanel(panel))) if self.interactive => {
                return self.show(panel).await;
            }
            Ok(Ok(outcome)) => command::report(&outcome, &mut self.session.printer),
            Ok(Err(error)) => {
                let failure = Failure::of_call(&error, &self.session.host);
                self.fail(line, &failure);
            }
            Err(exit) => return self.interrupted_in(name, exit),
        }
        ControlFlow::Continue(())
    }

    fn show_moment(&mut self, line: &str, shown: Result<Shown, Box<Failure>>) {
        match shown {
            Ok(shown) if self.session.printer.json => self.outcome_json(line, true, &shown.json),
            Ok(shown) => self.session.printer.result(shown.text),
            Err(failure) => self.fail(line, &failure),
        }
    }

    /// The panel that was opened last: on a terminal with its keys, else as text.
    async fn panel(&mut self, line: &str, keys: &str) -> ControlFlow<Exit> {
        let Some(mut panel) = self.session.host.panels().pop() else {
            self.fail(line, &Failure::of_usage("no panel is open"));
            return ControlFlow::Continue(());
        };
        if self.interactive && keys.is_empty() {
            return self.show(panel).await;
        }
        match self.session.listen_to(panel::press(&mut panel, keys)).await {
            Ok(Some(_)) => {
                let outcome = CommandOutcome::OpenPanel(panel);
                if self.session.printer.json {
                    self.outcome_json(line, true, &command::json(&outcome));
                } else {
                    command::report(&outcome, &mut self.session.printer);
                }
                ControlFlow::Continue(())
            }
            Ok(None) => {
                let json = json!({ "panel_closed": panel.id() });
                self.session
                    .printer
                    .tell(format_args!("the panel {} is closed", panel.id()), &json);
                ControlFlow::Continue(())
            }
            Err(exit) => self.interrupted_in(":panel", exit),
        }
    }

    /// Gives a panel the terminal until it is closed.
    async fn show(&mut self, panel: Panel) -> ControlFlow<Exit> {
        let id = panel.id().to_owned();
        let _turn = match self.idle(stage::to_have()).await {
            Ok(turn) => turn,
            Err(exit) => return ControlFlow::Break(exit),
        };
        match panel::drive(&mut self.session, panel).await {
            Ok(Ok(())) => {
                let text = format_args!("{DIM}the panel {id} is closed{DIM:#}");
                self.session.printer.say(text);
            }
            Ok(Err(error)) => {
                let text = format_args!("the panel {id} cannot be shown: {error}");
                self.session.printer.error(text);
            }
            Err(exit) => return ControlFlow::Break(exit),
        }
        ControlFlow::Continue(())
    }

    async fn call(&mut self, line: &str, tool: &str, args: &str) -> ControlFlow<Exit> {
        match self.session.call(tool, args, &self.timeout).await {
            Ok(Ok(result)) if self.session.printer.json => {
                self.outcome_json(line, !result.is_error, &json_of_result(&result));
                self.a_line_failed |= result.is_error;
            }
            Ok(Ok(result)) => {
                let (host, printer) = (&self.session.host, &mut self.session.printer);
                let exit = call::report(tool, &result, Fold::Folded, host, printer);
                self.a_line_failed |= exit != Exit::Ok;
                self.view = result.view.as_ref().and_then(view::of).or(self.view.take());
            }
            Ok(Err(error)) => {
                let failure = Failure::of_call(&error, &self.session.host);
                self.fail(line, &failure);
            }
            Err(exit) => return self.interrupted_in(tool, exit),
        }
        ControlFlow::Continue(())
    }

    /// At a prompt Ctrl-C ends the call, which is cancelled by now, and not the console.
    fn interrupted_in(&mut self, name: &str, exit: Exit) -> ControlFlow<Exit> {
        if !self.interactive || exit != Exit::Interrupted {
            return ControlFlow::Break(exit);
        }
        self.interrupted = true;
        self.session
            .printer
            .say(format_args!("{name} was cancelled; Ctrl-C again, or Ctrl-D, ends"));
        ControlFlow::Continue(())
    }

    fn fail(&mut self, line: &str, failure: &Failure) {
        if self.session.printer.json {
            self.outcome_json(line, false, failure.json());
        } else {
            failure.report(&mut self.session.printer);
        }
        self.a_line_failed = true;
    }

    fn outcome_json(&mut self, line: &str, ok: bool, outcome: &impl Serialize) {
        #[derive(Serialize)]
        struct Json<'a, T> {
            line: &'a str,
            ok: bool,
            outcome: &'a T,
        }
        let json = Json { line: line.trim(), ok, outcome };
        if ok {
            self.session.printer.json_result(&json);
        } else {
            self.session.printer.json(&json);
        }
    }

    fn outcome(&self) -> Exit {
        if self.a_line_failed && !self.interactive { Exit::ToolError } else { Exit::Ok }
    }
}

fn help() -> String {
    let lines = [
        ("/NAME ARGS", "run a slash command"),
        ("!NAME JSON", "call a tool, without JSON with {}"),
    ];
    let lines = lines.iter().chain(&WORDS).map(|(typed, what)| format!("{typed:<12} {what}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn not_understood(line: &str) -> Failure {
    let words: Vec<_> = WORDS.iter().map(|(word, _)| (*word).to_owned()).collect();
    let word = line.split_whitespace().next().unwrap_or_default();
    let meant = if word.starts_with(':') { nearest(word, &words) } else { None };
    let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
    Failure::of_usage(&format!("{line:?} is not understood{meant}; :help tells what is"))
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
