//! What a host gives the kit: secrets, values that are kept, the history, programs.

use std::collections::BTreeMap;

use extline::prelude::*;
use extline::services::exec::Run;

use crate::tool;

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Keep {
    op: String,
    key: String,
    #[serde(default)]
    value: Value,
}

#[derive(Deserialize)]
struct Entry {
    op: String,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
struct Program {
    command: String,
    args: Vec<String>,
}

#[derive(Deserialize)]
struct OfAgent {
    op: String,
    #[serde(default)]
    names: Vec<String>,
}

pub(crate) fn add(kit: Extension) -> Extension {
    const NAME: &str =
        r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
    const KEEP: &str = r#"{"type":"object","properties":{"op":{"enum":["get","set","delete","list","add"]},"key":{"type":"string"},"value":{}},"required":["op","key"]}"#;
    const HISTORY: &str = r#"{"type":"object","properties":{"op":{"enum":["append","branch","info"]},"data":{}},"required":["op"]}"#;
    const RUN: &str = r#"{"type":"object","properties":{"command":{"type":"string"},"args":{"type":"array","items":{"type":"string"}}},"required":["command","args"]}"#;
    const AGENT: &str = r#"{"type":"object","properties":{"op":{"enum":["state","abort","tools","activate","deactivate","models"]},"names":{"type":"array","items":{"type":"string"}}},"required":["op"]}"#;
    let variable = async |named: Named, ctx: Context| ctx.env(&named.name).await;
    kit.add_tool(tool("secret", "Asks for a secret.", NAME, secret))
        .add_tool(tool("variable", "Asks for a variable.", NAME, variable))
        .add_tool(tool("keep", "Keeps values.", KEEP, keep))
        .add_tool(tool("history", "Reads and writes the history.", HISTORY, history))
        .add_tool(tool("run", "Has a program run.", RUN, run))
        .add_tool(tool("agent", "Asks how the agent stands.", AGENT, agent))
}

/// Behind the methods of the kit's own.
pub(crate) fn add_migration(kit: Extension) -> Extension {
    kit.state_version(2).migrate(async |values, version| {
        Ok(BTreeMap::from([(format!("v{version}"), json!(values))]))
    })
}

async fn secret(named: Named, ctx: Context) -> Result<String, ToolError> {
    let key = ctx.secret(&named.name).await?;
    Ok(format!("{key} {}", key.reveal()))
}

async fn keep(keep: Keep, ctx: Context) -> Result<ToolResult, ToolError> {
    let (values, key) = (ctx.state().session(), keep.key.as_str());
    match keep.op.as_str() {
        "get" => json!({ "value": values.get::<Value>(key).await? }),
        "set" => {
            values.set(key, &keep.value).await?;
            return "kept".into_tool_result();
        }
        "delete" => json!({ "deleted": values.delete(key).await? }),
        "list" => json!(values.list(key).await?),
        _ => {
            let n = values.modify(key, |n: Option<u64>| n.unwrap_or(0) + 1).await?;
            json!({ "value": n })
        }
    }
    .into_tool_result()
}

async fn history(entry: Entry, ctx: Context) -> Result<ToolResult, ToolError> {
    let history = ctx.history();
    match entry.op.as_str() {
        "append" => history.append("note", &entry.data).await?.into_tool_result(),
        "branch" => {
            let entries = history.branch(&["note"]).await?;
            json!(entries.iter().map(|entry| &entry.data).collect::<Vec<_>>()).into_tool_result()
        }
        _ => {
            let info = history.info().await?;
            json!({ "durable": info.durable, "id": info.id }).into_tool_result()
        }
    }
}

async fn run(program: Program, ctx: Context) -> Result<Value, ToolError> {
    let Program { command, args } = program;
    let mut heard = Vec::new();
    let take = |output: extline::services::exec::Output| {
        heard.push(json!(output));
        Ok(())
    };
    let ran = ctx.exec_streamed(Run { command, args, ..Run::default() }, take).await?;
    Ok(json!({ "code": ran.code, "heard": heard, "signal": ran.signal, "stdout": ran.stdout }))
}

async fn agent(asked: OfAgent, ctx: Context) -> Result<ToolResult, ToolError> {
    let agent = ctx.agent();
    let names: Vec<&str> = asked.names.iter().map(String::as_str).collect();
    match asked.op.as_str() {
        "state" => return agent.state().await?.model.into_tool_result(),
        "abort" => json!({ "calls": agent.abort("it was to end").await? }),
        "tools" => json!(agent.tools().await?.iter().map(|tool| &tool.name).collect::<Vec<_>>()),
        "models" => json!(agent.models().await?.iter().map(|model| &model.id).collect::<Vec<_>>()),
        "activate" => json!(agent.activate(&names).await?),
        _ => json!(agent.deactivate(&names).await?),
    }
    .into_tool_result()
}
