//! An extension that does everything an extension may do, and some things it should not. The tests
//! of this crate start it as a process and play its host (`tests/processes`).
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "what an author prints is what is tested"
)]

use std::cell::RefCell;
use std::env;
use std::io::Write;
use std::process::{Command as Process, ExitCode};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use async_stream::try_stream;
use extline::Error;
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
struct Amount {
    amount: u64,
}

fn main() -> Result<ExitCode, Error> {
    let probe = serving(Extension::new("probe", "1.0.0"));
    match env::args().nth(1).as_deref() {
        Some("mistake") => mistaken(probe).run()?,
        Some("serve") => return serve(complete(probe)),
        Some("intercepts") => intercepting(probe).run()?,
        Some("open") => {
            let open = intercepting(probe).on_failure(point::ToolCall, OnFailure::Allow);
            open.run()?;
        }
        Some("life") => living(probe).run()?,
        Some("required") => requiring(probe).run()?,
        _ => complete(probe).run()?,
    }
    Ok(ExitCode::SUCCESS)
}

fn complete(probe: Extension) -> Extension {
    let probe = answering(probe);
    let probe = waiting(probe);
    let probe = leaving(probe);
    let probe = asking(probe);
    let probe = growing(probe);
    let probe = drawing(probe);
    listening(probe)
}

/// Tools and commands that answer at once.
fn answering(probe: Extension) -> Extension {
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
            let child = Process::new("sh").args(["-c", "echo from a child; cat"]).status()?;
            Ok(format!("the child ended: {child}"))
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
fn waiting(probe: Extension) -> Extension {
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
fn leaving(probe: Extension) -> Extension {
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
fn asking(probe: Extension) -> Extension {
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

/// Methods for the host.
fn serving(probe: Extension) -> Extension {
    probe
        .method("double", async |number: i64, _| {
            if number > 100 { Err(ToolError::too_large("too much")) } else { Ok(number * 2) }
        })
        .method("count", async |to: Option<u32>, ctx: Context| {
            let to = to.unwrap_or_else(|| panic!("how far?"));
            for number in 1..=to {
                ctx.send_part(&number).await?;
            }
            Ok("done")
        })
}

/// Tools that change what is offered.
fn growing(probe: Extension) -> Extension {
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

/// A setup and a teardown that do what the arguments say.
fn living(probe: Extension) -> Extension {
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
                "slow" => sleep(Duration::from_millis(400)).await,
                "cancelled" => {
                    ctx.cancellation().await;
                    ctx.check_cancelled()?;
                }
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
                _ => {}
            }
            sleep(Duration::from_millis(1)).await;
            ctx.notify_info(format!("torn down; deadline: {}", ctx.deadline().is_some()));
            Ok(())
        })
}

/// Needs what the argument says.
fn requiring(probe: Extension) -> Extension {
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

/// A panel that shows the keys, and a command and a tool that open it.
fn drawing(probe: Extension) -> Extension {
    let typed = Rc::new(RefCell::new(String::new()));
    probe
        .command("panel", "opens the panel", async |title: &str, _| {
            Response::open_panel(Panel::new("keys").title(title).line("").footer("type"))
        })
        .tool("panel", "Opens the panel.", async |_: NoArgs, ctx: Context| {
            ctx.panel("keys").line("opened by a tool").open();
            Ok(format!("open: {}", ctx.panel("keys").is_open()))
        })
        .command("other_panel", "opens a panel without a handler", async |_: &str, _| {
            Response::open_panel(Panel::new("other"))
        })
        .panel("keys", async move |input, ctx| {
            let panel = ctx.panel("keys");
            match input {
                PanelInput::Key(Key::Enter) => {
                    sleep(Duration::from_millis(50)).await;
                    typed.borrow_mut().push('/');
                }
                PanelInput::Key(Key::Char('!')) => panic!("in a panel"),
                PanelInput::Key(Key::Char('?')) => return Err(ToolError::new("no questions")),
                PanelInput::Key(Key::Char(char)) => typed.borrow_mut().push(char),
                PanelInput::Key(Key::Tab) => {
                    panel.close();
                    return Ok(());
                }
                PanelInput::Resize { width, height } => {
                    panel.title(format!("{width}x{height}")).render();
                    return Ok(());
                }
                PanelInput::Close => {
                    ctx.panel("keys").line("too late").render();
                    ctx.notify_info(format!("closed; open: {}", panel.is_open()));
                    return Ok(());
                }
                _ => return Ok(()),
            }
            panel.line(typed.borrow().clone()).render();
            Ok(())
        })
}

/// Handlers of events.
fn listening(probe: Extension) -> Extension {
    probe
        .on("turn_start", async |event, ctx| {
            sleep(Duration::from_millis(30)).await;
            ctx.notify_info(format!("turn_start {}", event.payload.step.unwrap_or_default()));
        })
        .on("turn_end", async |event, _| assert!(event.event.is_empty(), "in an event"))
        .on("turn_end", async |_, ctx| ctx.notify_info("the second handler of turn_end"))
}

/// Interceptors and guards that do what the call's `do` says.
fn intercepting(probe: Extension) -> Extension {
    probe
        .intercept(point::ToolCall, async |call, _| {
            let mut args: Value = call.args_as()?;
            match what(&args) {
                "block" => return Ok(call.block("the interceptor says no")),
                "no object" => return Ok(call.rewrite(json!(["no object"]))),
                "panic first" => panic!("in the interceptor"),
                "rewrite" => args["path"] = "first".into(),
                _ => return Ok(call.allow()),
            }
            Ok(call.rewrite(args))
        })
        .intercept(point::ToolCall, async |call, _| {
            let mut args: Value = call.args_as()?;
            if args["path"] != "first" {
                return Ok(None);
            }
            args["path"] = "second".into();
            Ok(Some(call.rewrite(args)))
        })
        .guard("paths", async |call, _| {
            let args: Value = call.args_as()?;
            match what(&args) {
                "panic" => panic!("in the guard"),
                "fail" => Err(ToolError::from("x".parse::<u8>().unwrap_err())),
                "hang" => {
                    sleep(Duration::from_secs(60)).await;
                    Ok(call.allow())
                }
                "keep" => {
                    thread::sleep(Duration::from_secs(2));
                    Ok(call.allow())
                }
                _ if args["path"] == "second" => Ok(call.block(format!("sees {}", call.args()))),
                _ => Ok(call.allow()),
            }
        })
        .guard("tools", async |call, _| {
            if call.tool() == "forbidden" { call.block("no such thing here") } else { call.allow() }
        })
        .intercept(point::TurnStart, async |turn, _| {
            (turn.step() > 9).then(|| turn.block("enough"))
        })
        .intercept(point::AssistantMessage, async |message, _| {
            message.replace(message.text().replace('a', "b"))
        })
        .intercept(point::AssistantMessage, async |message, _| {
            if message.text().contains('a') { message.block("an a") } else { message.allow() }
        })
        .intercept(point::BeforeAgentStart, async |start, _| {
            assert!(!start.current_prompt().is_empty(), "no prompt");
            start.system_prompt(format!("{} in {}", start.current_prompt(), start.cwd().display()))
        })
}

fn what(args: &Value) -> &str {
    args["do"].as_str().unwrap_or_default()
}

fn mistaken(probe: Extension) -> Extension {
    probe
        .tool("twin", "The first.", async |_: NoArgs, _| Ok(()))
        .tool("twin", "The second.", async |_: NoArgs, _| Ok(()))
        .command("not allowed", "has a space in its name", async |_: &str, _| {})
}

/// With a runtime of its own.
fn serve(probe: Extension) -> Result<ExitCode, Error> {
    use extline::tokio::runtime::Builder;

    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let served = runtime.expect("a runtime can be built").block_on(probe.serve());
    eprintln!("main goes on after serve");
    served
}

fn once() -> u8 {
    1
}
