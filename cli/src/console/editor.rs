//! The prompt on a terminal.
//!
//! rustyline edits the line: it asks nothing of the terminal that one might not answer, and is woken
//! by a pipe, not by a clock, when an extension has something to say. It blocks, so it has a thread
//! of its own; whatever is to be printed above the line goes through another one, because
//! rustyline's own queue holds a single message.

use std::sync::{Arc, mpsc};

use extline_host::{Host, default_home};
use rustyline::config::{BellStyle, Config};
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Event, EventContext, EventHandler,
    ExternalPrinter, KeyEvent, Movement, RepeatCount,
};

use crate::console::completion::Completion;
use crate::console::history::History;
#[cfg(windows)]
use crate::console::panel::raw_out;
use crate::dialogs::Typing;

type LineEditor = rustyline::Editor<Completion, MemHistory>;

/// What came of a prompt.
#[derive(Debug)]
pub(crate) enum Entry {
    Line(String),
    /// Ctrl-C on an empty line.
    Interrupt,
    /// Ctrl-D on an empty line, or there is no terminal any more.
    End,
}

/// Reads lines that a person edits.
pub(crate) struct Editor {
    prompts: mpsc::Sender<()>,
    entries: tokio::sync::mpsc::Receiver<Entry>,
    /// As it was before.
    terminal: Option<Typing>,
}

impl Editor {
    /// Takes over the terminal. The other one prints above the line that is being edited; there is
    /// none on a terminal that can only print.
    pub(crate) fn open(
        host: &Arc<Host>,
    ) -> rustyline::Result<(Self, Option<mpsc::Sender<String>>)> {
        let terminal = Typing::kept().ok();
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .bell_style(BellStyle::None)
            .history_ignore_dups(false)?
            .build();
        let history = MemHistory::with_config(&config);
        let mut editor = LineEditor::with_history(config, history)?;
        editor.set_helper(Some(Completion::of(Arc::downgrade(host))));
        let ctrl_c = EventHandler::Conditional(Box::new(ClearOrInterrupt));
        editor.bind_sequence(KeyEvent::ctrl('C'), ctrl_c);

        let above = editor.create_external_printer().ok().map(|mut printer| {
            let (above, texts) = mpsc::channel();
            std::thread::spawn(move || {
                // It fails when the terminal is gone, and then nobody reads it.
                while let Ok(text) = texts.recv() {
                    if printer.print(text).is_err() {
                        break;
                    }
                }
            });
            above
        });
        let (prompts, requests) = mpsc::channel();
        let (sender, entries) = tokio::sync::mpsc::channel(1);
        std::thread::spawn(move || edit(editor, &requests, &sender));
        Ok((Self { prompts, entries, terminal }, above))
    }

    /// Shows the prompt and waits for the line. Dropped before it is done it must not be called
    /// again, and the terminal needs [`Editor::restore`].
    pub(crate) async fn next(&mut self) -> Entry {
        if self.prompts.send(()).is_err() {
            return Entry::End;
        }
        self.entries.recv().await.unwrap_or(Entry::End)
    }

    /// Gives the terminal back as it was, under a line that is still being edited: rustyline's own
    /// thread waits for a key and cannot be asked.
    pub(crate) fn restore(&self) {
        if let Some(terminal) = &self.terminal {
            terminal.restore();
            end_line();
        }
    }
}

/// There is nothing to do about a terminal that is gone.
#[cfg(unix)]
fn end_line() {
    let _ = rustix::io::write(rustix::stdio::stdout(), b"\x1b[?2004l\n");
}

#[cfg(windows)]
fn end_line() {
    let _ = raw_out("\n");
}

fn edit(
    mut editor: LineEditor,
    prompts: &mpsc::Receiver<()>,
    entries: &tokio::sync::mpsc::Sender<Entry>,
) {
    let history = History::below(&default_home());
    while prompts.recv().is_ok() {
        // Lines of other consoles are there as well.
        let _ = editor.clear_history();
        for line in history.lines() {
            let _ = editor.add_history_entry(line);
        }
        let entry = match editor.readline("> ") {
            Ok(line) => {
                // A prompt without a history is still a prompt.
                let _ = history.add(&line);
                Entry::Line(line)
            }
            Err(ReadlineError::Interrupted) => Entry::Interrupt,
            Err(_) => Entry::End,
        };
        if entries.blocking_send(entry).is_err() {
            break;
        }
    }
}

/// Ctrl-C takes the line back, and says so only when there is nothing to take back.
struct ClearOrInterrupt;

impl ConditionalEventHandler for ClearOrInterrupt {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, line: &EventContext) -> Option<Cmd> {
        (!line.line().is_empty()).then_some(Cmd::Kill(Movement::WholeBuffer))
    }
}
