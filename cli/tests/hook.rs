//! `extline hook`, as agents start it: one process for each event, and extensions that run on.

#![cfg(unix)]

mod support;
#[path = "hook/user.rs"]
mod user;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use support::{Outcome, outcome};
use user::{User, wait_until};

fn claude(command: &str) -> Value {
    json!({
        "session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_use_id": "t", "tool_input": { "command": command }
    })
}

fn kill(pid: &Value, signal: &str) {
    let pid = pid.to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
}

/// What an agent asks about a call with these arguments.
type Asks = Box<dyn Fn(Value) -> Value>;

/// JSON, or else a text that stands on stderr beside the exit code which blocks.
fn assert_answer(told: &Outcome, expected: &Value, agent: &str) {
    if let Some(says) = expected.as_str() {
        told.assert_code(2);
        return told.assert_says(&[says]);
    }
    told.assert_code(0);
    assert_eq!(told.json(), *expected, "{agent}");
}

#[test]
fn each_agent_is_answered_in_its_own_words() {
    let user = User::new();
    let why = "blocked by guard: REASON";
    let specific = |event, more: Value| {
        let mut answer = json!({ "hookEventName": event });
        answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "hookSpecificOutput": answer })
    };
    let deny = json!({ "permissionDecision": "deny", "permissionDecisionReason": why });
    let updated = |args: Value| json!({ "updatedInput": args });
    let no_rewrite = |agent| {
        let why = format!("an extension rewrote the call, and {agent} has no way to run it so");
        json!({ "permissionDecision": "deny", "permissionDecisionReason": why })
    };
    let snake = |event: &str, name: &str, tool: &str| {
        let (event, name, tool) = (event.to_owned(), name.to_owned(), tool.to_owned());
        move |args: Value| json!({ event.as_str(): name, "tool_name": tool, "tool_input": args })
    };
    let copilot = |args: Value| json!({ "hookEventName": "preToolUse", "toolName": "bash", "toolArgs": args.to_string() });
    let agents: [(&str, Asks, Value, Value, &str); 9] = [
        (
            "claude",
            Box::new(snake("hook_event_name", "PreToolUse", "Bash")),
            specific("PreToolUse", deny.clone()),
            // It counts in milliseconds.
            specific("PreToolUse", updated(json!({ "command": "rewrite", "timeout": 2000 }))),
            "",
        ),
        (
            "codex",
            Box::new(snake("hook_event_name", "PreToolUse", "Bash")),
            specific("PreToolUse", deny.clone()),
            specific(
                "PreToolUse",
                json!({
                    "permissionDecision": "allow",
                    "updatedInput": { "command": "rewrite", "timeout": 2 }
                }),
            ),
            "",
        ),
        (
            "gemini",
            Box::new(snake("hook_event_name", "BeforeTool", "run_shell_command")),
            json!({ "decision": "deny", "reason": why }),
            specific("BeforeTool", json!({ "tool_input": { "command": "rewrite", "timeout": 2 } })),
            "{}",
        ),
        (
            "crush",
            Box::new(snake("event", "PreToolUse", "bash")),
            json!({ "version": 1, "decision": "deny", "reason": why }),
            json!({ "version": 1, "updated_input": { "command": "rewrite", "timeout": 2 } }),
            "",
        ),
        (
            "cursor",
            Box::new(snake("hook_event_name", "preToolUse", "Shell")),
            json!({ "permission": "deny", "user_message": why, "agent_message": why }),
            json!({ "permission": "allow", "updated_input": { "command": "rewrite", "timeout": 2 } }),
            "{}",
        ),
        (
            "copilot",
            Box::new(copilot),
            deny.clone(),
            json!({ "modifiedArgs": { "command": "rewrite", "timeout": 2 } }),
            "",
        ),
        (
            "qwen",
            Box::new(snake("hook_event_name", "PreToolUse", "run_shell_command")),
            specific("PreToolUse", deny.clone()),
            specific("PreToolUse", no_rewrite("Qwen Code")),
            "",
        ),
        (
            "droid",
            Box::new(snake("hook_event_name", "PreToolUse", "Execute")),
            specific("PreToolUse", deny),
            specific("PreToolUse", updated(json!({ "command": "rewrite", "timeout": 2 }))),
            "",
        ),
        // It has no words for it: an exit code, and this on stderr.
        (
            "goose",
            Box::new(snake("event", "PreToolUse", "developer__shell")),
            json!(why),
            json!("goose has no way to run it so"),
            "",
        ),
    ];
    for (agent, asks, denied, rewritten, silence) in agents {
        for (command, expected) in [("forbidden", denied), ("rewrite", rewritten)] {
            let told = user.hook(agent, &asks(json!({ "command": command })));
            assert_answer(&told, &expected, agent);
        }
        let told = user.hook(agent, &asks(json!({ "command": "ls" })));
        told.assert_code(0);
        assert_eq!((&*told.stdout, &*told.stderr), (silence, ""), "{agent}");
    }
    assert_eq!(user.status().len(), 1, "one run of the extension is for all agents");
}

/// What they send is made by the modules that `extline install` writes.
#[test]
fn a_person_is_asked_where_the_agent_can_ask_one() {
    let user = User::new();
    let why = "guard: it is grave";
    let snake = |agent: &str| match agent {
        "gemini" => ("hook_event_name", "BeforeTool", "run_shell_command"),
        "cursor" => ("hook_event_name", "preToolUse", "Shell"),
        "crush" => ("event", "PreToolUse", "bash"),
        "droid" => ("hook_event_name", "PreToolUse", "Execute"),
        "qwen" => ("hook_event_name", "PreToolUse", "run_shell_command"),
        _ => ("hook_event_name", "PreToolUse", "Bash"),
    };
    let asks = |agent: &str, command: &str| {
        let args = json!({ "command": command });
        let asked = if agent == "copilot" {
            json!({ "hookEventName": "preToolUse", "toolName": "bash", "toolArgs": args.to_string() })
        } else {
            let (event, name, tool) = snake(agent);
            json!({ event: name, "tool_name": tool, "tool_input": args })
        };
        user.hook(agent, &asked)
    };
    let said = |agent: &str, command: &str| {
        let outcome = asks(agent, command);
        outcome.assert_code(0);
        outcome.json()
    };
    let specific = |more: Value| {
        let mut answer = json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": "ask",
            "permissionDecisionReason": why,
        });
        answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "hookSpecificOutput": answer })
    };
    for agent in ["claude", "qwen"] {
        assert_eq!(said(agent, "ask"), specific(json!({})), "{agent}");
    }
    let args = json!({ "command": "ask rewritten", "timeout": 2000 });
    assert_eq!(said("claude", "ask rewritten"), specific(json!({ "updatedInput": args })));
    let args = json!({ "command": "ask rewritten", "timeout": 2 });
    let copilot = json!({ "permissionDecision": "ask", "permissionDecisionReason": why });
    assert_eq!(said("copilot", "ask"), copilot);
    assert_eq!(said("copilot", "ask rewritten")["modifiedArgs"], args);
    // Those that cannot block, and so does one that would not run what was rewritten.
    for (agent, command) in [
        ("codex", "ask"),
        ("gemini", "ask"),
        ("crush", "ask"),
        ("cursor", "ask"),
        ("droid", "ask"),
        ("qwen", "ask rewritten"),
    ] {
        let said = said(agent, command).to_string();
        assert!(
            said.contains("deny") && said.contains("it is grave (a person is to be asked"),
            "{said}"
        );
    }
    let args = json!({ "command": "ask" });
    let asked =
        json!({ "event": "PreToolUse", "tool_name": "developer__shell", "tool_input": args });
    let goose = user.hook("goose", &asked);
    goose.assert_code(2);
    goose.assert_says(&["it is grave (a person is to be asked, and goose has no way to)"]);
    // The user's own rules decide without asking.
    let guard = user.path("guard");
    let with_rules = |mode: &str| {
        let words = ["hook", "--agent", "claude", "--approve", mode, guard.to_str().unwrap()];
        user.run(&words, &claude("ask").to_string())
    };
    let yolo = with_rules("yolo");
    assert_eq!((yolo.code, &*yolo.stdout, &*yolo.stderr), (0, "", ""));
    let listed = with_rules("allowlist").json();
    let denied = &listed["hookSpecificOutput"];
    assert_eq!(denied["permissionDecision"], "deny");
    let why = denied["permissionDecisionReason"].as_str().unwrap();
    assert!(why.contains("no pattern allows"), "{why}");
}

#[test]
fn agents_with_modules_are_answered_in_one_form() {
    let user = User::new();
    for (agent, event, timeout) in
        [("opencode", "tool.execute.before", 2000), ("pi", "tool_call", 2)]
    {
        let answer = |command: &str| {
            let args = json!({ "command": command });
            let event =
                json!({ "hook_event_name": event, "tool_name": "bash", "tool_input": args });
            let told = user.hook(agent, &event);
            told.assert_code(0);
            if told.stdout.is_empty() { Value::Null } else { told.json() }
        };
        let why = "blocked by guard: REASON";
        let deny = json!({ "permissionDecision": "deny", "permissionDecisionReason": why });
        assert_eq!(answer("forbidden"), deny);
        let args = json!({ "command": "rewrite", "timeout": timeout });
        assert_eq!(answer("rewrite"), json!({ "modifiedArgs": args }));
        assert_eq!(answer("ls"), Value::Null);
    }
    let edit = json!({ "filePath": "again", "oldString": "a", "newString": "b" });
    let event = json!({ "hook_event_name": "tool.execute.before", "tool_name": "edit", "tool_input": edit });
    let told = user.hook("opencode", &event).json();
    let says = told["permissionDecisionReason"].as_str().unwrap();
    assert!(says.contains("rewrote edit as it cannot run"), "{says}");
}

#[test]
fn files_are_known_by_the_names_that_extensions_use() {
    let user = User::new();
    let call = |tool: &str, args: Value| {
        let event =
            json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": args });
        let told = user.hook("claude", &event);
        told.assert_code(0);
        if told.stdout.is_empty() { Value::Null } else { told.json()["hookSpecificOutput"].clone() }
    };
    let edit = json!({ "file_path": "again", "old_string": "a", "new_string": "b" });
    let reason = "an extension rewrote Edit as it cannot run: it replaces one text in a call, and edits \
                  has several";
    assert_eq!(call("Edit", edit)["permissionDecisionReason"], reason);
    let edits = json!([{ "old_string": "a", "new_string": "b" }]);
    let twice =
        json!([{ "old_string": "a", "new_string": "b" }, { "old_string": "a", "new_string": "b" }]);
    let answer = call("MultiEdit", json!({ "file_path": "again", "edits": edits }));
    assert_eq!(answer["updatedInput"], json!({ "file_path": "again", "edits": twice }));
    let answer = call("Write", json!({ "file_path": "other", "content": "x" }));
    assert_eq!(answer["updatedInput"], json!({ "file_path": "mine", "content": "x" }));
    assert_eq!(call("Read", json!({ "file_path": "fine" })), Value::Null);
    // What the agent will use is what the guard sees, whatever stands beside it.
    let hidden = json!({ "file_path": "forbidden", "path": "fine" });
    assert_eq!(call("Write", hidden)["permissionDecision"], "deny");
}

#[test]
fn extensions_are_told_what_happens() {
    let user = User::new();
    let tell = |name: &str, more: Value| {
        let mut event = json!({ "session_id": "s", "cwd": "/w", "hook_event_name": name });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let told = user.hook("claude", &event);
        told.assert_code(0);
        assert_eq!(told.stdout, "");
    };
    let call =
        json!({ "tool_name": "Bash", "tool_use_id": "t", "tool_input": { "command": "ls" } });
    tell("SessionStart", json!({ "source": "startup" }));
    tell("UserPromptSubmit", json!({ "prompt": "hello" }));
    tell("PreToolUse", call.clone());
    let mut result = call;
    result["tool_response"] = json!({ "stdout": "a\n", "is_error": true });
    tell("PostToolUse", result);
    tell("PreCompact", json!({}));
    tell("SessionEnd", json!({ "reason": "exit" }));
    let told = user.events(6);
    let names: Vec<_> = told.iter().map(|it| it["event"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "session_start",
            "user_prompt_submit",
            "tool_call",
            "tool_result",
            "pre_compact",
            "session_end"
        ]
    );
    for event in &told {
        assert_eq!((&event["session_id"], &event["cwd"]), (&json!("s"), &json!("/w")));
    }
    assert_eq!(told[1]["text"], "hello");
    assert_eq!((&told[2]["tool_name"], &told[2]["tool_id"]), (&json!("bash"), &json!("t")));
    assert_eq!(told[3]["status"], "failed");
    assert_eq!(told[5]["reason"], "exit");
    // One that no extension knows is no failure: the agent may have new ones at any time.
    let told = user.hook("claude", &json!({ "hook_event_name": "Stop" }));
    told.assert_code(0);
    told.assert_says(&["extensions are not told of Stop of Claude Code"]);
}

#[test]
fn a_call_has_the_agent_s_name_for_it_everywhere() {
    let user = User::new();
    let (guard, audit) = (user.path("guard"), user.path("audit"));
    let audited = ["hook", "--agent", "claude", "--audit", audit.to_str().unwrap()];
    let words = [&audited[..], &[guard.to_str().unwrap()]].concat();
    let told = user.run(&words, &claude("name").to_string());
    assert!(told.stdout.contains("blocked by guard: it is t"), "{told:?}");
    assert_eq!(user.run(&words, &claude("ls").to_string()).stdout, "");
    // Of one that is blocked the end is told by the host, of one that runs by the agent.
    let told = user.events(3);
    let seen = |event: &Value| {
        [&event["event"], &event["tool_id"], &event["session_id"]].map(Value::clone)
    };
    assert_eq!(seen(&told[1]), [json!("tool_result"), json!("t"), json!("s")]);
    assert_eq!((&told[1]["status"], &told[1]["executed"]), (&json!("blocked"), &json!(false)));
    assert_eq!(seen(&told[2])[0], json!("tool_call"));
    let written = fs::read_to_string(audit).unwrap();
    let lines = written.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<_> =
        lines.map(|it| [it["event"].clone(), it["call"].clone(), it["tool"].clone()]).collect();
    let line = |event| [event, "t", "bash"].map(Value::from);
    let events = ["call_started", "call_ended", "call_started", "call_passed"];
    assert_eq!(lines, events.map(line));
}

#[test]
fn a_call_is_blocked_where_nobody_can_decide() {
    let user = User::new();
    let guard = user.path("guard");
    let guard = guard.to_str().unwrap();
    let ours = ["hook", "--agent", "claude", guard];
    let unknown = json!({ "hook_event_name": "BeforeEverything", "tool_name": "Bash" });
    let fine = claude("ls").to_string();
    let no_tool = json!({ "hook_event_name": "PreToolUse", "tool_input": {} });
    let no_args = json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": [] });
    for (words, input, says) in [
        (&ours[..], "", "stdin is not JSON"),
        (&ours, "{\"hook_event_name\": \"PreTool", "stdin is not JSON"),
        (&ours, "[]", "no JSON object"),
        (&ours, "{}", "names no event in /hook_event_name"),
        (&ours, &unknown.to_string(), "by an event that is not known: BeforeEverything"),
        (&["hook", "--agent", "klaude", guard], &fine, "--agent klaude is not known"),
        (&["hook", guard], &fine, "--agent"),
        (&["hook", "--agent", "claude"], &fine, "<DIR>"),
        (&["hook", "--agent", "claude", "--no-such-option", guard], &fine, "--no-such-option"),
    ] {
        let told = user.run(words, input);
        told.assert_code(2);
        told.assert_says(&[says]);
        assert_eq!(told.stdout, "");
    }
    // These reach the extensions, and are denied with the words of the agent.
    let nowhere = user.path("nowhere");
    let nowhere = ["hook", "--agent", "claude", nowhere.to_str().unwrap()];
    for (words, input, says) in [
        (&ours[..], no_tool.to_string(), "names no tool in /tool_name"),
        (&ours, no_args.to_string(), "/tool_input of Claude Code is no object"),
        (&nowhere, fine.clone(), "nowhere did not start, and may have a guard"),
        (&ours, claude("die").to_string(), "blocked by guard"),
        // It was started again.
        (&ours, claude("forbidden").to_string(), "blocked by guard: REASON"),
    ] {
        let told = user.run(words, &input);
        told.assert_code(0);
        assert_eq!(told.json()["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
        assert!(told.stdout.contains(says), "{told:?}");
    }
    let unguarded = [&nowhere[..], &["--unguarded", "nowhere"]].concat();
    let told = user.run(&unguarded, &fine);
    assert_eq!((told.code, &*told.stdout), (0, ""), "{told:?}");
    let words = ["hook", "--agent", "claude", "--within", "0.5", guard];
    let told = user.run(&words, &claude("hang").to_string());
    told.assert_code(2);
    told.assert_says(&["the call is blocked", "in time"]);
}

#[test]
fn a_folder_that_others_could_reach_into_is_not_used() {
    let user = User::new();
    let folder = user.path("run/extline");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    let told = user.hook("claude", &claude("ls"));
    told.assert_code(2);
    told.assert_says(&["is not a folder of this user alone", "the call is blocked"]);
    // An event that blocks nothing is told of by 1.
    let told = user.hook("claude", &json!({ "hook_event_name": "SessionStart" }));
    told.assert_code(1);
    told.assert_says(&["the extensions were not told of SessionStart"]);
    // As on a disk that is full.
    fs::remove_dir(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    let told = user.hook("claude", &claude("ls"));
    told.assert_code(2);
    told.assert_says(&["the call is blocked"]);
    fs::remove_file(&folder).unwrap();
    let told = user.hook("claude", &claude("ls"));
    assert_eq!((told.code, &*told.stdout), (0, ""), "{told:?}");
    let modes =
        fs::read_dir(&folder).unwrap().map(|it| it.unwrap().metadata().unwrap().mode_bits());
    assert!(modes.into_iter().all(|mode| mode == 0o600));
}

trait ModeBits {
    fn mode_bits(&self) -> u32;
}

impl ModeBits for fs::Metadata {
    fn mode_bits(&self) -> u32 {
        self.permissions().mode() & 0o777
    }
}

#[test]
fn hooks_that_come_at_once_share_one_start() {
    let user = User::new();
    let guard = user.path("guard");
    let words = ["hook", "--agent", "claude", guard.to_str().unwrap()];
    let all: Vec<_> = (0..12)
        .map(|number| {
            let command = if number % 2 == 0 { "forbidden" } else { "ls" };
            (command, user.start(&words, claude(command).to_string().as_bytes()))
        })
        .collect();
    for (command, hook) in all {
        let told = outcome(hook);
        told.assert_code(0);
        assert_eq!(told.stdout.contains("deny"), command == "forbidden", "{told:?}");
    }
    let status = user.status();
    assert_eq!((status.len(), &status[0]["asked"]), (1, &json!(12)), "{status:?}");
    assert_eq!(status[0]["extensions"], json!([{ "name": "guard", "state": "ready" }]));
}

#[test]
fn what_was_killed_is_started_again() {
    let user = User::new();
    let denies = |command| user.hook("claude", &claude(command)).stdout.contains("deny");
    assert!(denies("forbidden"));
    let first = user.status()[0]["pid"].clone();
    // Its socket stays behind.
    kill(&first, "-KILL");
    wait_until(|| !Path::new(&format!("/proc/{first}")).exists());
    assert!(denies("forbidden") && !denies("ls"));
    let second = user.status();
    assert_eq!(second.len(), 1);
    assert_ne!(second[0]["pid"], first);
    // One that does not answer blocks, and can be ended.
    kill(&second[0]["pid"], "-STOP");
    let guard = user.path("guard");
    let words = ["hook", "--agent", "claude", "--within", "0.5", guard.to_str().unwrap()];
    let told = user.run(&words, &claude("ls").to_string());
    told.assert_code(2);
    told.assert_says(&["no answer in time", "extline hook --stop"]);
    kill(&second[0]["pid"], "-CONT");
    // A changed extension is started anew.
    let file = guard.join("guard.py");
    let text = fs::read_to_string(&file).unwrap().replace("REASON", "ANOTHER");
    fs::write(&file, text).unwrap();
    assert!(user.hook("claude", &claude("forbidden")).stdout.contains("ANOTHER"));
}

#[test]
fn extensions_end_when_nothing_was_asked_and_when_told_so() {
    let user = User::new();
    let guard = user.path("guard");
    let words = ["hook", "--agent", "claude", "--idle", "1", guard.to_str().unwrap()];
    user.run(&words, &claude("ls").to_string()).assert_code(0);
    let pid = user.status()[0]["pid"].clone();
    wait_until(|| user.status().is_empty());
    wait_until(|| !Path::new(&format!("/proc/{pid}")).exists());
    assert_eq!(user.run(&["hook", "--status"], "").stdout, "no extensions run for hooks\n");
    user.hook("gemini", &json!({ "hook_event_name": "SessionStart" })).assert_code(0);
    let pid = user.status()[0]["pid"].clone();
    let told = user.run(&["hook", "--stop"], "");
    assert!(told.stdout.contains(&format!("stopped, process {pid}")), "{told:?}");
    wait_until(|| !Path::new(&format!("/proc/{pid}")).exists());
    let left: Vec<_> = fs::read_dir(user.path("run/extline")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
