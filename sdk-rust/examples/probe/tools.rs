//! Its tools and commands.

use std::cell::RefCell;
use std::io::Write;
use std::process::Command as Process;
use std::thread;
use std::time::{Duration, Instant};

use async_stream::try_stream;
use extline::Replay;
use extline::prelude::*;
use extline::tokio::runtime::Handle;
use extline::tokio::task::spawn_local;
use extline::tokio::time::{sleep, timeout};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    /// What to say again
    text: String,
    /// How often
    #[serde(default = "once")]
    times: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Ask {
    /// A tool or a method
    what: String,
    /// What it takes
    #[serde(default)]
    with: Value,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Amount {
    pub(crate) amount: u64,
}

thread_local! {
    static RELEASED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Waits for a call of `release` with this number.
pub(crate) async fn released(number: u64) {
    while !RELEASED.with_borrow(|released| released.contains(&number)) {
        sleep(Duration::from_millis(1)).await;
    }
}

/// Prints, and reads all of its stdin, which has to end at once.
fn child() -> Process {
    let (shell, words) = if cfg!(windows) {
        ("cmd", ["/c", "echo from a child& set /p line="])
    } else {
        ("sh", ["-c", "echo from a child; cat"])
    };
    let mut child = Process::new(shell);
    child.args(words);
    child
}

/// Tools and commands that answer at once.
pub(crate) fn answering(probe: Extension) -> Extension {
    let counted = json!({
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 1}},
        "required": ["count"],
    });
    probe
        .tool("echo", "Says it again.", async |echo: Echo, _| {
            Ok(echo.text.repeat(echo.times.into()))
        })
        .raw_tool("raw", "Gives its arguments back.", counted, async |args: RawJson, _| Ok(args))
        .add_tool(
            Tool::new("pay", "Says how it was asked.", async |_: NoArgs, ctx: Context| {
                Ok(json!({"key": ctx.operation_key(), "reconcile": ctx.reconcile()}))
            })
            .replay(Replay::Reconcile),
        )
        .tool("big", "Gives that many bytes.", async |size: Amount, _| {
            Ok("x".repeat(usize::try_from(size.amount)?))
        })
        .tool("host", "Tells what it knows.", async |_: NoArgs, ctx: Context| {
            Ok(json!({
                "call_id": ctx.call_id(),
                "host": ctx.host().name(),
                "version": ctx.host().version(),
                "model": ctx.host().model(),
                "cwd": ctx.host().cwd(),
                "log": ctx.host().supports(Capability::Log),
                "updates": ctx.host().supports(Capability::ToolUpdate),
                "data_dir": ctx.data_dir(),
                "deadline": ctx.deadline().is_some(),
                "session": ctx.session().map(|session| session.id.clone()),
            }))
        })
        .tool("stray", "Writes to stdout in every way there is.", async |_: NoArgs, _| {
            print!("{{\"type\":\"hello\"}}\nno line end");
            std::io::stdout().flush()?;
            #[cfg(unix)]
            rustix::io::write(rustix::stdio::stdout(), b"{\"type\":\"raw\"}\n")?;
            let child = child().status()?;
            Ok(format!("the child ended: {:?}", child.code()))
        })
        .tool("panic", "Panics.", async |amount: Amount, _| -> Result<(), ToolError> {
            panic!("no room for {}", amount.amount);
        })
        .command("show", "shows its arguments", async |args: &str, _| format!("<{args}>"))
        .command("fail", "fails", async |args: &str, _| -> Result<(), std::io::Error> {
            Err(std::io::Error::other(format!("cannot {args}")))
        })
        .command("panic", "panics", async |_: &str, _| -> Response { panic!("in a command") })
        .command("notes", "says something besides its answer", async |_: &str, ctx: Context| {
            ctx.notify_warn("look out");
            ctx.log_with(Level::Info, "two\nlines", &json!({"n": 1}));
            ctx.submit("go on");
            ctx.submit_slash("compact");
            ctx.clear_notes();
            ctx.update("outside a tool").send();
        })
}

/// Tools that take their time.
pub(crate) fn waiting(probe: Extension) -> Extension {
    probe
        .tool("sleep", "Sleeps, whatever happens.", async |ms: Amount, _| {
            sleep(Duration::from_millis(ms.amount)).await;
            Ok(format!("slept {} ms", ms.amount))
        })
        .tool("wait", "Waits for its cancel.", async |_: NoArgs, ctx: Context| {
            ctx.notify_info("waiting");
            ctx.cancellation().await;
            ctx.check_cancelled()
        })
        .tool("early", "Looks for its cancel at once.", async |_: NoArgs, ctx: Context| {
            Ok(format!("cancelled: {}", ctx.cancelled()))
        })
        .tool("stuck", "Keeps the thread once it is cancelled.", async |_: NoArgs, ctx: Context| {
            ctx.notify_info("waiting");
            ctx.cancellation().await;
            thread::sleep(Duration::from_secs(30));
            Ok(())
        })
        .tool("block", "Keeps the thread from the start.", async |ms: Amount, ctx: Context| {
            let until = Instant::now() + Duration::from_millis(ms.amount);
            while Instant::now() < until && !ctx.cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
            Ok(format!("cancelled: {}", ctx.cancelled()))
        })
        .tool(
            "keep_later",
            "Keeps the thread between two waits.",
            async |ms: Amount, ctx: Context| {
                sleep(Duration::from_millis(1)).await;
                ctx.notify_info("keeping");
                sleep(Duration::from_millis(1)).await;
                thread::sleep(Duration::from_millis(ms.amount));
                ctx.cancellation().await;
                Ok(())
            },
        )
        .tool("deaf", "Keeps the thread, whatever happens.", async |ms: Amount, _| {
            thread::sleep(Duration::from_millis(ms.amount));
            Ok(())
        })
        .tool("release", "Lets handlers go on that wait for this number.", async |it: Amount, _| {
            RELEASED.with_borrow_mut(|released| released.push(it.amount));
            Ok(())
        })
        .tool("steps", "Tells how far it is.", async |steps: Amount, ctx: Context| {
            for step in 1..=steps.amount {
                ctx.update(format!("step {step}"))
                    .progress(step, steps.amount)
                    .unit("steps")
                    .send();
                sleep(Duration::from_millis(20)).await;
            }
            Ok("done")
        })
        .tool("stream", "Answers with a stream.", async |steps: Amount, _| {
            Ok(Steps(try_stream! {
                for step in 1..=steps.amount {
                    yield Update::new("streaming").progress(step, steps.amount).into();
                    sleep(Duration::from_millis(200)).await;
                }
                match steps.amount {
                    0 => Err(ToolError::new("no steps"))?,
                    1 => return,
                    _ => yield Step::Result(json!({"steps": steps.amount})),
                }
            }))
        })
        .tool("track", "Shows how far it is.", async |steps: Amount, ctx: Context| {
            let mut sum = 0;
            for step in ctx.track(0..steps.amount).message("adding").unit("steps") {
                sum += step;
                sleep(Duration::from_millis(200)).await;
            }
            Ok(sum.to_string())
        })
        .tool("blocking", "Works on another thread.", async |ms: Amount, ctx: Context| {
            let cancellation = ctx.cancellation();
            let work = move || {
                assert!(ms.amount > 0, "nothing to do");
                (0..ms.amount).take_while(|_| !cancellation.is_cancelled()).for_each(|_| {
                    thread::sleep(Duration::from_millis(1));
                });
                cancellation.is_cancelled()
            };
            Ok(format!("cancelled: {}", ctx.blocking(work).await))
        })
}

/// What goes on once its call is answered.
pub(crate) fn leaving(probe: Extension) -> Extension {
    probe.tool("leave", "Ends the process when it is answered.", async |ask: Ask, _| {
        let leave = async {
            sleep(Duration::from_millis(20)).await;
            std::process::exit(7)
        };
        let runtime = Handle::current();
        match ask.what.as_str() {
            "local task" => drop(spawn_local(leave)),
            "task" => drop(runtime.spawn(leave)),
            "task of a thread" => drop(thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                runtime.spawn(leave);
            })),
            _ => drop(thread::spawn(move || runtime.block_on(leave))),
        }
        Ok(())
    })
}

/// What asks the host for something.
pub(crate) fn asking(probe: Extension) -> Extension {
    probe
        .tool("ask_tool", "Calls a tool.", async |ask: Ask, ctx: Context| {
            let output = ctx.call_tool(&ask.what, &ask.with).await?;
            Ok(format!("{} (truncated: {})", output.text(), output.is_truncated()))
        })
        .tool("ask_twice", "Calls a tool and gives up, then another.", async |ask: Ask, ctx| {
            drop(timeout(Duration::from_millis(20), ctx.call_tool(&ask.what, &ask.with)).await);
            ctx.call_tool("other", &json!({})).await?.json::<Value>()
        })
        .tool("ask_late", "Calls a tool when its own call is answered.", async |_: NoArgs, ctx| {
            spawn_local(async move {
                // Past the answer.
                sleep(Duration::from_millis(20)).await;
                let refused = ctx.call_tool("read", &json!({})).await.unwrap_err();
                ctx.notify_info(format!("{}: {refused}", refused.kind()));
            });
            Ok(())
        })
        .command("ask_tool", "calls a tool", async |tool: &str, ctx: Context| {
            ctx.call_tool(tool, &json!({})).await.map(|output| output.text())
        })
        .tool("request", "Asks by method.", async |ask: Ask, ctx: Context| {
            ctx.request::<RawJson, _>(&ask.what, &ask.with).await
        })
        .tool("parts", "Asks by method and shows the parts.", async |ask: Ask, ctx: Context| {
            let mut parts = Vec::new();
            let keep = |part: u32| {
                parts.push(part);
                Ok(())
            };
            let sum: u32 = ctx.request_parts(&ask.what, &ask.with, keep).await?;
            Ok(json!({"parts": parts, "sum": sum}))
        })
}

/// Tools that change what is offered.
pub(crate) fn growing(probe: Extension) -> Extension {
    let grown = || Tool::new("grown", "Is new.", async |_: NoArgs, _| Ok("new"));
    probe
        .tool("grow", "Adds a tool and a command.", async move |_: NoArgs, ctx: Context| {
            let command = Command::new("grown", "is new", async |_: &str, _| "new");
            ctx.add_command(command)?;
            ctx.add_tool(grown())?;
            Ok(ctx.add_tool(grown()).unwrap_err().to_string())
        })
        .tool("shrink", "Takes the tool away.", async |_: NoArgs, ctx: Context| {
            ctx.remove_tool("grown")?;
            ctx.remove_tool("never was there")
        })
}

fn once() -> u8 {
    1
}
