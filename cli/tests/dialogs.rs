//! Dialogs: on a terminal, by --answer, and where nobody is there.

#![cfg(unix)]

mod support;

use serde_json::{Value, json};
use support::{Extline, in_terminal};

/// A program by hand whose tools ask the person, and answer with what the host answered.
const ASKING: &str = r#"
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="ship", version="1.0.0", capabilities=["tools", "rpc"])
for tool in ["confirm", "select", "several", "input", "secret"]:
    say(type="register_tool", name=tool, description="Asks.", schema={"type": "object"})
say(type="ready")
ASKS = {
    "confirm": ("ui.confirm", {"title": "Ship it?", "message": "To all\nof them."}),
    "select": ("ui.select", {"title": "Where?", "options": ["north", {"label": "the south", "value": "s", "description": "warm"}], "initial": "s"}),
    "several": ("ui.select", {"title": "Which?", "options": ["a", "b", "c"], "multi": True}),
    "input": ("ui.input", {"title": "Name?", "placeholder": "Ada"}),
    "secret": ("ui.input", {"title": "Key?", "secret": True}),
}
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        method, params = ASKS[frame["name"]]
        say(type="request", id="q" + frame["id"], method=method, params=params, parent={"kind": "tool_call", "id": frame["id"]})
    elif frame["type"] == "response":
        answer = json.dumps(frame.get("result", frame.get("error")))
        say(type="tool_result", id=frame["id"][1:], content=[{"type": "text", "text": answer}])
    elif frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"#;

fn words<'a>(before: &[&'a str]) -> Vec<&'a str> {
    [before, &["--", "python3", "-S", "-c", ASKING]].concat()
}

/// What is said at each step, and what the last line of the output is then.
fn ask(tool: &str, steps: &[Value]) -> String {
    let screen = in_terminal(&Extline::new(), true, steps, &words(&["call", tool]));
    assert_eq!(screen.code, 0, "{screen:?}");
    assert!(screen.restored, "{screen:?}");
    screen.output.trim_end().rsplit('\n').next().unwrap().to_owned()
}

fn expect(text: &str) -> Value {
    json!({ "expect": text })
}

fn send(text: &str) -> Value {
    json!({ "send": text })
}

#[test]
fn a_dialog_says_who_asks() {
    let said = ask(
        "confirm",
        &[expect("python3 asks: Ship it?"), expect("  of them."), expect("[y/N] "), send("y\n")],
    );
    assert_eq!(said, r#"{"confirmed": true}"#);
}

#[test]
fn a_person_may_say_no_something_else_or_nothing() {
    let prompt = || expect("[y/N] ");
    assert_eq!(ask("confirm", &[prompt(), send("\n")]), r#"{"confirmed": false}"#);
    let again = [prompt(), send("maybe\n"), expect("y for yes, n for no"), prompt(), send("No\n")];
    assert_eq!(ask("confirm", &again), r#"{"confirmed": false}"#);
    assert_eq!(ask("confirm", &[prompt(), send("\x04")]), r#"{"dismissed": "user"}"#);
}

#[test]
fn ctrl_c_at_a_question_ends_the_call() {
    let steps = [expect("not shown: "), send("\x03")];
    let screen = in_terminal(&Extline::new(), true, &steps, &words(&["call", "secret"]));
    assert_eq!(screen.code, 130, "{screen:?}");
    assert!(screen.restored, "{screen:?}");
}

#[test]
fn options_are_chosen_by_number_or_name() {
    let list =
        [expect("1) north"), expect("2) the south  warm"), expect("number, 1 to 2, Enter for 2: ")];
    let choose = |line: &str| ask("select", &[&list[..], &[send(line)]].concat());
    assert_eq!(choose("1\n"), r#"{"value": "north"}"#);
    assert_eq!(choose("\n"), r#"{"value": "s"}"#);
    assert_eq!(choose("the south\n"), r#"{"value": "s"}"#);
    let wrong = [expect("1 to 2"), send("3\n"), expect("one number of the list"), send("1\n")];
    assert_eq!(ask("select", &wrong), r#"{"value": "north"}"#);
    let several = |line: &str| ask("several", &[expect("numbers, 1 to 3: "), send(line)]);
    assert_eq!(several("3 1\n"), r#"{"values": ["a", "c"]}"#);
    assert_eq!(several("\n"), r#"{"values": []}"#);
}

#[test]
fn a_line_is_typed_and_a_secret_is_not_shown() {
    let typed = ask("input", &[expect("as Ada"), expect(": "), send("Grace H\n")]);
    assert_eq!(typed, r#"{"value": "Grace H"}"#);
    let steps = [expect("not shown: "), send("swordfish\n")];
    let screen = in_terminal(&Extline::new(), true, &steps, &words(&["call", "secret"]));
    assert_eq!(screen.output.matches("swordfish").count(), 1, "only the result has it: {screen:?}");
    assert!(screen.restored, "{screen:?}");
}

#[test]
fn a_call_of_the_console_asks_there_too() {
    let steps = [
        expect("> "),
        send("!confirm\n"),
        expect("[y/N] "),
        send("y\n"),
        expect("\"confirmed\": true"),
        expect("> "),
        send("\x04"),
    ];
    let screen = in_terminal(&Extline::new(), true, &steps, &words(&["run"]));
    assert_eq!(screen.code, 0, "{screen:?}");
}

#[test]
fn where_nobody_is_there_no_dialog_waits() {
    let outcome = Extline::new().run_with_input(&words(&["run"]), "!confirm\n!input\n");
    outcome.assert_code(0);
    assert_eq!(outcome.stdout.matches(r#"{"dismissed": "headless"}"#).count(), 2, "{outcome:?}");
    outcome.assert_says(&[
        "python3 asks \"Ship it?\", and nobody is there (headless): --answer confirm=yes",
    ]);
}

#[test]
fn answers_may_be_given_before() {
    let call = |tool: &str, answers: &[&str]| {
        let mut all = vec!["call", tool];
        all.extend(answers.iter().flat_map(|answer| ["--answer", answer]));
        Extline::new().run(&words(&all))
    };
    assert_eq!(call("confirm", &["confirm=yes"]).stdout.trim(), r#"{"confirmed": true}"#);
    assert_eq!(call("select", &["input=x", "select=s"]).stdout.trim(), r#"{"value": "s"}"#);
    assert_eq!(call("several", &["select=a,c"]).stdout.trim(), r#"{"values": ["a", "c"]}"#);
    assert_eq!(call("input", &["input=a=b"]).stdout.trim(), r#"{"value": "a=b"}"#);
    let unknown = call("select", &["select=west"]).stdout;
    assert!(unknown.contains("not_found") && unknown.contains("there are north, s"), "{unknown}");
    let outcome = call("confirm", &["confirm=maybe"]);
    outcome.assert_code(2);
    outcome.assert_says(&["confirm=yes"]);
    let in_turn = words(&["run", "--answer", "confirm=yes", "--answer", "confirm=no"]);
    let outcome = Extline::new().run_with_input(&in_turn, "!confirm\n!confirm\n!confirm\n");
    let said: Vec<_> = outcome.stdout.lines().filter(|line| line.contains("confirmed")).collect();
    assert_eq!(
        said,
        [r#"{"confirmed": true}"#, r#"{"confirmed": false}"#, r#"{"confirmed": false}"#]
    );
}

/// The file of that name in docs/asking.md.
fn of_the_page(name: &str) -> String {
    let page = std::fs::read_to_string(support::repository().join("docs/asking.md")).unwrap();
    let (_, after) = page.split_once(&format!(" {name}\n")).expect(name);
    after.split_once("```\n").unwrap().0.to_owned()
}

/// Plays a person who answers, and nobody (`support/ships.py`).
fn assert_ships(words: &[&str]) {
    let extline = Extline::new();
    let mut script = std::process::Command::new("python3");
    script
        .arg(support::repository().join("cli/tests/support/ships.py"))
        .arg(env!("CARGO_BIN_EXE_extline"))
        .args(words)
        .env("EXTLINE_HOME", extline.home())
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    support::outcome(script.spawn().unwrap()).assert_code(0);
}

#[test]
fn the_shell_of_the_page_asks() {
    let script = of_the_page("ship.sh");
    assert!(script.lines().count() <= 30, "it is to be short");
    assert_ships(&["--", "sh", "-c", &script]);
}

#[test]
fn the_rust_of_the_page_asks() {
    let path = support::repository().join("sdk-rust/examples/ship.rs");
    let example = std::fs::read_to_string(path).unwrap();
    let (head, program) = example.split_once("\n\n").unwrap();
    assert!(head.lines().all(|line| line.starts_with("//! ")), "{head}");
    assert_eq!(program, of_the_page("ship.rs"));
    // Beside this test's programs, and not named after a package of its own.
    let built = support::built_example("extline", "ship");
    assert_ships(&["--", built.to_str().unwrap()]);
}
