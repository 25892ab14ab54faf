//! How it begins and ends, and what it cannot do without.

use std::env;
use std::thread;
use std::time::{Duration, Instant};

use extline::prelude::*;
use extline::tokio::time::sleep;

use crate::tools::Amount;

/// A setup and a teardown that do what the arguments say.
pub(crate) fn living(probe: Extension) -> Extension {
    let what = |at| env::args().nth(at).unwrap_or_default();
    let (setup, teardown) = (what(2), what(3));
    probe
        .tool("sleep", "Sleeps, whatever happens.", async |ms: Amount, _| {
            sleep(Duration::from_millis(ms.amount)).await;
            Ok(())
        })
        .setup(async move |more, ctx| {
            match setup.as_str() {
                "error" => return Err(ToolError::new("no luck today")),
                "panic" => panic!("in the setup"),
                "hang" => sleep(Duration::from_secs(60)).await,
                "block" => thread::sleep(Duration::from_secs(60)),
                "slow" => sleep(Duration::from_secs(1)).await,
                "cancelled" => {
                    ctx.cancellation().await;
                    ctx.check_cancelled()?;
                }
                "keeps" => more.tool("keep", "Keeps the thread.", async |_: NoArgs, _| {
                    thread::sleep(Duration::from_millis(700));
                    Ok(())
                })?,
                "mistake" => more.tool("sleep", "A twin.", async |_: NoArgs, _| Ok(()))?,
                _ => {}
            }
            let project = ctx.host().cwd().display().to_string();
            more.tool("project", "Where it is.", async move |_: NoArgs, _| Ok(project.clone()))?;
            ctx.remove_tool("sleep")
        })
        .setup(async |more, _| {
            more.command("later", "comes from the second setup", async |_: &str, _| "yes")?;
            more.on("turn_end", async |_, ctx| ctx.notify_info("a turn ended"));
            more.intercept(point::TurnStart, async |turn, _| turn.block("no turns"));
            more.on_failure(point::ToolCall, OnFailure::Allow);
            more.panel("late", async |_, ctx| ctx.panel("late").line("a key").render())?;
            more.guard("late", async |call, _| call.block("no calls"))
        })
        .teardown(async move |ctx| {
            match teardown.as_str() {
                "error" => return Err(ToolError::new("not today")),
                "panic" => panic!("in the teardown"),
                "hang" => sleep(Duration::from_secs(60)).await,
                "block" => thread::sleep(Duration::from_secs(60)),
                "left" => {
                    let left =
                        ctx.deadline().map(|at| at.saturating_duration_since(Instant::now()));
                    ctx.notify_info(left.unwrap_or_default().as_millis().to_string());
                }
                _ => {}
            }
            sleep(Duration::from_millis(1)).await;
            ctx.notify_info(format!("torn down; deadline: {}", ctx.deadline().is_some()));
            Ok(())
        })
}

/// Needs what the argument says.
pub(crate) fn requiring(probe: Extension) -> Extension {
    let probe = probe.guard("no", async |call, _| call.block("no")).tool(
        "tool",
        "A tool.",
        async |_: NoArgs, _| Ok(()),
    );
    match env::args().nth(2).as_deref() {
        Some("capability") => probe.required(Capability::CallTool).required(Capability::Log),
        Some("method") => probe.required(Requirement::method("ui.confirm")),
        Some("guards") => probe.required(Requirement::guards()),
        _ => probe.required(Requirement::tool("tool")),
    }
}
