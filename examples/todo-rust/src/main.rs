//! Things to do: a panel for the user, a tool for the model, and one list that outlives both.

mod store;
mod todos;
mod view;

use std::cell::RefCell;
use std::rc::Rc;

use extline::prelude::*;

use crate::store::Store;
use crate::todos::Todos;
use crate::view::{View, Wish};

const PANEL: &str = "todos";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Add one, list all, or mark one as done
    action: Action,
    /// For add: what there is to do
    text: Option<String>,
    /// For done: its number in the list
    number: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Add,
    List,
    Done,
}

fn main() -> Result<(), extline::Error> {
    // Handlers run on one thread, so what the panel shows is shared without a lock.
    let view = Rc::new(RefCell::new(View::default()));
    let (opened, pressed) = (Rc::clone(&view), Rc::clone(&view));
    Extension::new("todo-rust", "1.0.0")
        .tool("todo", "The user's list of things to do.", async move |request, ctx| {
            let todos = store(&ctx)?.update(|todos| {
                carry_out(&request, todos)?;
                Ok(todos.clone())
            })?;
            // Nothing happens when the panel is not open.
            draw(ctx.panel(PANEL), &mut view.borrow_mut(), &todos).render();
            Ok(todos.to_string())
        })
        .command("todo", "open the list of things to do", async move |_: &str, ctx| {
            let todos = store(&ctx)?.load()?;
            let mut view = opened.borrow_mut();
            *view = View::default();
            Ok::<_, ToolError>(Response::open_panel(draw(Panel::new(PANEL), &mut view, &todos)))
        })
        .panel(PANEL, async move |input, ctx: Context| {
            let PanelInput::Key(key) = input else { return };
            if let Err(error) = press(&key, &mut pressed.borrow_mut(), &ctx) {
                ctx.notify_error(error.to_string());
            }
        })
        .run()
}

/// Where the list is: the host says which folder is this extension's own.
fn store(ctx: &Context) -> Result<Store, ToolError> {
    let folder = ctx.data_dir();
    folder.map(Store::within).ok_or_else(|| ToolError::unsupported("the host gives no data folder"))
}

fn carry_out(request: &Request, todos: &mut Todos) -> Result<(), ToolError> {
    match request.action {
        Action::List => {}
        Action::Add => {
            if !todos.add(request.text.as_deref().unwrap_or_default()) {
                return Err(ToolError::validation("what is there to do?").field("/text"));
            }
        }
        Action::Done => {
            let number = request.number.unwrap_or_default();
            let todo = todos.numbered(number).map(|todo| todo.done = true);
            todo.ok_or_else(|| {
                let problem = ToolError::not_found(format!("there is no number {number}"));
                problem.field("/number").hint(todos.to_string())
            })?;
        }
    }
    Ok(())
}

fn press(key: &Key, view: &mut View, ctx: &Context) -> Result<(), ToolError> {
    let (wish, todos) = store(ctx)?.update(|todos| Ok((view.press(key, todos), todos.clone())))?;
    let panel = ctx.panel(PANEL);
    match wish {
        Wish::Draw => draw(panel, view, &todos).render(),
        Wish::Close => panel.close(),
    }
    Ok(())
}

fn draw<To>(panel: Panel<To>, view: &mut View, todos: &Todos) -> Panel<To> {
    panel.title(View::title(todos)).lines(view.lines(todos)).footer(view.footer())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(requests: &[Value]) -> Result<String, ToolError> {
        let mut todos = Todos::default();
        for request in requests {
            carry_out(&Request::deserialize(request)?, &mut todos)?;
        }
        Ok(todos.to_string())
    }

    #[test]
    fn the_model_adds_lists_and_marks_as_done() {
        let requests = [
            json!({"action": "add", "text": "ship"}),
            json!({"action": "list"}),
            json!({"action": "add", "text": "test"}),
            json!({"action": "done", "number": 2}),
        ];
        assert_eq!(after(&requests).unwrap(), "1. [ ] ship\n2. [x] test");
    }

    #[test]
    fn what_is_missing_or_not_there_is_named() {
        let error = after(&[json!({"action": "add", "text": " "})]).unwrap_err();
        assert_eq!(error.info().field.as_deref(), Some("/text"));
        let add = json!({"action": "add", "text": "ship"});
        for done in [json!({"action": "done", "number": 2}), json!({"action": "done"})] {
            let error = after(&[add.clone(), done]).unwrap_err();
            assert_eq!(error.info().field.as_deref(), Some("/number"));
            assert!(error.to_string().contains("hint: 1. [ ] ship"), "{error}");
        }
    }
}
