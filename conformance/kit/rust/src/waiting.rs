//! Tools that take their time, and tell of it.

use std::rc::Rc;
use std::time::{Duration, Instant};

use extline::prelude::*;
use extline::tokio::time::sleep;

use crate::memory::Memory;
use crate::tool;

#[derive(Deserialize)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
struct Count {
    count: usize,
}

#[derive(Deserialize)]
struct Time {
    ms: u64,
}

#[derive(Deserialize)]
struct Updates {
    n: u64,
    ms: u64,
}

#[derive(Deserialize)]
struct Notes {
    n: u64,
}

#[derive(Deserialize)]
struct Log {
    level: String,
    message: String,
}

const NONE: &str = r#"{"type":"object","properties":{}}"#;
const NAME: &str =
    r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
const COUNT: &str = r#"{"type":"object","properties":{"count":{"type":"integer","minimum":0}},"required":["count"]}"#;
const TIME: &str =
    r#"{"type":"object","properties":{"ms":{"type":"integer","minimum":0}},"required":["ms"]}"#;
const UPDATES: &str = r#"{"type":"object","properties":{"n":{"type":"integer","minimum":0},"ms":{"type":"integer","minimum":0}},"required":["n","ms"]}"#;
const NOTES: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}"#;
const LOG: &str = r#"{"type":"object","properties":{"level":{"enum":["info","warn","error"]},"message":{"type":"string"}},"required":["level","message"]}"#;

pub(crate) fn add(kit: Extension, memory: &Rc<Memory>) -> Extension {
    let holding = Rc::clone(memory);
    let hold = async move |args: Name, ctx: Context| {
        ctx.run_until_cancelled(holding.hold(&args.name)).await
    };
    let releasing = Rc::clone(memory);
    let release = async move |args: Name, _| {
        releasing.released.borrow_mut().insert(args.name);
        releasing.tell();
        Ok("released")
    };
    let counting = Rc::clone(memory);
    let counter = async move |_: NoArgs, _| {
        counting.calls.set(counting.calls.get() + 1);
        Ok(counting.calls.get().to_string())
    };
    let ordered = Rc::clone(memory);
    let order = async move |args: Count, ctx: Context| {
        let enough = |memory: &Memory| memory.labels.borrow().len() >= args.count;
        ctx.run_until_cancelled(ordered.until(enough)).await?;
        Ok(Json(ordered.labels.take()))
    };
    let kit = kit
        .add_tool(tool("hold", "Waits until its name is released.", NAME, hold))
        .add_tool(tool("release", "Lets what holds a name go on.", NAME, release))
        .add_tool(tool("counter", "Counts its calls.", NONE, counter))
        .add_tool(tool("order", "Tells in which order events came.", COUNT, order));
    timed(kit)
}

fn timed(kit: Extension) -> Extension {
    let slept = async |args: Time, ctx: Context| {
        ctx.run_until_cancelled(sleep(Duration::from_millis(args.ms))).await?;
        Ok("slept")
    };
    let await_cancel = async |_: NoArgs, ctx: Context| {
        ctx.update("waiting").send();
        ctx.cancellation().await;
        ctx.check_cancelled()
    };
    let notes = async |args: Notes, ctx: Context| {
        (1..=args.n).for_each(|note| ctx.notify_info(format!("note {note}")));
        Ok("done")
    };
    let log = async |args: Log, ctx: Context| {
        ctx.log(Level::from(args.level.as_str()), args.message);
        Ok("logged")
    };
    kit.add_tool(tool("sleep", "Waits for a while.", TIME, slept))
        .add_tool(tool("await_cancel", "Waits for its cancel.", NONE, await_cancel))
        .add_tool(tool("busy", "Computes until it is cancelled.", TIME, busy))
        .add_tool(tool("updates", "Tells how far it is.", UPDATES, updates))
        .add_tool(tool("notify_then", "Writes notes, then answers.", NOTES, notes))
        .add_tool(tool("log", "Writes a log line.", LOG, log))
}

async fn busy(args: Time, ctx: Context) -> Result<String, ToolError> {
    let until = Instant::now() + Duration::from_millis(args.ms);
    while Instant::now() < until && !ctx.cancelled() {
        std::hint::spin_loop();
    }
    Ok(format!("cancelled: {}", ctx.cancelled()))
}

async fn updates(args: Updates, ctx: Context) -> Result<&'static str, ToolError> {
    for step in 1..=args.n {
        ctx.update(format!("step {step}")).progress(step, args.n).send();
        ctx.run_until_cancelled(sleep(Duration::from_millis(args.ms))).await?;
    }
    Ok("done")
}
