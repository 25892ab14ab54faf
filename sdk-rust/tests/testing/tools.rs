//! Calls of tools: answers, errors, updates, cancels, several at once.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use extline::ErrorKind;
use extline::prelude::*;
use extline::testing::{Failure, Host, Side};
use extline::tokio::time::sleep;
use extline::{Advice, Effect, FileOp};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Weather {
    /// City name
    city: String,
}

#[test]
fn an_update_behind_the_answer_is_told_once() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        let kept: Rc<RefCell<Option<Context>>> = Rc::default();
        let late = Rc::clone(&kept);
        Extension::new("late", "1.0.0")
            .tool("keep", "Keeps its context.", async move |_: NoArgs, ctx: Context| {
                *kept.borrow_mut() = Some(ctx);
                Ok("kept")
            })
            .tool("late", "Uses that.", async move |_: NoArgs, _| {
                for _ in 0..2 {
                    late.borrow().as_ref().unwrap().update("late").send();
                }
                Ok("late")
            })
    });
    host.call("keep", json!({}))?;
    assert_eq!(host.call("late", json!({}))?.text(), "late");
    let [line] = host.stderr().try_into().expect("one line");
    assert!(line.starts_with("ctx.update shows how a running call stands"), "{line}");
    Ok(())
}

fn weather() -> Extension {
    Extension::new("weather", "1.0.0")
        .tool("weather", "Current weather for a city.", async |w: Weather, _| {
            if w.city == "Atlantis" {
                return Err(ToolError::not_found("no such city").field("/city").hint("try Berlin"));
            }
            Ok(format!("{}: 16°C, fog", w.city))
        })
        .tool("wait", "Until it is cancelled.", async |_: NoArgs, ctx: Context| {
            ctx.update("waiting").progress(0, 1).send();
            ctx.run_until_cancelled(std::future::pending::<()>()).await?;
            Ok(())
        })
        .tool("echo", "", async |_: NoArgs, ctx: Context| {
            sleep(Duration::from_millis(1)).await;
            Ok(ctx.call_id().to_owned())
        })
        .tool("panic", "", async |_: NoArgs, ctx: Context| -> Result<(), _> {
            ctx.update("soon").send();
            panic!("out of weather")
        })
}

#[test]
fn a_result_and_an_error_are_both_answers() -> Result<(), Failure> {
    let mut host = Host::new(weather);
    let fog = host.call("weather", json!({"city": "Berlin"}))?;
    assert_eq!(fog.text(), "Berlin: 16°C, fog");
    assert!(!fog.is_error());
    assert_eq!(fog.error(), None);

    let lost = host.call("weather", json!({"city": "Atlantis"}))?;
    assert!(lost.is_error());
    assert_eq!(lost.kind(), Some(&ErrorKind::NotFound));
    assert_eq!(lost.error().unwrap().hint.as_deref(), Some("try Berlin"));
    assert_eq!(lost.text(), "no such city\nhint: try Berlin");
    Ok(())
}

#[test]
fn the_extension_checks_its_arguments() -> Result<(), Failure> {
    let mut host = Host::new(weather);
    for (args, field) in [
        (json!({}), "/city"),
        (json!({"city": 7}), "/city"),
        (json!({"city": "Berlin", "x": 1}), "/x"),
        (json!([]), ""),
    ] {
        let refused = host.call("weather", args.clone())?;
        assert_eq!(refused.kind(), Some(&ErrorKind::Validation), "{args}");
        assert_eq!(refused.field(), Some(field), "{args}");
    }
    Ok(())
}

#[test]
fn a_panic_is_the_error_that_it_is_on_the_wire_and_the_rest_goes_on() -> Result<(), Failure> {
    let mut host = Host::new(weather);
    let panic = host.call("panic", json!({}))?;
    assert_eq!(panic.kind(), Some(&ErrorKind::Internal));
    assert_eq!(panic.text(), "panic: out of weather");
    let last = host.transcript().iter().last().unwrap();
    assert_eq!(last.from, Side::Extension);
    assert_eq!(last.value()["error"]["kind"], "internal");

    assert!(!host.call("weather", json!({"city": "Berlin"}))?.is_error());
    Ok(())
}

#[test]
fn a_call_shows_updates_and_can_be_cancelled() -> Result<(), Failure> {
    let mut host = Host::new(weather);
    let mut call = host.begin("wait", json!({}))?;
    let update = host.next_update(&mut call)?;
    let progress = update.progress.unwrap();
    assert_eq!(progress.message.as_deref(), Some("waiting"));
    assert_eq!((progress.done, progress.total), (Some(0.0), Some(1.0)));

    host.cancel(&call)?;
    let answer = host.finish(call)?;
    assert_eq!(answer.kind(), Some(&ErrorKind::Cancelled));
    assert_eq!(answer.updates().len(), 1);
    Ok(())
}

#[test]
fn an_update_that_does_not_come_is_a_failure() -> Result<(), Failure> {
    let mut host = Host::new(weather);
    let mut call = host.begin("weather", json!({"city": "Berlin"}))?;
    let failure = host.next_update(&mut call).unwrap_err();
    assert!(matches!(failure, Failure::Misuse(_)), "{failure}");
    let expected = "the tool weather has answered without a further update\n";
    assert!(failure.to_string().starts_with(expected), "{failure}");
    assert_eq!(host.finish(call)?.text(), "Berlin: 16°C, fog");
    Ok(())
}

#[test]
fn calls_run_at_once_and_are_finished_in_any_order() -> Result<(), Failure> {
    let mut host = Host::new(weather);
    let waiting = host.begin("wait", json!({}))?;
    let first = host.begin("echo", json!({}))?;
    let second = host.begin("echo", json!({}))?;
    assert_eq!(host.finish(second)?.text(), "3");
    assert_eq!(host.finish(first)?.text(), "2");
    host.cancel(&waiting)?;
    assert_eq!(host.finish(waiting)?.text(), "cancelled");
    Ok(())
}

#[test]
fn everything_that_a_result_can_hold_is_seen() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").tool("all", "", async |_: NoArgs, _| {
            let result = ToolResult::new()
                .text("one")
                .image(Image::new("..", "image/png"))
                .text("two")
                .json(&json!({"lines": 2}))?
                .details(&json!({"seconds": 0.5}))?
                .effect(Effect::file(FileOp::Create, "notes.md"))
                .activate("other")
                .trust("untrusted");
            Ok(result)
        })
    });
    let all = host.call("all", json!({}))?;
    assert_eq!(all.text(), "one\ntwo\n{\"lines\":2}");
    assert!(
        matches!(&all.content()[1], Content::Image { mime_type, .. } if mime_type == "image/png")
    );
    assert_eq!(all.value(), json!({"lines": 2}));
    assert_eq!(all.details(), json!({"seconds": 0.5}));
    assert_eq!(all.effects(), [Effect::file(FileOp::Create, "notes.md")]);
    assert_eq!(all.activated(), ["other"]);
    assert_eq!(all.trust(), Some("untrusted"));
    assert_eq!(all.frame().id.as_str(), "1");
    Ok(())
}

#[test]
fn a_result_larger_than_both_pipes_arrives_whole() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").tool("repeat", "", async |args: Big, _| Ok(args.text))
    });
    let text = "ä".repeat(1_000_000);
    assert_eq!(host.call("repeat", json!({"text": text}))?.text(), text);
    Ok(())
}

#[derive(Deserialize, JsonSchema)]
struct Big {
    text: String,
}

#[test]
fn registrations_are_seen_as_they_are_on_the_wire() {
    let host = Host::new(weather);
    let names: Vec<_> = host.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["weather", "wait", "echo", "panic"]);
    let schema: Value = host.tools()[0].schema.to().unwrap();
    assert_eq!(schema["required"], json!(["city"]));
    assert_eq!(schema["properties"]["city"]["description"], "City name");
}

#[test]
fn a_deadline_of_the_tool_s_own_reaches_the_handler() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        let tool = Tool::new("limit", "", async |_: NoArgs, ctx: Context| {
            Ok(ctx.deadline().is_some().to_string())
        });
        Extension::new("a", "1").add_tool(tool.timeout(Duration::from_secs(20)))
    });
    assert_eq!(host.call("limit", json!({}))?.text(), "true");
    let asked = host.transcript().iter().rev().find(|line| line.frame_type() == "tool_call");
    assert_eq!(asked.unwrap().value()["deadline_ms"], 20_000);
    Ok(())
}

#[test]
fn a_deadline_moves_while_a_person_is_asked() -> Result<(), Failure> {
    let mut host = Host::builder()
        .method("ui.confirm", |_| Ok(json!(true)))
        .method("index.search", |_| Ok(json!(true)))
        .start(|| {
            let tool = Tool::new("ask", "", async |_: NoArgs, ctx: Context| {
                let mut deadlines = vec![ctx.deadline()];
                for method in ["index.search", "ui.confirm", "index.search"] {
                    let _: bool = ctx.request(method, &()).await?;
                    deadlines.push(ctx.deadline());
                }
                let moved = deadlines.windows(2).map(|pair| pair[1] > pair[0]);
                Ok(json!(moved.collect::<Vec<_>>()).to_string())
            });
            Extension::new("a", "1").add_tool(tool.timeout(Duration::from_secs(20)))
        })?;
    assert_eq!(host.call("ask", json!({}))?.text(), "[false,true,false]");
    Ok(())
}

/// `tool.approval-failed`.
#[test]
fn a_tool_says_of_a_call_whether_it_is_to_be_approved() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        let weather = Tool::new("weather", "The weather.", async |_: Weather, _| Ok("fog"))
            .gated_when(async |args: Weather, _| match &*args.city {
                "Rome" => Ok(Advice::allow()),
                "Atlantis" => Err(ToolError::not_found("no such city")),
                "Hell" => Ok(Advice::deny("it is too hot")),
                "Limbo" => panic!("nobody knows"),
                city => Ok(Advice { key: Some("{city}".to_owned()), ..Advice::prompt(city) }),
            });
        let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"))
            .gated_when(async |_: NoArgs, _| Ok(true));
        Extension::new("weather", "1.0.0").add_tool(weather).add_tool(clock)
    });
    let frames = host.transcript().to_string();
    assert!(frames.contains(r#""methods":["tool.approval"]"#), "{frames}");
    assert!(frames.contains(r#""approval":{"gated":true,"dynamic":true}"#), "{frames}");
    let mut ask = |tool: &str, city: &str| {
        host.request("tool.approval", json!({"tool": tool, "args": {"city": city}}))
    };
    assert_eq!(ask("weather", "Rome")?.value(), json!({"policy": "allow"}));
    assert_eq!(ask("weather", "Bonn")?.value(), json!({"reason": "Bonn", "key": "{city}"}));
    let denied = json!({"policy": "deny", "reason": "it is too hot"});
    assert_eq!(ask("weather", "Hell")?.value(), denied);
    assert_eq!(ask("clock", "")?.value(), json!({}));
    let failed = [("weather", "Atlantis", ErrorKind::NotFound), ("none", "", ErrorKind::NotFound)];
    let failed = failed.into_iter().chain([("weather", "Limbo", ErrorKind::Internal)]);
    for (tool, city, code) in failed {
        assert_eq!(ask(tool, city)?.error().map(|error| &error.code), Some(&code), "{city}");
    }
    let wrong = host.request("tool.approval", json!({"tool": "weather", "args": {"town": "x"}}))?;
    assert_eq!(wrong.error().map(|error| &error.code), Some(&ErrorKind::Validation));
    Ok(())
}
