//! What only a terminal gets: colours, progress, a prompt.

#![cfg(unix)]

mod support;

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use support::{
    BEHAVE, Extline, Screen, behave, in_terminal, runs, wait_for_lines, wait_until_gone,
};

/// `extline run` on the well-behaved extension.
fn at_prompt(extline: &Extline, steps: &[Value]) -> Screen {
    let screen = in_terminal(extline, true, steps, &behave(&["run"]));
    assert!(screen.restored, "{screen:?}");
    screen
}

fn send(text: &str) -> Value {
    json!({ "send": text })
}

fn expect(text: &str) -> Value {
    json!({ "expect": text })
}

const UP: &str = "\x1b[A";
const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

#[test]
fn progress_is_shown_live_and_cleared() {
    let screen = in_terminal(&Extline::new(), false, &[], &behave(&["call", "slow"]));
    assert_eq!(screen.code, 0);
    assert!(screen.output.contains("\rslow: working 3/3 steps"), "{screen:?}");
    let shown = screen.output.trim_end().rsplit('\r').next().unwrap();
    assert_eq!(shown, "done");
}

#[test]
fn a_conformance_run_shows_how_far_it_is() {
    let words = ["conformance", "--only", "E-FRM-01", "--only", "E-FRM-02", "examples/clock-shell"];
    let screen = in_terminal(&Extline::new(), false, &[], &words);
    assert_eq!(screen.code, 0, "{screen:?}");
    assert!(screen.output.contains("\r0/2 first contact, "), "{screen:?}");
    assert!(screen.output.contains("\r0/2 E-FRM-02, "), "{screen:?}");
    let last = screen.output.rsplit_once("2/2 E-FRM-02").unwrap().1;
    let (_, shown) = last.split_once("\r ").expect("the line is taken back");
    let shown = shown.trim_start_matches([' ', '\r']);
    assert!(shown.starts_with("nothing that it registered was called"), "{screen:?}");
    // Elsewhere nothing of it is written.
    let outcome = Extline::new().run(&words);
    outcome.assert_code(0);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let words = behave(&["call", "nope"]);
    let screen = in_terminal(&Extline::new(), false, &[], &words);
    assert!(screen.output.contains("\x1b[1m\x1b[31merror:\x1b[0m unknown tool"), "{screen:?}");
    let screen = in_terminal(&Extline::new(), true, &[], &words);
    assert!(screen.output.contains("error: unknown tool"));
    assert!(!screen.output.contains('\x1b'), "{screen:?}");
}

#[test]
fn lines_that_are_typed_ahead_are_taken_one_after_the_other() {
    let typed = [send("!echo {\"text\":\"typed\"}\n!nope\n:stats\n:quit\n")];
    let screen = at_prompt(&Extline::new(), &typed);
    assert_eq!(screen.code, 0);
    for part in ["typed\r\n", "unknown tool nope", "did you mean :status?", "no process left"] {
        assert!(screen.output.contains(part), "{part} is missing in {screen:?}");
    }
}

#[test]
fn tab_completes_names_and_arguments() {
    let screen = at_prompt(
        &Extline::new(),
        &[
            expect("> "),
            send("!ec\t"),
            expect("> !echo "),
            // What is required, with the cursor where the first value goes.
            send("\t"),
            expect("> !echo {\"text\": \"\"}"),
            send("filled in\r"),
            expect("\r\nfilled in\r\n"),
            send("!big {\t"),
            expect("> !big {\"bytes\": "),
            send("3\r"),
            expect("not a JSON value"),
            send("!big {\"bytes\": 3 \t"),
            expect("> !big {\"bytes\": 3 }"),
            send("\r"),
            expect("xxx\r\n"),
            send("/sh\tx\r"),
            expect("display: shown: x"),
            send(":\t"),
            expect(":commands  list the slash commands"),
            send("st\t\r"),
            expect("behave ready: 9 tools"),
            send("\t"),
            expect("/show  the command show"),
            // There is more than the screen has lines.
            expect("--More--"),
            send(" "),
            expect(":quit  stop them all"),
            expect("> "),
            send(CTRL_D),
        ],
    );
    assert_eq!(screen.code, 0);
}

#[test]
fn lines_are_remembered_over_runs_each_once_for_the_user_only() {
    let extline = Extline::new();
    let type_twice = [
        expect("> "),
        send("/show one\r"),
        expect("shown: one"),
        send("!echo {\"text\":\"two\"}\r"),
        expect("\r\ntwo\r\n"),
        send("/show one\r"),
        expect("shown: one"),
        expect("> "),
        send(CTRL_D),
    ];
    at_prompt(&extline, &type_twice);
    let file = extline.home().join("console-history");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(kept, "!echo {\"text\":\"two\"}\n/show one\n");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let steps = [
        expect("> "),
        send(UP),
        expect("> /show one"),
        send(UP),
        expect("> !echo"),
        send("\r"),
        expect("\r\ntwo\r\n"),
        expect("> "),
        send(UP),
        expect("> !echo"),
        send(CTRL_C),
        expect("\r> \r"),
        send(":quit\r"),
    ];
    at_prompt(&extline, &steps);
}

#[test]
fn ctrl_c_cancels_the_call_and_a_second_one_ends_the_console() {
    let extline = Extline::new();
    let note = extline.home().join("note");
    let call = json!({"seconds": 100, "note": note}).to_string();
    let screen = at_prompt(
        &extline,
        &[
            expect("> "),
            send(&format!("!slow {call}\r")),
            expect("slow: working 1/3 steps"),
            send(CTRL_C),
            expect("slow was cancelled"),
            // The console goes on, and the first Ctrl-C is forgotten.
            expect("> "),
            send("!echo {\"text\":\"still here\"}\r"),
            expect("\r\nstill here\r\n"),
            expect("> "),
            // A line that is begun is taken back, as often as there is one.
            send("!half"),
            expect("!half"),
            send(CTRL_C),
            expect("\r> \r"),
            send("/half"),
            expect("/half"),
            send(CTRL_C),
            expect("\r> \r"),
            send(CTRL_C),
            expect("Ctrl-C again, or Ctrl-D, ends"),
            expect("> "),
            send(CTRL_C),
            expect("behave stopped"),
        ],
    );
    assert_eq!(screen.code, 130);
    let lines = wait_for_lines(&note, 2);
    assert_eq!(lines[1], "cancelled");
    assert!(!runs(&lines[0]));
}

/// Says a note when a file appears, and echoes.
const NOTE_WHEN_ASKED: &str = r#"
import json, os, sys, threading, time
def emit(**frame):
    print(json.dumps(frame), flush=True)
def watch():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    emit(type="notify", level="warn", message="a note of\ntwo lines")
emit(type="hello", name="noter", version="1", capabilities=["tools"])
emit(type="register_tool", name="echo", description="", schema={"type": "object"})
emit(type="ready")
threading.Thread(target=watch, daemon=True).start()
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        block = {"type": "text", "text": frame["args"]["text"]}
        emit(type="tool_result", id=frame["id"], content=[block])
    if frame["type"] == "shutdown":
        break
"#;

#[test]
fn a_note_does_not_disturb_the_line_that_is_being_typed() {
    let extline = Extline::new();
    let file = extline.home().join("now");
    let file = file.to_str().unwrap();
    let steps = [
        expect("> "),
        send("!echo {\"text\""),
        expect("!echo {\"text\""),
        json!({ "touch": file }),
        // It stands above, and the line below it is drawn again with the cursor behind it.
        expect("\rpython3 warn: a note of\r\ntwo lines\r\n"),
        expect("> !echo {\"text\""),
        send(":\"whole\"}\r"),
        expect("\r\nwhole\r\n"),
        expect("> "),
        send(CTRL_D),
    ];
    let words = ["run", "--", "python3", "-S", "-c", NOTE_WHEN_ASKED, file];
    let screen = in_terminal(&extline, true, &steps, &words);
    assert!(screen.code == 0 && screen.restored, "{screen:?}");
    assert_eq!(screen.output.matches("two lines").count(), 1);
}

#[test]
fn frames_pass_above_the_prompt() {
    let steps = [
        expect("> "),
        send(":fra\t on\r"),
        expect("> "),
        send("!echo {\"text\":\"hi\"}\r"),
        expect(" behave -> tool_call id="),
        expect(" behave <- tool_result id="),
        expect("\r\nhi\r\n"),
        expect("> "),
        send(":frames off\r"),
        expect("> "),
        send("/show x\r"),
        expect("display: shown: x\r\n"),
        expect("> "),
        send(CTRL_D),
    ];
    let screen = at_prompt(&Extline::new(), &steps);
    let after = screen.output.rsplit(":frames off").next().unwrap();
    assert!(!after.contains("->"), "{after:?}");
}

#[test]
fn an_end_from_outside_gives_the_terminal_back() {
    for (signal, code) in [("TERM", 143), ("INT", 130), ("HUP", 143)] {
        let extline = Extline::new();
        let mut steps = vec![
            expect(", process "),
            expect("> "),
            send("half a li"),
            expect("half a li"),
            json!({ "signal": signal }),
        ];
        if signal == "INT" {
            // As a Ctrl-C that the editor had not seen.
            let again = [expect("Ctrl-C again"), expect("> half a li"), json!({"signal": "INT"})];
            steps.extend(again);
        }
        steps.push(expect("behave stopped"));
        let screen = at_prompt(&extline, &steps);
        assert_eq!(screen.code, code, "{screen:?}");
        let ready = screen.output.lines().next().unwrap();
        wait_until_gone(ready.trim().rsplit(' ').next().unwrap());
    }
}

#[test]
fn lines_are_not_edited_where_the_output_goes_elsewhere() {
    let extline = Extline::new();
    let into_pipe = format!("\"$0\" run -- {} | cat", BEHAVE[1..].join(" "));
    let mut command = std::process::Command::new("python3");
    command
        .arg(support::repository().join("cli/tests/support/terminal.py"))
        .arg(json!([send("!echo {\"text\":\"piped\"}\n\x04")]).to_string())
        .args(["sh", "-c", &into_pipe, env!("CARGO_BIN_EXE_extline")])
        .env("EXTLINE_HOME", extline.home())
        .current_dir(support::repository())
        .stdout(std::process::Stdio::piped());
    let outcome = support::outcome(command.spawn().unwrap());
    let json = outcome.json();
    let output = json["output"].as_str().unwrap();
    assert!(output.contains("> !echo {\"text\":\"piped\"}\r\npiped\r\n"), "{output:?}");
}

/// A list with a mark that `up` and `down` move; `x` closes it, and the user's own close is noted in
/// a file. Says a note with each key.
const LIST: &str = r#"
import json, sys
at = 0
def emit(**frame):
    print(json.dumps(frame), flush=True)
def view():
    lines = [("> " if at == row else "  ") + name for row, name in enumerate(["one", "two"])]
    return {"title": "My list", "lines": lines, "footer": "x closes"}
emit(type="hello", name="lister", version="1", capabilities=["commands", "panels"])
emit(type="register_command", name="list")
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "command_invoked":
        emit(type="command_response", id=frame["id"], action="open_panel", open_panel={"id": "l", **view()})
    if frame["type"] == "panel_key":
        at = {"down": 1, "up": 0}.get(frame["key"], at)
        emit(type="notify", level="info", message="got " + frame["key"] + frame.get("text", ""))
        if frame.get("text") == "x":
            emit(type="panel_close", panel_id="l")
        else:
            emit(type="panel_render", panel_id="l", **view())
    if frame["type"] == "panel_close":
        open(sys.argv[1], "w").close()
    if frame["type"] == "shutdown":
        break
"#;

#[test]
fn a_panel_gets_the_keys_until_it_is_closed() {
    let extline = Extline::new();
    let closed = extline.home().join("closed");
    let steps = [
        expect("> "),
        send("/list\r"),
        expect("My list\r\n> one\r\n  two\r\nx closes  (Esc closes)"),
        send("\x1b[B"),
        expect("My list\r\n  one\r\n> two\r\n"),
        send(UP),
        expect("My list\r\n> one\r\n"),
        // The extension closes it, and then what it said is told.
        send("x"),
        expect("got down"),
        expect("got runex"),
        expect("the panel l is closed"),
        expect("> "),
        send(":panel\r"),
        expect("no panel is open"),
        expect("> "),
        send("/list\r"),
        expect("> one\r\n"),
        send("\x1b"),
        expect("the panel l is closed"),
        expect("> "),
        // The prompt has its keys back.
        send(UP),
        expect("> /list"),
        send("\r"),
        expect("My list"),
        json!({ "signal": "TERM" }),
        expect("python3 stopped"),
    ];
    let words = ["run", "--", "python3", "-S", "-c", LIST, closed.to_str().unwrap()];
    let screen = in_terminal(&extline, true, &steps, &words);
    assert!(screen.code == 143 && screen.restored, "{screen:?}");
    assert!(closed.exists());
    assert_eq!(screen.output.matches("\x1b[?1049h").count(), 3);
    assert_eq!(screen.output.matches("\x1b[?1049l").count(), 3);
}

#[test]
fn without_a_terminal_the_keys_are_named() {
    let extline = Extline::new();
    let closed = extline.home().join("closed");
    let words = ["run", "--", "python3", "-S", "-c", LIST, closed.to_str().unwrap()];
    let outcome = extline.run_with_input(&words, "/list\n:panel down\n:panel x\n:panel\n");
    outcome.assert_code(1);
    let opened = "> /list\nopen_panel: My list\n  > one\n    two\n  x closes\n";
    let moved = "> :panel down\nopen_panel: My list\n    one\n  > two\n  x closes\n";
    let closed = "> :panel x\nthe panel l is closed\n";
    for part in [opened, moved, closed] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in {outcome:?}");
    }
    outcome.assert_says(&["no panel is open"]);
}
