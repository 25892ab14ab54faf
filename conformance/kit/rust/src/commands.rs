//! The commands.

use std::io;
use std::rc::Rc;

use extline::prelude::*;

use crate::memory::Memory;
use crate::{MESSAGE, panel};

pub(crate) fn add(kit: Extension, memory: &Rc<Memory>) -> Extension {
    let holding = Rc::clone(memory);
    let hold = async move |name: &str, _: Context| holding.hold(name).await;
    let typing = Rc::clone(memory);
    let open = async move |title: &str, _: Context| {
        typing.typed.borrow_mut().clear();
        Response::open_panel(Panel::new(panel::ID).title(title).line("").footer("type"))
    };
    let echo = async |args: &str, _: Context| Response::display(args);
    kit.add_command(Command::new("echo", "shows its arguments", echo).usage("TEXT"))
        .add_command(Command::new("action", "answers with each action", action).usage("NAME"))
        .command("fail", "fails", async |_: &str, _| -> Result<(), io::Error> {
            Err(io::Error::other(MESSAGE))
        })
        .command("panic", "fails badly", async |_: &str, _| -> Response { panic!("{MESSAGE}") })
        .add_command(Command::new("hold", "waits until its name is released", hold).usage("NAME"))
        .add_command(Command::new("panel", "opens the panel", open).usage("TITLE"))
}

async fn action(name: &str, _: Context) -> Response {
    match name {
        "prompt" => Response::prompt("a text"),
        "insert" => Response::insert("a text"),
        "display" => Response::display("a text"),
        "noop" => Response::noop(),
        "tool_prompt" => Response::tool_prompt("text", json!({"text": "a"}), "a text"),
        _ => Response::error("there is no such action"),
    }
}
