//! The tool with which the model looks how extensions stand.

use extline_host::protocol::frame::EventPayload;
use extline_host::{CallError, ExtensionSource, Host, News, NewsStream};
use serde_json::{Value, json};

use crate::support::{Home, LONG, behave, end, text};

async fn asked(host: &Host, args: &str) -> (String, Value) {
    let result = host.call("extensions_status", args).await.unwrap();
    // Names and reasons are the extensions' words.
    assert_eq!(result.trust.as_deref(), Some("untrusted"));
    (text(&result), result.structured_content.unwrap().to().unwrap())
}

#[tokio::test]
async fn the_model_sees_how_each_stands_and_what_mends_one_that_failed() {
    let home = Home::new();
    let off = behave(&[]).named("off").on_demand();
    let broken = ExtensionSource::command("no-such-program-of-anybody", [""; 0]).named("broken");
    let builder = home.builder().extension(behave(&[])).extension(off).extension(broken);
    let host = builder.status_tool().start().await;

    let (shown, value) = asked(&host, "{}").await;
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[0], "# Extensions: 1 ready, 1 failed");
    assert!(lines[2].starts_with("- behave ") && lines[2].contains(": ready, "), "{shown}");
    assert_eq!(lines[3], "- off: disabled");
    assert_eq!(lines[4], "- broken: failed");
    assert!(lines[5].contains("no-such-program-of-anybody"), "{shown}");
    assert!(lines[6].starts_with("  - to mend it: "), "{shown}");
    let states: Vec<_> =
        value["extensions"].as_array().unwrap().iter().map(|it| &it["state"]).collect();
    assert_eq!(states, ["ready", "disabled", "failed"]);
    assert_eq!(value["extensions"][0]["details"], Value::Null);
    // It started nothing.
    assert_eq!(host.extensions()[1].pid, None);

    let (shown, value) = asked(&host, r#"{"include_details":true}"#).await;
    let tools = &value["extensions"][0]["details"]["tools"];
    assert!(tools.as_array().unwrap().contains(&json!("echo")), "{value}");
    assert!(shown.contains("  - tools: ") && shown.contains("echo"), "{shown}");

    host.enable("off").await.unwrap();
    assert_eq!(asked(&host, "{}").await.1["extensions"][1]["state"], "ready");
    // Both register the same: who comes first has the names, and the other is told so.
    let (_, value) = asked(&host, r#"{"include_details":true}"#).await;
    let findings = value["extensions"][1]["findings"].as_array().unwrap();
    let what = "the tool echo is not used: behave has a tool of this name already";
    let refused =
        findings.iter().find(|it| it["what"] == what).unwrap_or_else(|| panic!("{value}"));
    assert_eq!(
        (&refused["level"], &refused["code"]),
        (&json!("warn"), &json!("registration.refused"))
    );
    assert!(refused["mend"].as_str().unwrap().contains("another name"), "{refused}");
    // The embedder has the same.
    let report = host.report();
    let states: Vec<_> = report.extensions.iter().filter_map(|it| it.state).collect();
    assert_eq!(states, ["ready", "ready", "failed"]);
    let echo = report.conflicts.iter().find(|it| (&*it.kind, &*it.name) == ("tool", "echo"));
    let echo = echo.unwrap();
    assert_eq!((&*echo.winner, &*echo.shadowed), ("behave", &["off".to_owned()][..]));
    let counts = report.tools.unwrap();
    assert_eq!((counts.builtin, counts.total), (1, counts.extension + 1));
    assert!(counts.shadowed >= 9, "{counts:?}");
    end(host).await;
}

#[tokio::test]
async fn without_extensions_it_says_so_and_unasked_for_it_is_not_there() {
    let home = Home::new();
    let host = home.builder().status_tool().start().await;
    assert_eq!(asked(&host, "{}").await.0, "# Extensions\n\nThere are none.");
    let error = host.call("extensions_status", r#"{"details":true}"#).await.unwrap_err();
    assert!(matches!(error, CallError::Invalid { .. }), "{error}");
    end(host).await;

    let host = home.builder().start().await;
    let error = host.call("extensions_status", "{}").await.unwrap_err();
    assert!(matches!(error, CallError::Unknown { .. }), "{error}");
    end(host).await;
}

/// As a model does it: within a turn, at whose end it happens.
#[tokio::test]
async fn the_model_can_have_what_it_has_changed_reloaded_where_the_agent_wants_that() {
    let home = Home::new();
    let builder = home.builder().extension(behave(&[])).status_tool_with_reload();
    let host = builder.start().await;
    let tool = host.tools().into_iter().find(|tool| tool.name() == "extensions_status").unwrap();
    assert_eq!(tool.definition.annotations.as_ref().unwrap().read_only, Some(false));
    let (pid, mut news) = (host.extensions()[0].pid, host.news());
    host.emit("turn_start", EventPayload::default());
    let (shown, value) = asked(&host, r#"{"action":"reload"}"#).await;
    assert_eq!(value, json!({"reloading": ["behave"]}));
    assert!(shown.starts_with("Reloading: behave. "), "{shown}");
    let until = async |news: &mut NewsStream, is_it: fn(&News) -> bool| {
        let told = async { while !news.next().await.is_some_and(|news| is_it(&news)) {} };
        tokio::time::timeout(LONG, told).await.unwrap();
    };
    until(&mut news, |news| matches!(news, News::ReloadWaits { .. })).await;
    assert_eq!(host.extensions()[0].pid, pid);
    host.emit("turn_end", EventPayload::default());
    until(&mut news, |news| matches!(news, News::Reloaded { .. })).await;
    until(&mut news, |news| matches!(news, News::Report(_))).await;
    assert_ne!(host.extensions()[0].pid, pid);
    assert_eq!(asked(&host, "{}").await.1["extensions"][0]["state"], "ready");

    let error = host.call("extensions_status", r#"{"action":"reload","extension":"behav"}"#).await;
    let error = error.unwrap().error.unwrap();
    assert_eq!(error.message, "there is no extension behav: action status lists all");
    end(host).await;

    // It is not offered to one that may only look.
    let host = home.builder().status_tool().start().await;
    let error = host.call("extensions_status", r#"{"action":"reload"}"#).await.unwrap_err();
    assert!(matches!(error, CallError::Invalid { .. }), "{error}");
    end(host).await;
}
