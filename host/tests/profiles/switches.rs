//! The switches of a profile that are thrown in the host, beside those of the session, which
//! `protocol/tests/pair/profiles.rs` tests. Each test says what the three profiles do.

use std::collections::BTreeSet;
use std::time::Duration;

use extline_host::protocol::frame::{Content, EventPayload};
use extline_host::protocol::trace::{Stream, What};
use extline_host::protocol::{Deadlines, Profile};
use extline_host::{
    AgentStart, CallError, CallOptions, CommandOutcome, ExtensionState, Host, HostBuilder, Problem,
};
use serde_json::{Value, json};

use crate::scripted::{Stage, end, ok, send, start, tool};

const ALL: fn() -> [Profile; 3] =
    || [Profile::spec(), Profile::zot_0_1_62(), Profile::zot_37c7945()];

/// Longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// An extension with the tool `run`, which says `ok`.
fn runs() -> Value {
    json!({"start": start(&[tool("run")]), "on": {"tool_call": [ok()]}})
}

fn subscribe(point: &str) -> Value {
    json!({"type": "subscribe", "intercept": [point]})
}

fn answer(fields: &Value) -> Value {
    let mut frame = json!({"type": "event_intercept_response", "id": "$ID"});
    frame.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    send(&frame)
}

#[tokio::test]
async fn who_the_host_is_and_where_data_goes() {
    for profile in ALL() {
        let name = profile.name;
        let stage = Stage::new(profile).with("x", &runs());
        end(stage.start().await).await;
        let ack = &stage.frames("x")[0];
        let own = stage.folder().join("x");
        assert_eq!(ack["extension_dir"], own.to_str().unwrap());
        let (version, data) = match name {
            "spec" => ("", stage.folder().join("home/data/x")),
            "zot-0.1.62" => ("0.1.62", own),
            _ => ("0.0.0", own),
        };
        assert_eq!(ack["zot_version"], version, "{name}");
        assert!(ack["data_dir"].as_str().unwrap().ends_with(data.to_str().unwrap()), "{name}");
        assert_eq!(stage.folder().join("home/data").exists(), name == "spec");
    }
    let stage = Stage::new(Profile::zot_0_1_62()).set(|builder| builder.zot_version("7"));
    let stage = stage.with("x", &runs());
    end(stage.start().await).await;
    assert_eq!(stage.frames("x")[0]["zot_version"], "7", "the embedder's word counts");
}

#[tokio::test]
async fn a_zot_looks_at_no_schema() {
    let wants_city = json!({"type": "register_tool", "name": "weather", "description": "w",
                            "schema": {"type": "object", "required": ["city"]}});
    let broken = json!({"type": "register_tool", "name": "broken", "description": "b",
                        "schema": {"type": "no type"}});
    let script = json!({"start": start(&[wants_city, broken]), "on": {"tool_call": [ok()]}});
    for profile in ALL() {
        let checks = profile.name == "spec";
        let stage = Stage::new(profile).with("x", &script);
        let host = stage.start().await;
        let called = host.call("weather", "{}").await;
        assert_eq!(matches!(called, Err(CallError::Invalid { .. })), checks, "{called:?}");
        assert_eq!(host.call("broken", "{}").await.is_err(), checks);
        let called = host.call("weather", r#"[{"a":1,"a":2}]"#).await;
        assert_eq!(matches!(called, Err(CallError::BadArgs { .. })), checks, "{called:?}");
        end(host).await;
    }
}

/// A rewrite that is no object is an answer that cannot be used; a zot passes it on. None at all
/// comes from an interceptor that dies.
#[tokio::test]
async fn an_interceptor_without_a_usable_answer_blocks_nothing_under_a_zot() {
    let strange = json!({"modified_args": [1]});
    for (last, args) in [(answer(&strange), json!([1])), (json!({"exit": 3}), json!({"a": 1}))] {
        let useless = json!({"start": start(&[subscribe("tool_call")]),
                             "on": {"event_intercept": [last]}});
        for profile in ALL() {
            let closed = profile.name == "spec";
            let stage = Stage::new(profile).with("tool", &runs()).with("useless", &useless);
            let host = stage.start().await;
            let called = host.call("run", "{\"a\":1}").await;
            assert_eq!(matches!(called, Err(CallError::Blocked { .. })), closed, "{called:?}");
            let calls = calls_of(&stage, host).await;
            let came: Vec<_> = calls.iter().map(|call| &call["args"]).collect();
            assert_eq!(came, if closed { vec![] } else { vec![&args] });
        }
    }
}

/// The tool calls that the extension `tool` was sent, once the host has ended.
async fn calls_of(stage: &Stage, host: Host) -> Vec<Value> {
    end(host).await;
    let frames = stage.frames("tool").into_iter();
    frames.filter(|frame| frame["type"] == "tool_call").collect()
}

/// Two interceptors that put their names behind the system prompt and around the arguments.
fn wrapping(profile: Profile, point: &str) -> Stage {
    let wraps = |name: &str| {
        let args = json!({"by": name, "was": "$FRAME.tool_args"});
        let prompt = format!("$FRAME.system_prompt {name}");
        let rewrite = json!({"modified_args": args, "system_prompt": prompt});
        json!({"start": start(&[tool("run"), subscribe(point)]),
               "on": {"event_intercept": [answer(&rewrite)], "tool_call": [ok()]}})
    };
    Stage::new(profile).with("tool", &wraps("tool")).with("b", &wraps("b"))
}

/// Who rewrote last, in ten calls.
async fn last_writers(stage: &Stage) -> Vec<String> {
    let host = stage.start().await;
    for _ in 0..10 {
        host.call("run", "{}").await.unwrap();
    }
    let calls = calls_of(stage, host).await;
    calls.iter().map(|call| call["args"]["by"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_zot_asks_interceptors_in_an_order_that_is_drawn_each_time() {
    for profile in ALL() {
        let seeded = || wrapping(profile.clone(), "tool_call").set(|builder| builder.seed(1));
        let writers = last_writers(&seeded()).await;
        let distinct: BTreeSet<_> = writers.iter().collect();
        assert_eq!(distinct.len(), if profile.name == "spec" { 1 } else { 2 }, "{writers:?}");
        assert_eq!(last_writers(&seeded()).await, writers, "the same seed draws the same");
    }
}

#[tokio::test]
async fn the_system_prompt_is_rewritten_in_load_order_where_the_point_is_known() {
    for profile in ALL() {
        let name = profile.name;
        let host = wrapping(profile, "before_agent_start").start().await;
        for _ in 0..5 {
            let start = AgentStart { system_prompt: "p".to_owned(), ..AgentStart::default() };
            let prompt = host.intercept_before_agent_start(start).await;
            assert_eq!(prompt, if name == "zot-0.1.62" { "p" } else { "p tool b" }, "{name}");
        }
        end(host).await;
    }
}

#[tokio::test]
async fn only_the_older_zot_puts_events_out_of_their_order() {
    let events = ["session_start", "turn_start", "assistant_message", "tool_call", "turn_end"];
    let wants = json!({"type": "subscribe", "events": events});
    for profile in ALL() {
        let ordered = profile.name != "zot-0.1.62";
        let stage = Stage::new(profile).set(|builder| builder.seed(1));
        let stage = stage.with("x", &json!({ "start": start(std::slice::from_ref(&wants)) }));
        let host = stage.start().await;
        for event in events {
            host.emit(event, EventPayload::default());
        }
        end(host).await;
        let told = stage.frames("x").into_iter().filter(|frame| frame["type"] == "event");
        let told: Vec<_> = told.map(|mut frame| frame["event"].take()).collect();
        assert_eq!(told == events, ordered, "{told:?}");
        let all = |event: &&str| told.iter().filter(|it| *it == event).count() == 1;
        assert!(events.iter().all(all), "none is lost before the shutdown: {told:?}");
    }
}

#[tokio::test]
async fn a_zot_puts_words_where_there_are_none() {
    let result =
        |content: &Value| send(&json!({"type": "tool_result", "id": "$ID", "content": content}));
    let empty = json!({"type": "text", "text": ""});
    let script = json!({
        "start": start(&[tool("nothing"), tool("empty"), tool("mixed")]),
        "on": {
            "tool_call:nothing": [result(&json!([]))],
            "tool_call:empty": [result(&json!([empty]))],
            "tool_call:mixed": [result(&json!([empty, {"type": "text", "text": "x"}]))],
        },
    });
    for profile in ALL() {
        let keeps = profile.name == "spec";
        let host = Stage::new(profile).with("x", &script).start().await;
        let mut said = Vec::new();
        for name in ["nothing", "empty", "mixed"] {
            said.push(host.call(name, "{}").await.unwrap().content);
        }
        let text = Content::text;
        let none = text("(extension returned no content)");
        let expected = if keeps {
            [vec![], vec![text("")], vec![text(""), text("x")]]
        } else {
            [vec![none.clone()], vec![none], vec![text("x")]]
        };
        assert_eq!(said, expected);
        end(host).await;
    }
}

/// What is left of an extension that says nothing more: one that closes its stdout, or writes a
/// line of 4 MiB, when `run` is called.
async fn goes_silent(profile: Profile, how: &Value) {
    let name = profile.name;
    let long = how.get("send").is_some();
    let wants = json!({"type": "subscribe", "events": ["turn_start"]});
    let script = json!({"start": start(&[tool("run"), wants]), "on": {"tool_call": [how]}});
    let stage = Stage::new(profile).with("x", &script);
    let host = stage.start().await;
    let dies = name == "zot-37c7945" || (name == "spec" && !long);
    let timeout = if dies { LONG } else { Duration::from_secs(2) };
    let options = CallOptions::default().timeout(timeout);
    let call = host.start_call("run", "{}", options).await.unwrap();
    let outcome = call.outcome().await;
    match (name, outcome) {
        ("zot-0.1.62", Err(CallError::Timeout { .. })) => {
            // The line may take longer than the call waits.
            let gone = async {
                while !host.tools().is_empty() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::time::timeout(LONG, gone).await.expect("what it offered must be gone");
            assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
            host.emit("turn_start", EventPayload::default());
            let ending = host.shutdown().await.pop().unwrap();
            assert_eq!(ending.diagnosis, None, "{ending}");
            let last: Vec<_> = stage.sent("x").into_iter().rev().take(2).collect();
            let told = [r#"{"type":"shutdown"}"#, r#"{"type":"event","event":"turn_start"}"#];
            assert_eq!(last, told, "it is told to the end");
        }
        ("zot-37c7945", Err(CallError::Died { diagnosis, .. })) => {
            let problem = if long { Problem::LineTooLong } else { Problem::OutputClosed };
            assert_eq!(diagnosis.problem, problem);
            end(host).await;
        }
        ("spec", Err(CallError::Died { diagnosis, .. })) => {
            assert_eq!((diagnosis.problem.clone(), long), (Problem::OutputClosed, false));
            end(host).await;
        }
        // The line fails nothing, as it names no call; the call waits.
        ("spec", Err(CallError::Timeout { .. })) => {
            assert!(long);
            assert_eq!(host.tools().len(), 1);
            end(host).await;
        }
        (_, outcome) => panic!("{name}: {outcome:?}"),
    }
}

#[tokio::test]
async fn an_extension_that_closes_its_stdout() {
    for profile in ALL() {
        goes_silent(profile, &json!({"close": "stdout"})).await;
    }
}

#[tokio::test]
async fn an_extension_that_writes_a_line_of_4_mib() {
    let message = json!({"$repeat": ["x", 4_194_304]});
    let note = json!({"type": "notify", "level": "info", "message": message});
    for profile in ALL() {
        goes_silent(profile, &send(&note)).await;
    }
}

#[tokio::test]
async fn a_zot_says_nothing_of_frames_it_does_not_know() {
    let odd = [json!({"raw": "junk"}), send(&json!({"type": "from_the_future"})), ok()];
    let script = json!({"start": start(&[tool("run")]), "on": {"tool_call": odd}});
    for profile in ALL() {
        let reports = profile.name == "spec";
        let host = Stage::new(profile).with("x", &script).start().await;
        host.call("run", "{}").await.unwrap();
        let notices: Vec<_> =
            host.extensions()[0].notices.iter().map(|notice| notice.text.clone()).collect();
        assert_eq!(notices.len(), if reports { 2 } else { 0 }, "{notices:?}");
        let log = host.extensions()[0].log.clone().unwrap();
        end(host).await;
        let log = std::fs::read_to_string(log).unwrap();
        assert!(log.contains("junk") && log.contains("from_the_future"), "the log has it: {log}");
    }
}

/// Cargo sets this variable for every test, and no extension has any business with it.
#[tokio::test]
async fn a_zot_gives_its_whole_environment_away() {
    const SCRIPT: &str = r#"
        echo '{"type":"hello","name":"x"}'
        echo '{"type":"register_tool","name":"seen_'"${CARGO_PKG_NAME:-nothing}"'","schema":{}}'
        echo '{"type":"ready"}'
        cat > /dev/null"#;
    for profile in ALL() {
        let gives = profile.name != "spec";
        let shell = |builder: HostBuilder| builder.command("sh", ["-c", SCRIPT]);
        let host = Stage::new(profile).set(shell).start().await;
        let seen = if gives { "seen_extline-host" } else { "seen_nothing" };
        assert_eq!(host.tools()[0].name(), seen);
        end(host).await;
    }
}

#[tokio::test]
async fn a_banner_keeps_an_extension_from_starting_under_a_zot() {
    let mut steps = start(&[]);
    steps.insert(0, json!({"raw": "Welcome!"}));
    for profile in ALL() {
        let skips = profile.name == "spec";
        let host = Stage::new(profile).with("x", &json!({ "start": steps })).start_anyway().await;
        match &host.extensions()[0].state {
            ExtensionState::Ready => assert!(skips),
            ExtensionState::Failed(diagnosis) => {
                assert!(!skips && matches!(diagnosis.problem, Problem::BadHello { .. }));
            }
            other => panic!("{other:?}"),
        }
        end(host).await;
    }
}

/// The message tells the time that the session kept.
#[tokio::test]
async fn a_zot_s_deadlines_are_not_those_of_the_embedder() {
    let silent = json!({"start": start(&[tool("run")]), "on": {"tool_call": []}});
    for profile in ALL() {
        let fixed = profile.name != "spec";
        let deadlines = Deadlines { tool: Duration::from_millis(50), ..Deadlines::default() };
        let stage = Stage::new(profile).set(|builder| builder.deadlines(deadlines));
        let host = stage.with("x", &silent).start().await;
        let call = host.call("run", "{}");
        let outcome = tokio::time::timeout(Duration::from_secs(2), call).await;
        assert_eq!(outcome.is_err(), fixed, "{outcome:?}");
        end(host).await;
    }
}

#[tokio::test]
async fn every_host_clears_a_footer_that_is_not_there() {
    let command = json!({"type": "register_command", "name": "show", "description": "shows"});
    let panel = json!({"id": "p", "title": "t", "lines": ["one"], "footer": "below"});
    let open = json!({"type": "command_response", "id": "$ID", "action": "open_panel",
                      "open_panel": panel});
    let render = json!({"type": "panel_render", "panel_id": "p", "title": "t", "lines": ["two"]});
    let script = json!({"start": start(&[command]),
                        "on": {"command_invoked": [send(&open)], "panel_key": [send(&render)]}});
    for profile in ALL() {
        let host = Stage::new(profile).with("x", &script).start().await;
        let outcome = host.command("show", "").await.unwrap();
        let CommandOutcome::OpenPanel(mut panel) = outcome else { panic!("{outcome:?}") };
        assert_eq!(panel.view().footer, "below");
        panel.key("enter");
        let view = panel.changed().await.unwrap();
        assert_eq!((view.lines, view.footer.as_str()), (vec!["two".to_owned()], ""));
        end(host).await;
    }
}

#[tokio::test]
async fn every_host_closes_stdin_right_after_shutdown() {
    for profile in ALL() {
        let stage = Stage::new(profile).with("x", &runs());
        end(stage.start().await).await;
        let ours = |what: &What| match what {
            What::Line { line, .. } if line.text().starts_with("{\"type\":\"shutdown\"") => true,
            What::Eof(Stream::Stdin) => true,
            What::Signal(_) => panic!("it ends by itself"),
            _ => false,
        };
        let trace = stage.trace();
        let told = trace.iter().position(|record| ours(&record.what)).unwrap();
        assert_eq!(trace[told + 1].what, What::Eof(Stream::Stdin));
    }
}
