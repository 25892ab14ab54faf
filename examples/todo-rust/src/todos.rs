//! The list itself.

use std::fmt;

use extline::prelude::*;

/// Things to do, in the order in which they were added. Written as `{"todos":[...]}`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Todos {
    pub(crate) todos: Vec<Todo>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Todo {
    pub(crate) text: String,
    pub(crate) done: bool,
}

impl Todos {
    /// Adds one line at the end; false for a text with nothing in it.
    pub(crate) fn add(&mut self, text: &str) -> bool {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_something = !text.is_empty();
        if is_something {
            self.todos.push(Todo { text, done: false });
        }
        is_something
    }

    /// The one of that number, from 1.
    pub(crate) fn numbered(&mut self, number: usize) -> Option<&mut Todo> {
        self.todos.get_mut(number.checked_sub(1)?)
    }
}

/// `[x] text`
impl fmt::Display for Todo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.done { 'x' } else { ' ' };
        write!(formatter, "[{mark}] {}", self.text)
    }
}

/// The numbered list, as the model reads it.
impl fmt::Display for Todos {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.todos.is_empty() {
            return formatter.write_str("nothing to do");
        }
        for (index, todo) in self.todos.iter().enumerate() {
            let line_end = if index == 0 { "" } else { "\n" };
            write!(formatter, "{line_end}{}. {todo}", index + 1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_one_line_and_numbered_from_1() {
        let mut todos = Todos::default();
        assert_eq!(todos.to_string(), "nothing to do");
        assert!(todos.add(" buy\n milk "));
        assert!(todos.add("ship"));
        assert!(!todos.add(" \t"));
        todos.numbered(2).unwrap().done = true;
        assert_eq!(todos.to_string(), "1. [ ] buy milk\n2. [x] ship");
        assert_eq!(todos.numbered(0), None);
        assert_eq!(todos.numbered(3), None);
    }
}
