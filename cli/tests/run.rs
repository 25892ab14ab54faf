//! `extline run`, fed with lines.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use support::{Extline, behave, misbehave, outcome, runs, signal};

#[test]
fn each_line_is_echoed_before_its_outcome_and_the_end_is_told() {
    let outcome = Extline::new().run_with_input(
        &behave(&["run"]),
        "# a comment\n\n/show  a  b\n!echo {\"text\": \"hi\"}\n:help\n",
    );
    outcome.assert_code(0);
    let lines: Vec<_> = outcome.stdout.lines().collect();
    assert!(lines[0].starts_with("behave ready: 9 tools, 7 commands, process "), "{}", lines[0]);
    assert_eq!(
        &lines[1..5],
        ["> /show  a  b", "display: shown: a  b", "> !echo {\"text\": \"hi\"}", "hi"]
    );
    let last = lines.last().unwrap();
    assert!(last.starts_with("behave stopped: exit status 0 after "), "{last}");
    assert!(last.ends_with(", no process left"), "{last}");
}

#[test]
fn a_line_that_fails_is_exit_1_and_the_next_one_runs() {
    let extline = Extline::new();
    for failing in ["!fail", "!echo {}", "!nope", "/refuse", "what", "!slow {\"seconds\":9}"] {
        let input = format!("{failing}\n!echo {{\"text\":\"on\"}}\n");
        let outcome = extline.run_with_input(&behave(&["run", "--timeout", "2"]), &input);
        outcome.assert_code(1);
        assert!(outcome.stdout.contains("\non\n"), "{outcome:?}");
        outcome.assert_says(&["error: "]);
    }
}

#[test]
fn quit_ends_before_the_end_of_the_input() {
    let outcome = Extline::new().run_with_input(&behave(&["run"]), ":quit\n!nope\n");
    outcome.assert_code(0);
    assert!(!outcome.stdout.contains("nope"));
}

#[test]
fn several_run_side_by_side_and_one_that_fails_is_in_nobody_s_way() {
    let extline = Extline::new();
    let words = misbehave(&["run", "examples/clock-shell", "/no/such/folder"], &["banner"]);
    let outcome = extline.run_with_input(&words, "/clock utc\n!echo\n:tools\n:commands\n:status\n");
    outcome.assert_code(3);
    outcome.assert_says(&["there is no such folder", "Welcome to misbehave"]);
    for part in [
        "clock-shell ready: 1 tool, 1 command, process ",
        "display: 20",
        "> !echo\necho\n",
        "!clock_now  The current date and time.  clock-shell\n",
        "/clock  show the current time  clock-shell\n",
        "folder failed: /no/such/folder: there is no such folder\n",
        "clock-shell stopped: exit status 0",
        "misbehave stopped: exit status 0",
    ] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in\n{}", outcome.stdout);
    }
}

#[test]
fn a_name_that_nobody_has_is_told_with_those_that_have_failed() {
    let words = misbehave(&["run"], &["exit-in-call", "3"]);
    let outcome = Extline::new().run_with_input(&words, "!hang\n!nope\n");
    outcome.assert_code(1);
    let failed = "failed: misbehave: it ended while it was in use (exit status 3)";
    outcome.assert_says(&["unknown tool nope", failed]);
}

#[test]
fn nothing_that_runs_is_exit_3() {
    let extline = Extline::new();
    let outcome = extline.run_with_input(&["run", "/no/such/folder"], "/clock\n");
    outcome.assert_code(3);
    assert!(!outcome.stdout.contains("> /clock"));
}

#[test]
fn a_death_while_nothing_is_asked_is_told() {
    let extline = Extline::new();
    let mut child = extline.command(&behave(&["run"])).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut ready = String::new();
    stdout.read_line(&mut ready).unwrap();
    let pid = ready.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut first = String::new();
    stderr.read_line(&mut first).unwrap();
    assert_eq!(first, "error: behave: it ended while it was in use\n");
    stdin.write_all(b"!echo {\"text\":\"hi\"}\n").unwrap();
    drop(stdin);
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut rest).unwrap();
    assert!(rest.contains("behave had failed: killed by SIGKILL (signal 9), no process left"));
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn ctrl_c_stops_everything() {
    let extline = Extline::new();
    let mut child = extline
        .command(&misbehave(&["run"], &["leaves-child"]))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let _open = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut ready = String::new();
    stdout.read_line(&mut ready).unwrap();
    let pid = ready.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(runs(&pid));
    signal(&child, "INT");
    let mut last = String::new();
    stdout.read_line(&mut last).unwrap();
    assert!(last.contains("1 process it left behind was killed, no process left"), "{last}");
    outcome(child).assert_code(130);
    assert!(!runs(&pid));
}

#[test]
fn json_is_one_value_for_each_line() {
    let outcome = Extline::new().run_with_input(
        &behave(&["run", "--json"]),
        "/show x\n!echo {\"text\":\"hi\"}\n!echo {}\n:tools\n",
    );
    outcome.assert_code(1);
    let (news, lines): (Vec<_>, Vec<_>) =
        outcome.json_lines().into_iter().partition(|line| line.get("news").is_some());
    let calls = news.iter().filter(|it| it["news"] == "call_ended");
    let calls: Vec<_> = calls.map(|it| [&it["tool"], &it["status"]]).collect();
    assert_eq!(calls, [["echo", "completed"], ["echo", "failed"]]);
    assert_eq!(lines[0], serde_json::json!({"started": "behave"}));
    assert_eq!(
        lines[1],
        serde_json::json!({"line": "/show x", "ok": true,
                           "outcome": {"action": "display", "display": "shown: x"}})
    );
    assert_eq!(lines[2]["outcome"]["content"][0]["text"], "hi");
    assert_eq!(
        (&lines[3]["ok"], &lines[3]["outcome"]["error"]["field"]),
        (&false.into(), &"/text".into())
    );
    assert_eq!(lines[4], serde_json::json!({"tool": "add_tool", "extension": "behave"}));
    let ended = &lines.last().unwrap()["ended"];
    assert_eq!((&ended["gone"], &ended["manner"]), (&true.into(), &"by_itself".into()));
}

#[test]
fn the_lines_on_the_wire_can_be_seen() {
    let extline = Extline::new();
    let input =
        "!echo {\"text\":\"hi\"}\n:frames 2\n:frames 0\n:frames on\n!big {\"bytes\":5000}\n";
    let outcome = extline.run_with_input(&behave(&["run"]), input);
    outcome.assert_code(0);
    let seen = outcome.stdout.split("> :frames 2\n").nth(1).unwrap();
    let seen: Vec<_> = seen.split("> :frames 0\n").next().unwrap().lines().collect();
    assert_eq!(seen.len(), 2, "{outcome:?}");
    assert!(seen[0].contains(" behave -> tool_call "), "{}", seen[0]);
    assert!(seen[0].contains(r#"name="echo" args={"text":"hi"}"#), "{}", seen[0]);
    assert!(seen[1].contains(" behave <- tool_result "), "{}", seen[1]);
    // Live, and so on stderr, long ones shortened.
    let live = |part: &str| outcome.stderr.lines().find(|line| line.contains(part)).unwrap();
    assert!(live("-> tool_call ").contains(r#"args={"bytes":5000}"#));
    let result = live("<- tool_result ");
    assert!(result.contains("xxx... 50") && result.len() <= 200, "{result}");

    let outcome = extline.run_with_input(&behave(&["run", "--json"]), ":frames 1\n");
    let lines = outcome.json_lines();
    let frame = &lines.iter().find(|line| line.get("frame").is_some()).unwrap()["frame"];
    assert_eq!((&frame["dir"], &frame["extension"]), (&"h>e".into(), &"behave".into()));
    let outcome = extline.run_with_input(&behave(&["run"]), ":frames many\n");
    outcome.assert_says(&["\":frames many\" is not understood"]);
}

#[test]
fn what_an_agent_would_do_can_be_done_by_hand() {
    let lines = ":emit turn_start {\"step\":1}\n:emit session_end\n:intercept turn_start\n\
                 :intercept tool_call {\"tool_name\":\"bash\"}\n:turn hello\n:session\n";
    let outcome = Extline::new().run_with_input(&behave(&["run"]), lines);
    outcome.assert_code(0);
    for part in [
        "turn_start: told behave\n",
        "session_end: nobody subscribed\n",
        "turn_start: goes on\n",
        "tool_call: goes on with {}\n",
        "turn 1: hello\n",
        "the session run-",
    ] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in\n{}", outcome.stdout);
    }
}

#[test]
fn what_is_wrong_with_an_event_or_a_point_is_told() {
    for (line, told) in [
        (":emit turn_strat", "did you mean turn_start?"),
        (":emit turn_start {\"step\" 1}", "the fields of turn_start are no JSON: expected `:` at"),
        (":emit turn_start {\"stepp\":1}", "turn_start has no field \"stepp\"; did you mean step?"),
        (":emit turn_start {\"step\":\"one\"}", "the fields of turn_start: /step: expected"),
        (":emit turn_start 1", "the fields of turn_start are no object: 1"),
        (":intercept turn_strat", "\"turn_strat\" is no point; did you mean turn_start?"),
        (":session over", "\"over\" is neither start nor end"),
    ] {
        let outcome = Extline::new().run_with_input(&behave(&["run"]), line);
        outcome.assert_code(1);
        outcome.assert_says(&[told]);
    }
}
