//! What a test's author reads when something does not come.

use std::panic::catch_unwind;
use std::time::Duration;

use extline::prelude::*;
use extline::testing::{Failure, Host};

fn slow() -> Extension {
    Extension::new("slow", "1.0.0")
        .tool("wait", "", async |_: NoArgs, ctx: Context| {
            ctx.cancellation().await;
            Ok(())
        })
        .tool("quick", "", async |_: NoArgs, _| Ok("done"))
        .command("wait", "", async |_: &str, ctx: Context| ctx.cancellation().await)
        .on("turn_end", async |_, ctx| ctx.cancellation().await)
}

const SHORT: Duration = Duration::from_millis(100);
/// A step that is to succeed may take long on a busy machine.
const LONG: Duration = Duration::from_secs(30);

fn impatient() -> Result<Host, Failure> {
    Host::builder().deadline(SHORT).start(slow)
}

#[test]
fn a_tool_that_never_answers_fails_with_the_last_frames() -> Result<(), Failure> {
    let mut host = impatient()?;
    let failure = host.call("wait", json!({"n": 1})).unwrap_err();
    assert!(matches!(failure, Failure::TimedOut { hint: "", .. }), "{failure}");
    let text = failure.to_string();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("the tool wait did not answer within 100ms, the deadline of this testing host")
    );
    assert!(lines.next().is_some_and(|line| line.contains("failures.rs:")), "{text}");
    assert_eq!(lines.next(), Some("the frames:"));
    assert_eq!(
        lines.next_back(),
        Some(r#"  host      > {"type":"tool_call","id":"1","name":"wait","args":{"n":1}}"#)
    );
    // What `?` and `unwrap` show is the same.
    assert_eq!(format!("{failure:?}"), text);

    // The rest goes on.
    host.set_deadline(LONG);
    assert_eq!(host.call("quick", json!({}))?.text(), "done");
    Ok(())
}

#[test]
fn commands_events_and_waits_fail_in_the_same_way() -> Result<(), Failure> {
    let mut host = impatient()?;
    for (failure, expected) in [
        (host.command("wait", "").unwrap_err(), "the command wait did not answer within 100ms"),
        (
            host.event("turn_end", json!({})).unwrap_err(),
            "the handlers of the event turn_end did not end within 100ms",
        ),
        (host.settle().unwrap_err(), "the extension did not come to rest within 100ms"),
        (host.wait_until("a note", |_| false).unwrap_err(), "a note did not come within 100ms"),
    ] {
        let text = failure.to_string();
        assert!(text.starts_with(expected), "{text}");
    }
    Ok(())
}

#[test]
fn a_long_story_is_told_from_its_end() -> Result<(), Failure> {
    let mut host = Host::new(slow);
    for _ in 0..20 {
        host.call("quick", json!({"long": "x".repeat(500)}))?;
    }
    host.set_deadline(SHORT);
    let frames = host.transcript().iter().len() + 1;
    let text = host.call("wait", json!({})).unwrap_err().to_string();
    assert!(text.contains(&format!("the last frames, after {} others:", frames - 12)), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 210), "{text}");
    assert!(text.contains("xxx..."), "{text}");
    Ok(())
}

#[test]
fn stderr_stands_in_the_story() -> Result<(), Failure> {
    let mut host = Host::builder().zot().start(|| {
        Extension::new("a", "1").tool("wait", "", async |_: NoArgs, ctx: Context| {
            ctx.log(Level::Warn, "the oracle is silent");
            ctx.cancellation().await;
            Ok(())
        })
    })?;
    let call = host.begin("wait", json!({}))?;
    host.set_deadline(SHORT);
    let text = host.finish(call).unwrap_err().to_string();
    assert!(text.contains("\non stderr:\n  warn: the oracle is silent\nthe frames:\n"), "{text}");
    Ok(())
}

#[test]
fn a_registration_mistake_is_told_with_its_line() {
    let line = line!() + 3;
    let create = || {
        let extension = Extension::new("a", "1").command("go", "", async |_: &str, _| {});
        extension.command("go", "", async |_: &str, _| {})
    };
    let failure = Host::builder().start(create).unwrap_err();
    assert!(matches!(failure, Failure::Extension(_)), "{failure}");
    let text = failure.to_string();
    assert!(text.contains(&format!("failures.rs:{line}:")), "{text}");
    assert!(text.contains("two commands named \"go\""), "{text}");

    // `Host::new` panics with the same text.
    let panic = catch_unwind(|| Host::new(create)).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>(), Some(&text));
}

#[test]
fn a_panic_while_the_extension_is_created_is_told() {
    let failure = Host::builder().start(|| panic!("no settings")).unwrap_err().to_string();
    let expected = "the extension did not become ready: the extension panicked: no settings";
    assert!(failure.starts_with(expected), "{failure}");
}

#[test]
fn a_frame_over_the_limit_is_a_mistake_of_the_test() -> Result<(), Failure> {
    let mut host = Host::new(slow);
    let failure = host.call("quick", json!({"text": "x".repeat(5_000_000)})).unwrap_err();
    let text = failure.to_string();
    assert!(text.starts_with("the tool quick was not called: it is too large: "), "{text}");
    assert_eq!(host.call("quick", json!({}))?.text(), "done");
    Ok(())
}

#[test]
fn arguments_that_are_nested_too_deep_are_answered_by_the_extension() -> Result<(), Failure> {
    let mut host = Host::new(slow);
    let deep = RawJson::parse(&format!("{}{}", "[".repeat(100), "]".repeat(100))).unwrap();
    let args = RawJson::parse(&format!("{{\"deep\":{deep}}}")).unwrap();
    assert_eq!(host.call("quick", args)?.text(), "done");
    assert!(host.notices().is_empty());
    Ok(())
}
