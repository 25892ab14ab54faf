//! Results of pure tools, which answer the same call once more.

use extline_host::protocol::ErrorKind;
use extline_host::protocol::frame::ToolResult;
use extline_host::{CallError, CallOptions, CommandOutcome, Host, MemoPolicy, News};
use serde_json::{Value, json};

use crate::support::{Home, end, python, text};

/// A pure tool, one that only reads, and one that declares nothing.
async fn host_of(home: &Home, policy: MemoPolicy) -> Host {
    let looks = json!({"annotations": {"read_only": true}});
    let tools = json!({"outline": {"pure": true}, "look": looks, "write": {}});
    let source = python("workshop.py", [tools.to_string()]).named("workshop");
    home.builder().memo(policy).extension(source).start().await
}

async fn call_in(host: &Host, task: &str, tool: &str, args: &str) -> Result<ToolResult, CallError> {
    let options = CallOptions::default().task(task);
    host.start_call(tool, args, options).await?.outcome().await
}

/// What the pure tool answers in the task `t`.
async fn outline(host: &Host) -> String {
    text(&call_in(host, "t", "outline", "{}").await.unwrap())
}

#[tokio::test]
async fn of_three_equal_calls_one_runs_one_is_answered_and_one_refused() {
    let home = Home::new();
    let host = host_of(&home, MemoPolicy::AnswerOnce).await;
    let mut news = host.news();
    let [first, second, third] =
        [r#"{"a": 1, "b": [2.0]}"#, r#"{"b":[2],"a":1.0}"#, r#"{"\u0061":1,"b":[2]}"#];
    assert_eq!(text(&call_in(&host, "t", "outline", first).await.unwrap()), "run 1");
    assert_eq!(text(&call_in(&host, "t", "outline", second).await.unwrap()), "run 1");
    let error = call_in(&host, "t", "outline", third).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.to_string().starts_with("outline: duplicate call: the same call"), "{error}");
    let ends: Vec<_> = std::iter::from_fn(|| news.try_next())
        .filter_map(|news| match news {
            News::CallEnded { status, executed, cache_hit, .. } => {
                Some((status.as_str(), executed, cache_hit))
            }
            _ => None,
        })
        .collect();
    let [ran, hit, refused] =
        [("completed", true, false), ("completed", false, true), ("failed", false, false)];
    assert_eq!(ends, [ran, hit, refused]);

    // Other arguments, another task, and no task at all are other calls.
    let other = call_in(&host, "t", "outline", r#"{"a":2}"#).await.unwrap();
    assert_eq!(text(&other), "run 2");
    assert_eq!(text(&call_in(&host, "u", "outline", first).await.unwrap()), "run 3");
    for run in ["run 4", "run 5", "run 6"] {
        assert_eq!(text(&host.call("outline", first).await.unwrap()), run);
    }
    host.end_task("t");
    assert_eq!(text(&call_in(&host, "t", "outline", first).await.unwrap()), "run 7");
    assert_eq!(text(&call_in(&host, "u", "outline", first).await.unwrap()), "run 3");
    end(host).await;
}

#[tokio::test]
async fn what_may_have_changed_something_drops_the_results_of_every_task() {
    let home = Home::new();
    let host = host_of(&home, MemoPolicy::Answer).await;
    let write = |args: Value| {
        let host = &host;
        async move { call_in(host, "other", "write", &args.to_string()).await }
    };
    let failure = |effects: Value| json!({"fail": {"kind": "transient", "message": "full"}, "effects": effects});
    assert_eq!(outline(&host).await, "run 1");
    // Neither what only reads nor what failed without an effect changes anything.
    call_in(&host, "t", "look", "{}").await.unwrap();
    assert!(write(failure(json!([]))).await.unwrap().is_error);
    for _ in 0..3 {
        assert_eq!(outline(&host).await, "run 1");
    }
    write(json!({})).await.unwrap();
    assert_eq!(outline(&host).await, "run 5");
    write(failure(json!([{"kind": "file", "op": "create", "path": "a"}]))).await.unwrap();
    assert_eq!(outline(&host).await, "run 7");
    // What a call did that nobody waits for is not known.
    let hanging = host.start_call("write", r#"{"hang":1}"#, CallOptions::default()).await.unwrap();
    assert_eq!(outline(&host).await, "run 7");
    drop(hanging);
    assert_eq!(outline(&host).await, "run 9");
    host.command("tidy", "").await.unwrap();
    assert_eq!(outline(&host).await, "run 10");
    host.something_changed();
    assert_eq!(outline(&host).await, "run 11");
    host.request("workshop", "touch", None).await.unwrap();
    assert_eq!(outline(&host).await, "run 12");
    let Ok(CommandOutcome::OpenPanel(panel)) = host.command("draw", "").await else { panic!() };
    assert_eq!(outline(&host).await, "run 13");
    assert!(panel.key("enter"));
    assert_eq!(outline(&host).await, "run 14");
    // A tool that only reads has another one write.
    let nested = json!({"call": {"name": "write", "args": {}}}).to_string();
    host.call("look", &nested).await.unwrap();
    assert_eq!(outline(&host).await, "run 17");
    end(host).await;
}

#[tokio::test]
async fn failures_and_tools_that_are_not_pure_run_each_time() {
    let home = Home::new();
    let host = host_of(&home, MemoPolicy::AnswerOnce).await;
    for run in ["run 1", "run 2", "run 3"] {
        assert_eq!(text(&call_in(&host, "t", "look", "{}").await.unwrap()), run);
    }
    let fails = json!({"fail": {"kind": "transient", "message": "busy"}}).to_string();
    for _ in 0..3 {
        assert!(call_in(&host, "t", "outline", &fails).await.unwrap().is_error);
    }
    assert_eq!(outline(&host).await, "run 7");
    end(host).await;

    let host = host_of(&home, MemoPolicy::Off).await;
    assert_eq!([outline(&host).await, outline(&host).await], ["run 1", "run 2"]);
    end(host).await;
}

#[tokio::test]
async fn after_a_reload_nothing_is_known_of_a_tool() {
    let home = Home::new();
    let host = host_of(&home, MemoPolicy::Answer).await;
    call_in(&host, "t", "look", "{}").await.unwrap();
    assert_eq!(outline(&host).await, "run 2");
    host.reload("workshop").await.unwrap();
    assert_eq!(outline(&host).await, "run 1");
    end(host).await;
}

#[tokio::test]
async fn guards_are_asked_about_a_call_that_has_its_result_already() {
    let home = Home::new();
    let tools = json!({"outline": {"pure": true}});
    let journal = home.path().join("journal");
    let guard = json!({"subscribe": {"guards": ["tool_call"]}});
    let args = ["g".into(), journal.clone().into_os_string(), guard.to_string().into()];
    let host = home
        .builder()
        .memo(MemoPolicy::Answer)
        .extension(python("workshop.py", [tools.to_string()]))
        .extension(python("intercept.py", args).named("g"))
        .start()
        .await;
    assert_eq!([outline(&host).await, outline(&host).await], ["run 1", "run 1"]);
    assert_eq!(std::fs::read_to_string(journal).unwrap().lines().count(), 2);
    end(host).await;
}
