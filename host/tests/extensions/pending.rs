//! Actions that extensions propose, and the tool by which the model resolves them.

use extline_host::protocol::frame::{SessionInfo, ToolResult};
use extline_host::services::pending::Resolution;
use extline_host::{ExtensionSource, Host, News, PendingChange};
use serde_json::{Value, json};

use crate::support::{Home, LONG, end, python, text};

fn proposing(name: &str) -> ExtensionSource {
    python("proposing.py", [name]).named(name)
}

async fn start(home: &Home) -> Host {
    let builder = home
        .builder()
        .pending_actions()
        .session(SessionInfo { id: "one".to_owned(), generation: None });
    builder.extension(proposing("x")).extension(proposing("y")).start().await
}

async fn stage(host: &Host, extension: &str, labels: &[&str]) -> String {
    let push: Vec<_> = labels.iter().map(|it| json!({ "handle": it, "label": it })).collect();
    let args = json!({ "push": push }).to_string();
    text(&host.call(&format!("stage_{extension}"), &args).await.unwrap())
}

async fn resolve(host: &Host, action: &str) -> ToolResult {
    let args = json!({ "action": action, "reason": "looks right" }).to_string();
    host.call("resolve", &args).await.unwrap()
}

fn offers_resolve(host: &Host) -> bool {
    host.tools().iter().any(|tool| tool.name() == "resolve")
}

fn labels(host: &Host) -> Vec<String> {
    host.pending().into_iter().map(|action| action.label).collect()
}

#[tokio::test]
async fn the_model_applies_what_a_tool_has_proposed_though_it_fails_at_first() {
    let home = Home::new();
    let host = start(&home).await;
    let mut news = host.news();
    assert!(!offers_resolve(&host) && host.pending_note().is_none());
    let told = stage(&host, "x", &["fails once"]).await;
    assert!(
        told.starts_with(
            "action_1\nStaged as a proposal: \"fails once\". Nothing was changed yet."
        ),
        "{told}"
    );
    assert!(offers_resolve(&host));
    assert!(host.pending_note().unwrap().contains("\"fails once\""));

    let failed = resolve(&host, "apply").await;
    assert!(failed.is_error);
    let said = text(&failed);
    assert!(
        said.starts_with("Apply failed: the disk is full\n\"fails once\" is still pending"),
        "{said}"
    );
    assert!(offers_resolve(&host));

    let done = resolve(&host, "apply").await;
    assert_eq!((text(&done).as_str(), done.is_error), ("pending.apply of fails once", false));
    let value: Value = serde_json::from_str(done.structured_content.unwrap().get()).unwrap();
    assert_eq!(value, json!({ "n": 12 }));
    let details: Value = serde_json::from_str(done.details.unwrap().get()).unwrap();
    let expected = json!({
        "action": "apply", "action_id": "action_1", "extension": "x", "label": "fails once",
        "reason": "looks right", "result": { "of": "fails once" },
    });
    assert_eq!(details, expected);
    assert!(!offers_resolve(&host));
    // It is done once.
    let again = resolve(&host, "apply").await;
    assert_eq!(
        (text(&again).as_str(), again.is_error),
        ("Nothing is pending, so nothing was applied.", true)
    );
    let again = resolve(&host, "discard").await;
    assert!(!again.is_error && text(&again).starts_with("Nothing is pending"));
    let asked = std::fs::read_to_string(home.path().join("data/x/asked")).unwrap();
    assert_eq!(asked.lines().count(), 2, "{asked}");

    let mut changes = Vec::new();
    while let Some(one) = news.try_next() {
        if let News::Pending { change, .. } = one {
            changes.push(change);
        }
    }
    let why = "the disk is full".to_owned();
    let not_applied = PendingChange::NotApplied { why };
    assert_eq!(changes, [PendingChange::Pushed, not_applied, PendingChange::Applied]);
    end(host).await;
}

#[tokio::test]
async fn the_oldest_is_resolved_first_whoever_proposed_it() {
    let home = Home::new();
    let host = start(&home).await;
    stage(&host, "x", &["silent", "unclean"]).await;
    stage(&host, "y", &["of y"]).await;
    assert_eq!(labels(&host), ["silent", "unclean", "of y"]);
    assert_eq!(text(&resolve(&host, "apply").await), "Applied: silent. Reason: looks right");
    let unclean = resolve(&host, "discard").await;
    let said = text(&unclean);
    assert_eq!(said, "Discarded: unclean. Reason: looks right x could not clean up: no way");
    assert!(!unclean.is_error);
    // A person decides as well.
    let done = host.resolve(Resolution::Apply, "").await;
    assert_eq!(text(&done), "pending.apply of of y");
    assert!(host.pending().is_empty());
    end(host).await;
}

#[tokio::test]
async fn what_dies_while_it_is_applied_is_pending_no_more() {
    let home = Home::new();
    let host = start(&home).await;
    stage(&host, "x", &["dies", "behind it"]).await;
    let failed = resolve(&host, "apply").await;
    let said = text(&failed);
    assert!(failed.is_error && said.starts_with("Apply failed: "), "{said}");
    assert!(
        said.contains("\"dies\" is no longer pending; it may have been applied in part"),
        "{said}"
    );
    // The other one is gone too, and that is told before anything else is done.
    stage(&host, "y", &["of y"]).await;
    let stale = resolve(&host, "apply").await;
    let said = text(&stale);
    assert!(
        stale.is_error && said.contains("\"behind it\" is no longer pending: x has ended."),
        "{said}"
    );
    assert!(said.contains("Next is \"of y\"") && !said.contains("\"dies\""), "{said}");
    assert_eq!(text(&resolve(&host, "apply").await), "pending.apply of of y");
    end(host).await;
}

#[tokio::test]
async fn another_conversation_releases_all_and_the_extension_lets_go() {
    let home = Home::new();
    let host = start(&home).await;
    stage(&host, "x", &["old"]).await;
    let two = SessionInfo { id: "two".to_owned(), generation: None };
    host.switch_session(two).await.unwrap();
    assert!(host.pending().is_empty() && !offers_resolve(&host));
    let told = resolve(&host, "apply").await;
    let said = text(&told);
    assert!(
        told.is_error
            && said.starts_with("\"old\" is no longer pending: the conversation is another one"),
        "{said}"
    );
    let asked = home.path().join("data/x/asked");
    let until = tokio::time::Instant::now() + LONG;
    let line = loop {
        match std::fs::read_to_string(&asked) {
            Ok(line) if line.ends_with('\n') => break line,
            _ => assert!(tokio::time::Instant::now() < until, "the extension was not told"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    let [method, params]: [Value; 2] = serde_json::from_str(&line).unwrap();
    assert_eq!((method, &params["released"]), (json!("pending.reject"), &json!(true)));
    end(host).await;
}

#[tokio::test]
async fn what_cannot_be_proposed_is_refused_by_name() {
    let home = Home::new();
    let host = start(&home).await;
    let push = json!([
        { "handle": "a", "label": "a" }, { "handle": "a", "label": "again" },
        { "handle": "", "label": "b" }, { "handle": "c", "label": "x".repeat(1025) },
    ]);
    let args = json!({ "push": push }).to_string();
    let told = text(&host.call("stage_x", &args).await.unwrap());
    let expected = "action_1\nconflict\nvalidation\nvalidation\n";
    assert!(told.starts_with(expected), "{told}");
    // Arguments of the model's that are none, and an extension that would decide for itself.
    assert!(host.call("resolve", r#"{"action":"maybe","reason":""}"#).await.is_err());
    assert_eq!(labels(&host), ["a"]);
    end(host).await;

    let host = home.builder().extension(proposing("x")).start().await;
    let told = text(&host.call("stage_x", &args).await.unwrap());
    assert_eq!(told, "unsupported\nunsupported\nunsupported\nunsupported");
    assert!(!host.tools().iter().any(|tool| tool.name() == "resolve"));
    end(host).await;
}
