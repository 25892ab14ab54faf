//! The forks of zot, and what a durable host asks, with real processes. Hello, frames and fields of
//! the session are tested in `protocol/tests/pair/forks.rs`; here is what the host does with them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use extline_host::protocol::frame::{Content, RegisterTool, ToolResult};
use extline_host::protocol::{Deadlines, ErrorKind, Profile};
use extline_host::services::ui::{Shown, Status, StatusMethod, Widget, WidgetMethod};
use extline_host::{
    Asked, BuiltinCall, CallError, CallOptions, ExtensionState, HostBuilder, News, Problem,
    Reconciled,
};
use serde_json::{Value, json};

use crate::scripted::{Stage, end, ok, send, start, tool};

const FORKS: fn() -> [Profile; 3] = || [Profile::zut(), Profile::ncode(), Profile::terva()];

/// As `start`, with another hello.
fn start_as(hello: &Value, registrations: &[Value]) -> Vec<Value> {
    let ready = json!({"type": "ready"});
    let frames = std::iter::once(hello).chain(registrations).chain([&ready]);
    let lines: Vec<_> = frames.map(Value::to_string).collect();
    vec![json!({ "raw": lines.join("\n") })]
}

fn hello(members: &Value) -> Value {
    let mut hello = json!({"type": "hello", "name": "x", "version": "1.0.0"});
    hello.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    hello
}

#[tokio::test]
async fn each_fork_takes_the_hello_that_its_own_takes_and_says_who_it_is() {
    let current = hello(&json!({"protocol_version": 2}));
    for profile in FORKS() {
        let name = profile.name;
        let stage = Stage::new(profile).set(|builder| builder.zot_version("1.2.3"));
        let stage = stage.with("x", &json!({ "start": start_as(&current, &[]) }));
        end(stage.start().await).await;
        let ack = &stage.frames("x")[0];
        assert_eq!(ack[format!("{name}_version")], "1.2.3");
        assert_eq!(ack.get("zot_version").is_some(), name == "terva");
        assert_eq!(ack.get("capabilities"), None);
        assert_eq!(ack["extension_dir"] == ack["data_dir"], name != "terva");
    }
    let refused = [
        (Profile::zut(), json!({}), "its protocol_version is missing, and 2 is wanted"),
        (Profile::terva(), json!({"min_protocol": 7}), "its min_protocol is 7, and 6 is spoken"),
    ];
    for (profile, members, expected) in refused {
        let script = json!({ "start": start_as(&hello(&members), &[]) });
        let host = Stage::new(profile).with("x", &script).start_anyway().await;
        let ExtensionState::Failed(diagnosis) = &host.extensions()[0].state else { panic!() };
        assert!(matches!(&diagnosis.problem, Problem::Version { reason } if reason == expected));
        end(host).await;
    }
}

/// A launcher in shell, as an author writes it: it takes longer than the time for `hello`, says so
/// meanwhile, and becomes the extension.
const LAUNCHER: &str = r#"
    for part in 1 2 3 4 5 6 7 8 9; do
        printf '{"type":"bootstrap","message":"building %s of 9"}\n' $part
        sleep 0.5
    done
    echo '{"type":"hello","name":"built","version":"1.0.0"}'
    echo '{"type":"register_tool","name":"built","schema":{"type":"object"}}'
    echo '{"type":"ready"}'
    cat > /dev/null"#;

#[tokio::test]
async fn a_launcher_that_builds_first_is_waited_for_and_heard() {
    for profile in [Profile::spec(), Profile::terva(), Profile::zot_37c7945()] {
        let name = profile.name;
        let deadlines = Deadlines { hello: Duration::from_secs(4), ..Deadlines::default() };
        let stage = Stage::new(profile)
            .set(|builder| builder.deadlines(deadlines).command("sh", ["-c", LAUNCHER]));
        let host = stage.start_anyway().await;
        if name == "zot-37c7945" {
            let ExtensionState::Failed(diagnosis) = &host.extensions()[0].state else { panic!() };
            assert!(
                matches!(&diagnosis.problem, Problem::NotHello { found } if found == "bootstrap")
            );
        } else {
            assert_eq!(host.tools()[0].name(), "built", "{name}");
        }
        end(host).await;
    }
}

#[tokio::test]
async fn what_a_launcher_says_is_news_and_its_silence_ends_it() {
    const SILENT: &str = r#"
        echo '{"type":"bootstrap","message":"building"}'
        exec sleep 600"#;
    let deadlines = Deadlines { hello: Duration::from_secs(1), ..Deadlines::default() };
    let stage = Stage::new(Profile::spec())
        .set(|builder| builder.deadlines(deadlines).command("sh", ["-c", SILENT]));
    let host = stage.start_anyway().await;
    let mut news = host.news();
    let mut told = Vec::new();
    loop {
        match news.next().await.unwrap() {
            News::Bootstrap { message, .. } => told.push(message),
            News::Failed { diagnosis, .. } => {
                assert!(matches!(diagnosis.problem, Problem::NoHello { waited_ms: 1000 }));
                break;
            }
            _ => {}
        }
    }
    assert_eq!(told, ["building"]);
    end(host).await;
}

/// What was shown by displays, in order.
type Screen = Arc<Mutex<Vec<Value>>>;

fn showing(builder: HostBuilder, screen: &Screen) -> HostBuilder {
    let (statuses, widgets) = (Arc::clone(screen), Arc::clone(screen));
    builder
        .serve::<StatusMethod, _, _>(move |asked: Asked<Status>| {
            let screen = Arc::clone(&statuses);
            async move {
                let Status { key, text } = asked.params;
                screen.lock().unwrap().push(json!([asked.extension, key, text]));
                Ok(Shown {})
            }
        })
        .serve::<WidgetMethod, _, _>(move |asked: Asked<Widget>| {
            let screen = Arc::clone(&widgets);
            async move {
                let Widget { key, lines, .. } = asked.params;
                screen.lock().unwrap().push(json!([asked.extension, key, lines]));
                Ok(Shown {})
            }
        })
}

#[tokio::test]
async fn what_a_fork_shows_by_its_own_frames_is_shown_by_the_agent() {
    let segment = json!({"type": "status_segment", "id": "build", "text": "3 of 5"});
    let widget = json!({"type": "widget", "id": "plan", "title": "Plan", "lines": ["parse"]});
    for (profile, frame, expected) in [
        (Profile::terva(), segment.clone(), json!([["x", "build", "3 of 5"]])),
        (Profile::zut(), widget, json!([["x", "plan", ["Plan", "parse"]]])),
        (Profile::ncode(), segment, json!([])),
    ] {
        let screen = Screen::default();
        let script = json!({
            "start": start_as(&hello(&json!({"protocol_version": 2})), &[tool("run")]),
            "on": {"tool_call": [send(&frame), ok()]},
        });
        let stage = Stage::new(profile).set(|builder| showing(builder, &screen));
        let host = stage.with("x", &script).start().await;
        host.call("run", "{}").await.unwrap();
        let shown = async {
            while screen.lock().unwrap().len() < expected.as_array().unwrap().len() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), shown).await.expect("it must be shown");
        assert_eq!(Value::from(screen.lock().unwrap().clone()), expected);
        end(host).await;
    }
}

/// A tool that calls three others by terva's frame, and answers when it has the three answers.
const CALLS: &str = r#"
    echo '{"type":"hello","name":"calls","version":"1"}'
    echo '{"type":"register_tool","name":"run","schema":{"type":"object"}}'
    echo '{"type":"ready"}'
    while read -r line; do
        case $line in
        *'"type":"tool_call"'*)
            id=$(printf %s "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
            for name in look run none; do
                echo '{"type":"host_tool_call","id":"'$name'","name":"'$name'","args":{"path":"x"}}'
            done
            read -r line && read -r line && read -r line
            echo '{"type":"tool_result","id":"'$id'","content":[]}';;
        *'"type":"shutdown"'*) exit 0;;
        esac
    done"#;

#[tokio::test]
async fn a_terva_s_extension_calls_the_agent_s_tools_and_no_other_extension_s() {
    let definition = RegisterTool {
        name: "look".to_owned(),
        schema: json!({"type": "object"}).into(),
        ..RegisterTool::default()
    };
    let look = |call: BuiltinCall| async move {
        Ok(ToolResult::new(call.id, vec![Content::text(call.args.to_string())]))
    };
    let stage = Stage::new(Profile::terva()).set(|builder| {
        builder.builtin_tool(definition, look).unwrap().command("sh", ["-c", CALLS])
    });
    let host = stage.start().await;
    host.call("run", "{}").await.unwrap();
    end(host).await;
    let answers = stage.frames("sh");
    let answer = |id: &str| {
        let is_it = |frame: &&Value| frame["type"] == "host_tool_result" && frame["id"] == id;
        answers.iter().find(is_it).unwrap().clone()
    };
    assert_eq!(answer("look")["content"][0]["text"], r#"{"path":"x"}"#);
    let refused = answer("run");
    assert_eq!(refused["is_error"], true);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("belongs to an extension"));
    assert!(answer("none")["content"][0]["text"].as_str().unwrap().contains("unknown tool"));
}

#[tokio::test]
async fn a_call_with_arguments_over_1_mib_fails_under_a_terva_and_is_not_sent() {
    let script = json!({
        "start": start_as(&hello(&json!({"protocol_version": 2})), &[tool("run")]),
        "on": {"tool_call": [ok()]},
    });
    let args = json!({"a": "x".repeat(1024 * 1024)}).to_string();
    for profile in FORKS() {
        let name = profile.name;
        let stage = Stage::new(profile).with("x", &script);
        let host = stage.start().await;
        match host.call("run", &args).await {
            Err(CallError::Unusable { kind, message, .. }) => {
                assert_eq!((name, kind), ("terva", ErrorKind::TooLarge));
                assert!(message.contains("1048576"), "{message}");
            }
            other => assert!(name != "terva" && other.is_ok(), "{name}: {other:?}"),
        }
        host.call("run", "{}").await.unwrap();
        end(host).await;
    }
}

/// A tool that can say what became of a call: of the key `done` that it is, of `new` that it is not,
/// and of another one nothing that can be used.
const PAYS: &str = r#"
    echo '{"type":"hello","name":"pays","version":"1"}'
    echo '{"type":"register_tool","name":"pay","schema":{"type":"object"},"replay":"reconcile"}'
    echo '{"type":"register_tool","name":"look","schema":{"type":"object"},"replay":"safe"}'
    echo '{"type":"ready"}'
    while read -r line; do
        id=$(printf %s "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
        answer='"content":[{"type":"text","text":"paid"}]'
        case $line in
        *'"operation_key":"done","reconcile":true'*)
            answer='"content":[{"type":"text","text":"paid before"}],"structured_content":{"state":"completed"}';;
        *'"operation_key":"new","reconcile":true'*)
            answer='"content":[],"structured_content":{"state":"not_started"}';;
        *'"reconcile":true'*)
            answer='"content":[],"structured_content":{"state":"perhaps"}';;
        *'"operation_key":"k"'*)
            answer='"content":[{"type":"text","text":"paid with k"}]';;
        esac
        case $line in
        *'"type":"tool_call"'*) echo '{"type":"tool_result","id":"'$id'",'$answer'}';;
        *'"type":"shutdown"'*) exit 0;;
        esac
    done"#;

#[tokio::test]
async fn an_agent_asks_what_became_of_a_call_and_calls_again_with_the_same_key() {
    for profile in [Profile::spec(), Profile::zot_9d3e5db(), Profile::zot_37c7945()] {
        let knows = profile.name != "zot-37c7945";
        let stage = Stage::new(profile).set(|builder| builder.command("sh", ["-c", PAYS]));
        let host = stage.start().await;
        let with_key = CallOptions::default().operation_key("k");
        let call = host.start_call("pay", "{}", with_key).await.unwrap();
        let paid = call.outcome().await.unwrap();
        let text = if knows { "paid with k" } else { "paid" };
        assert_eq!(paid.content, [Content::text(text)]);
        let unsupported = |asked: Result<Reconciled, CallError>| match asked {
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
            Ok(other) => panic!("{other:?}"),
        };
        unsupported(host.reconcile("look", "{}", "done").await);
        if knows {
            let done = host.reconcile("pay", "{}", "done").await.unwrap();
            let Reconciled::Completed(result) = done else { panic!("{done:?}") };
            assert_eq!(result.content, [Content::text("paid before")]);
            let asked = host.reconcile("pay", "{}", "new").await.unwrap();
            assert_eq!(asked, Reconciled::NotStarted);
            let asked = host.reconcile("pay", "{}", "other").await.unwrap();
            assert_eq!(asked, Reconciled::Unknown);
        } else {
            unsupported(host.reconcile("pay", "{}", "done").await);
        }
        end(host).await;
    }
}

#[tokio::test]
async fn under_9d3e5db_a_text_keeps_its_format() {
    let block = json!({"type": "text", "text": "**18**", "format": "markdown"});
    let answer = send(&json!({"type": "tool_result", "id": "$ID", "content": [block]}));
    let script = json!({"start": start(&[tool("run")]), "on": {"tool_call": [answer]}});
    for profile in [Profile::spec(), Profile::zot_9d3e5db(), Profile::zot_0_1_62()] {
        let keeps = profile.name != "zot-0.1.62";
        let host = Stage::new(profile).with("x", &script).start().await;
        let result = host.call("run", "{}").await.unwrap();
        assert_eq!(result.content[0].plain().as_deref(), Some("**18**"));
        assert_eq!(result.content[0].format().as_deref(), keeps.then_some("markdown"));
        end(host).await;
    }
}
