//! Objects and arrays taken apart: their members and elements as spans of the text.

use std::borrow::Cow;

use super::RawJson;
use super::ends::Ends;
use super::scanner::Scanner;
use super::unescape::unescape;

/// Members kept without an allocation; calls and their answers have fewer. A longer list would have
/// to be moved about for nothing.
const INLINE_MEMBERS: usize = 8;

/// One member of an object, as spans of the text it stands in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Member<'a> {
    key: &'a str,
    key_is_escaped: bool,
    /// The value's text, without white space around it.
    pub value: &'a str,
}

impl<'a> Member<'a> {
    /// Whether that is its key.
    #[inline]
    pub fn is(&self, name: &str) -> bool {
        if self.key_is_escaped { unescape(self.key) == name } else { self.key == name }
    }

    /// The key with its escapes resolved.
    pub fn key(&self) -> Cow<'a, str> {
        if self.key_is_escaped { Cow::Owned(unescape(self.key)) } else { Cow::Borrowed(self.key) }
    }
}

/// The members of one object in wire order, duplicates included.
#[derive(Debug)]
pub struct Members<'a> {
    inline: [Member<'a>; INLINE_MEMBERS],
    spilled: Vec<Member<'a>>,
    count: usize,
    /// The value of one member, and where the values in it end.
    opened: (&'a str, Ends),
    /// Objects and arrays open at once inside this object, itself included.
    pub depth: usize,
    /// A string in it holds half of a surrogate pair.
    pub unpaired_surrogate: bool,
    /// They are an author's, to which the session adds what it stamps on a frame.
    pub is_unstamped: bool,
}

impl<'a> Members<'a> {
    /// Splits an object; `None` when the text is no valid JSON, or another value.
    pub fn of(object: &'a str) -> Option<Self> {
        let mut members = Self::none();
        members.scan(Scanner::new(object), None)?;
        Some(members)
    }

    /// Splits an object that an author made, without what the session stamps on a frame.
    pub fn unstamped(object: &'a str) -> Option<Self> {
        Some(Self { is_unstamped: true, ..Self::of(object)? })
    }

    /// Of no object yet.
    pub fn none() -> Self {
        Self {
            inline: [Member::default(); INLINE_MEMBERS],
            spilled: Vec::new(),
            count: 0,
            opened: ("", Ends::default()),
            depth: 0,
            unpaired_surrogate: false,
            is_unstamped: false,
        }
    }

    /// Splits the first object it is given where it stands, as a move costs as much as a member.
    /// Remembers of one member where the values in it end, for [`Members::raw`].
    pub fn split_opening(&mut self, object: &'a str, name: &str) -> Option<()> {
        self.scan(Scanner::new(object), Some(name))
    }

    /// Splits a text that is known to be valid, in less time; `None` when it is another value. Its
    /// surrogates are not looked at.
    pub fn of_valid(object: &'a str) -> Option<Self> {
        let mut members = Self::none();
        members.scan(Scanner::of_valid(object), None)?;
        Some(members)
    }

    fn scan(&mut self, mut scanner: Scanner<'a>, to_open: Option<&str>) -> Option<()> {
        if !scanner.enters(b'{') {
            return None;
        }
        if !scanner.takes(b'}') {
            loop {
                let (key, key_is_escaped) = scanner.key()?;
                let value = if to_open == Some(key) {
                    self.opened = scanner.value_with_ends()?;
                    self.opened.0
                } else {
                    scanner.value()?
                };
                self.push(Member { key, key_is_escaped, value });
                if scanner.takes(b'}') {
                    break;
                }
                if !scanner.takes(b',') {
                    return None;
                }
            }
        }
        if !scanner.is_at_end() {
            return None;
        }
        self.depth = scanner.deepest;
        self.unpaired_surrogate = scanner.unpaired_surrogate;
        Some(())
    }

    /// All members in wire order.
    pub fn iter(&self) -> impl Iterator<Item = &Member<'a>> {
        self.inline[..self.count.min(INLINE_MEMBERS)].iter().chain(&self.spilled)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The last member of that name: of duplicate keys the last wins (`frm.duplicate-keys`).
    pub fn last(&self, name: &str) -> Option<&Member<'a>> {
        self.iter().filter(|member| member.is(name)).last()
    }

    /// The value of a member as it stands; `null` for one that is absent.
    pub fn raw(&self, value: Option<&str>) -> RawJson {
        let Some(value) = value else { return RawJson::null() };
        let (opened, ends) = self.opened;
        // Not by the name: of duplicates the last counts, and it may be spelt with escapes.
        if std::ptr::eq(value, opened) {
            RawJson::of_opened(value, ends)
        } else {
            RawJson::of_repaired(value)
        }
    }

    fn push(&mut self, member: Member<'a>) {
        if self.count < INLINE_MEMBERS {
            self.inline[self.count] = member;
        } else {
            self.spilled.push(member);
        }
        self.count += 1;
    }
}

/// The members of one object in a text that is known to be valid, one by one as they are found: for
/// those who look at each once.
#[derive(Debug)]
pub struct EachMember<'a> {
    scanner: Scanner<'a>,
    ends: Ends,
    /// How many were found.
    count: usize,
}

impl<'a> EachMember<'a> {
    /// Goes into an object; `None` when the text is another value.
    pub fn of_valid(object: &'a str) -> Option<Self> {
        Self::of_opened(object, Ends::default())
    }

    /// Those of a value that stands in the text `whole`, of whose own values some ends are known.
    pub fn of_part(value: &'a str, whole: &str, ends: Ends) -> Option<Self> {
        // Nothing inside of it is as long as the whole.
        let is_whole = value.len() == whole.len();
        Self::of_opened(value, if is_whole { ends } else { Ends::default() })
    }

    /// The same where it is known where the first values end.
    pub(super) fn of_opened(object: &'a str, ends: Ends) -> Option<Self> {
        let mut scanner = Scanner::of_valid(object);
        scanner.enters(b'{').then_some(Self { scanner, ends, count: 0 })
    }
}

impl<'a> Iterator for EachMember<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let is_first = self.count == 0;
        let more = if is_first { !self.scanner.takes(b'}') } else { self.scanner.takes(b',') };
        if !more {
            return None;
        }
        let (key, key_is_escaped) = self.scanner.key()?;
        let value = match self.ends.of(self.count) {
            Some(end) => self.scanner.value_until(end)?,
            None => self.scanner.value()?,
        };
        self.count += 1;
        Some(Member { key, key_is_escaped, value })
    }
}

/// The elements of one array, as spans of its text. They end where the text is no valid JSON.
#[derive(Debug)]
pub struct Elements<'a> {
    scanner: Scanner<'a>,
    is_first: bool,
}

impl<'a> Elements<'a> {
    /// Splits an array; `None` when the text is another value.
    pub fn of(array: &'a str) -> Option<Self> {
        let mut scanner = Scanner::new(array);
        scanner.enters(b'[').then_some(Self { scanner, is_first: true })
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let is_first = std::mem::take(&mut self.is_first);
        let more = if is_first { !self.scanner.takes(b']') } else { self.scanner.takes(b',') };
        if more { self.scanner.value() } else { None }
    }
}

/// Objects and arrays open at once in a JSON text; 0 for a scalar.
pub fn depth(text: &str) -> usize {
    scan_whole(text).deepest
}

/// Whether a string in the text holds a `\ud800`-style escape without its other half.
pub(crate) fn has_unpaired_surrogate(text: &str) -> bool {
    scan_whole(text).unpaired_surrogate
}

/// The one value of a text, without white space around it, and whether a surrogate in it is
/// unpaired; `None` when the text is no valid JSON.
pub(super) fn sole_value(text: &str) -> Option<(&str, bool)> {
    let mut scanner = Scanner::new(text);
    let value = scanner.value()?;
    scanner.is_at_end().then_some((value, scanner.unpaired_surrogate))
}

fn scan_whole(text: &str) -> Scanner<'_> {
    let mut scanner = Scanner::new(text);
    scanner.value();
    scanner
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<(String, String)> {
        let members = Members::of(text).unwrap();
        members.iter().map(|m| (m.key().into_owned(), m.value.to_owned())).collect()
    }

    #[test]
    fn members_are_spans_in_wire_order() {
        let found = split(r#" { "a" : 1 ,"b":"x\"}", "c":{"d":[1,{}]},"e":[ ] , "f":null}"#);
        let expected =
            [("a", "1"), ("b", r#""x\"}""#), ("c", r#"{"d":[1,{}]}"#), ("e", "[ ]"), ("f", "null")];
        assert_eq!(found, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
    }

    #[test]
    fn keys_are_unescaped_and_the_last_duplicate_wins() {
        let members = Members::of(r#"{"\u0074ype":"x","type":"y"}"#).unwrap();
        assert_eq!(members.last("type").unwrap().value, r#""y""#);
        assert_eq!(members.iter().next().unwrap().key(), "type");
    }

    #[test]
    fn each_member_is_found_as_all_of_them_are() {
        for text in [
            "{}",
            " { } ",
            r#"{"a":1}"#,
            r#" { "a" : {"b":[{"c":"}"}]} , "a\u0062" : "x\"," ,"a":[ ] } "#,
        ] {
            let all = Members::of(text).unwrap();
            let each: Vec<_> =
                EachMember::of_valid(text).unwrap().map(|m| (m.key(), m.value)).collect();
            assert_eq!(each, all.iter().map(|m| (m.key(), m.value)).collect::<Vec<_>>(), "{text}");
        }
        assert!(EachMember::of_valid("[1]").is_none());
    }

    #[test]
    fn of_one_member_it_is_known_where_the_values_in_it_end() {
        for value in [
            "{}",
            r#"{ "a" : "x\"}" ,"b":[{ }], "c":{"d":[1,{}]} , "e":1.5,"f":"not known" }"#,
            r#"{"a":[1,2],"\u0061":{} }"#,
            "[1,2]",
            "null",
        ] {
            let text = format!("{{\"x\":{{\"y\":1}}, \"args\" : {value} ,\"z\":{{}}}}");
            let mut members = Members::none();
            members.split_opening(&text, "args").unwrap();
            let all = Members::of(&text).unwrap();
            let spans = |members: &Members<'_>| -> Vec<_> {
                members.iter().map(|member| member.value.as_bytes().as_ptr_range()).collect()
            };
            assert_eq!(spans(&members), spans(&all), "{text}");
            assert_eq!(members.depth, all.depth, "{text}");

            let raw = members.raw(Some(members.last("args").unwrap().value));
            assert_eq!(raw.get(), value);
            let (Some(each), Some(all)) = (raw.members_of(raw.get()), Members::of(raw.get()))
            else {
                assert!(!raw.is_object());
                continue;
            };
            let known = (0..all.count()).filter(|at| members.opened.1.of(*at).is_some()).count();
            assert_eq!(known, all.count().min(4), "{text}");
            let found: Vec<_> = each.map(|member| member.value.as_bytes().as_ptr_range()).collect();
            assert_eq!(found, spans(&all), "{text}");
        }
    }

    #[test]
    fn more_members_than_fit_inline_are_kept() {
        let text = format!(
            "{{{}}}",
            (0..40).map(|n| format!("\"k{n}\":{n}")).collect::<Vec<_>>().join(",")
        );
        let members = Members::of(&text).unwrap();
        assert_eq!(members.iter().count(), 40);
        assert_eq!(members.last("k39").unwrap().value, "39");
    }

    #[test]
    fn depth_counts_open_brackets_outside_strings() {
        assert_eq!(depth("5"), 0);
        assert_eq!(depth(r#"{"a":"[[[["}"#), 1);
        assert_eq!(depth(r#"{"a":[{}],"b":[]}"#), 3);
        assert_eq!(Members::of(r#"{"a":[{}]}"#).unwrap().depth, 3);
        assert_eq!(depth(&format!("{}{}", "[".repeat(129), "]".repeat(129))), 129);
    }

    #[test]
    fn half_a_surrogate_pair_is_seen() {
        assert!(has_unpaired_surrogate(r#""\ud800""#));
        assert!(has_unpaired_surrogate(r#"["\udc00\ud800"]"#));
        assert!(has_unpaired_surrogate(r#"{"\ud83d":1}"#));
        assert!(!has_unpaired_surrogate(r#""\ud83d\ude00""#));
        assert!(!has_unpaired_surrogate(r#""\\ud800""#));
    }

    #[test]
    fn elements_are_spans() {
        let found: Vec<_> = Elements::of(r#" [1, "a,b" ,[2,3],{"x":1}] "#).unwrap().collect();
        assert_eq!(found, ["1", r#""a,b""#, "[2,3]", r#"{"x":1}"#]);
        assert_eq!(Elements::of("[]").unwrap().count(), 0);
        assert!(Elements::of("{}").is_none());
    }

    #[test]
    fn what_is_no_valid_json_is_no_object() {
        for text in [
            "",
            "{",
            "{\"",
            "{\"a",
            "{\"a\"",
            "{\"a\":",
            "{:::",
            "{\"a\":1",
            "{\"a\":1,}",
            "{,}",
            "{}}",
            "{\"a\":01}",
            "{\"a\":-}",
            "{\"a\":1.}",
            "{\"a\":1e}",
            "{\"a\":.5}",
            "{\"a\":+1}",
            "{\"a\":tru}",
            "{\"a\":nulll}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\\u12g4\"}",
            "{\"a\":\"\\u12",
            "{\"a\":\"\n\"}",
            "{\"a\":[1}",
            "{\"a\":[1,]}",
            "{\"a\":{1}}",
            "{\"a\":{\"b\"}}",
            "{\"a\":1 2}",
            "{a:1}",
            "{\"a\":1}x",
            "{\"a\":é}",
        ] {
            assert!(Members::of(text).is_none(), "{text}");
            let around = format!("{{\"a\":{text}}}");
            assert!(Members::of(&around).is_none(), "{around}");
            assert!(Members::none().split_opening(&around, "a").is_none(), "{around}");
        }
        let long = "x".repeat(100);
        assert!(Members::of(&format!("{{\"a\":\"{long}\"}}")).is_some());
        assert!(Members::of(&format!("{{\"a\":\"{long}\u{1f}{long}\"}}")).is_none());
    }

    #[test]
    fn kinds_of_brackets_are_told_apart_at_every_depth() {
        for levels in [1, 63, 64, 65, 127, 128, 129, 300] {
            let open = "[{\"a\":".repeat(levels);
            let close = "}]".repeat(levels);
            let members = format!("{{\"a\":{open}1{close},\"b\":[[2]]}}");
            assert_eq!(Members::of(&members).map(|members| members.depth), Some(2 * levels + 1));
            assert!(Members::of(&members.replace("1}]", "1]]")).is_none(), "{levels}");
            assert!(Members::of(&members.replacen("]}", "}}", 1)).is_none(), "{levels}");
        }
    }

    #[test]
    fn elements_end_where_the_text_is_wrong() {
        assert_eq!(Elements::of("[1,2}").unwrap().count(), 2);
        assert_eq!(Elements::of("[1 2]").unwrap().count(), 1);
        assert_eq!(Elements::of("[").unwrap().count(), 0);
    }
}
