//! A tool as it stands in a list of tools.

use extline_protocol::frame::RegisterTool;
use extline_protocol::write_string;

use crate::references::dangling;
use crate::schema;

/// A tool that no client of MCP can be offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The tool.
    pub tool: String,
    /// Why, for its author.
    pub why: String,
}

/// One tool: its entry in the list, and what its calls need to know.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The JSON object.
    pub(crate) json: String,
    /// It promises structured results of a schema, so its results have to have them.
    pub(crate) has_output: bool,
    /// What its author should know.
    pub(crate) remarks: Vec<String>,
}

impl Entry {
    pub(crate) fn of(tool: &RegisterTool) -> Result<Self, LeftOut> {
        let left_out = |why| LeftOut { tool: tool.name.clone(), why };
        let shown = schema::input(&tool.schema).map_err(left_out)?;
        if let Some(why) = dangling(&shown.json) {
            return Err(left_out(why));
        }
        let output = tool
            .output_schema
            .as_ref()
            .map(|schema| schema::output(schema).filter(|shown| dangling(shown).is_none()));
        let mut remarks = Vec::new();
        if !shown.taken_off.is_empty() {
            remarks.push(format!(
                "tool {}: its schema has {} at its root, which clients of MCP do not take: they see the \
                 schema without, and the tool still checks it",
                tool.name,
                shown.taken_off.join(", ")
            ));
        }
        if output == Some(None) {
            remarks.push(format!(
                "tool {}: its output schema is not shown, as clients of MCP take only a plain \
                 object whose references lead somewhere",
                tool.name
            ));
        }
        let output = output.flatten();
        let json = write(tool, &shown.json, output.as_deref());
        Ok(Self { name: tool.name.clone(), json, has_output: output.is_some(), remarks })
    }
}

fn write(tool: &RegisterTool, input: &str, output: Option<&str>) -> String {
    let mut out = b"{\"name\":".to_vec();
    write_string(&tool.name, &mut out);
    for (key, value) in [("title", &tool.label), ("description", &tool.description)] {
        if let Some(value) = value {
            push_key(&mut out, key);
            write_string(value, &mut out);
        }
    }
    push_key(&mut out, "inputSchema");
    out.extend_from_slice(input.as_bytes());
    if let Some(output) = output {
        push_key(&mut out, "outputSchema");
        out.extend_from_slice(output.as_bytes());
    }
    write_annotations(tool, &mut out);
    out.push(b'}');
    String::from_utf8_lossy(&out).into_owned()
}

fn write_annotations(tool: &RegisterTool, out: &mut Vec<u8>) {
    let Some(annotations) = &tool.annotations else { return };
    let hints = [
        ("readOnlyHint", annotations.read_only),
        ("destructiveHint", annotations.destructive),
        ("idempotentHint", annotations.idempotent),
        ("openWorldHint", annotations.open_world),
    ];
    push_key(out, "annotations");
    let mut separator = b'{';
    for (key, value) in hints {
        if let Some(value) = value {
            out.push(separator);
            write_string(key, out);
            out.push(b':');
            out.extend_from_slice(if value { b"true" } else { b"false" });
            separator = b',';
        }
    }
    if separator == b'{' {
        out.push(b'{');
    }
    out.push(b'}');
}

/// Appends a comma, the key, which needs no escapes, and a colon.
pub(crate) fn push_key(out: &mut Vec<u8>, key: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}
