//! Guards that do not decide: what the host tells of them, and what passes when one has died.

use std::time::Duration;

use extline_host::{
    CallError, CallOptions, ExtensionState, ExtensionStatus, FailureCause, Host, InterceptFailure,
    News, Role,
};
use serde_json::json;

use crate::stage::Stage;
use crate::support::{end, text};

const LS: &str = r#"{"command":"ls"}"#;

fn status(host: &Host, name: &str) -> ExtensionStatus {
    host.extensions().into_iter().find(|status| status.name == name).unwrap()
}

async fn reason(host: &Host) -> String {
    match host.call("run", LS).await {
        Err(CallError::Blocked { by, reason }) => format!("{by}: {reason}"),
        other => panic!("expected a block, found {other:?}"),
    }
}

#[tokio::test]
async fn a_guard_that_timed_out_is_told_and_kept() {
    let short = Duration::from_secs(1);
    let hang = json!({"do": "hang"});
    let allows = json!({
        "subscribe": {"intercept": ["tool_call"], "on_failure": {"tool_call": "allow"}},
        "intercept": hang
    });
    let stage = Stage::new().with("i", &allows).guard("g", &hang).patience(short);
    let host = stage.start().await;
    let mut news = host.news();
    reason(&host).await;
    let told = std::iter::from_fn(|| news.try_next()).filter_map(|item| match item {
        News::InterceptFailed { extension, failure } => Some((extension, failure)),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    let line = |failure: &InterceptFailure| failure.to_string();
    assert_eq!(told.len(), 2, "{told:?}");
    let (by, interceptor) = &told[0];
    assert_eq!((&**by, interceptor.role, interceptor.blocked), ("i", Role::Interceptor, false));
    let (by, guard) = &told[1];
    assert_eq!((&**by, guard.role, guard.blocked), ("g", Role::Guard, true));
    assert_eq!((guard.cause, guard.tool.as_deref()), (FailureCause::TimedOut, Some("run")));
    assert_eq!(line(guard), "the guard at tool_call did not answer within 1000 ms: blocked");
    assert_eq!(status(&host, "g").intercept_failures, *std::slice::from_ref(guard));
    assert_eq!(status(&host, "tool").intercept_failures, []);
    end(host).await;
}

#[tokio::test]
async fn a_guard_for_which_its_sdk_answered_counts_as_timed_out_and_a_refusal_does_not() {
    let block = |reason: &str| json!({"answer": {"block": true, "reason": reason}});
    for (words, failures) in [("guard no_rm timed out", 1), ("the last guard timed out", 0)] {
        let stage = Stage::new().guard("g", &block(words));
        let host = stage.start().await;
        assert_eq!(reason(&host).await, format!("g: {words}"));
        let told = status(&host, "g").intercept_failures;
        assert_eq!(told.len(), failures, "{told:?}");
        assert!(told.iter().all(|told| told.cause == FailureCause::TimedOut && told.blocked));
        for told in told {
            let line =
                "the guard at tool_call did not decide in time (guard no_rm timed out): blocked";
            assert_eq!(told.to_string(), line);
        }
        end(host).await;
    }
}

#[tokio::test]
async fn what_a_guard_watched_stays_closed_when_it_has_died_until_it_is_removed() {
    let stage = Stage::new().guard("g", &json!({"do": "exit"})).guard("other", &json!({}));
    let host = stage.start().await;
    assert_eq!(status(&host, "g").closed_points, [""; 0]);
    // It dies while it is asked, and then there is nobody to ask.
    assert!(reason(&host).await.starts_with("g: its guard did not answer: g: it ended while"));
    for _ in 0..2 {
        let reason = reason(&host).await;
        assert!(reason.starts_with("g: its guard cannot be asked: g: it ended while"), "{reason}");
        assert!(reason.contains("status 3"), "{reason}");
    }
    let dead = status(&host, "g");
    assert_eq!(dead.closed_points, ["tool_call"]);
    let causes: Vec<_> = dead.intercept_failures.iter().map(|failure| failure.cause).collect();
    assert_eq!(causes, [FailureCause::Gone; 3]);
    assert_eq!(stage.who(), ["g guard"]);

    assert!(host.remove("g").await.unwrap().gone);
    assert_eq!(status(&host, "g").closed_points, [""; 0]);
    assert_eq!(text(&host.call("run", LS).await.unwrap()), r#"{"command": "ls"}"#);
    assert_eq!(stage.who(), ["g guard", "other guard", "tool run"]);
    assert!(host.remove("nobody").await.is_none());
    end(host).await;
}

#[tokio::test]
async fn an_interceptor_that_died_is_missed_only_where_its_author_said_block() {
    let dies = |on_failure| {
        json!({
            "subscribe": {"intercept": ["tool_call"], "on_failure": on_failure},
            "intercept": {"do": "exit"}
        })
    };
    for (on_failure, passes) in [(json!({}), true), (json!({"tool_call": "block"}), false)] {
        let stage = Stage::new().with("i", &dies(on_failure));
        let host = stage.start().await;
        assert!(reason(&host).await.starts_with("i: its interceptor did not answer"));
        assert_eq!(host.call("run", LS).await.is_ok(), passes);
        assert_eq!(status(&host, "i").closed_points.is_empty(), passes);
        end(host).await;
    }
}

#[tokio::test]
async fn a_dead_guard_that_may_be_missed_lets_pass_and_is_told() {
    let subscribe = json!({"guards": ["tool_call"], "on_failure": {"tool_call": "allow"}});
    let stage = Stage::new().with("g", &json!({"subscribe": subscribe, "guard": {"do": "exit"}}));
    let host = stage.start().await;
    for _ in 0..2 {
        assert!(host.call("run", LS).await.is_ok());
    }
    let failures = status(&host, "g").intercept_failures;
    assert!(failures.len() == 2 && failures.iter().all(|failure| !failure.blocked));
    end(host).await;
}

#[tokio::test]
async fn a_living_extension_may_be_removed_with_all_it_offered() {
    let stage = Stage::new().guard("g", &json!({"answer": {"block": true, "reason": "no"}}));
    let host = stage.start().await;
    assert_eq!(reason(&host).await, "g: no");
    assert!(host.remove("g").await.unwrap().gone);
    assert!(matches!(status(&host, "g").state, ExtensionState::Ended(_)));
    assert!(host.call("run", LS).await.is_ok());
    host.remove("tool").await.unwrap();
    assert!(matches!(host.call("run", LS).await, Err(CallError::Unknown { .. })));
    assert!(host.tools().is_empty());
    end(host).await;
}

#[tokio::test]
async fn the_caller_s_own_time_covers_the_guards_and_the_tool_gets_what_is_left() {
    let own = |time| CallOptions::default().timeout(time);
    let stage = Stage::new().guard("g", &json!({"do": "hang"}));
    let host = stage.start().await;
    let short = Duration::from_millis(300);
    let error = host.start_call("run", LS, own(short)).await.unwrap_err();
    assert!(matches!(error, CallError::Timeout { after, .. } if after == short), "{error}");
    // The tool was not asked, so its extension is not to blame.
    assert_eq!(host.diagnose(&error), None);
    end(host).await;
    assert_eq!(stage.who(), ["g guard"]);

    let stage = Stage::new().guard("g", &json!({}));
    let host = stage.start().await;
    let call = host.start_call("run", LS, own(Duration::from_secs(600))).await.unwrap();
    call.outcome().await.unwrap();
    let left = stage.entries()[1].frame["deadline_ms"].as_u64().unwrap();
    assert!((1..600_000).contains(&left), "{left}");
    end(host).await;
}
