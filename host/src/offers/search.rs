//! The two tools with which a model finds tools that it was not given, and calls them.

use std::sync::Arc;

use extline_model::ToolIndex;
use extline_protocol::frame::{Annotations, Content, ErrorInfo, RegisterTool, ToolResult};
use extline_protocol::{ErrorKind, RawJson};
use serde::Deserialize;
use serde_json::{Value, json};

use super::select::indexed;
use crate::tool::{BuiltinCall, Tool};

/// Finds tools by words.
pub(crate) const TOOL_SEARCH: &str = "tool_search";
/// Calls one of them.
pub(crate) const TOOL_INVOKE: &str = "tool_invoke";

/// How many tools a search finds, if the model wants no other number, and at most.
const FOUND: usize = 5;
const MOST: usize = 20;

pub(crate) fn search_definition() -> RegisterTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What the tool should do, in a few words"},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "description": "How many tools, 5 by default"},
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    let annotations = Annotations { read_only: Some(true), ..Annotations::default() };
    RegisterTool {
        name: TOOL_SEARCH.to_owned(),
        description: Some(format!(
            "Finds tools that are not listed here, and says what arguments they take. Call them with {TOOL_INVOKE}."
        )),
        schema: schema.into(),
        annotations: Some(annotations),
        ..RegisterTool::default()
    }
}

pub(crate) fn invoke_definition() -> RegisterTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The tool"},
            "args": {"type": "object", "description": "Its arguments, by its schema"},
        },
        "required": ["name", "args"],
        "additionalProperties": false,
    });
    RegisterTool {
        name: TOOL_INVOKE.to_owned(),
        description: Some(format!("Calls a tool that {TOOL_SEARCH} found.")),
        schema: schema.into(),
        ..RegisterTool::default()
    }
}

#[derive(Default, Deserialize)]
struct Search {
    query: String,
    limit: Option<usize>,
}

/// What a search among these tools finds.
pub(crate) fn found(call: &BuiltinCall, tools: &[Arc<Tool>]) -> ToolResult {
    // The schema lets nothing else through.
    let Search { query, limit } = call.args.to().unwrap_or_default();
    let index = ToolIndex::new(tools.iter().map(|tool| indexed(tool)));
    let found = index.search(&query, limit.unwrap_or(FOUND).min(MOST));
    let found: Vec<_> = found.into_iter().map(|place| &tools[place]).collect();
    let text = if found.is_empty() {
        format!("No tool fits these words. There are {}; try other words.", tools.len())
    } else {
        let told = found.iter().map(|tool| {
            format!("{}: {}\n{}", tool.name(), tool.description(), tool.definition.schema.get())
        });
        told.collect::<Vec<_>>().join("\n\n")
    };
    let values = found.iter().map(|tool| {
        let schema: Value = serde_json::from_str(tool.definition.schema.get()).unwrap_or_default();
        json!({"name": tool.name(), "description": tool.description(), "schema": schema})
    });
    ToolResult {
        structured_content: Some(RawJson::from(json!({"tools": values.collect::<Vec<_>>()}))),
        // They are the words of extensions.
        trust: Some("untrusted".to_owned()),
        ..call.result(vec![Content::text(text)])
    }
}

/// The call that is written in one of `tool_invoke`; `None` where it is not: then its schema says why.
pub(crate) fn invoked(args: &str) -> Option<(String, RawJson)> {
    let args = RawJson::parse(args).ok()?;
    let name = args.string("/name")?.into_owned();
    let inner = RawJson::of_part(args.at("/args")?);
    let is_direct = name != TOOL_INVOKE && inner.is_object();
    is_direct.then_some((name, inner))
}

/// What `tool_invoke` answers where it names no other tool: its schema let the arguments pass.
pub(crate) fn not_itself() -> ErrorInfo {
    let text = format!("{TOOL_INVOKE} cannot call itself; name the tool that is meant");
    ErrorInfo::new(ErrorKind::Validation, text)
}
