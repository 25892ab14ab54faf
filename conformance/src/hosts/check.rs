//! What is watched in every case: all that the host wrote to every extension.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use extline_scenario::Failure;
use memchr::memmem;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::puppet::{Arrived, Passed, Puppet};
use crate::case::Case;
use crate::report::{CaseReport, Entry, Evidence, Lane, Verdict};
use crate::run::problem_of;
use crate::target::{lines_of, weight};

/// How much before a finding is shown.
const BEFORE: usize = 6;
/// Frames of calls, and those that answer them.
const CALLS: [(&str, &str); 3] = [
    ("tool_call", "tool_result"),
    ("command_invoked", "command_response"),
    ("event_intercept", "event_intercept_response"),
];

/// All that passed between the host and one process of an extension.
pub(super) struct Transcript {
    case: String,
    extension: String,
    passed: Vec<Passed>,
}

/// What is wrong, and where.
type Finding = (usize, String);

impl Transcript {
    /// What was seen of an extension in a case.
    pub(super) fn of<'a>(case: &'a Case, puppet: &'a Puppet) -> impl Iterator<Item = Self> + 'a {
        puppet.passed.iter().map(|passed| Self {
            case: case.id.clone(),
            extension: puppet.name.clone(),
            passed: passed.clone(),
        })
    }

    /// What it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let bytes = self.passed.iter().map(|passed| match passed {
            Passed::ToExtension(arrived) => weight(&arrived.bytes),
            Passed::ToHost(bytes) => bytes.len(),
        });
        bytes.sum()
    }

    fn lines(&self) -> impl Iterator<Item = (usize, &Arrived)> {
        self.passed.iter().enumerate().filter_map(|(at, passed)| match passed {
            Passed::ToExtension(arrived) => Some((at, arrived)),
            Passed::ToHost(_) => None,
        })
    }

    fn evidence(&self, at: usize) -> Evidence {
        let entries = self.passed[at.saturating_sub(BEFORE)..=at].iter().map(|passed| {
            let (lane, bytes) = match passed {
                Passed::ToExtension(arrived) => (Lane::Sent, &arrived.bytes),
                Passed::ToHost(bytes) => (Lane::Received, bytes),
            };
            Entry::of_bytes(Duration::ZERO, lane, &self.extension, bytes, vec![bytes.len()])
        });
        Evidence::of_entries(entries.collect(), "")
    }
}

/// What a check says of all that was seen.
pub(super) fn verdict_of(case: &Case, check: &str, seen: &[Transcript]) -> CaseReport {
    let look: fn(&Transcript) -> Vec<Finding> = match check {
        "lines" => lines,
        "json" => json,
        "schema" => schema,
        "ack-first" => ack_first,
        "open-ids" => open_ids,
        "messages" => messages,
        _ => subscribed,
    };
    if seen.iter().all(|seen| seen.lines().next().is_none()) {
        let why = "no case saw a frame of the host".to_owned();
        return CaseReport::without_run(case, Verdict::CouldNotRun, why);
    }
    let found = seen.iter().find_map(|seen| Some((seen, look(seen).into_iter().next()?)));
    let Some((seen, (at, text))) = found else { return CaseReport::passed(case) };
    let got = format!("{text}, in {}", seen.case);
    let failure = Failure::wrong(case.title.clone(), got);
    CaseReport::failed(case, failure, seen.evidence(at))
}

/// One object a line, ended by LF alone.
fn lines(seen: &Transcript) -> Vec<Finding> {
    let problem = |bytes: &[u8]| {
        let begins_with = |mark: &[u8]| bytes.starts_with(mark);
        if bytes.trim_ascii().is_empty() {
            Some("a blank line".to_owned())
        } else if bytes.ends_with(b"\r") {
            Some("a CR before the LF".to_owned())
        } else if begins_with(b"\xef\xbb\xbf") {
            Some("a byte order mark".to_owned())
        } else {
            None
        }
    };
    let wrong = |arrived: &Arrived| {
        problem(&arrived.bytes).or_else(|| {
            // What is no JSON is another case's.
            let error = arrived.frame.as_ref().err()?;
            (!error.starts_with("no JSON") && !error.starts_with("no UTF-8")).then(|| error.clone())
        })
    };
    seen.lines().filter_map(|(at, arrived)| Some((at, wrong(arrived)?))).collect()
}

/// UTF-8 and JSON, each key once, no half of a surrogate pair.
fn json(seen: &Transcript) -> Vec<Finding> {
    let wrong = |arrived: &Arrived| {
        serde_json::from_slice::<EachKeyOnce>(&arrived.bytes).err().map(|error| error.to_string())
    };
    let lines = seen.lines().filter(|(_, arrived)| !arrived.bytes.trim_ascii().is_empty());
    lines.filter_map(|(at, arrived)| Some((at, wrong(arrived)?))).collect()
}

/// Each frame is one that hosts write, with the members that it must have.
fn schema(seen: &Transcript) -> Vec<Finding> {
    let lines = seen.lines().filter(|(_, arrived)| arrived.frame.is_ok());
    let texts = lines.filter_map(|(at, it)| Some((at, std::str::from_utf8(&it.bytes).ok()?)));
    texts.filter_map(|(at, line)| Some((at, problem_of(line)?))).collect()
}

/// `hello_ack` comes first, and once.
fn ack_first(seen: &Transcript) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, (at, arrived)) in seen.lines().enumerate() {
        let Ok(frame) = &arrived.frame else { continue };
        let is_ack = frame["type"] == "hello_ack";
        if number == 0 && !is_ack {
            found.push((at, format!("the first frame is {}", frame["type"])));
        } else if number > 0 && is_ack {
            found.push((at, "a second hello_ack".to_owned()));
        }
    }
    found
}

/// Each message to a server of MCP is a request with an id of its own, a notification or a response.
fn messages(seen: &Transcript) -> Vec<Finding> {
    let mut asked = BTreeSet::new();
    let mut problem = |message: &Value| {
        let id = message.get("id");
        let Some(method) = message.get("method") else {
            let [result, error] = ["result", "error"].map(|it| message.get(it).is_some());
            // What could not be read has no id, and the error that says so has none either.
            let is_whole = result != error && (id.is_some() || error);
            return (!is_whole).then(|| "neither a method nor one result or error".to_owned());
        };
        let is_bad = |params: &Value| !params.is_object();
        if !method.is_string() {
            return Some(format!("the method {method}"));
        }
        if message.get("params").is_some_and(is_bad) {
            return Some(format!("params that are no object in {method}"));
        }
        let id = id?;
        if !id.is_string() && !id.is_i64() && !id.is_u64() {
            return Some(format!("the id {id}, which is neither a string nor an integer"));
        }
        (!asked.insert(id.to_string())).then(|| format!("the id {id} a second time"))
    };
    let lines = seen.lines();
    let messages = lines.filter_map(|(at, arrived)| Some((at, arrived.frame.as_ref().ok()?)));
    messages.filter_map(|(at, message)| Some((at, problem(message)?))).collect()
}

/// The frames that an extension wrote, as far as they are of one of these types.
fn written(bytes: &[u8]) -> impl Iterator<Item = Value> {
    const WANTED: [&[u8]; 4] = [b"_result", b"_response", b"subscribe", b"hello"];
    let wanted = |line: &&[u8]| {
        let head = &line[..line.len().min(200)];
        WANTED.iter().any(|word| memmem::find(head, word).is_some())
    };
    lines_of(bytes).filter(wanted).filter_map(|line| serde_json::from_slice(line).ok())
}

/// The ids of open calls are strings, not empty, and no two are the same.
fn open_ids(seen: &Transcript) -> Vec<Finding> {
    let mut open: BTreeSet<(&str, String)> = BTreeSet::new();
    let mut found = Vec::new();
    for (at, passed) in seen.passed.iter().enumerate() {
        match passed {
            Passed::ToHost(bytes) => {
                for frame in written(bytes) {
                    let call = CALLS.iter().find(|(_, answer)| frame["type"] == *answer);
                    if let (Some((call, _)), Some(id)) = (call, frame["id"].as_str()) {
                        open.remove(&(*call, id.to_owned()));
                    }
                }
            }
            Passed::ToExtension(arrived) => {
                let Ok(frame) = &arrived.frame else { continue };
                let call = CALLS.iter().find(|(call, _)| frame["type"] == *call);
                let Some((call, _)) = call else { continue };
                match frame["id"].as_str() {
                    None | Some("") => found.push((at, format!("the id {}", frame["id"]))),
                    Some(id) if !open.insert((*call, id.to_owned())) => {
                        found.push((at, format!("the id {id} is that of another open call")));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    found
}

/// Nothing that the extension did not subscribe to, nor name in its hello.
fn subscribed(seen: &Transcript) -> Vec<Finding> {
    let mut known: BTreeSet<(&str, String)> = BTreeSet::new();
    let mut found = Vec::new();
    for (at, passed) in seen.passed.iter().enumerate() {
        match passed {
            Passed::ToHost(bytes) => {
                for frame in written(bytes) {
                    for list in ["events", "intercept", "guards", "capabilities"] {
                        let names = frame[list].as_array().into_iter().flatten();
                        let names = names.filter_map(Value::as_str);
                        known.extend(names.map(|name| (list, name.to_owned())));
                    }
                }
            }
            Passed::ToExtension(arrived) => {
                let Ok(frame) = &arrived.frame else { continue };
                let event = frame["event"].as_str().unwrap_or_default().to_owned();
                let list = if frame["phase"] == "guard" { "guards" } else { "intercept" };
                let (needs, name) = match frame["type"].as_str() {
                    // It needs no subscription (`config.changed`).
                    Some("event") if event == "config_changed" => {
                        ("capabilities", "config".to_owned())
                    }
                    Some("event") => ("events", event),
                    Some("event_intercept") => (list, event),
                    Some("tool_cancel") => ("capabilities", "tool_cancel".to_owned()),
                    Some("registered") => ("capabilities", "registration_report".to_owned()),
                    _ => continue,
                };
                if !known.contains(&(needs, name.clone())) {
                    let text = format!("a {}, and {name} is not among its {needs}", frame["type"]);
                    found.push((at, text));
                }
            }
        }
    }
    found
}

/// A JSON value in which no object has a key twice.
struct EachKeyOnce;

impl<'de> Deserialize<'de> for EachKeyOnce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = EachKeyOnce;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<EachKeyOnce, E> {
        Ok(EachKeyOnce)
    }

    fn visit_i64<E>(self, _: i64) -> Result<EachKeyOnce, E> {
        Ok(EachKeyOnce)
    }

    fn visit_u64<E>(self, _: u64) -> Result<EachKeyOnce, E> {
        Ok(EachKeyOnce)
    }

    fn visit_f64<E>(self, _: f64) -> Result<EachKeyOnce, E> {
        Ok(EachKeyOnce)
    }

    fn visit_str<E>(self, _: &str) -> Result<EachKeyOnce, E> {
        Ok(EachKeyOnce)
    }

    fn visit_unit<E>(self) -> Result<EachKeyOnce, E> {
        Ok(EachKeyOnce)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<EachKeyOnce, A::Error> {
        while elements.next_element::<EachKeyOnce>()?.is_some() {}
        Ok(EachKeyOnce)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<EachKeyOnce, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = members.next_key::<String>()? {
            members.next_value::<EachKeyOnce>()?;
            if !keys.insert(key.clone()) {
                return Err(A::Error::custom(format!("the key {key:?} twice")));
            }
        }
        Ok(EachKeyOnce)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::parse;

    fn seen(passed: &[(bool, &[u8])]) -> Transcript {
        let passed = passed.iter().map(|(to_extension, bytes)| {
            if !to_extension {
                return Passed::ToHost(bytes.to_vec());
            }
            let frame = parse(bytes, true);
            Passed::ToExtension(Arrived { bytes: bytes.to_vec(), frame })
        });
        Transcript { case: "H".into(), extension: "x".into(), passed: passed.collect() }
    }

    #[test]
    fn each_check_finds_what_it_is_for() {
        let shutdown: &[u8] = br#"{"type":"shutdown"}"#;
        let one = |line: &[u8]| seen(&[(true, line)]);
        assert!(lines(&one(shutdown)).is_empty() && json(&one(shutdown)).is_empty());
        for bad in [&b""[..], b"{\"type\":\"shutdown\"}\r", b"\xef\xbb\xbf{\"type\":\"shutdown\"}"]
        {
            assert_eq!(lines(&one(bad)).len(), 1, "{bad:?}");
        }
        let halves: &[u8] = br#"{"type":"event","event":"\ud800"}"#;
        for bad in [halves, b"{\"type\":\"shutdown\",\"type\":\"x\"}", b"\xff", b"{\"a\":NaN}"] {
            assert_eq!(json(&one(bad)).len(), 1, "{bad:?}");
        }
        assert!(schema(&one(shutdown)).is_empty());
        assert_eq!(schema(&one(br#"{"type":"tool_call","id":"1"}"#)).len(), 1);
        assert_eq!(ack_first(&one(shutdown)).len(), 1);
    }

    #[test]
    fn ids_are_free_again_once_they_are_answered() {
        let call: &[u8] = br#"{"type":"tool_call","id":"1","name":"x","args":{}}"#;
        let answer: &[u8] = b"{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[]}\n";
        assert!(open_ids(&seen(&[(true, call), (false, answer), (true, call)])).is_empty());
        assert_eq!(open_ids(&seen(&[(true, call), (true, call)])).len(), 1);
        let other: &[u8] = br#"{"type":"command_invoked","id":"1","name":"x"}"#;
        assert!(open_ids(&seen(&[(true, call), (true, other)])).is_empty());
    }

    #[test]
    fn what_was_not_asked_for_is_found() {
        let event: &[u8] = br#"{"type":"event","event":"turn_start"}"#;
        let subscribe: &[u8] = b"{\"type\":\"subscribe\",\"events\":[\"turn_start\"]}\n";
        assert!(subscribed(&seen(&[(false, subscribe), (true, event)])).is_empty());
        assert_eq!(subscribed(&seen(&[(true, event)])).len(), 1);
        assert_eq!(subscribed(&seen(&[(true, br#"{"type":"tool_cancel","id":"1"}"#)])).len(), 1);
    }
}
