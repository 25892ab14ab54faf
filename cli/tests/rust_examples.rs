//! The scripts of the Rust examples: each becomes what cargo built, and says how to get it.
//! `weather-rust` has tests of its own. And the guide, which is run as it stands (`support/page.rs`).
#![cfg(unix)]

#[path = "support/curious.rs"]
mod curious;
#[path = "support/page.rs"]
mod page;
mod support;

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use curious::Curious;

const EXAMPLES: [&str; 2] = ["guard-rust", "todo-rust"];

#[test]
fn each_starts_from_its_folder_as_its_manifest_says() {
    for example in EXAMPLES {
        let target = target_of(example);
        let home = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_extline"))
            .args(["inspect", "--json"])
            .arg(folder(example))
            .env("CARGO_TARGET_DIR", target)
            .env("EXTLINE_HOME", home.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(String::from_utf8_lossy(&output.stdout).contains(example), "{output:?}");
    }
}

#[test]
fn what_the_sandbox_refuses_is_named_in_the_answer() {
    let programs = Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap();
    let program = programs.join("examples/curious");
    Curious::new().is_refused(program.to_str().unwrap(), &[]);
}

#[test]
fn without_a_build_each_says_how_to_get_one() {
    for example in EXAMPLES {
        let nowhere = tempfile::tempdir().unwrap();
        let script = folder(example).join(example);
        let output: Output =
            Command::new(script).env("CARGO_TARGET_DIR", nowhere.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(output.stdout, b"");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(&format!("cargo build -p {example}")), "{stderr}");
    }
}

#[test]
fn each_example_is_conformant_and_its_samples_may_be_called() {
    for example in ["guard-rust", "todo-rust", "weather-rust", "clock-shell"] {
        let mut tester = Command::new(env!("CARGO_BIN_EXE_extline"));
        if example.ends_with("-rust") {
            tester.env("CARGO_TARGET_DIR", target_of(example));
        }
        let home = tempfile::tempdir().unwrap();
        let output = tester
            .args(["conformance", "--call"])
            .args(["--only", "E-TOL", "--only", "E-CMD", "--only", "E-REG", "--only", "E-LIF"])
            .arg(folder(example))
            .env("EXTLINE_HOME", home.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{example}: {output:?}");
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(report.contains("\nconformant: "), "{example}: {report}");
    }
}

fn folder(example: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(example)
}

/// The target folder in which an example was built.
fn target_of(example: &str) -> PathBuf {
    // target/debug/guard-rust
    support::built(example).ancestors().nth(2).unwrap().to_owned()
}

#[test]
fn the_guide_leads_where_it_says() {
    let guide = fs::read_to_string(support::repository().join("docs/rust/guide.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // What is built already is used again, in the same versions, and nothing is fetched.
    let programs = Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap();
    symlink(programs.parent().unwrap(), folder.join("target")).unwrap();
    fs::copy(support::repository().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();

    let path = env::var_os("PATH").unwrap();
    let path = [programs.to_owned()].into_iter().chain(env::split_paths(&path));
    let path = env::join_paths(path).unwrap();
    let run = |command: &str| {
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(folder)
            .env("PATH", &path)
            .env("EXTLINE_HOME", folder.join("home"))
            .env("CARGO_NET_OFFLINE", "true")
            // As what this workspace depends on, or all that would be built once more.
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let mut commands = 0;
    for block in page::blocks(&guide) {
        commands += page::play(&block, folder, &run);
        if block.name == "Cargo.toml" {
            // Where this clone stands, and no part of a workspace around the temporary folder.
            let sdk = support::repository().join("sdk-rust");
            let manifest = block.text.replace("../extline/sdk-rust", sdk.to_str().unwrap());
            fs::write(folder.join("Cargo.toml"), format!("{manifest}\n[workspace]\n")).unwrap();
        }
    }
    assert!(commands >= 8, "{commands} commands");
}
