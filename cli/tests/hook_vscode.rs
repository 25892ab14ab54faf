//! VS Code, which has hooks of its own and runs those that stand in the files of Claude Code and Copilot CLI.

#![cfg(unix)]

mod support;
#[path = "hook/user.rs"]
mod user;

use serde_json::{Value, json};
use user::User;

const WHY: &str = "blocked by guard: REASON";

/// A call, as its documentation has it.
fn documented(tool: &str, args: &Value) -> Value {
    json!({
        "timestamp": "2026-02-09T10:30:00.000Z", "cwd": "/w", "sessionId": "s", "hookEventName": "PreToolUse",
        "transcript_path": "/t.json", "tool_name": tool, "tool_input": args, "tool_use_id": "t",
    })
}

/// As the runtime of Copilot sends it, and the newer ones of VS Code.
fn snake(tool: &str, args: &Value) -> Value {
    json!({
        "timestamp": "2026-02-09T10:30:00.000Z", "cwd": "/w", "session_id": "s",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": args,
    })
}

/// Words of a command line that are written into files which VS Code reads.
const LINES: [&[&str]; 3] = [
    &["--agent", "vscode"],
    &["--agent", "claude"],
    &["--agent", "copilot", "--event", "preToolUse"],
];

/// What is answered to a call.
fn answer(user: &User, line: &[&str], asked: &Value) -> Value {
    let guard = user.path("guard");
    let words = [&["hook"], line, &[guard.to_str().unwrap()]].concat();
    let told = user.run(&words, &asked.to_string());
    told.assert_code(0);
    told.json()
}

/// Both who may have asked read it.
fn both(decision: &str, why: &str) -> Value {
    json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": why,
        },
        "permissionDecision": decision,
        "permissionDecisionReason": why,
    })
}

#[test]
fn it_is_answered_in_its_own_words_whoever_s_hook_it_runs() {
    let user = User::new();
    for line in LINES {
        for asks in [documented, snake] {
            let terminal = |command: &str| {
                asks("run_in_terminal", &json!({ "command": command, "timeout": 1000 }))
            };
            let denied = both("deny", WHY);
            assert_eq!(answer(&user, line, &terminal("forbidden")), denied, "{line:?}");
            assert_eq!(answer(&user, line, &terminal("ls")), json!({}), "{line:?}");
            assert_eq!(answer(&user, line, &terminal("ask")), both("ask", "guard: it is grave"));
            let args = json!({ "command": "rewrite", "timeout": 2000 });
            let rewritten = json!({
                "hookSpecificOutput": { "hookEventName": "PreToolUse", "updatedInput": args },
                "modifiedArgs": args,
            });
            assert_eq!(answer(&user, line, &terminal("rewrite")), rewritten, "{line:?}");
            let edit = json!({ "filePath": "again", "oldString": "a", "newString": "b" });
            let said = answer(&user, line, &asks("replace_string_in_file", &edit)).to_string();
            assert!(said.contains("rewrote replace_string_in_file as it cannot run"), "{said}");
            for (tool, args) in [
                ("create_file", json!({ "filePath": "forbidden", "content": "x" })),
                ("read_file", json!({ "filePath": "forbidden" })),
                ("Write", json!({ "path": "forbidden", "file_text": "x" })),
                ("Edit", json!({ "path": "forbidden", "old_str": "x", "new_str": "y" })),
                ("Bash", json!({ "command": "forbidden" })),
            ] {
                assert_eq!(answer(&user, line, &asks(tool, &args)), denied, "{line:?} {tool}");
            }
        }
    }
    assert_eq!(user.status().len(), 1, "one run of the extension is for all lines");
}

/// It ignores arguments that do not fit, and runs the call as it was.
#[test]
fn a_call_that_it_may_not_run_as_rewritten_is_blocked() {
    let user = User::new();
    for (command, timeout) in [("rewrite", None), ("ask rewritten", None), ("rewrite", Some("1"))] {
        let mut args = json!({ "command": command });
        if let Some(timeout) = timeout {
            args["timeout"] = timeout.into();
        }
        let said = answer(&user, LINES[0], &documented("run_in_terminal", &args));
        assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
        let why = said["permissionDecisionReason"].as_str().unwrap();
        assert!(why.contains("VS Code may not take them"), "{why}");
    }
}

#[test]
fn the_agents_whose_files_it_reads_are_answered_as_ever() {
    let user = User::new();
    let claude = json!({
        "hook_event_name": "PreToolUse", "permission_mode": "default", "timestamp": "x", "tool_name": "Bash",
        "tool_input": { "command": "forbidden" },
    });
    let said = user.hook("claude", &claude).json();
    assert_eq!(said, json!({ "hookSpecificOutput": both("deny", WHY)["hookSpecificOutput"] }));
    let copilot = json!({
        "sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": "bash",
        "toolArgs": { "command": "forbidden" },
    });
    let said = answer(&user, LINES[2], &copilot);
    let deny = json!({ "permissionDecision": "deny", "permissionDecisionReason": WHY });
    assert_eq!(said, deny);
}

#[test]
fn its_prompts_and_events_are_known() {
    let user = User::new();
    for line in LINES {
        let guard = user.path("guard");
        let words = [&["hook"], line, &[guard.to_str().unwrap()]].concat();
        let event = |name: &str, more: Value| {
            let mut event = json!({
                "timestamp": "2026-02-09T10:30:00.000Z", "sessionId": "s", "hookEventName": name, "cwd": "/w",
            });
            event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            user.run(&words, &event.to_string())
        };
        let refused = event("UserPromptSubmit", json!({ "prompt": "forbidden" })).json();
        assert_eq!(refused, json!({ "continue": false, "stopReason": WHY }));
        let call = json!({
            "tool_name": "run_in_terminal", "tool_input": { "command": "ls" }, "tool_use_id": "t",
            "tool_response": "a\n",
        });
        for (name, more) in [("SessionStart", json!({})), ("PostToolUse", call)] {
            let told = event(name, more);
            assert_eq!((told.code, &*told.stdout, &*told.stderr), (0, "{}", ""), "{line:?}");
        }
        // One that extensions are not told of is no failure.
        event("Stop", json!({})).assert_code(0);
    }
    let told = user.events(6);
    let names: Vec<_> = told.iter().map(|it| it["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["session_start", "tool_result"].repeat(3));
    assert!(told.iter().all(|it| it["session_id"] == "s"));
    let seen = (&told[1]["tool_name"], &told[1]["tool_id"], &told[1]["status"]);
    assert_eq!(seen, (&json!("bash"), &json!("t"), &json!("completed")));
}

#[test]
fn what_is_in_doubt_is_blocked() {
    let user = User::new();
    let guard = user.path("guard");
    for line in LINES {
        let words = [&["hook"], line, &[guard.to_str().unwrap()]].concat();
        let no_event =
            json!({ "timestamp": "x", "tool_name": "run_in_terminal", "tool_input": {} });
        let unknown = json!({
            "hookEventName": "BeforeAll", "tool_name": "run_in_terminal", "tool_input": {},
        });
        for (asked, says) in [
            (&no_event, "names no event in /hook_event_name"),
            (&unknown, "by an event that is not known: BeforeAll"),
        ] {
            let told = user.run(&words, &asked.to_string());
            told.assert_code(2);
            told.assert_says(&[says]);
            assert_eq!(told.stdout, "");
        }
    }
}
