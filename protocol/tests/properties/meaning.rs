//! What a JSON text means, for comparison. Written for these tests and for nothing else: numbers
//! by their text, members in order and with duplicates, half a surrogate as U+FFFD.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Scalar(String),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// Reads a valid JSON text.
pub(crate) fn meaning(text: &str) -> Meaning {
    read(text).0
}

pub(crate) fn has_half_a_surrogate(text: &str) -> bool {
    read(text).1
}

fn read(text: &str) -> (Meaning, bool) {
    let mut reader = Reader { rest: text, half_a_surrogate: false };
    let meaning = reader.value();
    assert_eq!(reader.next_token(), "", "something stands behind the value in {text}");
    (meaning, reader.half_a_surrogate)
}

struct Reader<'a> {
    rest: &'a str,
    half_a_surrogate: bool,
}

impl<'a> Reader<'a> {
    /// What follows the white space.
    fn next_token(&mut self) -> &'a str {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.rest
    }

    fn take(&mut self, token: char) -> bool {
        let found = self.next_token().strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn value(&mut self) -> Meaning {
        match self.next_token().chars().next() {
            Some('"') => Meaning::Text(self.string()),
            Some('[') => Meaning::List(self.list('[', ']', Self::value)),
            Some('{') => Meaning::Object(self.list('{', '}', |reader| {
                reader.next_token();
                let key = reader.string();
                assert!(reader.take(':'));
                (key, reader.value())
            })),
            _ => {
                let scalar = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
                let end = self.rest.find(|c| !scalar(c)).unwrap_or(self.rest.len());
                assert!(end > 0, "no value at {}", self.rest);
                let (scalar, rest) = self.rest.split_at(end);
                self.rest = rest;
                Meaning::Scalar(scalar.to_owned())
            }
        }
    }

    fn list<T>(&mut self, open: char, close: char, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        assert!(self.take(open));
        let mut items = Vec::new();
        if self.take(close) {
            return items;
        }
        loop {
            items.push(item(self));
            if self.take(close) {
                return items;
            }
            assert!(self.take(','), "no comma at {}", self.rest);
        }
    }

    fn string(&mut self) -> String {
        assert!(self.take('"'));
        let mut units = Vec::new();
        loop {
            let char = self.char();
            match char {
                '"' => {
                    self.half_a_surrogate |= String::from_utf16(&units).is_err();
                    return String::from_utf16_lossy(&units);
                }
                '\\' => units.push(self.escape()),
                _ => units.extend(char.encode_utf16(&mut [0; 2]).iter()),
            }
        }
    }

    fn escape(&mut self) -> u16 {
        match self.char() {
            'b' => 0x08,
            't' => 0x09,
            'n' => 0x0A,
            'f' => 0x0C,
            'r' => 0x0D,
            'u' => {
                let (digits, rest) = self.rest.split_at(4);
                self.rest = rest;
                u16::from_str_radix(digits, 16).unwrap()
            }
            other => u16::try_from(u32::from(other)).unwrap(),
        }
    }

    fn char(&mut self) -> char {
        let char = self.rest.chars().next().expect("the string ends");
        self.rest = &self.rest[char.len_utf8()..];
        char
    }
}
