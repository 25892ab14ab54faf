//! Actions that extensions propose, as docs/pending-actions.md shows it.

#![cfg(unix)]

mod support;

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use crate::support::{Extline, Outcome};

/// The file of that name in the page.
fn of_the_page(name: &str) -> String {
    let page = support::repository().join("docs/pending-actions.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, after) = page.split_once(&format!(" {name}\n")).expect(name);
    after.split_once("```\n").unwrap().0.to_owned()
}

/// What the console says to these lines, with that extension in a folder.
fn console(extline: &Extline, folder: &Path, lines: &str, program: &[&str]) -> Outcome {
    let words = [&["run", "--"], program].concat();
    let mut command = extline.command(&words);
    command.current_dir(folder).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    support::outcome(child)
}

#[test]
fn a_shell_proposes_and_the_model_applies_though_it_fails_once() {
    let extline = Extline::new();
    let folder = extline.home().join("project");
    std::fs::create_dir(&folder).unwrap();
    let script = of_the_page("tidy.sh");
    assert!(script.lines().count() <= 26, "it is to be short");
    // There is nothing to delete at first, and then there is.
    let lines =
        "!tidy\n:pending\n!resolve {\"action\":\"apply\",\"reason\":\"old\"}\n:tools\n:quit\n";
    let said = console(&extline, &folder, lines, &["sh", "-c", &script]);
    assert!(
        said.stdout.contains("would delete old\nStaged as a proposal: \"delete old\""),
        "{said:?}"
    );
    assert!(said.stderr.contains("sh proposes: delete old"), "{said:?}");
    assert!(said.stderr.contains("Apply failed: old cannot be deleted"), "{said:?}");
    let tools = said.stdout.rsplit(":tools").next().unwrap();
    assert!(tools.contains("resolve"), "{said:?}");

    std::fs::write(folder.join("old"), "").unwrap();
    let lines = "!tidy\n:resolve apply it is old\n:resolve discard\n:tools\n";
    let said = console(&extline, &folder, lines, &["sh", "-c", &script]);
    said.assert_code(0);
    assert!(said.stdout.contains("deleted old") && !folder.join("old").exists(), "{said:?}");
    assert!(said.stdout.contains("Nothing is pending, so nothing is discarded."), "{said:?}");
    assert!(!said.stdout.rsplit(":tools").next().unwrap().contains("resolve"), "{said:?}");
}

#[test]
fn rust_proposes_twelve_edits() {
    let example = support::repository().join("sdk-rust/examples/edits.rs");
    let example = std::fs::read_to_string(example).unwrap();
    let (head, program) = example.split_once("\n\n").unwrap();
    assert!(head.lines().all(|line| line.starts_with("//! ")), "{head}");
    assert_eq!(program, of_the_page("edits.rs"));
    let extline = Extline::new();
    let folder = extline.home().join("project");
    std::fs::create_dir(&folder).unwrap();
    for number in 0..12 {
        std::fs::write(folder.join(format!("{number}.txt")), "one").unwrap();
    }
    let built = support::built_example("extline", "edits");
    let lines = "!replace {\"old\":\"one\",\"new\":\"two\"}\n:resolve apply\n";
    let said = console(&extline, &folder, lines, &[built.to_str().unwrap()]);
    said.assert_code(0);
    assert!(said.stdout.contains("12 edits") && said.stdout.contains("wrote 12 files"), "{said:?}");
    assert_eq!(std::fs::read_to_string(folder.join("11.txt")).unwrap(), "two");
}
