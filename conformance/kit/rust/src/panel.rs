//! The panel, which shows what was typed.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use extline::prelude::*;
use extline::tokio::time::sleep;

use crate::MESSAGE;
use crate::memory::Memory;

pub(crate) const ID: &str = "keys";

pub(crate) fn add(kit: Extension, memory: &Rc<Memory>) -> Extension {
    let memory = Rc::clone(memory);
    kit.panel(ID, async move |input, ctx| handle(input, ctx, &memory).await)
}

async fn handle(input: PanelInput, ctx: Context, memory: &Memory) -> Result<(), ToolError> {
    let panel = ctx.panel(ID);
    match input {
        PanelInput::Key(Key::Char('!')) => Err(io::Error::other(MESSAGE))?,
        PanelInput::Key(Key::Char(char)) => memory.typed.borrow_mut().push(char),
        PanelInput::Key(Key::Text(text)) => memory.typed.borrow_mut().push_str(&text),
        PanelInput::Key(Key::Enter) => {
            sleep(Duration::from_millis(20)).await;
            memory.typed.borrow_mut().push('/');
        }
        PanelInput::Key(Key::Tab) => {
            panel.close();
            return Ok(());
        }
        PanelInput::Resize { width, height } => {
            panel.title(format!("{width}x{height}")).render();
            return Ok(());
        }
        PanelInput::Close => {
            panel.line("too late").render();
            ctx.notify_info("closed");
            return Ok(());
        }
        _ => return Ok(()),
    }
    panel.line(memory.typed.borrow().clone()).render();
    Ok(())
}
