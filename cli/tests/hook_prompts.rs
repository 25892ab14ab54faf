//! Prompts of the agent's user, which `extline hook` asks extensions about.

#![cfg(unix)]

mod support;
#[path = "hook/user.rs"]
mod user;

use std::fs;

use serde_json::{Value, json};
use user::User;

const AGENTS: [(&str, &str, &str); 5] = [
    ("claude", "UserPromptSubmit", "block"),
    ("codex", "UserPromptSubmit", "block"),
    ("qwen", "UserPromptSubmit", "block"),
    ("gemini", "BeforeAgent", "deny"),
    ("cursor", "beforeSubmitPrompt", ""),
];

fn prompt(event: &str, text: &str) -> Value {
    json!({ "session_id": "s", "cwd": "/w", "hook_event_name": event, "prompt": text })
}

#[test]
fn a_prompt_is_refused_in_the_agent_s_own_words() {
    let user = User::new();
    for (agent, event, word) in AGENTS {
        for (text, why) in [
            ("forbidden", "blocked by guard: REASON"),
            ("!ls", "guard has dealt with it"),
            ("a secret", "send this one: a ***"),
        ] {
            let told = user.hook(agent, &prompt(event, text));
            told.assert_code(0);
            let mut said = told.json();
            let reason = if word.is_empty() { "user_message" } else { "reason" };
            let reason = said.as_object_mut().unwrap().remove(reason).unwrap();
            assert!(reason.as_str().unwrap().ends_with(why), "{agent}: {reason}");
            let rest = if word.is_empty() {
                json!({ "continue": false })
            } else {
                json!({ "decision": word })
            };
            assert_eq!(said, rest, "{agent}");
        }
        let told = user.hook(agent, &prompt(event, "hello"));
        told.assert_code(0);
        let silence = if ["gemini", "cursor"].contains(&agent) { "{}" } else { "" };
        assert_eq!((&*told.stdout, &*told.stderr), (silence, ""), "{agent}");
    }
    let refused = user.hook("droid", &prompt("UserPromptSubmit", "forbidden"));
    refused.assert_code(2);
    refused.assert_says(&["blocked by guard: REASON"]);
    user.hook("droid", &prompt("UserPromptSubmit", "hello")).assert_code(0);
    // Where the agent takes no answer nobody is asked, and what it takes is told of.
    for (agent, name, event) in [
        ("copilot", "hookEventName", "userPromptSubmitted"),
        ("goose", "event", "UserPromptSubmit"),
        ("opencode", "hook_event_name", "chat.message"),
        ("pi", "hook_event_name", "before_agent_start"),
    ] {
        let text = if agent == "goose" { "message" } else { "prompt" };
        let told = user.hook(agent, &json!({ name: event, text: "forbidden" }));
        told.assert_code(0);
        assert_eq!(told.stdout, "", "{agent}");
    }
    let told = user.events(10);
    let told: Vec<_> = told.iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(told, [["hello"; 6].as_slice(), &["forbidden"; 4]].concat());
    assert_eq!(user.status().len(), 1, "one run of the extension is for all agents");
}

#[test]
fn one_that_dies_over_a_prompt_refuses_it_where_it_says_so() {
    for (words, refuses) in
        [(&["guard.py"][..], false), (&["guard.py", "user_prompt_submit=block"], true)]
    {
        let user = User::new();
        let file = user.path("guard/extension.json");
        let mut manifest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        manifest["args"] = json!(words);
        fs::write(&file, manifest.to_string()).unwrap();
        let told = user.hook("claude", &prompt("UserPromptSubmit", "die"));
        told.assert_code(0);
        if refuses {
            assert_eq!(told.json()["decision"], "block");
            let reason = told.json()["reason"].as_str().unwrap().to_owned();
            assert!(reason.starts_with("blocked by guard: "), "{reason}");
        } else {
            assert_eq!(told.stdout, "");
        }
    }
}
