//! A frame whose ids become others, and which stays as it was otherwise.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// The line with other ids, at `/id` and `/parent/id`; as it is where none of them is known.
pub(super) fn with_ids(line: &[u8], ids: &BTreeMap<String, String>) -> Vec<u8> {
    let (body, end) = match line.strip_suffix(b"\n") {
        Some(body) => (body, &b"\n"[..]),
        None => (line, &b""[..]),
    };
    let Ok(members) = serde_json::from_slice::<Members>(body) else { return line.to_vec() };
    let renamed = |value: &RawValue| {
        let id = serde_json::from_str::<String>(value.get()).ok()?;
        ids.get(&id).map(|id| Value::from(id.as_str()).to_string())
    };
    let others = members.0.iter().map(|(name, value)| match name.as_str() {
        "id" => renamed(value),
        "parent" => serde_json::from_str::<Members>(value.get()).ok().and_then(|parent| {
            let id = parent.0.iter().find(|(name, _)| name == "id")?;
            let id = (renamed(&id.1)?, &id.0);
            Some(parent.joined(|name, value| if name == id.1 { &id.0 } else { value }))
        }),
        _ => None,
    });
    let others: Vec<Option<String>> = others.collect();
    if others.iter().all(Option::is_none) {
        return line.to_vec();
    }
    let mut others = others.iter();
    let joined = members.joined(|_, value| match others.next() {
        Some(Some(other)) => other,
        _ => value,
    });
    [joined.as_bytes(), end].concat()
}

/// The line with another value of a member, which is at the end of that path; as it is where it has none.
pub(super) fn with_member(line: &[u8], path: &[&str], value: &Value) -> Vec<u8> {
    let Some((name, below)) = path.split_first() else { return value.to_string().into_bytes() };
    let (body, end) = match line.strip_suffix(b"\n") {
        Some(body) => (body, &b"\n"[..]),
        None => (line, &b""[..]),
    };
    let Ok(members) = serde_json::from_slice::<Members>(body) else { return line.to_vec() };
    let Some((_, found)) = members.0.iter().find(|(member, _)| member == name) else {
        return line.to_vec();
    };
    let other = with_member(found.get().as_bytes(), below, value);
    let other = String::from_utf8_lossy(&other);
    let joined = members.joined(|member, value| if member == *name { &other } else { value });
    [joined.as_bytes(), end].concat()
}

/// An object whose members keep their order and their bytes.
struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    fn joined<'a>(&'a self, mut value_of: impl FnMut(&str, &'a str) -> &'a str) -> String {
        let member = |(name, value): &'a (String, Box<RawValue>)| {
            format!("{}:{}", Value::from(name.as_str()), value_of(name, value.get()))
        };
        format!("{{{}}}", self.0.iter().map(member).collect::<Vec<_>>().join(","))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a frame")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Members, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_others_and_the_rest_stays_byte_for_byte() {
        let ids = BTreeMap::from([("1".to_owned(), "x\"9".to_owned())]);
        let changed = |line: &str| String::from_utf8(with_ids(line.as_bytes(), &ids)).unwrap();
        let line = r#"{"type":"tool_result","id":"1","content":[ 1.0 ,{"id":"1"}]}"#;
        let wanted = r#"{"type":"tool_result","id":"x\"9","content":[ 1.0 ,{"id":"1"}]}"#;
        assert_eq!(changed(&format!("{line}\n")), format!("{wanted}\n"));
        let parent = r#"{"type":"request","id":"7","parent":{"kind":"tool_call","id":"1"}}"#;
        assert!(changed(parent).ends_with(r#""parent":{"kind":"tool_call","id":"x\"9"}}"#));
        for same in ["no frame {", "[1]", r#"{ "id" : "2" }"#, r#"{"id":1}"#] {
            assert_eq!(changed(same), same);
        }
    }

    #[test]
    fn a_member_becomes_another_wherever_it_stands() {
        let changed = |line: &str, path: &[&str]| {
            String::from_utf8(with_member(line.as_bytes(), path, &Value::from(7))).unwrap()
        };
        assert_eq!(changed("{\"id\":\"a\",\"x\": 1.0}\n", &["id"]), "{\"id\":7,\"x\":1.0}\n");
        let nested = r#"{"params":{"progressToken":"t","progress":1}}"#;
        let wanted = r#"{"params":{"progressToken":7,"progress":1}}"#;
        assert_eq!(changed(nested, &["params", "progressToken"]), wanted);
        for same in ["no frame {", "[1]", r#"{"a": {"id":1}}"#] {
            assert_eq!(changed(same, &["id"]), same);
        }
    }
}
