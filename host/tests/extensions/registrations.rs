//! Who gets which name, and who is told.

use extline_host::{CallError, Host, News};
use serde_json::{Value, json};

use crate::support::{Home, behave, end, misbehave, text};

/// The last `registered` frame that the extension with the tool `seen` got.
async fn last_report(host: &Host) -> Value {
    let seen = host.call("seen", "{}").await.unwrap();
    let mut seen: Value = seen.structured_content.unwrap().to().unwrap();
    seen["reports"].as_array_mut().unwrap().pop().unwrap_or_default()
}

#[tokio::test]
async fn a_conflict_is_won_by_load_order_and_both_hear_of_it() {
    let home = Home::new();
    let host = home
        .builder()
        .extension(misbehave(&["plain"]).named("first"))
        .extension(behave(&[]).named("second"))
        .start()
        .await;
    let echo = host.tools().into_iter().find(|tool| tool.name() == "echo").unwrap();
    assert_eq!(echo.extension, "first");
    assert_eq!(text(&host.call("echo", "{}").await.unwrap()), "echo");
    let rejected = &host.extensions()[1].report.rejected;
    let conflict = rejected.iter().find(|rejection| rejection.kind == "tool").unwrap();
    assert_eq!((&*conflict.name, conflict.winner.as_deref()), ("echo", Some("first")));

    let report = last_report(&host).await;
    assert!(report["tools"].as_array().unwrap().contains(&json!("fail")));
    assert!(!report["tools"].as_array().unwrap().contains(&json!("echo")));
    assert_eq!(
        report["rejected"][0],
        json!({"kind": "tool", "name": "echo", "code": "conflict",
               "message": "first has a tool of this name already", "winner": "first"})
    );
    end(host).await;
}

#[tokio::test]
async fn built_ins_win_over_extensions() {
    let home = Home::new();
    let builder = home.builder().builtin_tools(["echo"]).builtin_commands(["SHOW"]);
    let host = builder.extension(behave(&[])).start().await;
    assert!(matches!(host.call("echo", "{}").await, Err(CallError::Unknown { .. })));
    assert!(matches!(host.command("show", "").await, Err(CallError::Unknown { .. })));
    let report = last_report(&host).await;
    let winners: Vec<_> = report["rejected"].as_array().unwrap().iter().collect();
    assert_eq!(winners[0]["winner"], "the host");
    assert_eq!(winners[1]["name"], "show");
    end(host).await;
}

#[tokio::test]
async fn a_guard_hears_that_it_is_asked() {
    let home = Home::new();
    let host = home.builder().extension(behave(&[])).start().await;
    let report = last_report(&host).await;
    assert_eq!(report["events"], json!(["session_start", "turn_start"]));
    assert_eq!(report["guards"], json!(["tool_call"]));
    assert_eq!(report["rejected"], json!([]));
    end(host).await;
}

#[tokio::test]
async fn a_tool_may_come_and_go_while_it_runs() {
    let home = Home::new();
    let host = home.builder().extension(behave(&[])).start().await;
    let mut news = host.news();
    let has = |name: &str| host.tools().iter().any(|tool| tool.name() == name);
    assert!(!has("extra"));
    host.call("add_tool", r#"{"name":"extra"}"#).await.unwrap();
    assert!(has("extra"));
    assert_eq!(text(&host.call("extra", r#"{"text":"hi"}"#).await.unwrap()), "hi");
    assert!(last_report(&host).await["tools"].as_array().unwrap().contains(&json!("extra")));
    host.call("remove_tool", r#"{"name":"extra"}"#).await.unwrap();
    assert!(!has("extra"));
    assert!(matches!(host.call("extra", "{}").await, Err(CallError::Unknown { .. })));
    assert!(!last_report(&host).await["tools"].as_array().unwrap().contains(&json!("extra")));
    let reports = std::iter::from_fn(|| news.try_next())
        .filter(|item| matches!(item, News::Registered { .. }))
        .count();
    assert_eq!(reports, 3);
    end(host).await;
}

#[tokio::test]
async fn registrations_that_cannot_be_used_are_rejected_with_the_reason() {
    let home = Home::new();
    let host = home.builder().extension(behave(&[])).start().await;
    for (tool, reason) in [
        (r#"{"name":"bad","schema":{"type":"strin"}}"#, "schema of the tool bad: /type"),
        (r#"{"name":"two words"}"#, "is not allowed"),
        (r#"{"name":"list","schema":[]}"#, "must be a JSON object"),
    ] {
        host.call("add_tool", tool).await.unwrap();
        let report = last_report(&host).await;
        let rejected = report["rejected"].to_string();
        assert!(rejected.contains(reason), "{reason} is not in {rejected}");
        assert!(rejected.contains("\"validation\""), "{rejected}");
    }
    assert!(host.tools().iter().all(|tool| !["bad", "two words", "list"].contains(&tool.name())));
    end(host).await;
}

#[tokio::test]
async fn a_name_that_becomes_free_goes_to_the_next() {
    let home = Home::new();
    let host = home
        .builder()
        .extension(behave(&["shared"]).named("first"))
        .extension(behave(&["shared"]).named("second"))
        .start()
        .await;
    let owner = || {
        let tools = host.tools();
        tools.iter().find(|tool| tool.name() == "shared").map(|tool| tool.extension.clone())
    };
    assert_eq!(owner().as_deref(), Some("first"));
    host.call("remove_tool", r#"{"name":"shared"}"#).await.unwrap();
    assert_eq!(owner().as_deref(), Some("second"));
    let report = &host.extensions()[1].report;
    assert!(report.tools.contains(&"shared".to_owned()));
    end(host).await;
}

#[tokio::test]
async fn a_tool_that_is_offered_anew_is_told_and_has_its_new_schema() {
    let home = Home::new();
    let host = home.builder().extension(behave(&[])).start().await;
    let mut news = host.news();
    let reports = |news: &mut extline_host::NewsStream| {
        let items = std::iter::from_fn(|| news.try_next());
        items.filter(|item| matches!(item, News::Registered { .. })).count()
    };
    reports(&mut news);
    assert!(host.call("echo", r#"{"text":"a"}"#).await.is_ok());
    assert_eq!(reports(&mut news), 0);
    let schema = json!({"type": "object", "required": ["text", "twice"]});
    let again = json!({"name": "echo", "description": "says it anew", "schema": schema});
    host.call("add_tool", &again.to_string()).await.unwrap();
    // The report names the same tools as before; what it tells is that one is another now.
    assert_eq!(reports(&mut news), 1);
    let echo = host.tools().into_iter().find(|tool| tool.name() == "echo").unwrap();
    assert_eq!(echo.description(), "says it anew");
    let error = host.call("echo", r#"{"text":"a"}"#).await.unwrap_err();
    assert_eq!(error.field(), Some("/twice"));
    end(host).await;
}

#[tokio::test]
async fn a_late_tool_under_a_name_that_is_taken_is_a_conflict() {
    let home = Home::new();
    let builder = home.builder().builtin_tools(["read"]);
    let builder = builder.extension(misbehave(&["plain"]).named("first"));
    let host = builder.extension(behave(&[]).named("second")).start().await;
    for (name, winner) in [("read", "the host"), ("hang", "first")] {
        let tool = json!({ "name": name }).to_string();
        host.call("add_tool", &tool).await.unwrap();
        let report = last_report(&host).await;
        let rejected = report["rejected"].as_array().unwrap();
        let conflict = rejected.iter().find(|it| it["name"] == name).unwrap();
        assert_eq!((&conflict["code"], &conflict["winner"]), (&json!("conflict"), &json!(winner)));
    }
    let hang = host.tools().into_iter().find(|tool| tool.name() == "hang").unwrap();
    assert_eq!(hang.extension, "first");
    end(host).await;
}
