//! Dialogs on the terminal: a question on stderr, and the line that is typed.

use std::io::{self, Write};
use std::os::fd::OwnedFd;

use extline_host::services::ui::{
    Answer, Confirm, ConfirmMethod, Confirmed, Dismissal, Entered, Input, InputMethod, Select,
    SelectMethod, Selected,
};
use extline_host::{Asked, HostBuilder};
use extline_protocol::ErrorKind;
use extline_protocol::frame::RpcError;
use extline_protocol::shown_line;
use rustix::fs::{Mode, OFlags, open};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr, ttyname};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::styled::{BOLD, DIM};

pub(super) fn serve(builder: HostBuilder) -> HostBuilder {
    builder
        .serve::<ConfirmMethod, _, _>(|asked| answered(confirm(asked)))
        .serve::<SelectMethod, _, _>(|asked| answered(select(asked)))
        .serve::<InputMethod, _, _>(|asked| answered(input(asked)))
}

/// No line is what a person does who closes the dialog: Ctrl-D. While a line of the console is edited, an event
/// has its handler ask, and nobody can be.
async fn answered<T>(
    dialog: impl Future<Output = io::Result<Option<T>>>,
) -> Result<Answer<T>, RpcError> {
    if is_edited() {
        return Ok(Answer::Dismissed { dismissed: Dismissal::Headless });
    }
    match dialog.await {
        Ok(Some(given)) => Ok(Answer::Given(given)),
        Ok(None) => Ok(Answer::Dismissed { dismissed: Dismissal::User }),
        Err(error) => {
            let text = format!("the terminal cannot be used: {error}");
            Err(RpcError::new(ErrorKind::Internal, text))
        }
    }
}

async fn confirm(asked: Asked<Confirm>) -> io::Result<Option<Confirmed>> {
    let Asked { extension, params, .. } = asked;
    let mut terminal = Terminal::open()?;
    show_title(&extension, &params.title);
    for line in params.message.iter().flat_map(|message| message.lines()) {
        say(&format!("  {}\n", shown_line(line)));
    }
    loop {
        terminal.prompt("[y/N] ");
        let Some(line) = terminal.line().await? else { return Ok(None) };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(Confirmed { confirmed: true })),
            "" | "n" | "no" => return Ok(Some(Confirmed { confirmed: false })),
            _ => say("  y for yes, n for no\n"),
        }
    }
}

async fn select(asked: Asked<Select>) -> io::Result<Option<Selected>> {
    let Asked { extension, params, .. } = asked;
    let mut terminal = Terminal::open()?;
    show_title(&extension, &params.title);
    for (position, option) in params.options.iter().enumerate() {
        let more = option.description().map(|text| format!("  {DIM}{}{DIM:#}", shown_line(text)));
        let label = shown_line(option.label());
        say(&format!("  {}) {label}{}\n", position + 1, more.unwrap_or_default()));
    }
    let count = params.options.len();
    let first = params
        .initial
        .as_ref()
        .and_then(|initial| params.options.iter().position(|option| option.value() == initial));
    let offered = first.map(|first| format!(", Enter for {}", first + 1)).unwrap_or_default();
    loop {
        let wanted = if params.multi { "numbers" } else { "number" };
        terminal.prompt(&format!("{wanted}, 1 to {count}{offered}: "));
        let Some(line) = terminal.line().await? else { return Ok(None) };
        match (chosen(&params, &line, first), params.multi) {
            (Some(values), true) => return Ok(Some(Selected::Several { values })),
            (Some(mut values), false) if values.len() == 1 => {
                return Ok(Some(Selected::One { value: values.remove(0) }));
            }
            (_, true) => say("  numbers of the list, with blanks between them, or none\n"),
            (_, false) => say("  one number of the list\n"),
        }
    }
}

/// The values that a line names by number or label, in the order of the list.
fn chosen(select: &Select, line: &str, first: Option<usize>) -> Option<Vec<String>> {
    let value = |position: &usize| select.options[*position].value().to_owned();
    let label = select.options.iter().position(|option| option.label() == line.trim());
    if let Some(position) = label {
        return Some(vec![value(&position)]);
    }
    let words = line.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    let mut positions = words
        .map(|word| word.parse::<usize>().ok()?.checked_sub(1))
        .map(|position| position.filter(|position| *position < select.options.len()))
        .collect::<Option<Vec<_>>>()?;
    if positions.is_empty() {
        positions.extend(first);
    }
    positions.sort_unstable();
    positions.dedup();
    Some(positions.iter().map(value).collect())
}

async fn input(asked: Asked<Input>) -> io::Result<Option<Entered>> {
    let Asked { extension, params, .. } = asked;
    let mut terminal = Terminal::open()?;
    show_title(&extension, &params.title);
    if let Some(example) = &params.placeholder {
        say(&format!("  {DIM}as {}{DIM:#}\n", shown_line(example)));
    }
    // Before the question: what is typed at once is not shown either.
    let _hidden = params.secret.then(Hidden::begin).transpose()?;
    terminal.prompt(if params.secret { "not shown: " } else { ": " });
    let line = terminal.line().await?;
    if params.secret {
        say("\n");
    }
    Ok(line.map(|value| Entered { value }))
}

/// Who asks, and what.
fn show_title(extension: &str, title: &str) {
    say(&format!("{BOLD}{}{BOLD:#} asks: {}\n", shown_line(extension), shown_line(title)));
}

pub(super) fn say(text: &str) {
    let mut stderr = anstream::stderr().lock();
    // Nobody can be told where stderr is gone.
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

/// The terminal that stdin is, opened once more: so it does not block, and nobody else's descriptor
/// changes. What is not read of it stays for whoever reads next.
pub(super) struct Terminal {
    end: AsyncFd<OwnedFd>,
    /// The cursor stands behind a question.
    is_asking: bool,
}

impl Terminal {
    #[expect(unsafe_code, reason = "the event loop cannot tell that a descriptor stays the same")]
    pub(super) fn open() -> io::Result<Self> {
        let name = ttyname(io::stdin(), Vec::new())?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let end = open(name, flags, Mode::empty())?;
        // SAFETY: an owned descriptor stays open, and the same, until it is dropped, and with it the watch.
        let end = unsafe { AsyncFd::register_with_interest(end, Interest::READABLE) };
        Ok(Self { end: end?, is_asking: false })
    }

    pub(super) fn prompt(&mut self, text: &str) {
        say(&format!("{BOLD}{text}{BOLD:#}"));
        self.is_asking = true;
    }

    /// Waits for a line, without its end. `None` at Ctrl-D. May be dropped.
    pub(super) async fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        loop {
            let mut guard = self.end.readable().await?;
            let mut bytes = [0; 4096];
            match guard.try_io(|end| Ok(rustix::io::read(end, &mut bytes)?)) {
                Ok(Ok(0)) => return Ok(None),
                Ok(Ok(count)) => line.extend_from_slice(&bytes[..count]),
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
            if let Some(end) = line.iter().position(|byte| *byte == b'\n') {
                let text = String::from_utf8_lossy(&line[..end]);
                self.is_asking = false;
                return Ok(Some(text.trim_end_matches('\r').to_owned()));
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.is_asking {
            say("\n");
        }
    }
}

/// Whether somebody reads it key by key.
pub(super) fn is_edited() -> bool {
    tcgetattr(io::stdin()).is_ok_and(|state| !state.local_modes.contains(LocalModes::ICANON))
}

/// What is typed is not shown as long as this lives.
struct Hidden(Termios);

impl Hidden {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &hidden)?;
        Ok(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // There is nothing to do about a terminal that is gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
