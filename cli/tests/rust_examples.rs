//! The scripts of the Rust examples: each becomes what cargo built, and says how to get it.
//! `weather-rust` has tests of its own.
#![cfg(unix)]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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
