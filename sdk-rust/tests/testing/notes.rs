//! Commands, events, and what they bring about.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use extline::prelude::*;
use extline::testing::{Action, Failure, Host};
use extline::tokio::time::sleep;

#[test]
fn a_command_answers_what_its_handler_returned() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1")
            .command("prompt", "", async |args: &str, _| Response::prompt(args))
            .command("show", "", async |args: &str, _| args.to_owned())
            .command("nothing", "", async |_: &str, _| {})
            .command("insert", "", async |args: &str, _| Response::insert(args))
            .command("call", "", async |_: &str, _| {
                Response::tool_prompt("read", json!({"path": "a"}), "reads a")
            })
            .command("fail", "", async |args: &str, _| -> Result<(), _> {
                Err(ToolError::new(format!("no {args}")))
            })
            .command("panic", "", async |_: &str, _| -> () { panic!("at once") })
    });
    assert_eq!(host.command("prompt", "tell me")?, Response::prompt("tell me"));
    assert_ne!(host.command("prompt", "tell me")?, Response::prompt("tell us"));
    assert_eq!(host.command("SHOW", "text")?.display(), Some("text"));
    assert_eq!(host.command("nothing", "")?.action(), &Action::Noop);
    assert_eq!(host.command("insert", "x")?.insert(), Some("x"));
    let call = host.command("call", "")?;
    assert_eq!(call.tool_call(), Some(("read", json!({"path": "a"}))));
    assert_eq!(call.prompt(), Some("reads a"));
    assert_eq!(host.command("fail", "luck")?, Response::error("no luck"));
    assert_eq!(host.command("panic", "")?.error(), Some("panic: at once"));
    Ok(())
}

#[test]
fn after_an_event_its_handlers_have_ended_however_long_they_took() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1")
            .on("turn_start", async |event, ctx| {
                sleep(Duration::from_millis(30)).await;
                ctx.notify_success(format!("step {}", event.payload.step.unwrap_or_default()));
            })
            .on("turn_start", async |_, ctx| {
                sleep(Duration::from_millis(30)).await;
                ctx.log_with(Level::Debug, "second", &json!({"n": 2}));
                ctx.submit("go on");
            })
    });
    host.event("turn_start", json!({"step": 3}))?;
    assert_eq!(host.notes()[0].level, Level::Success);
    assert_eq!(host.notes()[0].message, "step 3");
    assert_eq!(host.logs()[0].message, "second");
    assert_eq!(host.logs()[0].fields.as_ref().unwrap().get(), r#"{"n":2}"#);
    assert_eq!(host.submitted(), ["go on"]);
    Ok(())
}

#[test]
fn a_note_larger_than_the_pipe_is_seen_whole() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1")
            .on("turn_end", async |_, ctx| ctx.notify_info("x".repeat(1_000_000)))
    });
    for seen in 1..=20 {
        host.event("turn_end", json!({}))?;
        assert_eq!(host.notes().len(), seen);
    }
    assert!(host.notes().iter().all(|note| note.message.len() == 1_000_000));
    Ok(())
}

#[test]
fn an_event_handler_that_fails_fails_the_step() {
    let mut host = Host::new(|| {
        Extension::new("a", "1").on("turn_end", async |event, _| -> Result<(), ToolError> {
            assert!(event.payload.stop.is_some(), "no reason");
            Err(ToolError::internal("a disk is full"))
        })
    });
    for (payload, how) in
        [(json!({"stop": "end"}), "a disk is full"), (json!({}), "panic: no reason")]
    {
        let failure = host.event("turn_end", payload).unwrap_err();
        assert!(matches!(failure, Failure::HandlerFailed { .. }), "{failure}");
        let expected = format!("the handler of the event turn_end failed: {how}\nat ");
        assert!(failure.to_string().starts_with(&expected), "{failure}");
        assert!(host.stderr().last().unwrap().ends_with(how));
    }
}

#[test]
fn an_event_goes_on_beside_a_call_that_runs() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").on("turn_end", async |_, ctx| ctx.notify_info("ended")).tool(
            "wait",
            "",
            async |_: NoArgs, ctx: Context| {
                ctx.cancellation().await;
                Ok(())
            },
        )
    });
    let call = host.begin("wait", json!({}))?;
    host.event("turn_end", json!({}))?;
    assert_eq!(host.notes().len(), 1);
    host.cancel(&call)?;
    assert!(!host.finish(call)?.is_error());
    Ok(())
}

#[test]
fn an_event_that_no_host_would_send_is_a_mistake_of_the_test() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").on("turn_end", async |_, _| {}).on("tool_call", async |_, _| {})
    });
    let line = line!() + 1;
    let unheard = host.event("turn_ended", json!({})).unwrap_err().to_string();
    let expected = "the extension does not listen to turn_ended: it listens to turn_end, tool_call; \
                    did you mean turn_end?\nat ";
    assert!(unheard.starts_with(expected), "{unheard}");
    assert!(unheard.contains(&format!("notes.rs:{line}:")), "{unheard}");
    for payload in [json!([]), json!({"step": "one"})] {
        let wrong = host.event("turn_end", payload).unwrap_err().to_string();
        assert!(wrong.starts_with("the payload of the event turn_end: "), "{wrong}");
    }
    host.event("turn_end", json!({"stop": "end"}))
}

#[test]
fn what_an_extension_does_by_itself_is_waited_for() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").tool("watch", "", async |_: NoArgs, ctx: Context| {
            loop {
                ctx.run_until_cancelled(sleep(Duration::from_millis(5))).await?;
                ctx.notify_info("still here");
            }
            #[expect(unreachable_code, reason = "it says what the tool returns")]
            Ok(())
        })
    });
    let call = host.begin("watch", json!({}))?;
    host.wait_until("three notes", |host| host.notes().len() >= 3)?;
    host.cancel(&call)?;
    assert_eq!(host.finish(call)?.text(), "cancelled");
    Ok(())
}

#[test]
fn a_handler_and_its_test_share_what_crosses_threads() -> Result<(), Failure> {
    fn extension(seen: Sender<String>) -> Extension {
        Extension::new("a", "1").on("assistant_message", async move |event, _| {
            seen.send(event.payload.text.unwrap_or_default()).unwrap();
        })
    }
    let (sender, seen) = channel();
    let mut host = Host::new(|| extension(sender));
    host.event("assistant_message", json!({"text": "hello"}))?;
    assert_eq!(seen.try_recv().as_deref(), Ok("hello"));
    Ok(())
}
