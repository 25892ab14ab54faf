//! What a person at a terminal is asked, and what comes of each answer.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::scene::{PROGRAM, Scene};
use crate::support::{Screen, in_terminal_at, outcome};

const QUESTION: &str = "Trust it: [y]es, [o]nce, [N]o?";
const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

fn expect(text: &str) -> Value {
    json!({ "expect": text })
}

fn send(text: &str) -> Value {
    json!({ "send": text })
}

/// `extline run`, which must ask, with that answer.
fn answered(scene: &Scene, answer: &str) -> Screen {
    let steps = [expect(QUESTION), send(answer)];
    scene.at_terminal(&["run", "--start-all"], &steps)
}

/// The same where it goes on to the prompt, which is left.
fn answered_and_left(scene: &Scene, answer: &str) -> Screen {
    let steps = [expect(QUESTION), send(answer), expect("clock ready"), expect("> "), send(CTRL_D)];
    let screen = scene.at_terminal(&["run", "--start-all"], &steps);
    assert_eq!(screen.code, 0, "{screen:?}");
    screen
}

/// What is kept of answers.
fn grants(scene: &Scene) -> usize {
    let folder = scene.extline.home().join("trust").read_dir();
    folder.map_or(0, |entries| {
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !name.starts_with('.')).count()
    })
}

#[test]
fn who_is_asked_sees_what_runs_and_each_answer_does_what_it_says() {
    let scene = Scene::new();
    let folder = scene.of_project("clock");

    // Once: it runs, and nothing is kept.
    let screen = answered_and_left(&scene, "o\n");
    let path = folder.display().to_string();
    for shown in
        ["clock  ", &path, "  runs   sh ext.sh clock\r\n", "  env    MARK_FOLDER\r\n", "  sha256:"]
    {
        assert!(screen.output.contains(shown), "{shown:?}: {screen:?}");
    }
    assert!(scene.ran("clock"));
    assert_eq!((scene.verdict("clock").0.as_str(), grants(&scene)), ("untrusted", 0));

    // Declined: it does not run, and nobody asks again.
    let screen = answered(&scene, "n\n");
    assert_eq!(screen.code, 2, "{screen:?}");
    assert!(screen.output.contains("nothing is installed that runs"), "{screen:?}");
    let screen = scene.at_terminal(&["run", "--start-all"], &[]);
    assert!(screen.code == 2 && !screen.output.contains(QUESTION), "{screen:?}");
    assert!(!scene.ran("clock"));

    // Until it changes; and what has changed is shown.
    fs::write(folder.join("ext.sh"), format!("{PROGRAM}#")).unwrap();
    fs::write(folder.join("new.sh"), "").unwrap();
    let screen = answered_and_left(&scene, "Y\n");
    assert!(screen.output.contains("  changed ext.sh\r\n"), "{screen:?}");
    assert!(screen.output.contains("  new new.sh\r\n"), "{screen:?}");
    assert!(!screen.output.contains("changed extension.json"), "{screen:?}");
    assert!(scene.ran("clock"));
    assert_eq!(scene.verdict("clock").0, "runs");
    let steps = [expect("clock ready"), expect("> "), send(CTRL_D)];
    let screen = scene.at_terminal(&["run", "--start-all"], &steps);
    assert!(screen.code == 0 && !screen.output.contains(QUESTION), "{screen:?}");
    assert!(scene.ran("clock"));
    // One byte more, and it is a question again.
    fs::write(folder.join("ext.sh"), format!("{PROGRAM}##")).unwrap();
    let screen = answered(&scene, CTRL_C);
    assert!(screen.output.contains("  changed ext.sh\r\n"), "{screen:?}");
    assert!(!screen.output.contains("new.sh"), "{screen:?}");
    assert!(!scene.ran("clock"));
    assert_eq!(scene.verdict("clock").0, "untrusted");
}

#[test]
fn who_gives_no_answer_has_trusted_and_declined_nothing() {
    let scene = Scene::new();
    scene.of_project("clock");
    let hangup = json!({ "signal": "HUP" });
    for (act, code) in [(send(CTRL_C), 130), (send(CTRL_D), 2), (hangup, 143)] {
        let screen = scene.at_terminal(&["run", "--start-all"], &[expect(QUESTION), act]);
        assert_eq!(screen.code, code, "{screen:?}");
        assert!(screen.restored && !scene.ran("clock"), "{screen:?}");
        assert_eq!((scene.verdict("clock").0.as_str(), grants(&scene)), ("untrusted", 0));
    }
    // Nobody at a terminal is nobody, whatever stands in the input.
    for words in [&["run", "--start-all"][..], &["ext", "trust", "clock"]] {
        let mut command = scene.extline.command(words);
        command.current_dir(scene.project()).env("MARK_FOLDER", scene.project());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(b"y\ny\n").unwrap();
        let outcome = outcome(child);
        outcome.assert_code(2);
        assert!(!outcome.stderr.contains("Trust it"), "{outcome:?}");
        assert!(!scene.ran("clock"));
        assert_eq!((scene.verdict("clock").0.as_str(), grants(&scene)), ("untrusted", 0));
    }
}

#[test]
fn what_changes_while_a_person_reads_is_not_what_was_trusted() {
    let scene = Scene::new();
    let folder = scene.of_project("clock");
    let new = json!({ "touch": folder.join("new.sh") });
    let steps = [expect(QUESTION), new, send("y\n")];
    let screen = scene.at_terminal(&["run", "--start-all"], &steps);
    assert_eq!(screen.code, 1, "{screen:?}");
    assert!(screen.output.contains("has changed meanwhile"), "{screen:?}");
    // Once is for what was shown, too.
    let other = json!({ "touch": folder.join("other.sh") });
    let steps = [expect(QUESTION), other, send("o\n")];
    let screen = scene.at_terminal(&["run", "--start-all"], &steps);
    assert_eq!(screen.code, 2, "{screen:?}");
    assert!(!scene.ran("clock"));
    assert_eq!((scene.verdict("clock").0.as_str(), grants(&scene)), ("untrusted", 0));
}

#[test]
fn nothing_of_an_extension_writes_over_the_question() {
    let scene = Scene::new();
    let folder = scene.of_project("clock");
    let manifest = json!({"name": "clock", "description": "A clock.\u{1b}[2J\u{1b}[8m\nruns   /bin/true",
                          "exec": "sh", "args": ["ext.sh", "clock\u{1b}[1A\r\u{202e}"]});
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    let screen = answered(&scene, CTRL_C);
    assert!(!screen.output.contains(['\u{1b}', '\u{202e}']), "{screen:?}");
    assert!(!screen.output.contains("\nruns   /bin/true"), "{screen:?}");
}

/// Ctrl-C at any question ends the command, and what it asked about is as it was.
#[test]
fn ctrl_c_at_a_question_ends_the_command() {
    let scene = Scene::new();
    let interrupted = |words: &[&str], question: &str| {
        let screen = scene.at_terminal(words, &[expect(question), send(CTRL_C)]);
        assert_eq!(screen.code, 130, "{words:?}: {screen:?}");
        assert!(screen.restored, "{screen:?}");
        assert!(!screen.output.contains("panicked"), "{screen:?}");
    };
    scene.of_project("clock");
    interrupted(&["ext", "trust"], "Trust it: [y]es, [N]o?");
    assert_eq!(grants(&scene), 0);

    let source = scene.project().join("source");
    Scene::extension(&source, "other", "1.0.0");
    scene.run(&["ext", "install", "source"]).assert_code(0);
    Scene::extension(&source, "other", "2.0.0");
    interrupted(&["ext", "update"], "Update it? [y/N]");
    interrupted(&["ext", "remove", "other"], "[y/N]");
    fs::write(source.join("package.json"), r#"{"dependencies": {"extra": "1"}}"#).unwrap();
    let manifest = json!({"name": "other", "exec": "node", "args": ["ext.js"]});
    fs::write(source.join("extension.json"), manifest.to_string()).unwrap();
    interrupted(&["ext", "install", "--replace", "source"], "Make it? [y/N]");
    assert_eq!(scene.left(), ["other"]);
    let manifest = fs::read_to_string(scene.installed("other").join("extension.json")).unwrap();
    assert!(manifest.contains("1.0.0"), "{manifest}");

    let mark = scene.project().join("ran-server");
    let server = json!({"command": "touch", "args": [mark]});
    let servers = json!({ "mcpServers": { "server": server } });
    fs::write(scene.project().join(".mcp.json"), servers.to_string()).unwrap();
    let question = "Start it, now and whenever it is just this? [y/N]";
    interrupted(&["run", "--mcp-config", ".mcp.json"], question);
    let hook = format!(
        "[[hook]]\nname = \"h\"\npoint = \"tool_call\"\ncommand = [\"touch\", {:?}]\n",
        mark.to_str().unwrap()
    );
    fs::write(scene.project().join(".extline/hooks.toml"), hook).unwrap();
    interrupted(&["call", "source", "x"], question);
    assert!(!mark.exists() && grants(&scene) == 0);
}

/// What is fetched meanwhile ends with the key too: that is no failure after which the others are updated.
#[test]
fn ctrl_c_while_something_is_fetched_ends_the_update() {
    let scene = Scene::new();
    let source = scene.project().join("clock.git");
    Scene::extension(&source, "clock", "1.0.0");
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=n", "-c", "user.email=e@example.com"]).args(words);
        assert!(command.current_dir(&source).output().unwrap().status.success());
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "one"]);
    scene.run(&["ext", "install", &format!("file://{}", source.display())]).assert_code(0);
    // One that does not come to an end by itself.
    let programs = scene.project().join("bin");
    fs::create_dir(&programs).unwrap();
    let script = "#!/bin/sh\necho git waits >/dev/tty\nexec sleep 1000\n";
    fs::write(programs.join("git"), script).unwrap();
    fs::set_permissions(programs.join("git"), Permissions::from_mode(0o755)).unwrap();
    let path = format!("PATH={}:{}", programs.display(), std::env::var("PATH").unwrap());
    let steps = [expect("git waits"), send(CTRL_C)];
    let screen =
        in_terminal_at(&scene.extline, &scene.project(), &[path], &steps, &["ext", "update"]);
    assert_eq!(screen.code, 130, "{screen:?}");
    assert!(screen.output.contains("nothing was updated: interrupted"), "{screen:?}");
    assert_eq!(scene.left(), ["clock"]);
}
