//! Requests, both ways.

use std::time::{Duration, Instant};

use extline::prelude::*;
use extline::tokio::time::sleep;

use crate::tool;

#[derive(Deserialize)]
struct Request {
    method: String,
    params: Value,
}

#[derive(Deserialize)]
struct Confirm {
    title: String,
}

#[derive(Deserialize)]
struct Propose {
    label: String,
}

#[derive(Deserialize)]
struct Count {
    n: u64,
    bytes: Option<usize>,
}

/// What it asks the host.
pub(crate) fn add_tools(kit: Extension) -> Extension {
    const REQUEST: &str = r#"{"type":"object","properties":{"method":{"type":"string"},"params":{"type":"object"}},"required":["method","params"]}"#;
    const CONFIRM: &str =
        r#"{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}"#;
    const PROPOSE: &str =
        r#"{"type":"object","properties":{"label":{"type":"string"}},"required":["label"]}"#;
    kit.add_tool(tool("request", "Asks the host by method.", REQUEST, request))
        .add_tool(tool("confirm", "Asks the person.", CONFIRM, confirm))
        .add_tool(tool("propose", "Proposes an action.", PROPOSE, propose))
}

async fn request(request: Request, ctx: Context) -> Result<Value, ToolError> {
    let mut parts: Vec<Value> = Vec::new();
    let on_part = |part| {
        parts.push(part);
        Ok(())
    };
    let result: Value = ctx.request_parts(&request.method, &request.params, on_part).await?;
    Ok(json!({ "parts": parts, "result": result }))
}

async fn confirm(confirm: Confirm, ctx: Context) -> Result<String, ToolError> {
    let said = if ctx.ui().confirm(confirm.title).await? { "yes" } else { "no" };
    let is_late = ctx.deadline().is_some_and(|deadline| Instant::now() > deadline);
    Ok(if is_late { format!("{said} too late") } else { said.to_owned() })
}

async fn propose(Propose { label }: Propose, ctx: Context) -> Result<String, ToolError> {
    let (applied, rejected) = (label.clone(), label.clone());
    let proposal = Proposal::new(label, async move |reason, _| match reason.as_str() {
        "fail" => Err(ToolError::internal("it was to fail")),
        _ => Ok(format!("done {applied}: {reason}")),
    });
    let reject = async move |reason, _| Ok(format!("dropped {rejected}: {reason}"));
    Ok(format!("proposed {}", ctx.pending().push(proposal.reject(reject)).await?))
}

/// What the host may ask it for.
pub(crate) fn add(kit: Extension) -> Extension {
    let count = async |count: Count, ctx: Context| {
        let began = Instant::now();
        for i in 1..=count.n {
            match count.bytes {
                None => ctx.send_part(&i).await?,
                Some(bytes) => ctx.send_part(&"x".repeat(bytes)).await?,
            }
        }
        let is_slow = count.bytes.is_some() && began.elapsed() >= Duration::from_millis(500);
        Ok(if is_slow { json!("waited") } else { json!(count.n) })
    };
    kit.method("kit.count", count).method("kit.wait", async |_: Value, ctx: Context| {
        while ctx.deadline().is_none_or(|deadline| Instant::now() < deadline) {
            ctx.run_until_cancelled(sleep(Duration::from_millis(2))).await?;
        }
        Ok("over")
    })
}
