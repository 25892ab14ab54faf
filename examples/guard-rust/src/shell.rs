//! Reads a command line as far as the rules need it: which programs run, with which words. It
//! knows quotes, operators, redirections and substitutions; it expands nothing.

use std::iter::Peekable;
use std::str::Chars;

/// One program with its words, as in `rm -rf /`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Simple {
    /// Without quotes. A substitution is gone from them; it stands in `substitutions`.
    pub(crate) words: Vec<String>,
    /// Where `>` and its like write to.
    pub(crate) writes_to: Vec<String>,
    /// The text inside of `$(...)`, `<(...)` and backquotes.
    pub(crate) substitutions: Vec<String>,
    /// Whether the one before it pipes into it.
    pub(crate) piped: bool,
}

/// The programs of a command line, in order, those in `(...)` and `{...}` among them.
pub(crate) fn commands(line: &str) -> Vec<Simple> {
    let mut reader = Reader {
        rest: line.chars().peekable(),
        done: Vec::new(),
        current: Simple::default(),
        word: None,
        writes_next: false,
    };
    reader.read();
    reader.done
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    done: Vec<Simple>,
    current: Simple,
    /// `None` between words; `Some` of an empty text is a word too, as `''`.
    word: Option<String>,
    /// Whether a `>` waits for its word.
    writes_next: bool,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(char) = self.rest.next() {
            match char {
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                // A backslash before the end of a line joins the two lines.
                '\\' => {
                    if let Some(next) = self.rest.next()
                        && next != '\n'
                    {
                        self.push(next);
                    }
                }
                '`' => self.substitution('`'),
                '$' | '<' | '>' if self.rest.next_if_eq(&'(').is_some() => self.substitution(')'),
                '#' if self.word.is_none() => {
                    while self.rest.next_if(|it| *it != '\n').is_some() {}
                }
                '>' => self.redirection(),
                // What is read stays a word: no rule minds.
                '<' => self.end_word(),
                '&' if self.rest.next_if_eq(&'>').is_some() => self.redirection(),
                '|' if self.rest.next_if_eq(&'|').is_none() => {
                    self.rest.next_if_eq(&'&');
                    self.end_command(true);
                }
                ';' | '&' | '|' | '\n' | '(' | ')' => self.end_command(false),
                // Words to the shell, and only where a command begins.
                '{' | '}' | '!' if self.word.is_none() && self.current.words.is_empty() => {}
                char if char.is_whitespace() => self.end_word(),
                char => self.push(char),
            }
        }
        self.end_command(false);
    }

    fn single_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(char) = self.rest.next_if(|it| *it != '\'') {
            self.push(char);
        }
        self.rest.next();
    }

    fn double_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(char) = self.rest.next() {
            match char {
                '"' => return,
                '\\' => {
                    if let Some(next) = self.rest.next() {
                        self.push(next);
                    }
                }
                '`' => self.substitution('`'),
                '$' if self.rest.next_if_eq(&'(').is_some() => self.substitution(')'),
                char => self.push(char),
            }
        }
    }

    /// What stands between here and the `end` that belongs to it.
    fn substitution(&mut self, end: char) {
        let mut depth = 1;
        let mut text = String::new();
        for char in self.rest.by_ref() {
            depth += u32::from(char == '(');
            depth -= u32::from(char == end);
            if depth == 0 {
                break;
            }
            text.push(char);
        }
        self.word.get_or_insert_default();
        self.current.substitutions.push(text);
    }

    /// The rest of `>`, `>>`, `>|` or `>&`; the descriptor before it is no word of the command.
    fn redirection(&mut self) {
        self.word.take_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        while self.rest.next_if(|it| matches!(it, '>' | '|' | '&')).is_some() {}
        self.writes_next = true;
    }

    fn push(&mut self, char: char) {
        self.word.get_or_insert_default().push(char);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        let writes = std::mem::take(&mut self.writes_next);
        if writes { self.current.writes_to.push(word) } else { self.current.words.push(word) }
    }

    fn end_command(&mut self, pipes: bool) {
        self.end_word();
        let next = Simple { piped: pipes, ..Simple::default() };
        let ended = std::mem::replace(&mut self.current, next);
        if !(ended.words.is_empty() && ended.writes_to.is_empty()) {
            self.done.push(ended);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Vec<String>> {
        commands(line).into_iter().map(|command| command.words).collect()
    }

    #[test]
    fn quotes_and_backslashes_are_taken_away() {
        assert_eq!(words(r#"'rm'  "-r"f \/ '' "a\"b""#), [["rm", "-rf", "/", "", "a\"b"]]);
        assert_eq!(words("rm \\\n-rf"), [["rm", "-rf"]]);
        assert_eq!(words("echo 'rm -rf / ; x'"), [["echo", "rm -rf / ; x"]]);
        assert_eq!(words("echo 'open"), [["echo", "open"]]);
    }

    #[test]
    fn operators_part_commands_and_only_pipes_connect_them() {
        let line = "a 1&&b||c;d|e|&f&\ng # h; i\n(j) { k; }";
        assert_eq!(words(line).concat(), ["a", "1", "b", "c", "d", "e", "f", "g", "j", "k"]);
        let piped: Vec<_> =
            commands(line).into_iter().filter(|it| it.piped).map(|it| it.words.concat()).collect();
        assert_eq!(piped, ["e", "f"]);
    }

    #[test]
    fn redirections_are_no_words() {
        for line in ["a b >out 2>&1", "a >out b 2>&1", "a b &>out 2>>1"] {
            let read = commands(line);
            assert_eq!(read[0].writes_to, ["out", "1"], "{line}");
            assert_eq!(read[0].words, ["a", "b"], "{line}");
        }
    }

    #[test]
    fn substitutions_are_kept_apart() {
        let read = commands(r#"a "x$(b (c) d)y" `e f` <(g) '$(h)' $((1+2))"#);
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].words, ["a", "xy", "", "", "$(h)", ""]);
        assert_eq!(read[0].substitutions, ["b (c) d", "e f", "g", "(1+2)"]);
    }
}
