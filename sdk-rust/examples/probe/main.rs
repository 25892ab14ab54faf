//! An extension that does everything an extension may do, and some things it should not. The tests
//! of this crate start it as a process and play its host (`tests/processes`).
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "what an author prints is what is tested"
)]

mod intercepts;
mod life;
mod tools;

use std::cell::RefCell;
use std::env;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use extline::Error;
use extline::prelude::*;
use extline::tokio::time::sleep;

use intercepts::intercepting;
use life::{living, requiring};
use tools::{answering, asking, growing, leaving, released, waiting};

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
                PanelInput::Key(Key::Up) => {
                    released(0).await;
                    typed.borrow_mut().push('^');
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
            let step = event.payload.step.unwrap_or_default();
            released(step).await;
            ctx.notify_info(format!("turn_start {step}"));
        })
        .on("turn_end", async |event, _| assert!(event.event.is_empty(), "in an event"))
        .on("turn_end", async |_, ctx| ctx.notify_info("the second handler of turn_end"))
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
