//! `extline new`: what it writes works.

#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{Extline, Outcome, repository};

/// `extline new` in a folder of its own.
fn new(folder: &Path, words: &[&str]) -> Outcome {
    let mut command = Extline::new().command(&[&["new"], words].concat());
    support::outcome(command.current_dir(folder).spawn().unwrap())
}

#[test]
fn the_shell_extension_works_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = new(folder.path(), &["hi-there", "--lang", "sh"]);
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("hi-there/extension.sh\n"), "{outcome:?}");
    let next =
        "next:\n  extline inspect hi-there\n  extline call hi-there greet '{\"who\":\"you\"}'\n";
    assert!(outcome.stdout.ends_with(next), "{outcome:?}");

    let extline = Extline::new();
    let dir = folder.path().join("hi-there");
    let dir = dir.to_str().unwrap();
    let outcome = extline.run(&["call", dir, "greet", r#"{"who":"a \"b\" \\ ü"}"#]);
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("Hello, a \"b\" \\ ü!\n", ""));
    let outcome = extline.run(&["command", dir, "hi-there", "Ada"]);
    assert_eq!(outcome.stdout, "prompt: Greet Ada in one line.\n");
    extline.run(&["call", dir, "greet", "{}"]).assert_code(6);
    // A zot does not check the arguments: then the script does.
    let outcome = extline.run(&["call", "--profile", "zot-0.1.62", dir, "greet", "{}"]);
    outcome.assert_code(1);
    outcome.assert_says(&["/who must be a string"]);
    let inspected = extline.run(&["inspect", "--json", dir]).json();
    assert_eq!(inspected["notices"], serde_json::json!([]));
    assert_eq!(inspected["hello"]["name"], "hi-there");
}

#[test]
fn the_rust_extension_is_built_tested_and_called() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = new(folder.path(), &["hi-rust"]);
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("next:\n  cargo build --manifest-path hi-rust/Cargo.toml\n"));
    let dir = folder.path().join("hi-rust");

    // What is built already is used again, in the same versions, and nothing is fetched.
    let builds = Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap().parent().unwrap();
    fs::copy(repository().join("Cargo.lock"), dir.join("Cargo.lock")).unwrap();
    std::os::unix::fs::symlink(builds, dir.join("target")).unwrap();
    let cargo = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.args(words).current_dir(&dir).env_remove("CARGO_TARGET_DIR");
        // As what this workspace depends on, or all that would be built once more.
        command.env("CARGO_PROFILE_DEV_DEBUG", "false");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    cargo(&["build", "--quiet", "--offline"]);
    assert!(cargo(&["test", "--quiet", "--offline"]).contains("1 passed"));
    cargo(&["fmt", "--check"]);

    let extline = Extline::new();
    let dir = dir.to_str().unwrap();
    let outcome = extline.run(&["call", dir, "greet", r#"{"who":"you"}"#]);
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("Hello, you!\n", ""));
    extline.run(&["call", dir, "greet", r#"{"who":" "}"#]).assert_code(1);
    let outcome = extline.run(&["command", dir, "hi-rust", "Ada"]);
    assert_eq!(outcome.stdout, "prompt: Greet Ada in one line.\n");
}

#[test]
fn a_program_that_stands_in_no_clone_writes_for_what_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("extline");
    // By a process of its own: while this one has the file open to write, a process that another test starts
    // may have it too, and then it cannot be run.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_extline")).arg(&program).status();
    assert!(copied.unwrap().success());
    let version = env!("CARGO_PKG_VERSION");
    let pip = "python3 -m venv python/.venv && python/.venv/bin/pip install extline\n";
    for (language, file, asked, next) in [
        ("rust", "Cargo.toml", format!("extline = \"{version}\""), "cargo build --manifest-path"),
        ("python", "README.md", ".venv/bin/pip install extline pytest".to_owned(), pip),
        ("javascript", "package.json", format!("\"extline\": \"^{version}\""), "npm install --"),
        ("typescript", "package.json", format!("\"extline\": \"^{version}\","), "npm install --"),
        ("c", "README.md", format!("libextline-{version}-PLATFORM.tar.gz"), "make -C c\n"),
    ] {
        // A name that cargo takes too.
        let words = ["new", &format!("hi-{language}"), "--lang", language, "--dir", language];
        let output =
            Command::new(&program).args(words).current_dir(folder.path()).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(told.contains(&format!("next:\n  {next}")), "{told}");
        for written in fs::read_dir(folder.path().join(language)).unwrap() {
            let written = written.unwrap().path();
            if written.is_file() {
                let text = fs::read_to_string(&written).unwrap();
                assert!(!text.contains("{{"), "{}: {text}", written.display());
                assert!(!text.contains("npm ci"), "{}: {text}", written.display());
            }
        }
        let text = fs::read_to_string(folder.path().join(language).join(file)).unwrap();
        assert!(text.contains(&asked), "{text}");
    }
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("there")).unwrap();
    new(folder.path(), &["there", "--lang", "sh"]).assert_code(0);
    let manifest = folder.path().join("there/extension.json");
    fs::write(&manifest, "mine").unwrap();
    let outcome = new(folder.path(), &["there", "--lang", "sh"]);
    outcome.assert_code(2);
    outcome.assert_says(&["there is not empty; name another folder with --dir"]);
    assert_eq!(fs::read_to_string(&manifest).unwrap(), "mine");
    let outcome = new(folder.path(), &["other", "--lang", "sh", "--dir", "there/extension.json"]);
    outcome.assert_code(2);

    let outcome = new(folder.path(), &["other", "--lang", "sh", "--dir", "a b/c", "--json"]);
    let json = outcome.json();
    assert_eq!(json["dir"], "a b/c");
    assert_eq!(json["next"][0], "extline inspect 'a b/c'");
    assert!(folder.path().join("a b/c/extension.sh").exists());
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let says = |words: &[&str], parts: &[&str]| {
        let outcome = new(folder.path(), words);
        outcome.assert_code(2);
        outcome.assert_says(parts);
    };
    says(&["Weather"], &["\"Weather\" is no name", "as weather-berlin"]);
    says(&["test"], &["means something else to cargo; try test-extension"]);
    says(
        &["x", "--lang", "ruts"],
        &[
            "unknown language ruts; did you mean rust?",
            "languages: rust, python, typescript, javascript, c, sh",
        ],
    );
    says(&["x", "--sdk", "/nowhere"], &["--sdk /nowhere: ", "the folder sdk-rust of a clone"]);
    says(&["x", "--sdk", "."], &["its Cargo.toml cannot be read"]);
    let typescript = ["x", "--lang", "typescript", "--sdk", "."];
    says(&typescript, &["its package.json cannot be read", "the folder sdk-node of a clone"]);
    says(&["x", "--lang", "sh", "--sdk", "."], &["sh is written without one"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
