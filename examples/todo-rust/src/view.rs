//! The list as a panel: a line for each, one of them selected, and a line to type a new one into.

use extline::Key;

use crate::todos::{Todo, Todos};

/// What the panel shows beside the list itself.
#[derive(Debug, Default)]
pub(crate) struct View {
    selected: usize,
    /// The text of a new one, while it is typed.
    typed: Option<String>,
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Draw again; the list may have changed.
    Draw,
    /// The panel is to go.
    Close,
}

impl View {
    /// Acts on a key.
    pub(crate) fn press(&mut self, key: &Key, todos: &mut Todos) -> Wish {
        if self.typed.is_some() {
            self.press_while_typing(key, todos);
            return Wish::Draw;
        }
        match key {
            Key::Up => self.selected = self.selected.saturating_sub(1),
            Key::Down => self.selected += 1,
            Key::Char(' ') | Key::Enter => {
                if let Some(todo) = todos.todos.get_mut(self.selected) {
                    todo.done = !todo.done;
                }
            }
            Key::Char('a') => self.typed = Some(String::new()),
            Key::Char('d') | Key::Delete if self.selected < todos.todos.len() => {
                todos.todos.remove(self.selected);
            }
            // A zot keeps esc to itself and closes the panel.
            Key::Esc | Key::Char('q') => return Wish::Close,
            _ => {}
        }
        self.stay_within(todos);
        Wish::Draw
    }

    fn press_while_typing(&mut self, key: &Key, todos: &mut Todos) {
        let typed = self.typed.get_or_insert_default();
        match key {
            Key::Char(char) => typed.push(*char),
            Key::Text(text) => typed.push_str(text),
            Key::Backspace => drop(typed.pop()),
            Key::Enter => {
                if todos.add(typed) {
                    self.selected = todos.todos.len() - 1;
                }
                self.typed = None;
            }
            Key::Esc => self.typed = None,
            _ => {}
        }
    }

    pub(crate) fn lines(&mut self, todos: &Todos) -> Vec<String> {
        self.stay_within(todos);
        let line = |(index, todo): (usize, &Todo)| {
            let is_selected = index == self.selected && self.typed.is_none();
            format!("{} {todo}", if is_selected { '>' } else { ' ' })
        };
        let mut lines: Vec<_> = todos.todos.iter().enumerate().map(line).collect();
        if let Some(typed) = &self.typed {
            lines.push(format!("> new: {typed}_"));
        } else if lines.is_empty() {
            lines.push("  nothing to do".to_owned());
        }
        lines
    }

    pub(crate) fn footer(&self) -> &'static str {
        if self.typed.is_some() {
            "enter: add it, or nothing if there is no text"
        } else {
            "up, down  space: done  a: add  d: delete  esc: close"
        }
    }

    pub(crate) fn title(todos: &Todos) -> String {
        let open = todos.todos.iter().filter(|todo| !todo.done).count();
        format!("Todos, {open} of {} open", todos.todos.len())
    }

    /// The list may have become shorter, also by a tool call while the panel is open.
    fn stay_within(&mut self, todos: &Todos) {
        self.selected = self.selected.min(todos.todos.len().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Key::{Backspace, Char, Delete, Down, Enter, Esc, Home, Up};

    /// A panel and its list after these keys.
    fn after(keys: &[Key]) -> (View, Todos) {
        let (mut view, mut todos) = (View::default(), Todos::default());
        for text in ["one", "two", "three"] {
            todos.add(text);
        }
        for key in keys {
            assert_eq!(view.press(key, &mut todos), Wish::Draw);
        }
        (view, todos)
    }

    #[track_caller]
    fn shows(keys: &[Key], lines: &[&str]) {
        let (mut view, todos) = after(keys);
        assert_eq!(view.lines(&todos), lines);
    }

    #[test]
    fn up_and_down_select_and_stay_within() {
        shows(&[Down], &["  [ ] one", "> [ ] two", "  [ ] three"]);
        shows(&[Down, Down, Down, Down, Up], &["  [ ] one", "> [ ] two", "  [ ] three"]);
        shows(&[Up, Home, Char('x')], &["> [ ] one", "  [ ] two", "  [ ] three"]);
    }

    #[test]
    fn space_and_enter_toggle_the_selected_one() {
        shows(&[Down, Char(' ')], &["  [ ] one", "> [x] two", "  [ ] three"]);
        shows(&[Char(' '), Enter, Down, Enter], &["  [ ] one", "> [x] two", "  [ ] three"]);
    }

    #[test]
    fn d_and_delete_remove_the_selected_one() {
        shows(&[Char('d')], &["> [ ] two", "  [ ] three"]);
        shows(&[Down, Down, Delete], &["  [ ] one", "> [ ] two"]);
        shows(&[Delete, Delete, Delete, Delete, Enter], &["  nothing to do"]);
    }

    #[test]
    fn a_types_a_new_one() {
        let all = ["  [ ] one", "  [ ] two", "  [ ] three"];
        let typing =
            [Char('a'), Char('d'), Char(' '), Key::Text("é!".into()), Backspace, Char('a'), Up];
        shows(&typing, &[&all[..], &["> new: d éa_"]].concat());
        shows(&[&typing[..], &[Enter]].concat(), &[&all[..], &["> [ ] d éa"]].concat());
        for end in [Esc, Enter] {
            shows(&[Char('a'), Char(' '), end], &["> [ ] one", "  [ ] two", "  [ ] three"]);
        }
    }

    #[test]
    fn esc_closes_unless_something_is_typed() {
        let (mut view, mut todos) = after(&[Char('a'), Esc]);
        assert_eq!(view.press(&Esc, &mut todos), Wish::Close);
        assert_eq!(view.press(&Char('q'), &mut todos), Wish::Close);
    }

    #[test]
    fn title_and_footer_say_how_it_stands() {
        let (view, todos) = after(&[Enter]);
        assert_eq!(View::title(&todos), "Todos, 2 of 3 open");
        assert!(view.footer().contains("esc: close"));
        let (view, _) = after(&[Char('a')]);
        assert!(view.footer().contains("enter"));
    }

    #[test]
    fn a_list_that_became_shorter_keeps_its_last_line_selected() {
        let (mut view, mut todos) = after(&[Down, Down]);
        todos.todos.truncate(1);
        assert_eq!(view.lines(&todos), ["> [ ] one"]);
    }
}
