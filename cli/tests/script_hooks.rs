//! Script hooks on the command line, as docs/hooks-by-script.md has them.

#![cfg(unix)]

mod support;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::{Extline, Outcome};

/// The file of that name in the page.
fn of_the_page(name: &str) -> String {
    let page = support::repository().join("docs/hooks-by-script.md");
    let page = std::fs::read_to_string(page).unwrap();
    let language = name.rsplit('.').next().unwrap();
    let (_, after) = page.split_once(&format!("```{language} {name}\n")).expect(name);
    after.split_once("```\n").unwrap().0.to_owned()
}

/// A project with the files of the page, the hooks in that folder.
fn project(extline: &Extline, hooks: &str) -> PathBuf {
    let folder = extline.home().join("project");
    std::fs::create_dir_all(folder.join(hooks)).unwrap();
    std::fs::write(folder.join("push.sh"), of_the_page("push.sh")).unwrap();
    for file in ["hooks.toml", "no-main.sh"] {
        let path = folder.join(hooks).join(file);
        std::fs::write(&path, of_the_page(file)).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn push(extline: &Extline, folder: &Path, branch: &str, more: &[&str]) -> Outcome {
    let args = format!(r#"{{"branch":"{branch}"}}"#);
    let words = [&["call", "push", &*args], more, &["--", "sh", "push.sh"]].concat();
    let mut command = extline.command(&words);
    command.current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    support::outcome(command.spawn().unwrap())
}

const BLOCKS: &str = "blocked by no-main: main is pushed by the release alone";

#[test]
fn a_file_that_is_named_runs() {
    let extline = Extline::new();
    let folder = project(&extline, "");
    let hooks = ["--hooks", "hooks.toml"];
    let blocked = push(&extline, &folder, "main", &hooks);
    blocked.assert_code(1);
    assert!(blocked.stderr.contains(BLOCKS), "{blocked:?}");
    push(&extline, &folder, "fix", &hooks).assert_code(0);
    push(&extline, &folder, "main", &[]).assert_code(0);
}

#[test]
fn that_of_the_home_runs_by_itself() {
    let extline = Extline::new();
    let folder = project(&extline, "");
    for file in ["hooks.toml", "no-main.sh"] {
        std::fs::copy(folder.join(file), extline.home().join(file)).unwrap();
    }
    let blocked = push(&extline, &folder, "main", &[]);
    blocked.assert_code(1);
    assert!(blocked.stderr.contains(BLOCKS), "{blocked:?}");
    push(&extline, &folder, "main", &["--no-hooks"]).assert_code(0);
}

#[test]
fn those_of_a_project_run_once_they_are_trusted_and_again_when_they_change() {
    let extline = Extline::new();
    let folder = project(&extline, ".extline");
    let untrusted = push(&extline, &folder, "main", &[]);
    untrusted.assert_code(0);
    let said = untrusted.stderr.replace('\n', " ");
    assert!(said.contains("nobody has trusted it yet; --hooks-trust sha256:"), "{untrusted:?}");
    let (_, digest) = said.split_once("--hooks-trust ").unwrap();
    let digest = digest.split_whitespace().next().unwrap();
    push(&extline, &folder, "main", &["--hooks-trust", digest]).assert_code(1);
    push(&extline, &folder, "main", &[]).assert_code(1);
    let script = folder.join(".extline/no-main.sh");
    std::fs::write(&script, of_the_page("no-main.sh") + "# changed\n").unwrap();
    let changed = push(&extline, &folder, "main", &[]);
    changed.assert_code(0);
    assert!(changed.stderr.contains("nobody has trusted it yet"), "{changed:?}");
}

#[test]
fn a_file_that_cannot_be_used_ends_the_run() {
    let extline = Extline::new();
    let folder = project(&extline, "");
    std::fs::write(folder.join("hooks.toml"), "[[hook]]\npoint = \"before\"\n").unwrap();
    let wrong = push(&extline, &folder, "fix", &["--hooks", "hooks.toml"]);
    wrong.assert_code(2);
    assert!(wrong.stderr.contains("hooks.toml: line 2: unknown variant `before`"), "{wrong:?}");
    let missing = push(&extline, &folder, "fix", &["--hooks", "gone.toml"]);
    missing.assert_code(2);
    assert!(missing.stderr.contains("gone.toml"), "{missing:?}");
}
