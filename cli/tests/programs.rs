//! Programs that extensions have run, as docs/running-programs.md shows it in each language.

#![cfg(unix)]

mod support;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::Extline;

/// The file of that name in the page.
fn of_the_page(name: &str) -> String {
    let page = support::repository().join("docs/running-programs.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, after) = page.split_once(&format!(" {name}\n")).expect(name);
    after.split_once("```\n").unwrap().0.to_owned()
}

/// A project in which git knows one file.
fn project(extline: &Extline) -> PathBuf {
    let folder = extline.home().join("project");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("known"), "").unwrap();
    std::fs::write(folder.join("unknown"), "").unwrap();
    for words in [&["init", "-q"][..], &["add", "known"]] {
        assert!(Command::new("git").args(words).current_dir(&folder).status().unwrap().success());
    }
    folder
}

/// It is allowed by a pattern, and then by nobody.
fn assert_lists(program: &[&str]) {
    let extline = Extline::new();
    let folder = project(&extline);
    let call = |more: &[&str]| {
        let words = [&["call", "files"], more, &["--"], program].concat();
        let mut command = extline.command(&words);
        command.current_dir(&folder).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        support::outcome(command.spawn().unwrap())
    };
    let allowed = call(&["--allow", "exec.run(git%20ls-files)"]);
    allowed.assert_code(0);
    assert!(allowed.stdout.contains("known") && !allowed.stdout.contains("unknown"), "{allowed:?}");
    let refused = call(&[]);
    refused.assert_code(1);
    assert!(!refused.stdout.contains("known"), "{refused:?}");
}

#[test]
fn a_shell_has_a_program_run() {
    let script = of_the_page("files.sh");
    assert!(script.lines().count() <= 25, "it is to be short");
    assert_lists(&["sh", "-c", &script]);
}

#[test]
fn rust_has_a_program_run() {
    let example = support::repository().join("sdk-rust/examples/files.rs");
    let example = std::fs::read_to_string(example).unwrap();
    let (head, program) = example.split_once("\n\n").unwrap();
    assert!(head.lines().all(|line| line.starts_with("//! ")), "{head}");
    assert_eq!(program, of_the_page("files.rs"));
    let built = support::built_example("extline", "files");
    assert_lists(&[built.to_str().unwrap()]);
}

#[test]
fn who_may_not_is_told_what_would_allow_it() {
    let extline = Extline::new();
    let program = r#"
import json, sys
say = lambda **frame: print(json.dumps(frame), flush=True)
say(type="hello", name="x", version="1", capabilities=["tools", "rpc"])
say(type="register_tool", name="t", schema={"type": "object"})
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        call = frame["id"]
        parent = {"kind": "tool_call", "id": call}
        say(type="request", id="1", method="exec.run", params={"command": "ls"}, parent=parent)
    if frame["type"] == "response":
        text = {"type": "text", "text": frame["error"]["message"]}
        say(type="tool_result", id=call, content=[text])
"#;
    let said = extline.run(&["call", "t", "--", "python3", "-c", program]);
    said.assert_code(0);
    assert!(said.stdout.contains("--allow 'exec.run(ls)'"), "{said:?}");
}
