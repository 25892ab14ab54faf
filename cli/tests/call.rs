//! `extline call`, with its exit codes.

#![cfg(unix)]

mod support;

use std::fs;

use support::{Extline, behave, misbehave, outcome, runs, signal, wait_for_lines, wait_until_gone};

#[test]
fn a_result_goes_to_stdout_as_it_is() {
    let extline = Extline::new();
    let outcome = extline.run(&behave(&["call", "echo", r#"{"text":"grüße\nzwei"}"#]));
    outcome.assert_code(0);
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("grüße\nzwei\n", ""));
    let outcome = extline.run(&behave(&["call", "picture"]));
    assert_eq!(outcome.stdout, "a picture\n[image image/png, 8 bytes]\n");
}

#[test]
fn a_folder_takes_the_place_of_the_program() {
    let extline = Extline::new();
    let folder = extline.home().join("my ext");
    fs::create_dir(&folder).unwrap();
    let script = support::repository().join("host/tests/extensions/behave.py");
    let manifest = serde_json::json!({"name": "mine", "exec": "python3", "args": [script]});
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    let folder = folder.to_str().unwrap();
    let outcome = extline.run(&["call", folder, "echo", r#"{"text":"hi"}"#]);
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "hi\n");
    let manifest = format!("{folder}/extension.json");
    let outcome = extline.run_with_input(&["call", &manifest, "echo", "-"], r#"{"text":"piped"}"#);
    assert_eq!(outcome.stdout, "piped\n");
}

#[test]
fn json_is_the_whole_result() {
    let extline = Extline::new();
    let outcome = extline.run(&behave(&["call", "echo", r#"{"text":"hi"}"#, "--json"]));
    let expected =
        serde_json::json!({"content": [{"type": "text", "text": "hi"}], "is_error": false});
    assert_eq!(outcome.json(), expected);
    let outcome = extline.run(&behave(&["--json", "call", "fail"]));
    outcome.assert_code(1);
    assert_eq!(outcome.json()["error"]["kind"], "permission");
    assert_eq!(outcome.json()["is_error"], true);
}

#[test]
fn a_tool_s_own_error_is_exit_1() {
    let outcome = Extline::new().run(&behave(&["call", "fail"]));
    outcome.assert_code(1);
    outcome.assert_says(&["fail failed (permission): not allowed here", "ask the owner"]);
    assert_eq!(outcome.stdout, "");
}

#[test]
fn an_unknown_tool_is_exit_2_with_those_there_are() {
    let extline = Extline::new();
    let outcome = extline.run(&behave(&["call", "ecko"]));
    outcome.assert_code(2);
    outcome.assert_says(&["unknown tool ecko; did you mean echo?", "tools: add_tool, big,"]);
    let outcome = extline.run(&behave(&["call", "show"]));
    outcome.assert_says(&["show is a command: use extline command"]);
    let outcome = extline.run(&behave(&["call", "ecko", "--json"]));
    assert!(outcome.json()["known"].as_array().unwrap().contains(&"echo".into()));
    assert_eq!(outcome.json()["error"]["kind"], "not_found");
}

#[test]
fn wrong_usage_is_exit_2() {
    let extline = Extline::new();
    for words in [&["call"][..], &["call", "examples"], &["call", "d", "t", "{}", "x"], &["frob"]] {
        let outcome = extline.run(words);
        outcome.assert_code(2);
        outcome.assert_says(&["Usage: extline"]);
    }
    extline.run(&["call", "--timeout", "soon", "d", "t"]).assert_code(2);
}

#[test]
fn an_extension_that_does_not_start_is_exit_3() {
    let extline = Extline::new();
    let words = misbehave(&["call", "echo"], &["exit-before-hello", "7"]);
    let outcome = extline.run(&words);
    outcome.assert_code(3);
    outcome.assert_says(&[
        "misbehave: it ended before it said hello",
        "exit    exit status 7",
        "No module named 'frobnicate'",
        "logs/misbehave.log",
        "try     ",
    ]);
    let words: Vec<_> = [&["--json"], &words[..]].concat();
    let json = extline.run(&words).json();
    assert_eq!(json["diagnosis"]["problem"]["code"], "exited_before_hello");
    assert_eq!(json["diagnosis"]["exit"]["code"], 7);
    let outcome = extline.run(&["call", "/no/such/folder", "echo"]);
    outcome.assert_code(3);
    outcome.assert_says(&["there is no such folder"]);
    let outcome = extline.run(&["call", "echo", "--", "extline-no-such-program"]);
    outcome.assert_code(3);
    outcome.assert_says(&["is in no folder of $PATH"]);
}

#[test]
fn a_death_in_the_call_is_exit_4_and_names_the_signal() {
    let extline = Extline::new();
    let outcome = extline.run(&misbehave(&["call", "hang"], &["signal-in-call", "9"]));
    outcome.assert_code(4);
    outcome.assert_says(&["killed by SIGKILL (signal 9)", "answering the tool call hang"]);
    let outcome = extline.run(&misbehave(&["call", "hang"], &["exit-in-call", "3"]));
    outcome.assert_code(4);
    outcome.assert_says(&["exit    exit status 3", "stderr  Traceback: the reason"]);
}

#[test]
fn no_answer_in_time_is_exit_5() {
    let extline = Extline::new();
    let note = extline.home().join("note");
    let args = serde_json::json!({"seconds": 100, "note": note}).to_string();
    let outcome = extline.run(&behave(&["call", "--timeout", "0.5", "slow", &args]));
    outcome.assert_code(5);
    outcome.assert_says(&["slow did not answer within 500 ms"]);
    outcome.assert_says(&["while   answering slow", "system  process ", "log     ", "timeout_ms"]);
    // The extension was told, and is gone.
    let lines = wait_for_lines(&note, 2);
    assert_eq!(lines[1], "cancelled");
    assert!(!runs(&lines[0]));
}

#[test]
fn a_time_that_is_none_is_wrong_usage_and_says_what_one_is() {
    let extline = Extline::new();
    for time in ["0", "-1", "soon", "86401"] {
        let outcome = extline.run(&behave(&["call", "--timeout", time, "slow"]));
        outcome.assert_code(2);
        outcome.assert_says(&["expected seconds, more than 0 and at most 86400"]);
    }
}

#[test]
fn arguments_that_do_not_fit_are_exit_6_and_the_place_is_named() {
    let extline = Extline::new();
    let outcome = extline.run(&behave(&["call", "echo"]));
    outcome.assert_code(6);
    outcome.assert_says(&[
        "echo: /text: required, and missing",
        "text  string, required  what to say",
    ]);
    let outcome = extline.run(&behave(&["call", "echo", "{}", "--json"]));
    outcome.assert_code(6);
    assert_eq!(outcome.json()["error"]["field"], "/text");
    assert_eq!(outcome.json()["schema"]["required"][0], "text");
    let outcome = extline.run(&behave(&["call", "echo", "text=hi"]));
    outcome.assert_code(6);
    outcome.assert_says(&["not a JSON value"]);
}

#[test]
fn ctrl_c_cancels_the_call_and_stops_the_extension() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let extline = Extline::new();
        let note = extline.home().join("note");
        let args = serde_json::json!({"seconds": 100, "note": note}).to_string();
        let child = extline.command(&behave(&["call", "slow", &args])).spawn().unwrap();
        let pid = wait_for_lines(&note, 1).remove(0);
        assert!(runs(&pid));
        signal(&child, name);
        outcome(child).assert_code(code);
        assert_eq!(wait_for_lines(&note, 2)[1], "cancelled");
        assert!(!runs(&pid));
    }
}

#[test]
fn ctrl_c_during_the_start_leaves_nothing_running() {
    let extline = Extline::new();
    let note = extline.home().join("note");
    let script = format!("echo $$ >{}; exec sleep 3600", note.display());
    let child = extline.command(&["inspect", "--", "sh", "-c", &script]).spawn().unwrap();
    let pid = wait_for_lines(&note, 1).remove(0);
    signal(&child, "INT");
    outcome(child).assert_code(130);
    wait_until_gone(&pid);
}

#[test]
fn an_extension_ends_when_its_host_is_killed() {
    let extline = Extline::new();
    let note = extline.home().join("note");
    let args = serde_json::json!({"seconds": 100, "note": note}).to_string();
    let mut child = extline.command(&behave(&["call", "slow", &args])).spawn().unwrap();
    let pid = wait_for_lines(&note, 1).remove(0);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until_gone(&pid);
}

#[test]
fn what_an_extension_says_by_itself_goes_to_stderr() {
    let extline = Extline::new();
    let outcome = extline.run(&behave(&["call", "chatter"]));
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "said it\n");
    outcome.assert_says(&["behave warn: a note", "asks to submit: a prompt", "notice: behave:"]);
    // Progress and colours are for terminals.
    assert!(!outcome.stderr.contains('\x1b'));
    let outcome = extline.run(&behave(&["call", "slow"]));
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("done\n", ""));
}

#[test]
fn junk_and_a_banner_are_reported_and_it_works() {
    let extline = Extline::new();
    let outcome = extline.run(&misbehave(&["call", "echo"], &["banner"]));
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "echo\n");
    outcome.assert_says(&["before hello", "Welcome to misbehave 1.0", "print to stderr"]);
    let outcome = extline.run(&misbehave(&["call", "echo"], &["junk"]));
    assert_eq!(outcome.stdout, "echo\n");
    outcome.assert_says(&["junk before"]);
}

#[test]
fn an_extension_that_does_not_stop_is_told_of() {
    let outcome = Extline::new().run(&misbehave(&["call", "echo"], &["stubborn"]));
    outcome.assert_code(0);
    outcome.assert_says(&["misbehave did not stop, was killed", "no process left"]);
}

#[test]
fn a_call_that_a_guard_blocks_is_exit_1_and_says_who_and_why() {
    let script = r#"echo '{"type":"hello","name":"careful"}'
        echo '{"type":"register_tool","name":"remove","description":"","schema":{"type":"object"}}'
        echo '{"type":"subscribe","guards":["tool_call"]}'
        echo '{"type":"ready"}'
        while read -r frame; do case $frame in
            *'"event_intercept"'*)
                echo '{"type":"event_intercept_response","id":"1","block":true,"reason":"not here"}';;
        esac; done"#;
    let outcome = Extline::new().run(&["call", "remove", "{}", "--", "sh", "-c", script]);
    outcome.assert_code(1);
    outcome.assert_says(&["blocked by", "not here"]);
}

/// A tool beside a guard that is declared in `hello` and never registered.
const WITHOUT_ITS_GUARD: &str = r#"echo '{"type":"hello","name":"sh","guards":["tool_call"]}'
    echo '{"type":"register_tool","name":"run","schema":{"type":"object"}}'
    echo '{"type":"ready"}'
    while read -r frame; do
        case $frame in
        *'"tool_call"'*) echo '{"type":"tool_result","id":"1","content":[{"type":"text","text":"ran"}]}';;
        *'"shutdown"'*) exit;;
        esac
    done"#;

#[test]
fn a_call_whose_guard_cannot_be_asked_is_blocked_and_says_what_to_do() {
    let extline = Extline::new();
    let outcome = extline.run(&["call", "run", "--", "sh", "-c", WITHOUT_ITS_GUARD]);
    outcome.assert_code(1);
    outcome.assert_says(&[
        "blocked by sh: its guard is declared in its hello, and it registered none",
        "--unguarded sh lets them pass without it",
    ]);
    let words = ["call", "run", "--unguarded", "sh", "--", "sh", "-c", WITHOUT_ITS_GUARD];
    let outcome = extline.run(&words);
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "ran\n");
}
