//! What a server offers, read whole and refused whole where it is too much or cannot be named.

use std::borrow::Cow;
use std::collections::BTreeMap;

use extline_protocol::RawJson;
use extline_protocol::frame::{Annotations, RegisterCommand, RegisterTool};
use rmcp::RoleClient;
use rmcp::model::{JsonObject, PaginatedRequestParams, Prompt, PromptArgument, Tool};
use rmcp::service::{Peer, ServiceError};

/// The most tools of one server.
const TOOLS: usize = 64;

/// The most prompts of one server.
const PROMPTS: usize = 64;

/// Longest description, in bytes.
const DESCRIPTION: usize = 2048;

/// Longest schema, in bytes of JSON.
const SCHEMA: usize = 32 * 1024;

/// What a server offers, as the host knows it.
#[derive(Debug, Default)]
pub(super) struct Offers {
    pub(super) tools: Vec<RegisterTool>,
    pub(super) commands: Vec<RegisterCommand>,
    /// What the server calls each tool.
    own_names: BTreeMap<String, Called>,
    /// What it calls each prompt, and the names of its arguments.
    prompts: BTreeMap<String, (String, Vec<PromptArgument>)>,
}

/// Why it is not known what a server offers, or not used.
#[derive(Debug)]
pub(super) enum Unusable {
    /// It does not say.
    Unlisted(String),
    /// It is too much, or cannot be named.
    Refused(String),
}

impl From<String> for Unusable {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

/// What a call of a tool leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// The server's tool of that name.
    Tool(String),
    /// One of its resources is read.
    Resource,
}

impl Offers {
    /// Asks for all that the server says it has.
    pub(super) async fn read(server: &str, peer: &Peer<RoleClient>) -> Result<Self, Unusable> {
        let mut offers = Self::default();
        let Some(info) = peer.peer_info() else { return Ok(offers) };
        let failed = |what: &str, error: ServiceError| {
            Unusable::Unlisted(format!("its {what} cannot be listed: {error}"))
        };
        if info.capabilities.tools.is_some() {
            // Empty pages that never end are too many as well.
            let (mut cursor, mut pages) = (None, 0);
            let mut tools = Vec::new();
            loop {
                let page = PaginatedRequestParams::default().with_cursor(cursor);
                let page =
                    peer.list_tools(Some(page)).await.map_err(|error| failed("tools", error))?;
                tools.extend(page.tools);
                pages += 1;
                check_count("tools", tools.len().max(pages), TOOLS)?;
                cursor = page.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            for tool in tools {
                offers.add_tool(server, tool)?;
            }
        }
        if info.capabilities.resources.is_some() {
            offers.add_reader(server)?;
        }
        if info.capabilities.prompts.is_some() {
            let (mut cursor, mut pages) = (None, 0);
            let mut prompts = Vec::new();
            loop {
                let page = PaginatedRequestParams::default().with_cursor(cursor);
                let page = peer
                    .list_prompts(Some(page))
                    .await
                    .map_err(|error| failed("prompts", error))?;
                prompts.extend(page.prompts);
                pages += 1;
                check_count("prompts", prompts.len().max(pages), PROMPTS)?;
                cursor = page.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            for prompt in prompts {
                offers.add_prompt(server, prompt)?;
            }
        }
        Ok(offers)
    }

    /// What a call of that tool leads to.
    pub(super) fn called(&self, tool: &str) -> Option<Called> {
        self.own_names.get(tool).cloned()
    }

    /// What the server calls the prompt of that command, and its arguments.
    pub(super) fn prompt(&self, command: &str) -> Option<(String, Vec<PromptArgument>)> {
        self.prompts.get(command).cloned()
    }

    fn add_tool(&mut self, server: &str, tool: Tool) -> Result<(), String> {
        let own = tool.name.into_owned();
        let name = named("tool", server, &own)?;
        let description = tool.description.map(Cow::into_owned);
        check_description("tool", &own, description.as_deref())?;
        let schema = schema_of(&own, "input schema", &tool.input_schema)?;
        let output = tool.output_schema.as_ref();
        let output_schema = output.map(|it| schema_of(&own, "output schema", it)).transpose()?;
        let annotations = tool.annotations.as_ref().map(|it| Annotations {
            read_only: it.read_only_hint,
            destructive: it.destructive_hint,
            idempotent: it.idempotent_hint,
            open_world: it.open_world_hint,
        });
        let label = tool.title.or_else(|| tool.annotations.and_then(|it| it.title));
        self.add(
            Called::Tool(own),
            RegisterTool {
                name,
                description,
                schema,
                output_schema,
                namespace: Some(server.to_owned()),
                label: label.filter(|label| label.len() <= DESCRIPTION),
                annotations,
                ..RegisterTool::default()
            },
        )
    }

    fn add_reader(&mut self, server: &str) -> Result<(), String> {
        let schema = serde_json::json!({
            "type": "object",
            "properties": {"uri": {
                "type": "string",
                "description": "The resource; without it, those that there are are listed.",
            }},
            "additionalProperties": false,
        });
        let schema = RawJson::of(&schema).map_err(|error| error.to_string())?;
        self.add(
            Called::Resource,
            RegisterTool {
                name: named("tool", server, "read_resource")?,
                description: Some(format!(
                    "Reads a resource of the MCP server {server}, or lists them."
                )),
                schema,
                namespace: Some(server.to_owned()),
                annotations: Some(Annotations { read_only: Some(true), ..Annotations::default() }),
                ..RegisterTool::default()
            },
        )
    }

    fn add(&mut self, called: Called, tool: RegisterTool) -> Result<(), String> {
        if self.own_names.insert(tool.name.clone(), called).is_some() {
            return Err(format!("two of its tools would be called {}", tool.name));
        }
        self.tools.push(tool);
        Ok(())
    }

    fn add_prompt(&mut self, server: &str, prompt: Prompt) -> Result<(), String> {
        let name = named("prompt", server, &prompt.name)?;
        check_description("prompt", &prompt.name, prompt.description.as_deref())?;
        let arguments = prompt.arguments.unwrap_or_default();
        let words = arguments.iter().map(|it| match it.required {
            Some(true) => format!("<{}>", it.name),
            _ => format!("[{}]", it.name),
        });
        let usage = words.collect::<Vec<_>>().join(" ");
        check_description("prompt", &prompt.name, Some(&usage))?;
        let command = RegisterCommand {
            name: name.clone(),
            description: prompt.description,
            usage: Some(usage).filter(|usage| !usage.is_empty()),
        };
        if self.commands.iter().any(|it| it.name.eq_ignore_ascii_case(&name)) {
            return Err(format!("two of its prompts would be called {name}"));
        }
        self.commands.push(command);
        self.prompts.insert(name, (prompt.name, arguments));
        Ok(())
    }
}

fn check_count(what: &str, count: usize, at_most: usize) -> Result<(), String> {
    if count > at_most {
        return Err(format!("it has more than {at_most} {what}"));
    }
    Ok(())
}

/// `SERVER_name`, with `_` in place of what a host's names may not have.
fn named(kind: &str, server: &str, own: &str) -> Result<String, String> {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let own_plain: String = own.chars().map(|it| if fits(it) { it } else { '_' }).collect();
    let name = format!("{server}_{own_plain}");
    if own.is_empty() || name.len() > 64 {
        let own: String = own.chars().take(100).collect();
        return Err(format!(
            "its {kind} {own:?} would be called {server}_..., which has 64 characters at most"
        ));
    }
    Ok(name)
}

fn check_description(kind: &str, name: &str, description: Option<&str>) -> Result<(), String> {
    let length = description.map_or(0, str::len);
    if length > DESCRIPTION {
        return Err(format!(
            "the description of its {kind} {name:?} has {length} bytes, and {DESCRIPTION} at most"
        ));
    }
    Ok(())
}

fn schema_of(tool: &str, what: &str, schema: &JsonObject) -> Result<RawJson, String> {
    let wrong = |why: String| format!("the {what} of its tool {tool:?} {why}");
    let raw = RawJson::of(schema).map_err(|error| wrong(error.to_string()))?;
    match raw.get().len() {
        length if length > SCHEMA => {
            Err(wrong(format!("has {length} bytes, and {SCHEMA} at most")))
        }
        _ => Ok(raw),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn tool(value: Value) -> Tool {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_tool_is_named_after_its_server_and_keeps_what_it_says() {
        let mut offers = Offers::default();
        let annotated = json!({
            "name": "list.files", "title": "Files", "description": "lists", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "openWorldHint": false},
        });
        offers.add_tool("fs", tool(annotated)).unwrap();
        let found = &offers.tools[0];
        assert_eq!((found.name.as_str(), found.label.as_deref()), ("fs_list_files", Some("Files")));
        let annotations = found.annotations.as_ref().unwrap();
        assert_eq!((annotations.read_only, annotations.open_world), (Some(true), Some(false)));
        assert_eq!(found.output_schema.as_ref().unwrap().get(), r#"{"type":"object"}"#);
        assert_eq!(offers.called("fs_list_files"), Some(Called::Tool("list.files".to_owned())));
    }

    #[test]
    fn what_is_too_much_is_refused_with_the_reason() {
        let refused = |value| Offers::default().add_tool("fs", tool(value)).unwrap_err();
        let long = "x".repeat(2049);
        let error = refused(json!({"name": "a", "description": long, "inputSchema": {}}));
        assert_eq!(error, "the description of its tool \"a\" has 2049 bytes, and 2048 at most");
        let error = refused(json!({"name": "a", "inputSchema": {"x": "y".repeat(40 * 1024)}}));
        assert!(error.starts_with("the input schema of its tool \"a\" has 40968 bytes"), "{error}");
        let error = refused(json!({"name": "x".repeat(62), "inputSchema": {}}));
        assert!(error.contains("64 characters at most"), "{error}");
        let mut offers = Offers::default();
        offers.add_tool("fs", tool(json!({"name": "a.b", "inputSchema": {}}))).unwrap();
        let error =
            offers.add_tool("fs", tool(json!({"name": "a_b", "inputSchema": {}}))).unwrap_err();
        assert_eq!(error, "two of its tools would be called fs_a_b");
    }
}
