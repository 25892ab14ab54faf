//! What is spoken over the pipes, and how its lines are read.

use serde_json::Value;

use super::arrived;

/// What is spoken over the pipes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// That of docs/protocol/specification.md.
    #[default]
    Extension,
    /// The Model Context Protocol, whose servers are tested.
    Mcp(Era),
}

/// How a client begins with an MCP server, and so which revision it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Era {
    /// With `initialize`, as up to revision 2025-11-25.
    Initialize,
    /// With any request, each of which names its revision: from 2026-07-28 on.
    Discover,
}

impl Era {
    /// Both of them, the older one first.
    pub const ALL: [Self; 2] = [Self::Initialize, Self::Discover];

    /// The newest revision that begins so: what the tester asks for, and whose rules it cites.
    pub fn revision(self) -> &'static str {
        match self {
            Self::Initialize => "2025-11-25",
            Self::Discover => "2026-07-28",
        }
    }

    /// What stands behind the id of a case when it is played in this era, where a server speaks both.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Initialize => "",
            Self::Discover => "@2026",
        }
    }
}

impl Protocol {
    /// The era, where it is MCP.
    pub fn era(self) -> Option<Era> {
        match self {
            Self::Extension => None,
            Self::Mcp(era) => Some(era),
        }
    }

    /// The message that a line is, or why it is none.
    pub(crate) fn parse(self, line: &[u8], terminated: bool) -> Result<Value, String> {
        match self {
            Self::Extension => arrived::parse(line, terminated),
            Self::Mcp(_) => message(line, terminated),
        }
    }
}

/// The message of JSON-RPC that a line is, or why it is none.
fn message(line: &[u8], terminated: bool) -> Result<Value, String> {
    let value = arrived::json(line, terminated)?;
    match &value {
        Value::Object(members) if members.get("jsonrpc") == Some(&Value::from("2.0")) => Ok(value),
        Value::Object(_) => Err("an object without \"jsonrpc\":\"2.0\"".to_owned()),
        Value::Array(_) => Err("an array: batches are no messages of this revision".to_owned()),
        _ => Err("JSON, but no object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_mcp_is_one_object_of_json_rpc() {
        let parse = |line: &str| Protocol::Mcp(Era::Discover).parse(line.as_bytes(), true);
        assert!(parse(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).is_ok());
        for (line, why) in [
            (r#"{"id":1,"result":{}}"#, "without \"jsonrpc\""),
            (r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, "batches"),
            ("Server started", "no JSON"),
            ("7", "no object"),
            ("", "blank"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}
