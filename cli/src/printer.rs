//! What the command says: results on stdout, everything else on stderr, progress in one line of a
//! terminal. All of it passes here, and what others wrote is escaped on its way ([`Text`]), except
//! data for a file or another program.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc;

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use extline_host::Redactor;
use extline_host::services::view::View;
use extline_host::view::Fold;
use extline_protocol::{is_hidden, shown_json, shown_line};
use serde::Serialize;
use serde_json::Value;

use crate::args::When;
use crate::exit::Exit;
use crate::styled::{RED, Text, YELLOW};
use crate::views;

/// Writes text; colours are taken out where stdout or stderr is no terminal.
#[derive(Debug)]
pub(crate) struct Printer {
    pub(crate) json: bool,
    /// Columns of the progress line that stands on the terminal.
    progress: usize,
    live: bool,
    failure: Option<io::Error>,
    /// Prints above the line that a person edits meanwhile.
    pub(crate) above: Option<mpsc::Sender<String>>,
    /// What is said while something else has the screen.
    held: Option<Vec<Text>>,
    /// A line is being edited.
    pub(crate) is_prompting: bool,
    /// Whether views are shown in place of text.
    pub(crate) views: When,
    /// Takes secrets out of all but results.
    pub(crate) redactor: Redactor,
}

impl Printer {
    pub(crate) fn new(json: bool) -> Self {
        let live = !json && io::stderr().is_terminal();
        Self {
            json,
            progress: 0,
            live,
            failure: None,
            above: None,
            held: None,
            is_prompting: false,
            views: When::Never,
            redactor: Redactor::default(),
        }
    }

    /// A line, or several, on stdout.
    pub(crate) fn result(&mut self, text: impl Display) {
        self.clear_progress();
        let text = self.redacted(text);
        let written = writeln!(anstream::stdout().lock(), "{text}");
        self.note(written);
    }

    /// What a tool or a command answered, on stdout, however long its lines are, with a line end when it has none.
    pub(crate) fn text(&mut self, text: impl Display) {
        self.clear_progress();
        let text = Text::of(text);
        let end = if text.as_str().ends_with('\n') { "" } else { "\n" };
        let written = write!(anstream::stdout().lock(), "{text}{end}");
        self.note(written);
    }

    /// The same for data, which a file or another program gets as it is.
    pub(crate) fn data(&mut self, data: &str) {
        let stdout = anstream::stdout().into_inner();
        if stdout.is_terminal() {
            return self.text(data);
        }
        self.clear_progress();
        let end = if data.ends_with('\n') { "" } else { "\n" };
        let written = write!(stdout.lock(), "{data}{end}");
        self.note(written);
    }

    /// A view in place of text, on stdout; how many rows of it are not shown.
    pub(crate) fn view(&mut self, view: &View, fold: Fold) -> usize {
        let (rows, hidden) = views::rows(view, views::columns(), fold);
        self.text(Text::of_lines(&rows));
        hidden
    }

    /// One line of JSON on stdout, without secrets.
    pub(crate) fn json(&mut self, value: &impl Serialize) {
        self.json_text(serde_json::to_string(value), true);
    }

    /// The same with what a tool or a command answered, which is its own matter.
    pub(crate) fn json_result(&mut self, value: &impl Serialize) {
        self.json_text(serde_json::to_string(value), false);
    }

    fn json_text(&mut self, json: serde_json::Result<String>, is_redacted: bool) {
        match json {
            Ok(text) => {
                self.clear_progress();
                let text = if is_redacted { self.redactor.json_text(&text) } else { text.into() };
                let written = writeln!(anstream::stdout().lock(), "{}", shown_json(&text));
                self.note(written);
            }
            Err(error) => self.note(Err(io::Error::other(error))),
        }
    }

    /// Text on stdout, or JSON where that is asked for.
    pub(crate) fn tell(&mut self, text: impl Display, json: &Value) {
        if self.json {
            self.json(json);
        } else {
            self.result(text);
        }
    }

    /// A line, or several, on stderr; above the line that is being edited where both are on one
    /// terminal.
    pub(crate) fn say(&mut self, text: impl Display) {
        self.clear_progress();
        let text = self.redacted(text);
        if let Some(held) = &mut self.held {
            held.push(text);
            return;
        }
        if let Some(above) = self.above.as_ref().filter(|_| self.is_prompting && self.live) {
            let text = text.as_str().to_owned() + "\n";
            let text = match AutoStream::choice(&io::stderr()) {
                ColorChoice::Never => strip_str(&text).to_string(),
                _ => text,
            };
            if above.send(text).is_ok() {
                return;
            }
        }
        // There is nowhere left to complain.
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    }

    pub(crate) fn error(&mut self, text: impl Display) {
        self.say(format_args!("{RED}error:{RED:#} {text}"));
    }

    pub(crate) fn warn(&mut self, text: impl Display) {
        self.say(format_args!("{YELLOW}warning:{YELLOW:#} {text}"));
    }

    /// Keeps what is said until [`Printer::release`]: something else has the screen.
    pub(crate) fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Says what was kept.
    pub(crate) fn release(&mut self) {
        for text in self.held.take().unwrap_or_default() {
            self.say(text);
        }
    }

    /// A line on a terminal that the next one replaces; nothing elsewhere.
    pub(crate) fn progress(&mut self, text: &str) {
        if !self.live || self.is_prompting || self.held.is_some() {
            return;
        }
        // A line that wraps could not be taken back.
        let columns = columns().saturating_sub(1);
        let text = self.redactor.text(text);
        let line: String = shown_line(&text).chars().take(columns).collect();
        let width = line.chars().count();
        let blanks = " ".repeat(self.progress.saturating_sub(width));
        let mut stderr = anstream::stderr().lock();
        let _ = write!(stderr, "\r{line}{blanks}").and_then(|()| stderr.flush());
        self.progress = width;
    }

    pub(crate) fn clear_progress(&mut self) {
        if self.progress > 0 {
            let blanks = " ".repeat(self.progress);
            let _ = write!(anstream::stderr().lock(), "\r{blanks}\r");
            self.progress = 0;
        }
    }

    /// The exit, or another one when stdout could not be written. A reader that has seen enough is
    /// no failure.
    pub(crate) fn finish(mut self, exit: Exit) -> Exit {
        self.clear_progress();
        match self.broken() {
            Some(_) if exit == Exit::of_conformance(4) => exit,
            Some(failure) => {
                self.error(failure);
                Exit::ToolError
            }
            None => exit,
        }
    }

    /// Why stdout could not be written, if it could not; a reader that has seen enough is no
    /// failure.
    pub(crate) fn broken(&self) -> Option<String> {
        let failure = self.failure.as_ref()?;
        let is_failure = failure.kind() != io::ErrorKind::BrokenPipe;
        is_failure.then(|| format!("stdout cannot be written: {failure}"))
    }

    /// Whether nothing that is written to stdout arrives any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.failure.is_some()
    }

    fn redacted(&self, text: impl Display) -> Text {
        let text = Text::in_short_lines(text);
        match self.redactor.text(text.as_str()) {
            Cow::Borrowed(_) => text,
            Cow::Owned(redacted) => Text::made(redacted),
        }
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
    }
}

/// A line on stderr of a command that takes the place of an extension; hosts keep it as that one's.
pub(crate) fn say_as_extension(command: &str, text: &str) {
    let text = Text::in_short_lines(format_args!("extline {command}: {text}"));
    // There is nowhere left to complain.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Wrong usage, help or the version, as clap tells of it. Where a word of the command line would do
/// something to the terminal it has no colours, as they could not be told from what is in the word.
pub(crate) fn usage(error: &clap::Error) {
    let is_harmless =
        std::env::args_os().all(|word| word.to_str().is_some_and(|word| !word.contains(is_hidden)));
    let written = if is_harmless {
        error.print()
    } else {
        let text = Text::of(error.render());
        if error.use_stderr() {
            writeln!(anstream::stderr().lock(), "{text}")
        } else {
            writeln!(anstream::stdout().lock(), "{text}")
        }
    };
    // A closed stdout is no failure, and a closed stderr leaves nowhere to complain.
    drop(written);
}

/// How wide the terminal of stderr is; text that goes elsewhere may be wider.
pub(crate) fn columns() -> usize {
    const ELSEWHERE: usize = 200;
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(ELSEWHERE, |(width, _)| usize::from(width.0))
}
