//! Calls that need an approval: on a terminal, by flags, and where nobody is there.

#![cfg(unix)]

mod support;

use serde_json::{Value, json};
use support::{Extline, Outcome, Screen, in_terminal, repository};

/// A gated tool, one that calls it, one that registers it anew with another schema, and one about whose
/// calls it says more.
const CLEANER: &str = r#"
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
def wipe(schema):
    say(type="register_tool", name="wipe", description="Deletes.", schema=schema,
        approval={"gated": True, "tier": "write", "key": "{path}", "reason": "it \x1b[2Jdeletes"})
say(type="hello", name="cleaner", version="1.0.0", capabilities=["tools", "call_tool", "tool_registry", "rpc"],
    methods=["tool.approval"])
wipe({"type": "object"})
for tool in ["plan", "change"]:
    say(type="register_tool", name=tool, schema={"type": "object"})
say(type="register_tool", name="drop", schema={"type": "object"},
    approval={"dynamic": True, "tier": "exec", "key": "{path}"})
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call" and frame["name"] == "plan":
        say(type="call_tool", id=frame["id"], name="wipe", args=frame["args"], parent_id=frame["id"])
    elif frame["type"] == "tool_call":
        if frame["name"] == "change":
            wipe({"type": "object", "required": ["path"]})
        text = frame["name"] + " ran " + frame["args"].get("path", "")
        say(type="tool_result", id=frame["id"], content=[{"type": "text", "text": text}])
    elif frame["type"] == "tool_result":
        say(type="tool_result", id=frame["id"], content=frame["content"])
    elif frame["type"] == "request" and frame["params"]["args"]["path"] == "tmp":
        say(type="response", id=frame["id"], result={"reason": "not empty", "details": ["12 \x1b[2Jfiles"]})
    elif frame["type"] == "request":
        say(type="response", id=frame["id"], error={"code": "internal", "message": "no such disk"})
    elif frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"#;

fn words<'a>(before: &[&'a str]) -> Vec<&'a str> {
    [before, &["--", "python3", "-S", "-c", CLEANER]].concat()
}

fn wipe(path: &str, flags: &[&str]) -> Outcome {
    let args = json!({ "path": path }).to_string();
    Extline::new().run(&words(&[&["call", "wipe", &args], flags].concat()))
}

fn at_terminal(before: &[&str], steps: &[Value]) -> Screen {
    let screen = in_terminal(&Extline::new(), true, steps, &words(before));
    assert!(screen.restored, "{screen:?}");
    screen
}

fn expect(text: &str) -> Value {
    json!({ "expect": text })
}

fn send(text: &str) -> Value {
    json!({ "send": text })
}

fn prompt() -> Value {
    expect("run it? y, a for always, N: ")
}

#[test]
fn a_gated_tool_asks_the_person_on_the_terminal() {
    let call = ["call", "wipe", r#"{"path":"tmp/a"}"#];
    let shown = [
        expect("python3 wants to run wipe"),
        expect(r#"with    {"path":"tmp/a"}"#),
        expect("tier    write"),
        expect(r"because it \u{1b}[2Jdeletes"),
        expect("key     tmp/a"),
        expect("always  wipe(tmp/a), until extline ends"),
        prompt(),
    ];
    let screen = at_terminal(&call, &[&shown[..], &[send("y\n")]].concat());
    assert_eq!(screen.code, 0, "{screen:?}");
    assert!(screen.output.contains("wipe ran tmp/a"), "{screen:?}");
    for (typed, why) in [("\n", "the user said no"), ("\x04", "the user closed the prompt")] {
        let screen = at_terminal(&call, &[prompt(), send(typed)]);
        assert_eq!(screen.code, 1, "{screen:?}");
        assert!(screen.output.contains(&format!("wipe was not approved: {why}")), "{screen:?}");
    }
    let screen = at_terminal(&call, &[prompt(), send("\x03")]);
    assert_eq!(screen.code, 130, "{screen:?}");
}

#[test]
fn long_arguments_are_cut_and_can_be_seen() {
    let args =
        json!({"path": "a", "more": format!("{}\u{202e}end", "x".repeat(2_000))}).to_string();
    let steps = [
        expect("bytes"),
        expect("N, v for all of it: "),
        send("v\n"),
        expect(r"\u202eend"),
        expect("N, v for all of it: "),
        send("y\n"),
    ];
    let screen = at_terminal(&["call", "wipe", &args], &steps);
    assert_eq!(screen.code, 0, "{screen:?}");
}

#[test]
fn always_holds_while_it_runs_and_a_changed_schema_asks_again() {
    let line = |text: &str| [expect("> "), send(&format!("{text}\n"))];
    let wipe = || line(r#"!wipe {"path":"a"}"#);
    let ran = || expect("wipe ran a");
    let steps = [
        &wipe()[..],
        &[prompt(), send("a\n"), ran()],
        &wipe(),
        &[ran()],
        &line(r#"!wipe {"path":"b"}"#),
        &[prompt(), send("n\n"), expect("wipe was not approved")],
        &line("!change"),
        &[expect("change ran")],
        &wipe(),
        &[prompt(), send("n\n"), expect("wipe was not approved")],
        &[expect("> "), send("\x04")],
    ];
    let screen = at_terminal(&["run"], &steps.concat());
    assert_eq!(screen.output.matches("wants to run").count(), 3, "{screen:?}");
}

#[test]
fn another_tool_that_calls_it_has_the_person_asked_too() {
    let call = ["call", "plan", r#"{"path":"tmp/a"}"#];
    let asked = [expect("python3 wants to run wipe, called by python3"), prompt(), send("y\n")];
    let screen = at_terminal(&call, &asked);
    assert!(screen.output.contains("wipe ran tmp/a"), "{screen:?}");
    let outcome = Extline::new().run(&words(&call));
    outcome.assert_code(0);
    let refused = "permission: wipe was not approved: nobody is there to be asked";
    assert!(outcome.stdout.starts_with(refused), "{outcome:?}");
    outcome.assert_says(&["notice: python3 calls wipe, which was not approved"]);
}

#[test]
fn flags_decide_without_a_person() {
    let stdout = |outcome: Outcome| {
        outcome.assert_code(0);
        outcome.stdout
    };
    assert_eq!(stdout(wipe("etc/a", &["--approve", "yolo"])), "wipe ran etc/a\n");
    let allowlist = ["--approve", "allowlist", "--allow", "wipe(tmp/*)"];
    assert_eq!(stdout(wipe("tmp/a", &allowlist)), "wipe ran tmp/a\n");
    for path in ["etc/a", "tmp/../etc/a"] {
        let outcome = wipe(path, &allowlist);
        outcome.assert_code(1);
        outcome.assert_says(&[&format!("wipe was not approved: no pattern allows wipe({path})")]);
    }
    assert_eq!(stdout(wipe("tmp/a", &["--allow", "wipe(tmp/*)"])), "wipe ran tmp/a\n");
    let outcome = wipe("tmp/a", &["--approve", "yolo", "--deny", "wipe(tmp/*)"]);
    outcome.assert_code(1);
    outcome.assert_says(&["the pattern wipe(tmp/*) denies it"]);
    let outcome = wipe("tmp/a", &["--allow", "wipe(tmp/*"]);
    outcome.assert_code(2);
    outcome.assert_says(&["write TOOL(GLOB), as wipe(tmp/*)"]);
}

#[test]
fn what_the_extension_says_of_a_call_is_shown() {
    let call = |path: &str, steps: &[Value]| {
        let args = json!({ "path": path }).to_string();
        at_terminal(&["call", "drop", &args], steps)
    };
    let screen = call("tmp", &[expect("because not empty"), prompt(), send("y\n")]);
    assert!(screen.output.contains("drop ran tmp"), "{screen:?}");
    assert!(!screen.output.contains("\x1b[2Jfiles") && screen.output.contains("12 "), "{screen:?}");
    let screen = call("etc", &[expect("could not say more of this call"), prompt(), send("\n")]);
    assert!(screen.output.contains("no such disk"), "{screen:?}");
    assert_eq!(screen.code, 1, "{screen:?}");
}

#[test]
fn inspect_marks_what_needs_an_approval() {
    let outcome = Extline::new().run(&words(&["inspect"]));
    outcome.assert_code(0);
    for line in
        ["  approval, write, key {path}\n", "  approval where it says so, exec, key {path}\n"]
    {
        assert!(outcome.stdout.contains(line), "{outcome:?}");
    }
    let json = Extline::new().run(&words(&["inspect", "--json"])).json();
    let tools = json["tools"].as_array().unwrap().iter();
    let marks: Vec<_> = tools.map(|it| (it["name"].as_str().unwrap(), &it["approval"])).collect();
    let expected = [
        ("change", &Value::Null),
        ("drop", &json!("dynamic")),
        ("plan", &Value::Null),
        ("wipe", &json!("gated")),
    ];
    assert_eq!(marks, expected);
}

#[test]
fn what_was_decided_is_written_down_where_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let flags = ["--audit", file.to_str().unwrap()];
    for _ in 0..2 {
        wipe("planted", &[&flags[..], &["--approve", "yolo"]].concat()).assert_code(0);
    }
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("planted"), "{text}");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events: Vec<_> = lines.map(|line| line["event"].as_str().unwrap().to_owned()).collect();
    let once = ["call_started", "decision", "call_ended"];
    assert_eq!(events, [once, once].concat());
    let outcome = wipe("a", &["--audit", folder.path().join("no/audit").to_str().unwrap()]);
    outcome.assert_code(1);
    outcome.assert_says(&["the audit cannot be written to", "no/audit", "give --audit a file"]);
}

#[test]
fn without_a_terminal_it_is_refused_and_the_text_says_what_helps() {
    let outcome = wipe("tmp/a", &[]);
    outcome.assert_code(1);
    outcome.assert_says(&[
        "nobody is there to be asked",
        "--allow 'wipe(tmp/a)'",
        "--approve yolo",
    ]);
    let outcome = wipe("tmp/a", &["--json"]);
    assert_eq!(outcome.json()["error"]["kind"], "permission");
    // What the text says helps.
    wipe("tmp/a", &["--allow", "wipe(tmp/a)"]).assert_code(0);
}

/// An author whose function fails learns of it where nobody is asked, too.
#[test]
fn a_refusal_says_why_less_is_known_of_the_call() {
    let outcome = Extline::new().run(&words(&["call", "drop", r#"{"path":"etc"}"#]));
    outcome.assert_code(1);
    outcome.assert_says(&["nobody is there to be asked", "no such disk", "--allow 'drop("]);
}

#[test]
fn a_script_may_answer() {
    let lines = "!wipe {\"path\":\"a\"}\n!wipe {\"path\":\"b\"}\n!wipe {\"path\":\"a\"}\n";
    let flags = ["run", "--answer", "approve=always", "--answer", "approve=no"];
    let outcome = Extline::new().run_with_input(&words(&flags), lines);
    assert_eq!(outcome.stdout.matches("wipe ran a").count(), 2, "{outcome:?}");
    outcome.assert_says(&["wipe was not approved: the user said no"]);
}

/// The console blocks of docs/approvals.md, with the program by hand of the same page.
#[test]
fn the_page_says_what_happens() {
    let page = std::fs::read_to_string(repository().join("docs/approvals.md")).unwrap();
    let by_hand = page.split_once("## By hand").unwrap().1;
    let program = by_hand.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    assert!(program.lines().count() <= 20);
    let call = |flags: &[&str], path: &str| {
        let args = json!({ "path": path }).to_string();
        let words = [&["call", "wipe", &args], flags, &["--", "sh", "-c", program]];
        Extline::new().run(&words.concat())
    };
    let said = |outcome: Outcome| format!("{}{}", outcome.stdout, outcome.stderr);
    let shown = [
        said(call(&["--approve", "allowlist", "--allow", "wipe(tmp/*)"], "etc/a")),
        said(call(&[], "tmp/a")),
    ];
    for said in shown {
        assert!(page.contains(said.trim_end()), "the page does not show: {said}");
    }
    assert_eq!(call(&["--answer", "approve=yes"], "tmp/a").stdout, "wiped\n");
    assert_eq!(call(&["--allow", "wipe(tmp/*)"], "tmp/a").stdout, "wiped\n");
    let words = ["call", "wipe", r#"{"path":"tmp/a"}"#, "--", "sh", "-c", program];
    let prompt = page.split_once("```text\ncleaner").unwrap().1.split_once("```").unwrap().0;
    let mut steps: Vec<_> = prompt.trim_end().lines().map(expect).collect();
    steps.push(send("y\n"));
    let screen = in_terminal(&Extline::new(), true, &steps, &words);
    assert_eq!(screen.code, 0, "{screen:?}");
}
