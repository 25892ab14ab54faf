//! The servers in the configuration of other agents.

use std::env;
use std::path::Path;

use extline_host::McpServer;
use serde_json::{Map, Value};

use crate::install::settings_of;

/// Where files have them, by the agents' own names.
const KEYS: [&str; 3] = ["mcpServers", "servers", "mcp_servers"];

/// A server of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Configured {
    pub(super) server: McpServer,
    /// It is to be used from the beginning.
    pub(super) is_enabled: bool,
}

/// The servers of a file, or what is wrong with one; those that are disabled only where they are wanted.
/// `Err` where the file cannot be read.
pub(super) fn servers_in(
    file: &Path,
    cwd: &Path,
    with_disabled: bool,
) -> Result<Vec<Result<Configured, String>>, String> {
    let settings = settings_of(file)?;
    let tables = tables_of(&settings, cwd);
    if tables.is_empty() {
        let file = file.display();
        return Err(format!(
            "{file} has no servers: neither mcpServers nor servers nor mcp_servers is in it"
        ));
    }
    let servers = tables.into_iter().flatten();
    let servers = servers.filter(|(_, entry)| with_disabled || is_enabled(entry));
    let configured = servers.map(|(name, entry)| {
        let is_enabled = is_enabled(entry);
        server_of(name, entry, cwd).map(|server| Configured { server, is_enabled })
    });
    Ok(configured.collect())
}

/// The server of that name in a file, also a disabled one.
pub(super) fn named_in(file: &Path, name: &str, cwd: &Path) -> Result<McpServer, String> {
    let settings = settings_of(file)?;
    let tables = tables_of(&settings, cwd);
    let mut entries = tables.iter().flat_map(|table| table.iter());
    if let Some((_, entry)) = entries.find(|(one, _)| *one == name) {
        return server_of(name, entry, cwd);
    }
    let names: Vec<_> = tables.iter().flat_map(|table| table.keys()).map(String::as_str).collect();
    let file = file.display();
    Err(match names.as_slice() {
        [] => format!(
            "{file} has no servers: neither mcpServers nor servers nor mcp_servers is in it"
        ),
        names => format!("{file} has no server {name}; there are {}", names.join(", ")),
    })
}

/// The tables of servers in a file.
fn tables_of<'s>(settings: &'s Map<String, Value>, cwd: &Path) -> Vec<&'s Map<String, Value>> {
    let tables = KEYS.iter().filter_map(|key| settings.get(*key)?.as_object());
    // ~/.claude.json has those of one folder below its path.
    let here = settings.get("projects").zip(cwd.to_str()).and_then(|(it, cwd)| it.get(cwd));
    let here = here.and_then(|it| it.get("mcpServers")?.as_object());
    tables.chain(here).collect()
}

fn is_enabled(entry: &Value) -> bool {
    let is = |member: &str, value: bool| entry.get(member) == Some(&Value::Bool(value));
    !is("disabled", true) && !is("enabled", false)
}

fn server_of(name: &str, entry: &Value, cwd: &Path) -> Result<McpServer, String> {
    described(name, entry, cwd).map_err(|what| format!("the server {name}: {what}"))
}

/// The server of an entry, or what is wrong with it.
fn described(name: &str, entry: &Value, cwd: &Path) -> Result<McpServer, String> {
    let entry = entry.as_object().ok_or("it is no object")?;
    let text = |text: &str| replaced(text, cwd, |name| env::var(name).ok());
    let url = ["url", "httpUrl", "serverUrl"].iter().find_map(|it| entry.get(*it)?.as_str());
    if let Some(url) = url {
        return remote(name, &text(url)?, entry, &text);
    }
    let command = entry.get("command").and_then(Value::as_str);
    let command = text(command.ok_or("it has no command")?)?;
    let args = members(entry, "args")?.into_iter().map(&text).collect::<Result<Vec<_>, _>>()?;
    let mut server = McpServer::new(name, command, args).map_err(|error| error.message)?;
    if let Some(variables) = entry.get("env").filter(|it| !it.is_null()) {
        for (variable, value) in variables.as_object().ok_or("its env is no object")? {
            let value = value.as_str();
            let value = value.ok_or_else(|| format!("the variable {variable} is no string"))?;
            server = server.env(variable, text(value)?);
        }
    }
    // Codex: names of variables that are passed on.
    for variable in members(entry, "env_vars")? {
        if let Some(value) = env::var_os(variable) {
            server = server.env(variable, value);
        }
    }
    if let Some(dir) = entry.get("cwd").and_then(Value::as_str) {
        server = server.dir(text(dir)?);
    }
    Ok(server)
}

/// One at a URL, with what is sent to it.
fn remote(
    name: &str,
    url: &str,
    entry: &Map<String, Value>,
    text: &impl Fn(&str) -> Result<String, String>,
) -> Result<McpServer, String> {
    if entry.get("type").and_then(Value::as_str) == Some("sse") {
        return Err(
            "it speaks over server-sent events alone, which is not supported; look for its URL of \
                    streamable HTTP, which often ends with /mcp"
                .to_owned(),
        );
    }
    let mut server = McpServer::at(name, url).map_err(|error| error.message)?;
    for member in ["headers", "http_headers"] {
        let headers = entry.get(member).and_then(Value::as_object);
        for (header, value) in headers.into_iter().flatten() {
            let value =
                value.as_str().ok_or_else(|| format!("its header {header} is no string"))?;
            server = server.header(header, text(value)?);
        }
    }
    // Codex: the name of the variable with the token.
    if let Some(variable) = entry.get("bearer_token_env_var").and_then(Value::as_str) {
        let token =
            env::var(variable).map_err(|_| format!("the variable {variable} is not set"))?;
        server = server.header("Authorization", format!("Bearer {token}"));
    }
    Ok(server)
}

/// The strings of a list, which may be absent.
fn members<'e>(entry: &'e Map<String, Value>, member: &str) -> Result<Vec<&'e str>, String> {
    let list = match entry.get(member) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(list) => list.as_array(),
    };
    let strings = list.and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
    strings.ok_or_else(|| format!("its {member} is no list of strings"))
}

/// `${NAME}`, `${NAME:-default}`, `${env:NAME}` and `${workspaceFolder}`. What else stands in such braces is asked of a
/// person by the agent whose file this is, or means a folder of its own.
fn replaced(
    text: &str,
    cwd: &Path,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        out.push_str(before);
        let (inside, after) = behind.split_once('}').ok_or("a ${ has no }")?;
        let name = inside.strip_prefix("env:").unwrap_or(inside);
        let (name, default) = match name.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (name, None),
        };
        let value = match name {
            "workspaceFolder" => Some(cwd.to_string_lossy().into_owned()),
            name if name.contains(':') => return Err(format!("${{{inside}}} is not known here")),
            name => variable(name).filter(|it| default.is_none() || !it.is_empty()).or(default),
        };
        out.push_str(&value.ok_or_else(|| format!("the variable {name} is not set"))?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_agent_s_file_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let entry = r#"{"command": "sh", "args": ["-c", "x"], "env": {"A": "b"}}"#;
        let files = [
            (".mcp.json", format!("{{\"mcpServers\": {{\"one\": {entry}}}}}")),
            ("mcp.json", format!("{{ // VS Code's\n \"servers\": {{\"one\": {entry},}} }}")),
            (
                "claude.json",
                format!(
                    "{{\"projects\": {{{}: {{\"mcpServers\": {{\"one\": {entry}}}}}}}}}",
                    Value::from(dir.path().to_string_lossy())
                ),
            ),
            (
                "config.toml",
                "[mcp_servers.one]\ncommand = \"sh\"\nargs = [\"-c\", \"x\"]\n[mcp_servers.one.env]\nA = \"b\"\n\
                 [mcp_servers.two]\ncommand = \"sh\"\nenabled = false\n"
                    .to_owned(),
            ),
        ];
        let expected = McpServer::new("one", "sh", ["-c", "x"]).unwrap().env("A", "b");
        for (name, text) in files {
            let file = dir.path().join(name);
            fs::write(&file, text).unwrap();
            let enabled = Configured { server: expected.clone(), is_enabled: true };
            assert_eq!(servers_in(&file, dir.path(), false), Ok(vec![Ok(enabled)]), "{name}");
        }
        let all = servers_in(&dir.path().join("config.toml"), dir.path(), true).unwrap();
        let disabled =
            Configured { server: McpServer::new("two", "sh", [""; 0]).unwrap(), is_enabled: false };
        assert_eq!(all[1..], [Ok(disabled)]);
    }

    #[test]
    fn what_cannot_be_used_is_told_by_server() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mcp.json");
        let found = |servers: &str| {
            fs::write(&file, format!("{{\"mcpServers\": {servers}}}")).unwrap();
            servers_in(&file, dir.path(), false).unwrap().remove(0).unwrap_err()
        };
        assert!(found(r#"{"x": {"url": "ftp://example.org"}}"#).contains("none of http or https"));
        let events = r#"{"x": {"type": "sse", "url": "https://example.org"}}"#;
        assert!(found(events).contains("server-sent events"));
        assert_eq!(found(r#"{"x": {"args": []}}"#), "the server x: it has no command");
        let input = r#"{"x": {"command": "sh", "args": ["${input:key}"]}}"#;
        assert_eq!(found(input), "the server x: ${input:key} is not known here");
        let token =
            r#"{"x": {"url": "https://example.org", "bearer_token_env_var": "EXTLINE_NO"}}"#;
        assert_eq!(found(token), "the server x: the variable EXTLINE_NO is not set");
        fs::write(&file, "{}").unwrap();
        assert!(servers_in(&file, dir.path(), false).unwrap_err().contains("has no servers"));
        assert!(servers_in(&dir.path().join("absent.json"), dir.path(), false).is_err());
    }

    #[test]
    fn a_url_has_its_headers() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mcp.json");
        let entry = r#"{"url": "https://example.org/mcp", "headers": {"X": "${EXTLINE_NO:-y}"}}"#;
        fs::write(&file, format!("{{\"mcpServers\": {{\"x\": {entry}}}}}")).unwrap();
        let expected = McpServer::at("x", "https://example.org/mcp").unwrap().header("X", "y");
        let expected = Configured { server: expected, is_enabled: true };
        assert_eq!(servers_in(&file, dir.path(), false), Ok(vec![Ok(expected)]));
    }

    #[test]
    fn variables_are_replaced() {
        let variable = |name: &str| (name == "KEY").then(|| "k".to_owned());
        let found = |text| replaced(text, Path::new("/w"), variable);
        assert_eq!(
            found("a${KEY}b${NO:-c}${env:KEY}${workspaceFolder}$"),
            Ok("akbck/w$".to_owned())
        );
        assert_eq!(found("${NO}"), Err("the variable NO is not set".to_owned()));
    }
}
