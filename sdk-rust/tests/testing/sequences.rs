//! Whatever a test does, and in whatever order, the frames are in order.

use std::collections::{BTreeMap, VecDeque};

use extline::prelude::*;
use extline::testing::{Call, Failure, Host, Line, Moment, Side, Transcript};
use extline::{Key, Panel, PanelInput, point};
use extline_protocol::frame::{AnyFrame, ExtensionFrame, HostFrame};
use extline_protocol::{Incoming, decode_text};
use proptest::prelude::*;
use proptest::sample::select;

/// An extension that does a little of everything.
fn busy() -> Extension {
    Extension::new("busy", "1.0.0")
        .tool("quick", "", async |_: NoArgs, ctx: Context| {
            ctx.update("at once").send();
            ctx.log(Level::Info, "quick");
            Ok("done")
        })
        .tool("wait", "", async |_: NoArgs, ctx: Context| {
            ctx.update("waiting").send();
            ctx.run_until_cancelled(std::future::pending::<()>()).await?;
            Ok(())
        })
        .tool("thread", "", async |_: NoArgs, ctx: Context| {
            Ok(ctx.blocking(|| "from a thread").await)
        })
        .tool("nested", "", async |_: NoArgs, ctx: Context| {
            let quick = ctx.call_tool("quick", &json!({})).await?;
            let other = ctx.call_tool("other", &json!({"n": 1})).await?;
            let sure: bool = ctx.request("ui.confirm", &()).await?;
            Ok(format!("{} {} {sure}", quick.text(), other.text()))
        })
        .tool("panic", "", async |_: NoArgs, _| -> Result<(), _> { panic!("as asked") })
        .command("show", "", async |_: &str, ctx| {
            ctx.notify_info("showing");
            Response::open_panel(Panel::new("panel").line("a"))
        })
        .command("open", "", async |_: &str, ctx| ctx.panel("panel").line("b").open())
        .command("submit", "", async |_: &str, ctx| ctx.submit("more"))
        .panel("panel", async |input, ctx| match input {
            PanelInput::Key(Key::Char('x')) => ctx.panel("panel").close(),
            PanelInput::Close => ctx.notify_info("closed"),
            _ => ctx.panel("panel").line("again").render(),
        })
        .on("turn_end", async |_, ctx| {
            let other = ctx.call_tool("other", &json!({})).await?;
            ctx.notify_info(other.text());
            Ok(())
        })
        .on("turn_start", async |_, ctx| ctx.log(Level::Debug, "a turn"))
        .intercept(point::ToolCall, async |call, _| {
            (call.tool() == "bash").then(|| call.rewrite(json!({"safe": true})))
        })
        .guard("no_rm", async |call, _| Ok((call.tool() == "rm").then(|| call.block("no"))))
        .method("index.search", async |(): (), ctx| {
            ctx.send_part("a part").await?;
            Ok(1)
        })
}

#[derive(Clone, Debug)]
enum Step {
    Call(&'static str),
    Begin(&'static str),
    CancelOldest,
    Command(&'static str),
    Event(&'static str),
    Intercept(&'static str),
    TurnStart,
    Key(&'static str),
    Resize,
    ClosePanel,
    Request,
    Settle,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => select(&["quick", "thread", "nested", "panic"][..]).prop_map(Step::Call),
        4 => select(&["quick", "wait", "thread", "nested"][..]).prop_map(Step::Begin),
        3 => Just(Step::CancelOldest),
        3 => select(&["show", "open", "submit"][..]).prop_map(Step::Command),
        2 => select(&["turn_start", "turn_end"][..]).prop_map(Step::Event),
        2 => select(&["bash", "rm", "read"][..]).prop_map(Step::Intercept),
        1 => Just(Step::TurnStart),
        3 => select(&["a", "down", "x"][..]).prop_map(Step::Key),
        1 => Just(Step::Resize),
        1 => Just(Step::ClosePanel),
        1 => Just(Step::Request),
        1 => Just(Step::Settle),
    ];
    proptest::collection::vec(step, 0..40)
}

fn host() -> Result<Host, Failure> {
    Host::builder()
        .tool("other", |args| Ok(args.to_string()))
        .method("ui.confirm", |_| Ok(json!(true)))
        .start(busy)
}

fn take(host: &mut Host, step: &Step, calls: &mut VecDeque<Call>) -> Result<(), Failure> {
    match *step {
        Step::Call(tool) => host.call(tool, json!({})).map(drop),
        Step::Begin(tool) => {
            calls.push_back(host.begin(tool, json!({}))?);
            Ok(())
        }
        Step::CancelOldest => {
            let Some(call) = calls.pop_front() else { return Ok(()) };
            host.cancel(&call)?;
            host.finish(call).map(drop)
        }
        Step::Command(name) => host.command(name, "").map(drop),
        Step::Event(name) => host.event(name, json!({"step": 1})),
        Step::Intercept(tool) => host.intercept(Moment::tool_call(tool, json!({}))).map(drop),
        Step::TurnStart => host.intercept(Moment::turn_start(1)).map(drop),
        Step::Key(_) | Step::Resize | Step::ClosePanel if host.panel("panel").is_none() => Ok(()),
        Step::Key(key) => host.key("panel", key),
        Step::Resize => host.resize_panel("panel", 80, 24),
        Step::ClosePanel => host.close_panel("panel"),
        Step::Request => host.request("index.search", RawJson::null()).map(drop),
        Step::Settle => host.settle(),
    }
}

/// Every line is a known frame of its sender.
fn check_frames(transcript: &Transcript) {
    fn is_known<F: AnyFrame>(line: &Line) -> bool {
        match decode_text::<F>(&line.json) {
            Incoming::Frame(frame) => F::TYPES.contains(&frame.frame_type()),
            Incoming::Unusable(_) => false,
        }
    }
    for line in transcript.iter() {
        let known = match line.from {
            Side::Host => is_known::<HostFrame>(line),
            Side::Extension => is_known::<ExtensionFrame>(line),
        };
        assert!(known, "{line}");
    }
}

/// Every question has one answer, behind it; those of the extension only as long as the host has not
/// said `shutdown`, after which it says nothing more.
fn check_answers(transcript: &Transcript, ended_at_rest: bool) {
    const ANSWERS: [&str; 4] =
        ["tool_result", "command_response", "event_intercept_response", "response"];
    let answer_to = |from: Side, frame_type: &str| match (from, frame_type) {
        (Side::Host, "tool_call") | (Side::Extension, "call_tool") => Some("tool_result"),
        (Side::Host, "command_invoked") => Some("command_response"),
        (Side::Host, "event_intercept") => Some("event_intercept_response"),
        (_, "request") => Some("response"),
        _ => None,
    };
    let mut open = BTreeMap::new();
    for line in transcript.iter() {
        let (frame_type, id) = (line.frame_type(), line.value()["id"].to_string());
        let is_host = line.from == Side::Host;
        if let Some(answer) = answer_to(line.from, &frame_type) {
            let question = (!is_host, answer, id);
            assert!(open.insert(question, line).is_none(), "{line} came twice:\n{transcript}");
        } else if let Some(answer) = ANSWERS.into_iter().find(|answer| *answer == frame_type) {
            let asked = open.remove(&(is_host, answer, id));
            assert!(asked.is_some(), "{line} answers nothing:\n{transcript}");
        }
    }
    open.retain(|_, line| ended_at_rest || line.from == Side::Host);
    assert!(open.is_empty(), "not answered: {:?}\n{transcript}", open.values());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_sequence_of_steps_is_a_conversation_in_order(steps in steps()) {
        let mut host = host().unwrap();
        let mut calls = VecDeque::new();
        for step in &steps {
            if let Err(failure) = take(&mut host, step, &mut calls) {
                panic!("{step:?}: {failure}");
            }
        }
        prop_assert_eq!(host.shutdown().unwrap(), 0);
        for call in calls {
            host.finish(call).unwrap();
        }
        prop_assert!(host.notices().is_empty(), "{:?}", host.notices());
        prop_assert!(host.stderr().is_empty(), "{:?}", host.stderr());
        check_frames(host.transcript());
        let began = |step: &Step| matches!(step, Step::Begin(_));
        check_answers(host.transcript(), !steps.iter().any(began));
        let types: Vec<_> = host.transcript().iter().map(Line::frame_type).collect();
        prop_assert_eq!(&types[..2], ["hello", "hello_ack"]);
        prop_assert_eq!(types.iter().filter(|name| *name == "shutdown_ack").count(), 1);
    }
}
