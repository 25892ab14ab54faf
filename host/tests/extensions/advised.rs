//! Calls about which the extension is asked whether they need an approval (`tool.approval`, §4.2).

use std::sync::Arc;
use std::time::Duration;

use extline_host::protocol::frame::Tier;
use extline_host::protocol::{Deadlines, ErrorKind};
use extline_host::{ApprovalMode, CallError, Decision, ExtensionSource};
use serde_json::{Value, json};

use crate::approvals::{Person, extension, no, start, stop};
use crate::support::{Home, end, text};

/// The tool `wipe`, of each call of which the extension says more.
fn cleaner() -> ExtensionSource {
    let approval =
        json!({"dynamic": true, "tier": "write", "key": "{path}", "reason": "it deletes"});
    let annotations = json!({"destructive": true});
    let old = json!({"approval": approval, "annotations": annotations});
    extension("cleaner", &json!({"wipe": {"approval": approval}, "old": old}))
}

fn args(path: &str, advice: &Value) -> Value {
    json!({"path": path, "advice": advice})
}

/// `tool.approval-asked`.
#[tokio::test]
async fn the_extension_says_what_the_person_is_asked() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let host = Arc::new(builder.extension(cleaner()).start().await);
    let advice = json!({"tier": "exec", "reason": "it is not empty", "key": "tree/{path}",
        "details": ["12 files", "3 folders"]});
    let call = start(&host, "wipe", args("a b", &advice));
    let request = person.answers(Decision::Always).await;
    assert_eq!(request.reason.as_deref(), Some("it is not empty"));
    assert_eq!(request.tier, Some(Tier::Exec));
    assert_eq!(request.details, ["12 files", "3 folders"]);
    assert_eq!((&*request.key, request.is_exact, request.doubt), ("tree/a%20b", false, None));
    call.await.unwrap().unwrap();
    host.call("wipe", &args("a b", &advice).to_string()).await.unwrap();
    assert!(!person.is_asked(), "the same key of the same template");
    // What is not said stands as it is declared.
    let call = start(&host, "wipe", args("a b", &json!({})));
    let request = person.answers(no()).await;
    assert_eq!(request.reason.as_deref(), Some("it deletes"));
    assert_eq!((&*request.key, request.tier), ("a%20b", Some(Tier::Write)));
    assert!(call.await.unwrap().is_err());
    stop(host).await;
}

#[tokio::test]
async fn what_the_extension_allows_or_denies_asks_nobody() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let host = builder.extension(cleaner()).start().await;
    host.call("wipe", &args("a", &json!({"policy": "allow"})).to_string()).await.unwrap();
    let denied = json!({"policy": "deny", "reason": "never in prod"});
    let error = host.call("wipe", &args("a", &denied).to_string()).await.unwrap_err();
    assert_eq!(error.to_string(), "wipe was not approved: never in prod");
    let error = host.call("wipe", &args("a", &json!({"policy": "deny"})).to_string()).await;
    assert_eq!(error.unwrap_err().to_string(), "wipe was not approved: cleaner refuses it");
    assert!(!person.is_asked());
    end(host).await;
}

/// `tool.approval-own`.
#[tokio::test]
async fn the_rules_of_the_host_stand_above_what_the_extension_says() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let builder = builder.gate_risky(true).deny("wipe(etc*)".parse().unwrap());
    let host = Arc::new(builder.extension(cleaner()).start().await);
    let allow = json!({"policy": "allow"});
    let error = host.call("wipe", &args("etc/a", &allow).to_string()).await.unwrap_err();
    assert!(matches!(error, CallError::Denied { .. }), "{error}");
    host.call("wipe", &args("tmp/a", &allow).to_string()).await.unwrap();
    assert!(!person.is_asked());
    for (tool, advice) in [("old", allow), ("wipe", json!({"policy": "allow", "tier": "exec"}))] {
        let call = start(&host, tool, args("tmp/a", &advice));
        person.answers(no()).await;
        assert!(call.await.unwrap().is_err());
    }
    stop(host).await;
    let yolo = home.builder().approval_mode(ApprovalMode::Yolo).extension(cleaner());
    let host = yolo.start().await;
    host.call("wipe", &args("a", &json!({})).to_string()).await.unwrap();
    let denied = host.call("wipe", &args("a", &json!({"policy": "deny"})).to_string()).await;
    assert!(denied.is_err(), "what the extension refuses does not run");
    end(host).await;
}

/// `tool.approval-doubt`.
#[tokio::test]
async fn in_doubt_the_person_is_asked_about_exactly_this_call() {
    let home = Home::new();
    let intercept = Duration::from_secs(4);
    let deadlines = Deadlines { intercept, ..Deadlines::default() };
    let (mut person, builder) = Person::before(home.builder().deadlines(deadlines));
    let mute = json!({"approval": {"dynamic": true, "key": "{path}"}});
    let mute = extension("mute", &json!({"hush": mute}));
    let host = Arc::new(builder.extension(cleaner()).extension(mute).start().await);
    let doubts = [
        ("wipe", json!({"path": "a"}), "wipe knows nothing of it"),
        ("wipe", args("a", &json!({"policy": "perhaps"})), "unknown variant `perhaps`"),
        ("wipe", args("a", &json!(["allow"])), "with what is no object"),
        ("wipe", args("a", &json!({"policy": "allow", "details": "all"})), "it answered"),
        ("hush", json!({"path": "a", "silence": true}), "did not answer in time"),
    ];
    for (tool, args, doubt) in doubts {
        let call = start(&host, tool, args);
        let request = person.answers(no()).await;
        assert!(request.is_exact && request.key.starts_with('#'), "{request:?}");
        let told = request.doubt.unwrap();
        assert!(told.contains("could not say more of this call") && told.contains(doubt), "{told}");
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Permission);
    }
    stop(host).await;
}

/// `tool.approval-doubt`: what would deny the call cannot be compared, and nobody is asked.
#[tokio::test]
async fn in_doubt_a_pattern_that_denies_stands_where_nobody_is_asked() {
    let home = Home::new();
    let yolo = home.builder().approval_mode(ApprovalMode::Yolo);
    let host = yolo.deny("wipe(etc*)".parse().unwrap()).extension(cleaner()).start().await;
    let error = host.call("wipe", r#"{"path":"etc/a"}"#).await.unwrap_err();
    assert!(error.to_string().contains("whether the pattern wipe(etc*) denies it"), "{error}");
    let result = host.call("wipe", &args("tmp/a", &json!({})).to_string()).await.unwrap();
    assert!(text(&result).starts_with("ran "));
    end(host).await;
    let host = home.builder().approval_mode(ApprovalMode::Yolo).extension(cleaner()).start().await;
    host.call("wipe", r#"{"path":"etc/a"}"#).await.unwrap();
    end(host).await;
}
