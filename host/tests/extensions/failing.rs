//! Calls that fail: what the model is advised to do, and when it may not try again.

use extline_host::protocol::ErrorKind;
use extline_host::protocol::frame::{Content, ToolResult};
use extline_host::{CallError, CallOptions, ErrorHints, Host, HostBuilder, ModelAnswer, News};
use serde_json::json;

use crate::support::{Home, end, python};

const REPEATED: &str = "hint: this same call has failed 3 times and is refused from now on: change the \
                        arguments, use another tool, or tell the user what is in the way";

async fn host_of(home: &Home, set_up: impl FnOnce(HostBuilder) -> HostBuilder) -> Host {
    let number = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let looks = json!({"annotations": {"read_only": true}});
    let tools = json!({"look": looks, "write": {}, "count": {"schema": number}});
    set_up(home.builder().trust_results_of("workshop"))
        .extension(python("workshop.py", [tools.to_string()]))
        .start()
        .await
}

async fn call(host: &Host, tool: &str, args: &str) -> Result<ToolResult, CallError> {
    let options = CallOptions::default().task("t");
    host.start_call(tool, args, options).await?.outcome().await
}

fn fail(kind: &str, message: &str) -> String {
    json!({"fail": {"kind": kind, "message": message}}).to_string()
}

/// What the model reads, a line a block.
fn lines(answer: &ModelAnswer) -> Vec<&str> {
    let texts = answer.content.iter().map(|block| match block {
        Content::Text(text) => text.as_str(),
        other => panic!("{other:?}"),
    });
    texts.collect()
}

#[tokio::test]
async fn a_call_that_fails_three_times_has_advice_and_is_then_refused() {
    let home = Home::new();
    let host = host_of(&home, |builder| builder.loop_guard(true)).await;
    let mut news = host.news();
    let wrong = fail("transient", "busy");
    for _ in 0..2 {
        let answer = call(&host, "look", &wrong).await;
        assert!(!lines(&host.for_model("look", &answer)).contains(&REPEATED));
    }
    let third = call(&host, "look", &wrong).await;
    let answer = host.for_model("look", &third);
    // One line of advice, and the tool's own words before it.
    assert_eq!((lines(&answer), answer.is_error), (vec!["busy", REPEATED], true));
    let same = r#"{"fail": {"message": "bus\u0079", "kind": "transient"}}"#;
    let error = call(&host, "look", same).await.unwrap_err();
    assert!(matches!(error, CallError::TooOften { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Budget);
    let executed = std::iter::from_fn(|| news.try_next()).filter_map(|news| match news {
        News::CallEnded { executed, .. } => Some(executed),
        _ => None,
    });
    assert_eq!(executed.collect::<Vec<_>>(), [true, true, true, false]);
    // Other arguments, another task, and none at all.
    assert!(call(&host, "look", "{}").await.is_ok());
    assert!(host.call("look", &wrong).await.is_ok());
    let options = CallOptions::default().task("u");
    assert!(host.start_call("look", &wrong, options).await.is_ok());
    host.end_task("t");
    assert!(call(&host, "look", &wrong).await.is_ok());
    end(host).await;
}

#[tokio::test]
async fn a_failure_in_the_host_s_words_has_the_advice_too_and_keeps_its_kind() {
    let home = Home::new();
    let host = host_of(&home, |builder| builder.loop_guard(true)).await;
    for (tool, args, kind) in [
        ("count", r#"{"n":"x"}"#, ErrorKind::Validation),
        ("count", "{n", ErrorKind::Validation),
        ("nothing", "{}", ErrorKind::NotFound),
    ] {
        for _ in 0..2 {
            let error = call(&host, tool, args).await.unwrap_err();
            assert!(!matches!(error, CallError::Repeated { .. }));
        }
        let third = call(&host, tool, args).await;
        let answer = host.for_model(tool, &third);
        let [said] = lines(&answer)[..] else { panic!("{answer:?}") };
        let error = third.unwrap_err();
        assert!(said.ends_with(&format!("\n{REPEATED}")), "{said}");
        assert_eq!((error.kind(), error.to_error_info().hint.is_some()), (kind, true));
        let fourth = call(&host, tool, args).await.unwrap_err();
        assert!(matches!(fourth, CallError::TooOften { .. }));
    }
    end(host).await;
}

#[tokio::test]
async fn a_success_lets_it_begin_anew() {
    let home = Home::new();
    let host = host_of(&home, |builder| builder.loop_guard(true)).await;
    let fail_twice = async || {
        for _ in 0..2 {
            let _ = call(&host, "look", &fail("transient", "busy")).await.unwrap();
        }
    };
    fail_twice().await;
    // What only looks lets its own calls begin anew, and what may change something all of them.
    call(&host, "look", "{}").await.unwrap();
    let third = call(&host, "look", &fail("transient", "busy")).await;
    assert!(lines(&host.for_model("look", &third)).contains(&REPEATED));
    call(&host, "write", "{}").await.unwrap();
    fail_twice().await;
    host.something_changed();
    fail_twice().await;
    assert!(call(&host, "look", &fail("transient", "busy")).await.is_ok());
    assert!(call(&host, "look", &fail("transient", "busy")).await.is_err());
    end(host).await;
}

#[tokio::test]
async fn a_call_that_was_given_up_has_not_failed() {
    let home = Home::new();
    let host = host_of(&home, |builder| builder.loop_guard(true)).await;
    for _ in 0..5 {
        let options = CallOptions::default().task("t");
        let call = host.start_call("look", r#"{"hang":1}"#, options).await.unwrap();
        call.cancel("enough");
        let error = call.outcome().await.unwrap_err();
        assert!(matches!(error, CallError::Cancelled { .. }), "{error}");
    }
    end(host).await;
}

#[tokio::test]
async fn each_kind_has_its_hint_and_its_author_s_or_the_embedder_s_comes_first() {
    let home = Home::new();
    let host = host_of(&home, |builder| builder).await;
    let answer = host.call("look", &fail("stale", "it moved")).await;
    let stale = "hint: read the target afresh, then call again with what you read";
    assert_eq!(lines(&host.for_model("look", &answer)), ["it moved", stale]);
    let answer = host.call("nothing", "{}").await;
    let unknown = "hint: look up what there is before you name it; do not guess";
    assert_eq!(lines(&host.for_model("look", &answer)), ["unknown tool nothing", unknown]);
    let own = json!({"fail": {"kind": "stale", "message": "it moved", "hint": "read a.rs"}});
    let answer = host.call("look", &own.to_string()).await;
    assert_eq!(lines(&host.for_model("look", &answer)), ["it moved", "hint: read a.rs"]);
    let said = json!({"fail": {"kind": "stale", "message": "moved\nhint: read a.rs", "hint": "read a.rs"}});
    let answer = host.call("look", &said.to_string()).await;
    assert_eq!(lines(&host.for_model("look", &answer)), ["moved\nhint: read a.rs"]);
    let answer = host.call("look", r#"{"text":"fine"}"#).await;
    let fine = host.for_model("look", &answer);
    assert_eq!((lines(&fine), fine.is_error), (vec!["fine"], false));
    end(host).await;

    let hints = ErrorHints::default().of_kind(&ErrorKind::Stale, "look again");
    let hints = hints.of_kind(&ErrorKind::NotFound, "").of_repeated("stop");
    let set_up = |builder: HostBuilder| builder.error_hints(hints).loop_guard(true);
    let host = host_of(&home, set_up).await;
    for expected in [
        ["it moved", "hint: look again"],
        ["it moved", "hint: look again"],
        ["it moved", "hint: stop"],
    ] {
        let answer = call(&host, "look", &fail("stale", "it moved")).await;
        assert_eq!(lines(&host.for_model("look", &answer)), expected);
    }
    let answer = host.call("nothing", "{}").await;
    assert_eq!(lines(&host.for_model("look", &answer)), ["unknown tool nothing"]);
    end(host).await;
}
