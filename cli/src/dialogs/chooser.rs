//! A list on the terminal, of which something is chosen by arrow keys, numbers or typing.

use std::io;

use extline_host::services::ui::Choice;
use extline_protocol::shown_line;

use super::terminal::{Key, Terminal, Typing, can_draw, clear, say};
use crate::printer::columns;
use crate::styled::{BOLD, DIM};

/// Options that are shown at once.
const ROWS: usize = 10;

/// Has one option chosen, or with `multi` some; their positions in order. `None` at Ctrl-D.
pub(super) async fn choose(
    terminal: &mut Terminal,
    options: &[Choice],
    multi: bool,
    first: Option<usize>,
) -> io::Result<Option<Vec<usize>>> {
    if can_draw() {
        by_keys(terminal, List::new(options, multi, first)).await
    } else {
        by_lines(terminal, options, multi, first).await
    }
}

async fn by_keys(terminal: &mut Terminal, mut list: List<'_>) -> io::Result<Option<Vec<usize>>> {
    let _keys = Typing::keys()?;
    let mut drawn = list.draw(terminal);
    let chosen = loop {
        let key = terminal.key().await?;
        if key == Key::End {
            break None;
        }
        if key == Key::Enter {
            match list.chosen() {
                Some(positions) => break Some(positions),
                None => list.is_wrong = true,
            }
        } else {
            list.take(key);
        }
        clear(drawn);
        drawn = list.draw(terminal);
    };
    clear(drawn);
    if let Some(positions) = &chosen {
        let labels: Vec<_> =
            positions.iter().map(|at| shown_line(list.options[*at].label()).into_owned()).collect();
        say(&format!("  {}\n", labels.join(", ")));
    }
    terminal.is_answered();
    Ok(chosen)
}

/// What is drawn, and what was typed.
struct List<'o> {
    options: &'o [Choice],
    multi: bool,
    /// Which one the arrows have come to, of those that fit.
    at: usize,
    marked: Vec<bool>,
    typed: String,
    /// What was typed names nothing.
    is_wrong: bool,
}

impl<'o> List<'o> {
    fn new(options: &'o [Choice], multi: bool, first: Option<usize>) -> Self {
        let mut marked = vec![false; options.len()];
        if let Some(first) = first.filter(|_| multi) {
            marked[first] = true;
        }
        let typed = String::new();
        Self { options, multi, at: first.unwrap_or(0), marked, typed, is_wrong: false }
    }

    /// The positions of those whose label has what was typed; all, while that is numbers.
    fn fitting(&self) -> Vec<usize> {
        let typed = self.typed.trim().to_lowercase();
        let all = 0..self.options.len();
        let has = |at: &usize| self.options[*at].label().to_lowercase().contains(&typed);
        let fitting: Vec<_> = all.clone().filter(has).collect();
        let are_numbers = typed.chars().all(|it| it.is_ascii_digit() || matches!(it, ' ' | ','));
        if fitting.is_empty() && are_numbers { all.collect() } else { fitting }
    }

    fn take(&mut self, key: Key) {
        let count = self.fitting().len();
        self.is_wrong = false;
        match key {
            Key::Up if count > 0 => self.at = (self.at + count - 1) % count,
            Key::Down if count > 0 => self.at = (self.at + 1) % count,
            Key::Character(' ') if self.multi && self.typed.is_empty() => {
                self.marked[self.at] = !self.marked[self.at];
            }
            Key::Character(it) => {
                self.typed.push(it);
                self.at = 0;
            }
            Key::Backspace => {
                self.typed.pop();
                self.at = 0;
            }
            _ => {}
        }
    }

    fn chosen(&self) -> Option<Vec<usize>> {
        if self.typed.trim().is_empty() {
            let marked = |at: &usize| self.marked[*at];
            let all = 0..self.options.len();
            return Some(if self.multi { all.filter(marked).collect() } else { vec![self.at] });
        }
        let named = positions(self.options, &self.typed).filter(|named| self.fits(named));
        named.or_else(|| self.fitting().get(self.at).map(|at| vec![*at])).filter(|_| {
            // A number that is none of the list chooses nothing.
            self.typed.parse::<usize>().is_err() || positions(self.options, &self.typed).is_some()
        })
    }

    fn fits(&self, named: &[usize]) -> bool {
        !named.is_empty() && (self.multi || named.len() == 1)
    }

    /// Draws it, and says how many lines stand above the cursor.
    fn draw(&self, terminal: &mut Terminal) -> usize {
        let fitting = self.fitting();
        let from = self.at.saturating_sub(ROWS - 1);
        let width = columns().saturating_sub(1);
        let mut lines = 0;
        for (row, at) in fitting.iter().enumerate().skip(from).take(ROWS) {
            let option = &self.options[*at];
            let pointer = if row == self.at { ">" } else { " " };
            let mark = match (self.multi, self.marked[*at]) {
                (false, _) => "",
                (true, true) => "[x] ",
                (true, false) => "[ ] ",
            };
            let text = format!("{pointer} {mark}{}) {}", at + 1, shown_line(option.label()));
            let text: String = text.chars().take(width).collect();
            let room = width - text.chars().count();
            let more = option.description().map(|more| format!("  {}", shown_line(more)));
            let more: String = more.unwrap_or_default().chars().take(room).collect();
            if row == self.at {
                say(&format!("{BOLD}{text}{BOLD:#}{DIM}{more}{DIM:#}\n"));
            } else {
                say(&format!("{text}{DIM}{more}{DIM:#}\n"));
            }
            lines += 1;
        }
        let hint = match (self.is_wrong || fitting.is_empty(), self.multi, fitting.len() > ROWS) {
            (true, ..) => "that is none of the list",
            (_, true, _) => "arrows and Space, or numbers; Enter",
            (_, _, true) => "arrows, a number, or typing to look for it; Enter",
            _ => "arrows or a number; Enter",
        };
        // The line of the cursor stays one.
        let room = width.saturating_sub(hint.len() + 2);
        let typed = shown_line(&self.typed);
        let left_out = typed.chars().count().saturating_sub(room);
        let typed: String = typed.chars().skip(left_out).collect();
        terminal.prompt(&format!("{hint}: {typed}"));
        lines
    }
}

/// By lines, on a terminal whose cursor cannot be moved.
async fn by_lines(
    terminal: &mut Terminal,
    options: &[Choice],
    multi: bool,
    first: Option<usize>,
) -> io::Result<Option<Vec<usize>>> {
    for (position, option) in options.iter().enumerate() {
        let more = option.description().map(|text| format!("  {DIM}{}{DIM:#}", shown_line(text)));
        let label = shown_line(option.label());
        say(&format!("  {}) {label}{}\n", position + 1, more.unwrap_or_default()));
    }
    let offered = first.map(|first| format!(", Enter for {}", first + 1)).unwrap_or_default();
    loop {
        let wanted = if multi { "numbers" } else { "number" };
        terminal.prompt(&format!("{wanted}, 1 to {}{offered}: ", options.len()));
        let Some(line) = terminal.line().await? else { return Ok(None) };
        let named = if line.trim().is_empty() {
            Some(first.into_iter().collect())
        } else {
            positions(options, &line)
        };
        match named {
            Some(positions) if multi || positions.len() == 1 => return Ok(Some(positions)),
            _ if multi => say("  numbers of the list, with blanks between them, or none\n"),
            _ => say("  one number of the list\n"),
        }
    }
}

/// The options that a line names by a label or by numbers, in the order of the list.
fn positions(options: &[Choice], line: &str) -> Option<Vec<usize>> {
    if let Some(position) = options.iter().position(|option| option.label() == line.trim()) {
        return Some(vec![position]);
    }
    let words = line.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    let mut positions = words
        .map(|word| word.parse::<usize>().ok()?.checked_sub(1))
        .map(|position| position.filter(|position| *position < options.len()))
        .collect::<Option<Vec<_>>>()?;
    positions.sort_unstable();
    positions.dedup();
    Some(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices() -> Vec<Choice> {
        ["north", "south", "south-west"].map(|text| Choice::Text(text.to_owned())).into()
    }

    fn after(multi: bool, first: Option<usize>, keys: &[Key]) -> Option<Vec<usize>> {
        let options = choices();
        let mut list = List::new(&options, multi, first);
        for key in keys {
            list.take(*key);
        }
        list.chosen()
    }

    fn typed(text: &str) -> Vec<Key> {
        text.chars().map(Key::Character).collect()
    }

    #[test]
    fn arrows_go_round_and_enter_takes() {
        assert_eq!(after(false, None, &[]), Some(vec![0]));
        assert_eq!(after(false, Some(1), &[]), Some(vec![1]));
        assert_eq!(after(false, None, &[Key::Up]), Some(vec![2]));
        assert_eq!(after(false, Some(2), &[Key::Down, Key::Down]), Some(vec![1]));
        assert_eq!(after(true, None, &[]), Some(vec![]));
        let some = [Key::Character(' '), Key::Up, Key::Character(' ')];
        assert_eq!(after(true, None, &some), Some(vec![0, 2]));
    }

    #[test]
    fn typing_looks_for_an_option_and_numbers_name_one() {
        assert_eq!(after(false, None, &typed("West")), Some(vec![2]));
        assert_eq!(after(false, None, &typed("south")), Some(vec![1]));
        let below = [typed("sou"), vec![Key::Down]].concat();
        assert_eq!(after(false, None, &below), Some(vec![2]));
        assert_eq!(after(false, None, &typed("2")), Some(vec![1]));
        assert_eq!(after(true, None, &typed("3 1")), Some(vec![0, 2]));
        assert_eq!(after(false, None, &typed("4")), None);
        assert_eq!(after(false, None, &typed("east")), None);
        let taken_back = [typed("x"), vec![Key::Backspace]].concat();
        assert_eq!(after(false, None, &taken_back), Some(vec![0]));
    }
}
