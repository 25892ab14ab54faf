//! Arguments that are no JSON, repaired on their way to a tool.

use extline_host::model::FixKind;
use extline_host::protocol::ErrorKind;
use extline_host::{CallError, Host, News};
use serde_json::json;

use crate::stage::Stage;
use crate::support::{Home, end, python, text};

/// A tool that writes and one that looks; both answer with their arguments as they came.
async fn host_of_tools(home: &Home, repairs: bool) -> Host {
    let tools = json!({"write": {}, "look": {"annotations": {"read_only": true}}});
    let source = python("gated.py", ["tools".to_owned(), tools.to_string()]);
    home.builder().repair(repairs).extension(source).start().await
}

#[tokio::test]
async fn a_tool_gets_the_repaired_arguments_and_the_embedder_is_told() {
    let home = Home::new();
    let host = host_of_tools(&home, true).await;
    let mut news = host.news();
    let written = "{'path': \"a.txt\", lines: [1, 2,],}";
    let result = host.call("write", written).await.unwrap();
    assert_eq!(text(&result), r#"ran {"path":"a.txt","lines":[1,2]}"#);
    let told = std::iter::from_fn(|| news.try_next()).find_map(|news| match news {
        News::ArgsRepaired { id, tool, fixes, unlisted } => Some((id, tool, fixes, unlisted)),
        _ => None,
    });
    let (id, tool, fixes, unlisted) = told.unwrap();
    assert_eq!((id.as_str(), tool.as_str(), unlisted), ("call_1", "write", 0));
    let kinds: Vec<_> = fixes.iter().map(|fix| fix.kind).collect();
    let comma = FixKind::TrailingComma;
    assert_eq!(kinds, [FixKind::Quotes, FixKind::BareKey, comma, comma]);
    // The history gets the same text as the tool.
    let read = host.read_args("write", written).unwrap();
    assert_eq!((read.args.get(), read.fixes), (r#"{"path":"a.txt","lines":[1,2]}"#, fixes));

    let result = host.call("write", " \n").await.unwrap();
    assert_eq!(text(&result), "ran {}");
    let result = host.call("write", r#"{"n": 12345678901234567890}"#).await.unwrap();
    assert_eq!(text(&result), r#"ran {"n": 12345678901234567890}"#);
    let told = std::iter::from_fn(|| news.try_next());
    assert_eq!(told.filter(|news| matches!(news, News::ArgsRepaired { .. })).count(), 0);
    end(host).await;
}

#[tokio::test]
async fn arguments_that_end_early_run_only_where_the_tool_reads() {
    let home = Home::new();
    let host = host_of_tools(&home, true).await;
    let cut = "{\"path\": \"a.txt\",\n \"content\": \"package ma";
    let error = host.call("write", cut).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Validation);
    assert_eq!(
        error.to_string(),
        "write: the arguments end at line 2, column 24 before they are complete, so nothing was done; \
         write the whole call again, in several smaller ones where it is long"
    );
    assert!(matches!(host.read_args("write", cut), Err(CallError::Truncated { .. })));
    // Of a tool that nobody knows nobody knows that it only reads.
    assert!(matches!(host.read_args("unknown", cut), Err(CallError::Truncated { .. })));
    let result = host.call("look", cut).await.unwrap();
    assert_eq!(text(&result), r#"ran {"path":"a.txt","content":"package ma"}"#);
    end(host).await;
}

#[tokio::test]
async fn what_cannot_be_repaired_says_what_to_mend_and_where() {
    let home = Home::new();
    let host = host_of_tools(&home, true).await;
    let error = host.call("look", r#"{"a": 1} {"a": 2}"#).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Validation);
    assert_eq!(
        error.to_string(),
        "look: the arguments are not one JSON object: \
         line 1, column 10: a second JSON value begins here; write exactly one"
    );
    for text in ["[1, 2,]", "['a']"] {
        let error = host.call("look", text).await.unwrap_err();
        assert!(error.to_string().contains("not a JSON object"), "{error}");
    }
    end(host).await;

    let host = host_of_tools(&home, false).await;
    for text in ["{'a': 1}", ""] {
        let error = host.call("look", text).await.unwrap_err();
        assert!(matches!(error, CallError::BadArgs { .. }), "{error}");
    }
    end(host).await;
}

#[tokio::test]
async fn who_is_asked_and_told_sees_the_repaired_arguments() {
    let stage = Stage::new().with(
        "w",
        &json!({"subscribe": {"events": ["tool_result"], "intercept": ["tool_call"], "guards": ["tool_call"]}}),
    );
    let host = stage.start_with(|builder| builder.repair(true)).await;
    let args = host.intercept_tool_call("run", "{command: 'pwd'}").await.unwrap();
    assert_eq!(args.get(), r#"{"command":"pwd"}"#);
    host.call("run", "{command: 'ls'}").await.unwrap();
    end(host).await;
    let entries = stage.entries();
    let told = entries.iter().filter(|it| it.who.split(' ').next() == Some("w"));
    let seen: Vec<_> = told.map(|it| it.frame["tool_args"]["command"].clone()).collect();
    assert_eq!(seen, ["pwd", "pwd", "ls", "ls", "ls"]);
}
