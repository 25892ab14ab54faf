//! The kit on the Rust SDK: what conformance/kit/surface.toml says, for `extline conformance
//! --level kit`. docs/tester/kits.md says what a kit is.

mod commands;
mod faults;
mod memory;
mod methods;
mod moments;
mod panel;
mod services;
mod values;
mod waiting;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use extline::prelude::*;
use extline::serde_json::from_value;
use extline::{Error, Replay};
use serde::de::DeserializeOwned;

use self::memory::Memory;

/// What everything says that fails because it was asked to.
const MESSAGE: &str = "it was to fail";

fn main() -> Result<(), Error> {
    let memory = Rc::new(Memory::default());
    let kit = Extension::new("extline-kit", "1.0.0");
    let kit = commands::add(kit, &memory);
    let kit = values::add(kit);
    let kit = waiting::add(kit, &memory);
    let kit = faults::add(kit, &memory);
    let kit = knowledge(kit);
    let kit = services::add_migration(methods::add(services::add(kit)));
    let kit = moments::add(kit, &memory);
    panel::add(kit, &memory).run()?;
    faults::at_exit(&memory);
    Ok(())
}

#[derive(Deserialize)]
struct Ask {
    name: String,
    args: Value,
}

/// A tool whose schema is the text that the surface has.
fn tool<A, R, F>(name: &str, description: &str, schema: &str, handler: F) -> Tool
where
    A: DeserializeOwned + 'static,
    R: IntoToolResult + 'static,
    F: AsyncFn(A, Context) -> Result<R, ToolError> + 'static,
{
    // By way of a value: of duplicate keys the last one counts (`frm.raw-native`).
    Tool::raw(name, description, json(schema), async move |args: Value, ctx: Context| {
        handler(from_value(args)?, ctx).await?.into_tool_result()
    })
}

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap_or_else(|error| unreachable!("{text}: {error}"))
}

/// What the kit knows of its call, and what a tool can declare.
fn knowledge(kit: Extension) -> Extension {
    use std::time::Duration;

    use extline::{Approval, Tier};

    const NONE: &str = r#"{"type":"object","properties":{}}"#;
    let report = "Tells what it knows of its call and its host.";
    let report = tool("report", report, NONE, async |_: NoArgs, ctx: Context| {
        let host = ctx.host();
        Ok(json!({
            "call_id": ctx.call_id(),
            "host": host.name(),
            "host_version": host.version(),
            "model": host.model(),
            "cwd": host.cwd(),
            "data_dir": ctx.data_dir().unwrap_or(Path::new("")),
            "deadline": ctx.deadline().is_some(),
            "tool_update": host.supports(Capability::ToolUpdate),
            "call_tool": host.supports(Capability::CallTool),
        }))
    });
    let schema = r#"{"type":"object","properties":{"name":{"type":"string"},"args":{"type":"object"}},"required":["name","args"]}"#;
    let ask = async |ask: Ask, ctx: Context| Ok(ctx.call_tool(&ask.name, &ask.args).await?.text());
    let ask = tool("ask", "Calls a tool of the host.", schema, ask);
    let approval = Approval {
        gated: true,
        tier: Some(Tier::Read),
        key: Some("all".to_owned()),
        reason: Some("it is a test".to_owned()),
        ..Approval::default()
    };
    let paid = RefCell::new(Vec::new());
    let pay = tool("pay", "Tells what it has done.", NONE, async move |_: NoArgs, ctx: Context| {
        let key = ctx.operation_key().unwrap_or_default();
        let mut paid = paid.borrow_mut();
        if ctx.reconcile() {
            let is_done = paid.last() == Some(&key);
            return Ok(json!({"state": if is_done { "completed" } else { "not_started" }}));
        }
        paid.push(key.clone());
        Ok(json!({"key": key, "paid": paid.len()}))
    })
    .replay(Replay::Reconcile);
    let all = "Declares all that a tool can declare.";
    let declared = tool("declared", all, NONE, async |_: NoArgs, _| Ok("declared"))
        .label("Declared")
        .timeout(Duration::from_secs(20))
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
        .sequential()
        .approval(approval);
    let longest = tool(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        "Has the longest name, with every character that a name may have.",
        NONE,
        async |_: NoArgs, _| Ok("named"),
    );
    let config = tool("config", "Gives its configuration back.", NONE, async |_: NoArgs, ctx| {
        ctx.config::<Value>()
    });
    let kit = kit.add_tool(report).add_tool(config).add_tool(ask);
    methods::add_tools(kit).add_tool(pay).add_tool(declared).add_tool(longest)
}
