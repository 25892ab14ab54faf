//! goose, as its page has it: what it sends is called otherwise than elsewhere, and an exit code blocks.

#![cfg(unix)]

mod support;
#[path = "hook/user.rs"]
mod user;

use serde_json::{Value, json};
use user::User;

fn event(name: &str, more: &Value) -> Value {
    let mut event = json!({ "event": name, "session_id": "s" });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

fn call(name: &str, tool: &str, args: &Value) -> Value {
    let more = json!({
        "matcher_context": tool, "tool_name": tool, "tool_input": args, "working_dir": "/w",
        "tool_call_id": "t",
    });
    event(name, &more)
}

#[test]
fn its_tools_are_known_by_the_names_that_extensions_use() {
    let user = User::new();
    for (tool, args, says) in [
        ("developer__write", json!({ "path": "forbidden", "content": "x" }), "REASON"),
        ("developer__edit", json!({ "path": "forbidden", "before": "a", "after": "b" }), "REASON"),
        // Only where both texts have become a list of edits can it make two of one.
        (
            "developer__edit",
            json!({ "path": "again", "before": "a", "after": "b" }),
            "it replaces one text in a call, and edits has several",
        ),
        ("developer__shell", json!({ "command": "name" }), "blocked by guard: it is t"),
        ("developer__shell", json!({ "command": "forbidden", "timeout_secs": 5 }), "REASON"),
        // Those of goose 1.52.
        ("write", json!({ "path": "forbidden", "content": "x" }), "REASON"),
        ("edit", json!({ "path": "forbidden", "before": "a", "after": "b" }), "REASON"),
        ("shell", json!({ "command": "name" }), "blocked by guard: it is t"),
        ("shell", json!({ "command": "forbidden", "timeout_secs": 5 }), "REASON"),
    ] {
        let told = user.hook("goose", &call("PreToolUse", tool, &args));
        told.assert_code(2);
        told.assert_says(&[says]);
        assert_eq!(told.stdout, "", "stdout is where it looks for decisions");
    }
}

#[test]
fn its_events_are_told() {
    let user = User::new();
    let ls = json!({ "command": "ls", "timeout_secs": 5 });
    for event in [
        event("SessionStart", &json!({})),
        event("UserPromptSubmit", &json!({ "matcher_context": "hello", "message": "hello" })),
        call("PreToolUse", "shell", &ls),
        call("PostToolUse", "shell", &ls),
        call("PostToolUseFailure", "developer__shell", &ls),
        event("SessionEnd", &json!({})),
        // One that extensions are not told of is no failure.
        event("Stop", &json!({ "last_assistant_message": "done" })),
    ] {
        let told = user.hook("goose", &event);
        assert_eq!((told.code, &*told.stdout), (0, ""), "{event}: {told:?}");
    }
    let told = user.events(6);
    let names: Vec<_> = told.iter().map(|it| it["event"].as_str().unwrap()).collect();
    let expected = [
        "session_start",
        "user_prompt_submit",
        "tool_call",
        "tool_result",
        "tool_result",
        "session_end",
    ];
    assert_eq!(names, expected);
    assert_eq!(told[1]["text"], "hello");
    let args = json!({ "command": "ls", "timeout": 5 });
    for (event, status) in
        [(&told[2], Value::Null), (&told[3], json!("completed")), (&told[4], json!("failed"))]
    {
        assert_eq!((&event["tool_id"], &event["cwd"]), (&json!("t"), &json!("/w")));
        assert_eq!((&event["tool_name"], &event["tool_args"]), (&json!("bash"), &args));
        assert_eq!(event["status"], status);
    }
    assert_eq!(user.status()[0]["asked"], 6);
}
