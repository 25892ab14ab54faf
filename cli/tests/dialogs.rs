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
for tool in ["confirm", "select", "several", "input", "secret", "editor", "ask", "auth", "status", "widget"]:
    say(type="register_tool", name=tool, description="Asks.", schema={"type": "object"})
say(type="subscribe", events=["turn_start"])
say(type="ready")
ASKS = {
    "confirm": ("ui.confirm", {"title": "Ship it?", "message": "To all\nof them."}),
    "select": ("ui.select", {"title": "Where?", "options": ["north", {"label": "the south", "value": "s", "description": "warm"}], "initial": "s"}),
    "several": ("ui.select", {"title": "Which?", "options": ["a", "b", "c"], "multi": True}),
    "input": ("ui.input", {"title": "Name?", "placeholder": "Ada"}),
    "secret": ("ui.input", {"title": "Key?", "secret": True}),
    "editor": ("ui.editor", {"title": "Notes?", "prefill": "draft"}),
    "ask": ("ui.ask", {"questions": [{"id": "where", "question": "Where?", "options": ["north", "south"]}, {"id": "who", "question": "By whom?"}]}),
    "auth": ("ui.auth", {"url": "https://accounts.example/device?" + "x" * 200, "code": "AB-12"}),
    "status": ("ui.status", {"key": "build", "text": "3 of 5"}),
    "widget": ("ui.widget", {"key": "w", "lines": [str(line) for line in range(12)]}),
}
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        method, params = ASKS[frame["name"]]
        say(type="request", id="q" + frame["id"], method=method, params=params, parent={"kind": "tool_call", "id": frame["id"]})
    elif frame["type"] == "event" and frame["event"] == "turn_start":
        say(type="request", id="event", method="ui.confirm", params={"title": "Begin?"})
    elif frame["type"] == "response" and frame["id"] == "event":
        say(type="notify", level="info", message="begun: " + json.dumps(frame.get("result")))
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
    let line = screen.output.trim_end().rsplit('\n').next().unwrap();
    // A list is taken back when something is chosen.
    line.rsplit("\x1b[J").next().unwrap().to_owned()
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
fn options_are_chosen_by_arrows_number_or_name() {
    let list = [expect("1) north"), expect("> 2) the south  warm"), expect("arrows or a number")];
    let choose = |keys: &str| ask("select", &[&list[..], &[send(keys)]].concat());
    assert_eq!(choose("1\n"), r#"{"value": "north"}"#);
    assert_eq!(choose("\n"), r#"{"value": "s"}"#);
    assert_eq!(choose("the south\n"), r#"{"value": "s"}"#);
    assert_eq!(choose("\x1b[A\r"), r#"{"value": "north"}"#);
    assert_eq!(choose("NOR\r"), r#"{"value": "north"}"#);
    assert_eq!(choose("\x04"), r#"{"dismissed": "user"}"#);
    let wrong =
        [expect("arrows or a number"), send("3\n"), expect("none of the list"), send("\x7f1\n")];
    assert_eq!(ask("select", &wrong), r#"{"value": "north"}"#);
    let several = |keys: &str| ask("several", &[expect("[ ] 3) c"), expect("Space"), send(keys)]);
    assert_eq!(several("3 1\n"), r#"{"values": ["a", "c"]}"#);
    assert_eq!(several("\n"), r#"{"values": []}"#);
    assert_eq!(several(" \x1b[B\x1b[B \r"), r#"{"values": ["a", "c"]}"#);
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

/// A text is written in an editor that is a script.
#[test]
fn a_text_is_written_in_the_editor_of_the_person() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("editor");
    let text =
        "#!/bin/sh\nls -l \"$2\" | cut -c1-10 >\"$0.mode\"\nprintf ' of %s\\n' \"$1\" >>\"$2\"\n";
    std::fs::write(&script, text).unwrap();
    let editor = |words: String, said: &str| {
        let steps = [expect("asks: Notes?")];
        let variable = format!("VISUAL={words}");
        let screen = in_terminal_with(&[("VISUAL", &words)], &steps, &["call", "editor"]);
        assert!(screen.output.contains(said), "{variable}: {screen:?}");
        assert!(screen.restored, "{screen:?}");
    };
    editor(format!("sh {} Ada", script.display()), r#"{"value": "draft of Ada"}"#);
    let mode = std::fs::read_to_string(script.with_extension("mode")).unwrap();
    assert_eq!(mode.trim(), "-rw-------");
    editor("false".to_owned(), r#"{"dismissed": "user"}"#);
    editor("extline-no-such-editor".to_owned(), "set VISUAL or EDITOR");
}

/// As `in_terminal`, with variables.
fn in_terminal_with(
    variables: &[(&str, &str)],
    steps: &[Value],
    before: &[&str],
) -> support::Screen {
    let all: Vec<_> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
    support::in_terminal_with(&Extline::new(), true, &all, steps, &words(before))
}

#[test]
fn several_questions_are_asked_one_after_the_other() {
    let steps = [
        expect("asks: some questions"),
        expect("1/2 Where?"),
        expect("2) south"),
        expect("arrows or a number"),
        send("\x1b[B\r"),
        expect("2/2 By whom?"),
        expect(": "),
        send("Ada\n"),
    ];
    assert_eq!(ask("ask", &steps), r#"{"answers": {"where": ["south"], "who": ["Ada"]}}"#);
    let list = [expect("1/2"), expect("arrows or a number"), send("\r")];
    let closed = [&list[..], &[expect("2/2"), expect(": "), send("\x04")]].concat();
    assert_eq!(ask("ask", &closed), r#"{"dismissed": "user"}"#);
}

#[test]
fn a_sign_in_shows_the_whole_address() {
    let address =
        format!("python3 asks you to sign in: https://accounts.example/device?{}", "x".repeat(200));
    let done = |line: &str| {
        let steps =
            [expect(&address), expect("with the code AB-12"), expect("Enter once"), send(line)];
        ask("auth", &steps)
    };
    assert_eq!(done("\n"), r#"{"confirmed": true}"#);
    assert_eq!(done("n\n"), r#"{"confirmed": false}"#);
    assert_eq!(done("\x04"), r#"{"dismissed": "user"}"#);
}

#[test]
fn what_is_only_shown_is_a_line_on_a_terminal_and_nothing_elsewhere() {
    assert_eq!(ask("status", &[expect("python3 status build: 3 of 5")]), "{}");
    assert_eq!(
        ask("widget", &[expect("python3 widget w:"), expect("  9"), expect("and 2 more lines")]),
        "{}"
    );
    let outcome = Extline::new().run(&words(&["call", "status"]));
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("{}\n", ""));
}

/// Where lines are not edited, the terminal has one reader at a time.
#[test]
fn what_is_typed_goes_to_the_dialog_while_one_is_open() {
    let mut steps = Vec::new();
    for _ in 0..5 {
        steps.extend([
            send("!confirm\n"),
            expect("Ship it?"),
            expect("[y/N]"),
            send("y\n"),
            expect("confirmed"),
        ]);
    }
    steps.push(send("\x04"));
    let screen = in_terminal(&Extline::new(), true, &steps, &words(&["run", "--json"]));
    assert_eq!(screen.code, 0, "{screen:?}");
    assert!(screen.restored, "{screen:?}");
}

/// A handler of an event asks while the line is edited: the line stays as it is, and the dialog comes behind it.
#[test]
fn a_dialog_waits_for_the_line_that_is_edited() {
    let steps = [
        expect("> "),
        send(":emit turn_start\n"),
        expect("asks: Begin?"),
        expect("you can answer"),
        send("\n"),
        expect("[y/N] "),
        send("y\n"),
        expect("begun: {\"confirmed\": true}"),
        // The next line is edited before this key comes: what is typed between two lines may be lost.
        expect("> "),
        send("\x04"),
    ];
    let screen = in_terminal(&Extline::new(), true, &steps, &words(&["run"]));
    assert_eq!(screen.code, 0, "{screen:?}");
    assert!(screen.restored, "{screen:?}");
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
    assert_eq!(call("input", &["input"]).stdout.trim(), r#"{"dismissed": "user"}"#);
    assert_eq!(call("auth", &["auth=yes"]).stdout.trim(), r#"{"confirmed": true}"#);
    assert_eq!(call("editor", &["editor=a"]).stdout.trim(), r#"{"value": "a"}"#);
    let asked = call("ask", &[r#"ask={"where":"north","who":"Ada"}"#]).stdout;
    assert_eq!(asked.trim(), r#"{"answers": {"where": ["north"], "who": ["Ada"]}}"#);
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
fn assert_ships(terminal: &str, words: &[&str]) {
    let extline = Extline::new();
    let mut script = std::process::Command::new("python3");
    script
        .arg(support::repository().join("cli/tests/support/ships.py"))
        .arg(env!("CARGO_BIN_EXE_extline"))
        .args(words)
        .env("EXTLINE_HOME", extline.home())
        .env("TERM", terminal)
        .env("NO_COLOR", "1")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    support::outcome(script.spawn().unwrap()).assert_code(0);
}

#[test]
fn the_shell_of_the_page_asks() {
    let script = of_the_page("ship.sh");
    assert!(script.lines().count() <= 30, "it is to be short");
    assert_ships("xterm", &["--", "sh", "-c", &script]);
    // Its cursor cannot be moved.
    assert_ships("dumb", &["--", "sh", "-c", &script]);
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
    assert_ships("xterm", &["--", built.to_str().unwrap()]);
}
