//! The tool with which the model looks how extensions stand.

use extline_host::{CallError, ExtensionSource, Host};
use serde_json::{Value, json};

use crate::support::{Home, behave, end, text};

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
    let refused = value["extensions"][1]["details"]["refused"].as_array().unwrap();
    assert!(
        refused.contains(&json!("tool echo: behave has a tool of this name already")),
        "{value}"
    );
    // The embedder has the same.
    let report = host.report();
    let states: Vec<_> = report.extensions.iter().map(|it| it.state).collect();
    assert_eq!(states, ["ready", "ready", "failed"]);
    let echo = report.conflicts.iter().find(|it| (&*it.kind, &*it.name) == ("tool", "echo"));
    let echo = echo.unwrap();
    assert_eq!((&*echo.winner, &*echo.shadowed), ("behave", &["off".to_owned()][..]));
    let counts = report.tools;
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
