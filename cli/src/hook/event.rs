//! One event, as the agent gives it on stdin.

use serde_json::{Map, Value};

use super::asker::asker;
use super::dialects::{Dialect, Kind};

/// An event that was read.
#[derive(Debug)]
pub(super) struct HookEvent {
    /// The agent's name for it.
    pub(super) name: String,
    pub(super) kind: Kind,
    members: Map<String, Value>,
    dialect: &'static Dialect,
}

/// What could not be read, or what there is nothing to do about.
#[derive(Debug)]
pub(super) enum NotRead {
    /// It may be a tool call: it is blocked.
    Wrong(String),
    /// An event that extensions are not told of.
    Unknown(String),
}

impl HookEvent {
    /// Reads what stood on stdin; `named` is the event of the command line.
    pub(super) fn read(
        dialect: &'static Dialect,
        named: Option<&str>,
        bytes: &[u8],
    ) -> Result<Self, NotRead> {
        let agent = dialect.name;
        let wrong = |why: String| NotRead::Wrong(why);
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| wrong(format!("what {agent} gave on stdin is not JSON: {error}")))?;
        let Value::Object(mut members) = value else {
            return Err(wrong(format!("what {agent} gave on stdin is no JSON object")));
        };
        let asker = asker(dialect, &members);
        // The line is for the agent that it was written for.
        let named = named.filter(|_| asker.id == dialect.id);
        let (dialect, agent) = (asker, asker.name);
        for (older, name) in dialect.older {
            if !members.contains_key(*name)
                && let Some(value) = members.remove(*older)
            {
                members.insert((*name).to_owned(), value);
            }
        }
        let name = match (named, members.get(dialect.event)) {
            (Some(name), _) => name.to_owned(),
            (None, Some(Value::String(name))) => name.clone(),
            _ => {
                let field = dialect.event;
                return Err(wrong(format!(
                    "what {agent} gave on stdin names no event in /{field}; name it with --event"
                )));
            }
        };
        let Some(kind) = dialect.kind(&name) else {
            let has_call = members.contains_key(dialect.fields.tool)
                && !members.contains_key(dialect.fields.result);
            return Err(if has_call {
                wrong(format!(
                    "{agent} asks about a tool call by an event that is not known: {name}"
                ))
            } else {
                NotRead::Unknown(format!("extensions are not told of {name} of {agent}"))
            });
        };
        Ok(Self { name, kind, members, dialect })
    }

    pub(super) fn text(&self, field: &str) -> Option<String> {
        self.members.get(field).and_then(Value::as_str).map(str::to_owned)
    }

    pub(super) fn member(&self, field: &str) -> Option<&Value> {
        self.members.get(field)
    }

    /// The tool and its arguments, as the agent has them.
    pub(super) fn call(&self) -> Result<(&str, Map<String, Value>), String> {
        let fields = &self.dialect.fields;
        let (agent, event) = (self.dialect.name, &self.name);
        let tool = self
            .members
            .get(fields.tool)
            .and_then(Value::as_str)
            .ok_or_else(|| format!("{event} of {agent} names no tool in /{}", fields.tool))?;
        let args = match self.members.get(fields.args) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(args)) => args.clone(),
            // Copilot CLI has them as JSON in a text.
            Some(Value::String(text)) => match serde_json::from_str(text) {
                Ok(Value::Object(args)) => args,
                _ => return Err(format!("/{} of {agent} is no JSON object", fields.args)),
            },
            Some(_) => return Err(format!("/{} of {agent} is no object", fields.args)),
        };
        Ok((tool, args))
    }

    pub(super) fn dialect(&self) -> &'static Dialect {
        self.dialect
    }
}
