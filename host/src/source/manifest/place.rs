//! Where in a text of JSON a value stands.

use std::collections::HashMap;

use extline_protocol::pointer::join;

/// The places of the values of a text, by JSON pointer. It must be JSON.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Where the value is, and where its name is if it is a member.
    found: HashMap<String, (usize, Option<usize>)>,
    /// Members that stand in their object twice, with the offset of the second name.
    pub(super) doubles: Vec<(String, usize)>,
}

impl Places {
    pub(super) fn of(text: &str) -> Self {
        let mut walk = Walk { text, at: 0, places: Self::default() };
        walk.value("");
        walk.places
    }

    /// Where the value is, or the nearest one around it.
    pub(super) fn value(&self, pointer: &str) -> usize {
        let mut pointer = pointer;
        loop {
            if let Some((at, _)) = self.found.get(pointer) {
                return *at;
            }
            let Some((above, _)) = pointer.rsplit_once('/') else { return 0 };
            pointer = above;
        }
    }

    /// Where the name of a member is.
    pub(super) fn name(&self, pointer: &str) -> usize {
        let name = self.found.get(pointer).and_then(|(_, name)| *name);
        name.unwrap_or_else(|| self.value(pointer))
    }
}

/// The line and the column of an offset, both from 1, the column in characters.
pub(super) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

struct Walk<'t> {
    text: &'t str,
    at: usize,
    places: Places,
}

impl Walk<'_> {
    /// What was parsed is nested no deeper than its parser goes, so this is not either.
    fn value(&mut self, pointer: &str) {
        self.blanks();
        self.places.found.entry(pointer.to_owned()).or_default().0 = self.at;
        match self.byte() {
            b'{' => self.members(pointer),
            b'[' => self.elements(pointer),
            b'"' => drop(self.string()),
            _ => {
                let ends =
                    |byte: u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                self.skip(|byte| !ends(byte));
            }
        }
    }

    fn members(&mut self, pointer: &str) {
        self.at += 1;
        loop {
            self.blanks();
            match self.byte() {
                b'"' => {
                    let name_at = self.at;
                    let member = join(pointer, &self.string());
                    let place = (name_at, Some(name_at));
                    if self.places.found.insert(member.clone(), place).is_some() {
                        self.places.doubles.push((member.clone(), name_at));
                    }
                    self.blanks();
                    // The colon.
                    self.at += 1;
                    self.value(&member);
                }
                b',' => self.at += 1,
                _ => break,
            }
        }
        self.at += 1;
    }

    fn elements(&mut self, pointer: &str) {
        self.at += 1;
        for index in 0.. {
            self.blanks();
            if self.byte() == b',' {
                self.at += 1;
            }
            self.blanks();
            if matches!(self.byte(), b']' | 0) {
                break;
            }
            self.value(&join(pointer, &index.to_string()));
        }
        self.at += 1;
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while !matches!(self.byte(), b'"' | 0) {
            self.at += if self.byte() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(quoted).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.skip(|byte| byte.is_ascii_whitespace());
    }

    fn skip(&mut self, goes_on: impl Fn(u8) -> bool) {
        while self.byte() != 0 && goes_on(self.byte()) {
            self.at += 1;
        }
    }

    /// The byte here; 0 behind the end, which JSON itself does not hold.
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_names_are_found() {
        let text = "{\n  \"a/b\": [1, {\"ü\": \"\\\"}\"}],\n  \"ü\": 1, \"last\": null\n}";
        let places = Places::of(text);
        let value = |pointer: &str| line_and_column(text, places.value(pointer));
        let name = |pointer: &str| line_and_column(text, places.name(pointer));
        assert_eq!(value(""), (1, 1));
        assert_eq!((name("/a~1b"), value("/a~1b")), ((2, 3), (2, 10)));
        assert_eq!(value("/a~1b/1/ü"), (2, 20));
        assert_eq!((name("/last"), value("/last")), ((3, 11), (3, 19)));
        // What is not there is where it would be.
        assert_eq!(value("/a~1b/1/none/x"), (2, 14));
        assert!(places.doubles.is_empty());
        let doubles = Places::of("{\"a\": 1,\n \"a\": 2}").doubles;
        assert_eq!(doubles, [("/a".to_owned(), 10)]);
    }
}
