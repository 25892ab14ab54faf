//! Panels, as the user sees and uses them.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use extline::prelude::*;
use extline::testing::{Failure, Host};
use extline::tokio::time::sleep;
use extline::{Key, Panel, PanelInput};

fn counter() -> Extension {
    let count = Rc::new(Cell::new(0));
    let shown = Rc::clone(&count);
    Extension::new("counter", "1.0.0")
        .command("count", "", async move |_: &str, _| {
            let panel = Panel::new("count").title("Counter").line(shown.get().to_string());
            Response::open_panel(panel.footer("+ -"))
        })
        .panel("count", async move |input, ctx| {
            let panel = ctx.panel("count");
            match input {
                PanelInput::Key(Key::Char('+')) => count.set(count.get() + 1),
                PanelInput::Key(Key::Down) => {
                    sleep(Duration::from_millis(20)).await;
                    count.set(count.get() - 1);
                }
                PanelInput::Key(Key::Char('x')) => panic!("not that one"),
                PanelInput::Key(Key::Enter) => return panel.close(),
                PanelInput::Resize { width, height } => {
                    return panel.footer(format!("{width}x{height}")).render();
                }
                PanelInput::Close => return ctx.notify_info("closed"),
                _ => return,
            }
            panel.line(count.get().to_string()).render();
        })
        .command("other", "", async |_: &str, ctx| ctx.panel("other").title("Other").open())
}

#[test]
fn a_panel_is_opened_drawn_and_closed() -> Result<(), Failure> {
    let mut host = Host::new(counter);
    let answer = host.command("count", "")?;
    assert_eq!(answer.panel().unwrap().id, "count");
    let panel = host.panel("count").unwrap();
    assert_eq!(panel.title.as_deref(), Some("Counter"));
    assert_eq!(panel.lines.as_deref(), Some(&["0".to_owned()][..]));

    host.key("count", "+")?;
    host.key("count", "+")?;
    host.key("count", "down")?;
    let panel = host.panel("count").unwrap();
    assert_eq!(panel.lines.as_deref(), Some(&["1".to_owned()][..]));
    // What was not drawn anew stays.
    assert_eq!(panel.title.as_deref(), Some("Counter"));
    assert_eq!(panel.footer.as_deref(), Some("+ -"));

    host.resize_panel("count", 80, 24)?;
    assert_eq!(host.panel("count").unwrap().footer.as_deref(), Some("80x24"));

    host.key("count", "enter")?;
    assert_eq!(host.panel("count"), None);
    let failure = host.key("count", "+").unwrap_err();
    assert!(failure.to_string().starts_with("no panel count is open\n"), "{failure}");
    Ok(())
}

#[test]
fn a_panel_that_the_user_closes_is_gone_and_its_handler_hears_of_it() -> Result<(), Failure> {
    let mut host = Host::new(counter);
    host.command("count", "")?;
    host.command("other", "")?;
    let open: Vec<_> = host.panels().iter().map(|panel| panel.id.as_str()).collect();
    assert_eq!(open, ["count", "other"]);
    host.close_panel("count")?;
    assert_eq!(host.notes()[0].message, "closed");
    assert_eq!(host.panels().len(), 1);
    Ok(())
}

#[test]
fn a_panic_in_a_panel_fails_the_step_and_the_panel_stays() -> Result<(), Failure> {
    let mut host = Host::new(counter);
    host.command("count", "")?;
    let failure = host.key("count", "x").unwrap_err();
    assert!(matches!(failure, Failure::HandlerFailed { .. }), "{failure}");
    assert!(host.stderr()[0].contains("panic: not that one"), "{:?}", host.stderr());
    host.key("count", "+")?;
    assert_eq!(host.panel("count").unwrap().lines.as_deref(), Some(&["1".to_owned()][..]));
    Ok(())
}
