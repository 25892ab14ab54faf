//! What can still be said about a frame that cannot be used: its `type` and its `id`.

use crate::bytes::find_either;
use crate::id::Id;
use crate::json::repair_surrogates;

/// The `type` and `id` at the top level of a frame, wherever they stand (`frm.unusable`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The last `type` that is a string.
    pub frame_type: Option<String>,
    /// The last `id` that is a non-empty string.
    pub id: Option<Id>,
}

impl Head {
    /// Looks through a text that may be malformed, cut or too deep.
    pub fn of(text: &str) -> Self {
        let mut scanner = HeadScanner::default();
        scanner.scan(text.as_bytes());
        scanner.finish()
    }
}

/// Finds the head of a frame that arrives in pieces and is too long to keep.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeadScanner {
    place: Place,
    /// How much of a byte order mark has come.
    mark: usize,
    open: usize,
    in_string: bool,
    after_backslash: bool,
    captured: Option<Vec<u8>>,
    member: Member,
    head: Head,
}

/// Longest key, type or id that is looked at; memory stays bounded whatever comes.
const CAPTURE: usize = 4096;

/// A byte order mark.
const MARK: &[u8] = b"\xEF\xBB\xBF";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Key,
    Value,
    NotAnObject,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Member {
    Type,
    Id,
    #[default]
    Other,
}

impl HeadScanner {
    pub(crate) fn scan(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() && self.place != Place::NotAnObject {
            if self.in_string && self.captured.is_none() && !self.after_backslash {
                let Some(offset) = find_either(b'"', b'\\', &bytes[at..]) else { return };
                at += offset;
            }
            self.step(bytes[at]);
            at += 1;
        }
    }

    pub(crate) fn finish(self) -> Head {
        self.head
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.step_in_string(byte);
            return;
        }
        match byte {
            b'{' | b'[' => {
                if self.place == Place::Before {
                    let begins = byte == b'{' && matches!(self.mark, 0 | 3);
                    self.place = if begins { Place::Key } else { Place::NotAnObject };
                }
                self.open += 1;
            }
            b'}' | b']' => self.open = self.open.saturating_sub(1),
            b',' if self.open == 1 => self.place = Place::Key,
            b':' if self.open == 1 => self.place = Place::Value,
            b'"' => {
                self.in_string = true;
                let wanted = self.place == Place::Key || self.member != Member::Other;
                self.captured = (self.open == 1 && wanted).then(Vec::new);
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ if self.place == Place::Before && MARK.get(self.mark) == Some(&byte) => {
                self.mark += 1;
            }
            _ if self.place == Place::Before => self.place = Place::NotAnObject,
            _ => {}
        }
    }

    fn step_in_string(&mut self, byte: u8) {
        if byte == b'"' && !self.after_backslash {
            self.in_string = false;
            self.end_of_string();
            return;
        }
        self.after_backslash = byte == b'\\' && !self.after_backslash;
        if let Some(captured) = &mut self.captured {
            captured.push(byte);
            if captured.len() > CAPTURE {
                self.captured = None;
            }
        }
    }

    fn end_of_string(&mut self) {
        let string = self.captured.take().and_then(|body| {
            let body = repair_surrogates(&String::from_utf8_lossy(&body));
            serde_json::from_str::<String>(&format!("\"{body}\"")).ok()
        });
        if self.open != 1 {
            return;
        }
        match self.place {
            Place::Key => self.start_member(string.as_deref()),
            Place::Value => self.end_member(string),
            Place::Before | Place::NotAnObject => {}
        }
    }

    /// Of duplicate keys the last wins, so what an earlier one said no longer counts.
    fn start_member(&mut self, key: Option<&str>) {
        self.member = match key {
            Some("type") => Member::Type,
            Some("id") => Member::Id,
            _ => Member::Other,
        };
        match self.member {
            Member::Type => self.head.frame_type = None,
            Member::Id => self.head.id = None,
            Member::Other => {}
        }
    }

    fn end_member(&mut self, string: Option<String>) {
        match self.member {
            Member::Type => self.head.frame_type = string,
            Member::Id => {
                self.head.id = string.filter(|id| !id.is_empty()).map(|id| id.as_str().into());
            }
            Member::Other => {}
        }
        self.member = Member::Other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> (Option<String>, Option<String>) {
        let whole = Head::of(text);
        let mut in_pieces = HeadScanner::default();
        for byte in text.as_bytes().chunks(1) {
            in_pieces.scan(byte);
        }
        assert_eq!(in_pieces.finish(), whole, "{text}");
        (whole.frame_type, whole.id.map(|id| id.to_string()))
    }

    fn some(frame_type: &str, id: &str) -> (Option<String>, Option<String>) {
        (Some(frame_type.to_owned()), Some(id.to_owned()))
    }

    #[test]
    fn type_and_id_are_found_wherever_they_stand() {
        assert_eq!(
            head(r#"{"type":"tool_call","id":"7","args":{"type":"x","id":"y"}}"#),
            some("tool_call", "7")
        );
        assert_eq!(
            head(r#"{"args":{"id":"y"},"l":["id"],"id":"7","type":"tool_call"}"#),
            some("tool_call", "7")
        );
        assert_eq!(head(r#" {"a":"\"type\":","i\u0064":"\u0037","type":"t"}"#), some("t", "7"));
    }

    #[test]
    fn malformed_and_cut_text_still_tells() {
        assert_eq!(head(r#"{"type":"tool_call","id":"7","name":}"#), some("tool_call", "7"));
        assert_eq!(head(r#"{"type":"tool_call","id":"7","args":{"a":"#), some("tool_call", "7"));
        assert_eq!(head(r#"{"type":"tool_call","id":"7"#), (Some("tool_call".to_owned()), None));
        assert_eq!(head("\u{feff}{\"type\":\"t\",\"id\":\"7\""), some("t", "7"));
        assert_eq!(head(r#"{"type":"t","id":"\ud800"}"#), some("t", "\u{fffd}"));
    }

    #[test]
    fn the_last_duplicate_wins_and_other_types_do_not_count() {
        assert_eq!(head(r#"{"type":"a","id":"1","type":"b","id":"2"}"#), some("b", "2"));
        assert_eq!(head(r#"{"type":"a","id":"1","id":7}"#), (Some("a".to_owned()), None));
        assert_eq!(head(r#"{"type":"a","id":""}"#), (Some("a".to_owned()), None));
        assert_eq!(head(r#"{"type":5,"id":"x"}"#), (None, Some("x".to_owned())));
        assert_eq!(head(r#"{"type":{"type":"a"},"id":["b"]}"#), (None, None));
    }

    #[test]
    fn what_is_no_object_has_no_head() {
        assert_eq!(head(r#"[{"type":"a","id":"1"}]"#), (None, None));
        assert_eq!(head(r#"hello {"type":"a","id":"1"}"#), (None, None));
        // Neither is what begins with a part of a byte order mark, which is no text.
        for part in [&b"\xEF"[..], b"\xBB", b"\xEF\xBB", b"\xEF\xBF"] {
            let mut scanner = HeadScanner::default();
            scanner.scan(part);
            scanner.scan(br#"{"type":"a","id":"1"}"#);
            assert_eq!(scanner.finish(), Head::default(), "{part:?}");
        }
    }
}
