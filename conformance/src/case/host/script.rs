//! A case for hosts, or for clients of MCP, from the text of its file.

use extline_scenario::{Case, CaseError, InFile, parse_all};
use serde::Deserialize;
use toml::{Table, Value};

use super::step::Step;
#[cfg(unix)]
use super::step::Verb;
use crate::case::known::unknown_of;

/// The checks over all that hosts wrote, by name.
pub(crate) const CHECKS: [&str; 7] =
    ["lines", "json", "schema", "ack-first", "open-ids", "subscribed", "messages"];

/// How the ids of cases for clients of MCP begin.
const FOR_CLIENTS: &str = "C-";

/// A case for hosts.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// What it says about itself; its steps are here.
    pub(crate) case: Case,
    /// The extensions that the host is given, in load order.
    pub(crate) extensions: Vec<Extension>,
    /// What the host is asked to be beside that, a JSON object: `{"deadlines":{"tool_ms":500}}`.
    pub(crate) start: String,
    /// The capabilities that the host must name in its `hello_ack`.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no host is tested"))]
    pub(crate) needs: Vec<String>,
    /// The extensions are ready and the host has started before the first step.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no host is tested"))]
    pub(crate) ready: bool,
    /// What is done, in order.
    pub(crate) steps: Vec<Step>,
}

impl Script {
    /// Whether the host, or the client, is told to do something: not only what it does by itself is looked at.
    #[cfg(unix)]
    pub(crate) fn is_operated(&self) -> bool {
        self.steps.iter().any(|step| {
            let verb = &step.verb;
            let asks = matches!(verb, Verb::Do(_) | Verb::Ask(_) | Verb::Answer { .. });
            asks || matches!(verb, Verb::Unanswered(_) | Verb::Host(_))
        })
    }

    /// Whether it is played to a client of MCP, whose extensions are its servers.
    pub(crate) fn is_for_clients(&self) -> bool {
        self.case.id.starts_with(FOR_CLIENTS)
    }
}

/// An extension that the host is given, or a server that a client of MCP is.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Extension {
    /// Its name, in its manifest and its hello.
    pub(crate) name: String,
    /// What it registers: lines, or short `tool NAME`, `command NAME`.
    #[serde(default)]
    pub(crate) offers: Vec<String>,
    /// The capabilities in its hello.
    #[serde(default = "base")]
    pub(crate) capabilities: Vec<String>,
    /// The methods in its hello.
    #[serde(default)]
    pub(crate) methods: Vec<String>,
    /// The folder that it stands in, when that is not its name.
    pub(crate) folder: Option<String>,
    /// The program in its manifest, when that is not the puppet.
    pub(crate) exec: Option<String>,
    /// The points that its manifest declares to guard.
    #[serde(default)]
    pub(crate) guards: Vec<String>,
    /// What its manifest declares under `permissions`.
    pub(crate) permissions: Option<serde_json::Value>,
    /// Its folder is a link to one that is elsewhere.
    #[serde(default)]
    pub(crate) linked: bool,
    /// It writes nothing before the first step, though the others are made ready.
    #[serde(default)]
    pub(crate) silent: bool,
    /// As a server of MCP: it lists one tool a page.
    #[serde(default)]
    pub(crate) paged: bool,
    /// As a server of MCP: it knows no `initialize`, and speaks 2026-07-28 alone.
    #[serde(default)]
    pub(crate) newer: bool,
}

/// What belongs to hosts in the table of a case.
#[derive(Deserialize)]
struct Own {
    #[serde(default)]
    extensions: Vec<Extension>,
    #[serde(default = "empty")]
    start: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default = "yes")]
    ready: bool,
    #[serde(default)]
    steps: Vec<Step>,
}

/// Reads the cases for hosts of a file, without their steps; `file` is only named in errors.
pub fn parse_host(file: &str, text: &str) -> Result<Vec<Case>, CaseError> {
    Ok(parse_scripts(file, text)?.into_iter().map(|script| script.case).collect())
}

/// The same with all that is done in them.
pub(crate) fn parse_scripts(file: &str, text: &str) -> Result<Vec<Script>, CaseError> {
    parse_all(file, text)
}

impl InFile for Script {
    type Table = Table;

    fn of(table: Table) -> Result<Self, String> {
        let id = table.get("id").and_then(Value::as_str).unwrap_or("without an id").to_owned();
        script_of(table).map_err(|problem| format!("case {id}: {problem}"))
    }

    fn case(&mut self) -> &mut Case {
        &mut self.case
    }

    fn problem(&self) -> Option<String> {
        problem_of(self)
    }
}

fn script_of(mut table: Table) -> Result<Script, String> {
    let mut own = Table::new();
    for name in ["extensions", "start", "needs", "ready", "steps"] {
        own.extend(table.remove(name).map(|value| (name.to_owned(), value)));
    }
    let case: Case = table.try_into().map_err(|error| error.to_string())?;
    let Own { mut extensions, start, needs, ready, steps } =
        own.try_into().map_err(|error| error.to_string())?;
    if extensions.is_empty() {
        extensions.push(Extension {
            name: "alpha".to_owned(),
            offers: vec!["tool echo".to_owned()],
            capabilities: base(),
            methods: Vec::new(),
            folder: None,
            exec: None,
            guards: Vec::new(),
            permissions: None,
            linked: false,
            silent: false,
            paged: false,
            newer: false,
        });
    }
    Ok(Script { case, extensions, start, needs, ready, steps })
}

fn problem_of(script: &Script) -> Option<String> {
    let case = &script.case;
    let document = if script.is_for_clients() {
        "conformance/mcp-clauses.toml"
    } else if case.id.starts_with("H-") {
        "docs/protocol/specification.md"
    } else {
        return Some("its id begins with H- for hosts, or with C- for clients of MCP".to_owned());
    };
    if case.clauses.is_empty() {
        return Some(format!("it cites no clause of {document}; name at least one"));
    }
    let problem = unknown_of(case, document, |name| CHECKS.contains(&name), &CHECKS);
    if let Some(problem) = problem.or_else(|| case.steps_or_check(!script.steps.is_empty())) {
        return Some(problem);
    }
    if script.steps.iter().any(Step::uses_value) {
        return Some("a step uses $value, and there are no values".to_owned());
    }
    if let Err(error) = serde_json::from_str::<serde_json::Value>(&script.start) {
        return Some(format!("start is no JSON: {error}"));
    }
    let known = |who: &String| script.extensions.iter().any(|extension| extension.name == *who);
    let stranger = script.steps.iter().filter_map(|step| step.who.as_ref()).find(|who| !known(who));
    stranger.map(|who| format!("no extension of it is called {who}"))
}

fn base() -> Vec<String> {
    ["commands", "tools", "events", "panels"].map(str::to_owned).to_vec()
}

fn empty() -> String {
    "{}".to_owned()
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(rest: &str) -> String {
        let text = format!("[[case]]\nid = \"H-X-01\"\ntitle = \"t\"\n{rest}\n");
        parse_scripts("x.toml", &text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let clause = "clauses = [\"hello.ack\"]\n";
        let with = |rest: &str| refusal(&format!("{clause}{rest}"));
        assert!(refusal("steps = [{ wait_ms = 1 }]").contains("x.toml:1: case H-X-01: it cites"));
        assert!(with("check = \"nope\"").contains("there is no check nope; there are lines"));
        assert!(with("steps = [{ wait_ms = 1, exit = 0 }]").contains("more than one verb"));
        assert!(with("steps = [{ wait_ms = 1, count = 2 }]").contains("`count` does nothing"));
        assert!(with("steps = [{ who = \"x\", handshake = true }]").contains("called x"));
        assert!(with("steps = [{ frame = 'x' }]").contains("x is no JSON"));
        assert!(with("steps = [{ nope = 1 }]").contains("unknown field `nope`"));
        assert!(with("").contains("either steps or a check"));
    }
}
