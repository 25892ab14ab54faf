//! A panel on the terminal: shown, driven by keys, closed with Esc.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode, size};
use extline_host::view::{self, Fold};
use extline_host::{Panel, PanelView};
use extline_protocol::{is_hidden, shown_line};
use tokio::sync::mpsc;

use crate::exit::Exit;
use crate::session::Session;
use crate::styled::{BOLD, DIM};
use crate::views;

/// The keys that have a name; every other one is a character.
pub(crate) const KEYS: [&str; 13] = [
    "up",
    "down",
    "left",
    "right",
    "enter",
    "tab",
    "backspace",
    "delete",
    "home",
    "end",
    "pageup",
    "pagedown",
    "esc",
];

/// Shows a panel until the user, the extension or a signal closes it. What extensions say
/// meanwhile is told when the panel is gone.
pub(crate) async fn drive(session: &mut Session, panel: Panel) -> Result<io::Result<()>, Exit> {
    session.printer.hold();
    let shows_views = session.printer.views.is_now();
    let outcome = session.idle(drive_screen(panel, shows_views)).await;
    session.printer.release();
    outcome
}

async fn drive_screen(mut panel: Panel, shows_views: bool) -> io::Result<()> {
    let mut screen = Screen::open()?;
    let (columns, lines) = size()?;
    panel.resize(columns.into(), lines.into());
    let draw = |view: &PanelView| draw(view, shows_views);
    draw(&panel.view())?;
    loop {
        tokio::select! {
            view = panel.changed() => match view {
                Some(view) => draw(&view)?,
                None => return Ok(()),
            },
            input = screen.inputs.recv() => match input {
                Some(Input::Key(key)) => _ = panel.key(key),
                Some(Input::Character(it)) => _ = panel.text(&it.to_string()),
                Some(Input::Resized(columns, lines)) => {
                    panel.resize(columns.into(), lines.into());
                    draw(&panel.view())?;
                }
                Some(Input::Close) | None => {
                    panel.close();
                    return Ok(());
                }
            },
        }
    }
}

/// Sends keys by their names, other words character by character, and waits a moment for the
/// panel to be drawn anew.
pub(crate) async fn press(panel: &mut Panel, keys: &str) -> Option<PanelView> {
    const DRAWN_WITHIN: Duration = Duration::from_millis(500);
    let mut view = None;
    for word in keys.split_whitespace() {
        if KEYS.contains(&word) {
            panel.key(word);
        } else {
            for character in word.chars() {
                panel.text(&character.to_string());
            }
        }
        // A key that changes nothing is not answered.
        if let Ok(drawn) = tokio::time::timeout(DRAWN_WITHIN, panel.changed()).await {
            view = Some(drawn?);
        }
    }
    Some(view.unwrap_or_else(|| panel.view()))
}

/// What the user does.
enum Input {
    Key(&'static str),
    Character(char),
    Resized(u16, u16),
    Close,
}

impl Input {
    fn of(event: &Event) -> Option<Self> {
        let KeyEvent { code, modifiers, .. } = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            Event::Resize(columns, lines) => return Some(Self::Resized(*columns, *lines)),
            _ => return None,
        };
        let key = match code {
            KeyCode::Esc => return Some(Self::Close),
            KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => {
                return Some(Self::Close);
            }
            KeyCode::Char(_) if modifiers.contains(KeyModifiers::CONTROL) => "unknown",
            KeyCode::Char(it) => return Some(Self::Character(*it)),
            KeyCode::Up => "up",
            KeyCode::Down => "down",
            KeyCode::Left => "left",
            KeyCode::Right => "right",
            KeyCode::Enter => "enter",
            KeyCode::Tab => "tab",
            KeyCode::Backspace => "backspace",
            KeyCode::Delete => "delete",
            KeyCode::Home => "home",
            KeyCode::End => "end",
            KeyCode::PageUp => "pageup",
            KeyCode::PageDown => "pagedown",
            _ => "unknown",
        };
        Some(Self::Key(key))
    }
}

/// The terminal's other screen, raw, while a panel is on it.
struct Screen {
    inputs: mpsc::Receiver<Input>,
    closed: Arc<AtomicBool>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Screen {
    fn open() -> io::Result<Self> {
        enable_raw_mode()?;
        let (sender, inputs) = mpsc::channel(16);
        let closed = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&closed);
        let reader = Some(std::thread::spawn(move || read_inputs(&until, &sender)));
        let screen = Self { inputs, closed, reader };
        raw_out("\x1b[?1049h\x1b[?25l")?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nothing to do about a terminal that is gone.
        let _ = raw_out("\x1b[?25h\x1b[?1049l");
        let _ = disable_raw_mode();
        self.closed.store(true, Ordering::Relaxed);
        self.inputs.close();
        // Two readers would share what is typed next between them.
        let _ = self.reader.take().map(std::thread::JoinHandle::join);
    }
}

fn read_inputs(closed: &AtomicBool, inputs: &mpsc::Sender<Input>) {
    /// How long the end of a panel may take to be seen.
    const LOOK: Duration = Duration::from_millis(50);
    while !closed.load(Ordering::Relaxed) {
        let event = match poll(LOOK) {
            Ok(true) => read(),
            Ok(false) => continue,
            Err(error) => Err(error),
        };
        // Without a terminal there is nobody left; without a receiver, no panel.
        let Ok(event) = event else { return };
        if Input::of(&event).is_some_and(|input| inputs.blocking_send(input).is_err()) {
            return;
        }
    }
}

fn draw(view: &PanelView, shows_views: bool) -> io::Result<()> {
    let (columns, lines) = size()?;
    let mut rows = rows(view, columns.into(), lines.into(), shows_views);
    if anstream::stdout().current_choice() == ColorChoice::Never {
        rows = rows.iter().map(|row| strip_str(row).to_string()).collect();
    }
    raw_out(&format!("\x1b[H\x1b[J{}", rows.join("\r\n")))
}

/// A view as rows that fit the terminal; nothing in them moves the cursor.
fn rows(view: &PanelView, columns: usize, lines: usize, shows_views: bool) -> Vec<String> {
    let title = fitting(&view.title, columns);
    let mut rows = vec![format!("{BOLD}{title}{BOLD:#}")];
    let footer = if view.footer.is_empty() {
        "Esc closes".to_owned()
    } else {
        format!("{}  (Esc closes)", view.footer)
    };
    let room = lines.saturating_sub(2);
    match view.view.as_ref().and_then(view::of).filter(|_| shows_views) {
        Some(view) => {
            let (shown, _) = views::rows(&view, columns, Fold::Unfolded);
            rows.extend(shown.iter().take(room).map(ToString::to_string));
        }
        None => rows.extend(view.lines.iter().take(room).map(|line| fitting(line, columns))),
    }
    rows.push(format!("{DIM}{}{DIM:#}", fitting(&footer, columns)));
    rows
}

/// A line with its colours, without them where it is too long or holds other escapes.
fn fitting(line: &str, columns: usize) -> String {
    // A tab would move what follows it by an unknown width.
    let plain = strip_str(line).to_string().replace('\t', " ");
    let plain = shown_line(&plain);
    // `ESC [ 1 ; 31 m`, and nothing that is like it: `ESC [ > 4 m` changes the keyboard.
    let only_colours = line.split('\x1b').skip(1).all(|it| {
        let numbers = it.strip_prefix('[').and_then(|it| it.split_once('m'));
        numbers.is_some_and(|(numbers, _)| {
            numbers.chars().all(|it| it.is_ascii_digit() || matches!(it, ';' | ':'))
        })
    });
    let harmless = line.chars().all(|it| it == '\x1b' || !is_hidden(it));
    if plain.chars().count() <= columns && only_colours && harmless {
        return if line.contains('\x1b') { format!("{line}\x1b[0m") } else { line.to_owned() };
    }
    plain.chars().take(columns).collect()
}

/// Escapes reach the terminal also where colours are not wanted: the cursor has to go somewhere.
pub(super) fn raw_out(text: &str) -> io::Result<()> {
    let mut stdout = AutoStream::always_ansi(anstream::stdout().into_inner());
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_fits_the_terminal() {
        let mut view = PanelView::default();
        view.title = "Todos".to_owned();
        view.lines = ["one", "two", "three"].map(str::to_owned).into();
        view.footer = "q quits".to_owned();
        let plain = |columns, lines| -> Vec<_> {
            let rows = rows(&view, columns, lines, true);
            rows.iter().map(|row| strip_str(row).to_string()).collect()
        };
        assert_eq!(plain(80, 24), ["Todos", "one", "two", "three", "q quits  (Esc closes)"]);
        assert_eq!(plain(4, 4), ["Todo", "one", "two", "q qu"]);
    }

    #[test]
    fn colours_stay_and_nothing_moves_the_cursor() {
        let red = "\x1b[31mred\x1b[0m";
        assert_eq!(fitting(red, 3), format!("{red}\x1b[0m"));
        assert_eq!(fitting(red, 2), "re");
        assert_eq!(fitting("a\x1b[2Jb", 80), "ab");
        assert_eq!(fitting("a\rb\tc", 80), "a\\rb c");
        assert_eq!(
            fitting("\x1b[>4;2mx\u{202e}y\u{9b}2J", 80).replace("\\u", "^"),
            "x^{202e}y^{9b}2J"
        );
    }

    #[test]
    fn keys_have_the_names_of_the_wire() {
        let key = |code, modifiers| Input::of(&Event::Key(KeyEvent::new(code, modifiers)));
        let none = KeyModifiers::NONE;
        assert!(matches!(key(KeyCode::PageUp, none), Some(Input::Key("pageup"))));
        assert!(matches!(key(KeyCode::Char('ß'), none), Some(Input::Character('ß'))));
        assert!(matches!(key(KeyCode::F(1), none), Some(Input::Key("unknown"))));
        assert!(matches!(key(KeyCode::Esc, none), Some(Input::Close)));
        let control = KeyModifiers::CONTROL;
        assert!(matches!(key(KeyCode::Char('c'), control), Some(Input::Close)));
        assert!(matches!(key(KeyCode::Char('x'), control), Some(Input::Key("unknown"))));
    }
}
