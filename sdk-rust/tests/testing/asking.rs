//! What the extension asks of its host, and the host of the extension.

use std::cell::RefCell;
use std::rc::Rc;

use extline::prelude::*;
use extline::testing::{Failure, Host};
use extline::{Capability, ErrorKind};

fn asking() -> Extension {
    Extension::new("asking", "1.0.0")
        .tool("count", "Counts the lines of a file.", async |_: NoArgs, ctx: Context| {
            let file = ctx.call_tool("read", &json!({"path": "a.txt"})).await?;
            Ok(file.text().lines().count().to_string())
        })
        .tool("twice", "", async |_: NoArgs, ctx: Context| {
            let count = ctx.call_tool("count", &json!({})).await?;
            Ok(format!("2 x {}", count.text()))
        })
        .tool("confirm", "", async |_: NoArgs, ctx: Context| {
            let sure: bool = ctx.request("ui.confirm", &json!({"message": "Sure?"})).await?;
            Ok(sure.to_string())
        })
        .tool("make", "", async |_: NoArgs, ctx: Context| {
            let mut lines: Vec<String> = Vec::new();
            let status: i32 = ctx
                .request_parts("build.run", &["make"], |line| {
                    lines.push(line);
                    Ok(())
                })
                .await?;
            Ok(format!("{lines:?} {status}"))
        })
        .on("turn_end", async |_, ctx| {
            let file = ctx.call_tool("read", &json!({"path": "b.txt"})).await?;
            ctx.notify_info(file.text());
            Ok(())
        })
        .method("index.search", async |query: String, ctx| {
            for hit in ["a.rs", "b.rs"] {
                ctx.send_part(hit).await?;
            }
            if query == "nothing" {
                return Err(ToolError::not_found("no such word"));
            }
            Ok(json!({"q": query}))
        })
}

#[test]
fn other_tools_are_closures_of_the_test() -> Result<(), Failure> {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&asked);
    let mut host = Host::builder()
        .tool("read", move |args: Value| {
            seen.borrow_mut().push(args["path"].as_str().unwrap_or_default().to_owned());
            Ok("one\ntwo")
        })
        .start(asking)?;
    assert_eq!(host.call("count", json!({}))?.text(), "2");
    host.event("turn_end", json!({}))?;
    assert_eq!(host.notes()[0].message, "one\ntwo");
    assert_eq!(*asked.borrow(), ["a.txt", "b.txt"]);
    Ok(())
}

#[test]
fn the_extension_s_own_tools_can_be_called_through_the_host() -> Result<(), Failure> {
    let mut host = Host::builder().tool("read", |_| Ok("one")).start(asking)?;
    assert_eq!(host.call("twice", json!({}))?.text(), "2 x 1");
    let call = host.transcript().iter().find(|line| line.frame_type() == "call_tool").unwrap();
    assert_eq!(call.value()["parent_id"], "1");
    Ok(())
}

#[test]
fn a_tool_that_fails_or_is_not_there_is_an_error_of_the_caller() -> Result<(), Failure> {
    let mut host = Host::new(asking);
    assert_eq!(host.call("count", json!({}))?.text(), "unknown tool read");
    let fail = |_| Err::<(), _>(ToolError::not_found("no such file"));
    let mut host = Host::builder().tool("read", fail).start(asking)?;
    let answer = host.call("count", json!({}))?;
    assert!(answer.is_error());
    assert_eq!(answer.text(), "no such file");
    Ok(())
}

#[test]
fn a_tool_that_never_answers_is_cancelled_with_its_caller() -> Result<(), Failure> {
    let mut host = Host::builder().silent_tool("read").start(asking)?;
    let call = host.begin("count", json!({}))?;
    host.cancel(&call)?;
    assert_eq!(host.finish(call)?.kind(), Some(&ErrorKind::Cancelled));
    host.wait_until("a cancel of the call", |host| {
        host.transcript().iter().any(|line| line.frame_type() == "call_tool_cancel")
    })
}

#[test]
fn without_the_capability_no_tool_is_called() -> Result<(), Failure> {
    let capabilities = [Capability::ToolUpdate, Capability::Log];
    let mut host =
        Host::builder().capabilities(capabilities).tool("read", |_| Ok("one")).start(asking)?;
    assert_eq!(host.call("count", json!({}))?.kind(), Some(&ErrorKind::Unsupported));
    let mut zot = Host::builder().zot().tool("read", |_| Ok("one")).start(asking)?;
    let refused = zot.call("count", json!({}))?;
    assert!(refused.is_error());
    // A zot has no use for the kind of an error.
    assert_eq!(refused.kind(), None);
    assert!(zot.transcript().iter().all(|line| line.frame_type() != "call_tool"));
    Ok(())
}

#[test]
fn methods_of_the_host_are_closures_too() -> Result<(), Failure> {
    let mut host = Host::builder()
        .method("ui.confirm", |params| Ok(json!(params["message"] == "Sure?")))
        .method_in_parts("build.run", |params| {
            Ok((vec![json!("building"), params[0].clone()], json!(2)))
        })
        .start(asking)?;
    assert_eq!(host.call("confirm", json!({}))?.text(), "true");
    assert_eq!(host.call("make", json!({}))?.text(), "[\"building\", \"make\"] 2");

    let refuse = |_| Err(ToolError::permission("nobody is there"));
    let mut host = Host::builder().method("ui.confirm", refuse).start(asking)?;
    let refused = host.call("confirm", json!({}))?;
    assert_eq!(refused.kind(), Some(&ErrorKind::Permission));
    assert_eq!(refused.text(), "nobody is there");
    assert_eq!(host.call("make", json!({}))?.kind(), Some(&ErrorKind::Unsupported));
    Ok(())
}

#[test]
fn methods_of_the_extension_answer_in_parts() -> Result<(), Failure> {
    let mut host = Host::new(asking);
    let found = host.request("index.search", json!("main"))?;
    assert_eq!(found.value(), json!({"q": "main"}));
    assert_eq!(found.parts(), ["a.rs", "b.rs"]);
    assert_eq!(found.error(), None);
    let nothing = host.request("index.search", json!("nothing"))?;
    assert_eq!(nothing.kind(), Some(&ErrorKind::NotFound));
    assert_eq!(nothing.value(), Value::Null);
    let wrong = host.request("index.search", json!(7))?;
    assert_eq!(wrong.kind(), Some(&ErrorKind::Validation));

    let unknown = host.request("index.find", json!({})).unwrap_err().to_string();
    assert!(unknown.starts_with("the request was not sent: "), "{unknown}");
    Ok(())
}
