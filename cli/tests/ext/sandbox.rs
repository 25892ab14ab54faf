//! A kernel that cannot hold to what a manifest says: the extension is not started, and it is said what is missing.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{self, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::scene::Scene;
use crate::support::{Outcome, outcome, repository};

/// Leaves its mark without another program.
const PROGRAM: &str = r#"
: >"$MARK_FOLDER/ran-clock"
echo '{"type":"hello","name":"clock","version":"1.0.0"}'
echo '{"type":"ready"}'
while read -r frame; do case $frame in *'"shutdown"'*) exit 0;; esac; done
"#;

const NO_LANDLOCK: &str = "this kernel has no Landlock of version 3";
const NO_SECCOMP: &str = "has no seccomp with notifications";

/// What each limit needs of the kernel, beside filters.
fn limits() -> [(Value, bool); 5] {
    [
        (json!({"fs": {"read": ["${project}"], "write": ["${project}"]}}), true),
        (json!({"fs": {"write": ["${project}"]}}), true),
        (json!({"exec": ["true"]}), true),
        (json!({"exec": false}), false),
        (json!({"net": false}), false),
    ]
}

/// One that is installed, with these permissions.
fn installed(scene: &Scene, permissions: &Value) {
    let mut permissions = permissions.clone();
    permissions["env"] = json!(["MARK_FOLDER"]);
    let folder = scene.installed("clock");
    fs::create_dir_all(&folder).unwrap();
    let manifest =
        json!({"name": "clock", "exec": "sh", "args": ["ext.sh"], "permissions": permissions});
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    fs::write(folder.join("ext.sh"), PROGRAM).unwrap();
}

/// The command on a kernel that lacks this; on this one where nothing is named.
fn without(scene: &Scene, what: &str, words: &[&str]) -> Outcome {
    let extline = scene.extline.command(words);
    let mut command = Command::new("python3");
    if what.is_empty() {
        command = Command::new(extline.get_program());
    } else {
        command.arg("-S").arg(repository().join("cli/tests/support/without.py")).arg(what);
        command.arg(extline.get_program());
    }
    command.args(extline.get_args()).current_dir(scene.project());
    command.env("EXTLINE_HOME", scene.extline.home()).env("MARK_FOLDER", scene.project());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    outcome(command.spawn().unwrap())
}

/// Whether this kernel has what is taken away here; what is missing is said.
fn can_run() -> bool {
    let sandbox = &Scene::new().run(&["ext", "doctor", "--json"]).json()["sandbox"];
    let can = sandbox["seccomp"] == true && sandbox["landlock"].as_u64() >= Some(3);
    if !can {
        let why = format!("skipped: this kernel has no Landlock or no seccomp: {sandbox}\n");
        io::stderr().write_all(why.as_bytes()).unwrap();
    }
    can
}

#[test]
fn what_a_kernel_cannot_hold_to_is_not_started() {
    if !can_run() {
        return;
    }
    let scene = Scene::new();
    for (permissions, needs_landlock) in limits() {
        installed(&scene, &permissions);
        for (missing, why, starts) in [
            ("", "", true),
            ("landlock", NO_LANDLOCK, !needs_landlock),
            ("seccomp", NO_SECCOMP, false),
            ("filters", NO_SECCOMP, false),
            ("landlock,seccomp", "it cannot be put into its sandbox", false),
        ] {
            let case = format!("{permissions} without {missing:?}");
            let outcome = without(&scene, missing, &["run", "--start-all"]);
            assert_eq!(scene.ran("clock"), starts, "{case}: {outcome:?}");
            assert_eq!(outcome.code == 0, starts, "{case}: {outcome:?}");
            if !starts {
                let parts = [
                    why,
                    "it was not started",
                    "`extline ext doctor`",
                    "--no-sandbox where you trust it",
                ];
                let is_said = parts.iter().all(|part| outcome.stderr.contains(part));
                assert!(is_said, "{case}: {outcome:?}");
            }
        }
    }
    // What the answer says to do does it.
    for missing in ["landlock", "seccomp"] {
        let outcome = without(&scene, missing, &["run", "--start-all", "--no-sandbox"]);
        assert!(outcome.code == 0 && scene.ran("clock"), "{missing}: {outcome:?}");
    }
    // And one that asks for nothing runs anywhere.
    installed(&scene, &json!({}));
    let outcome = without(&scene, "landlock,seccomp", &["run", "--start-all"]);
    assert!(outcome.code == 0 && scene.ran("clock"), "{outcome:?}");
}

#[test]
fn doctor_says_what_the_kernel_lacks() {
    if !can_run() {
        return;
    }
    let scene = Scene::new();
    installed(&scene, &json!({"fs": {"write": []}}));
    for (missing, held_to, why) in [
        ("landlock", "`\"net\": false`", NO_LANDLOCK),
        // No limit of files is worth anything where the calls around it cannot be refused.
        ("seccomp", "", NO_SECCOMP),
    ] {
        let outcome = without(&scene, missing, &["ext", "doctor", "--json"]);
        outcome.assert_code(1);
        let report = outcome.json();
        let findings = report["extensions"][0]["findings"].as_array().unwrap();
        let code = |finding: &&Value| finding["code"] == "start.failed.sandbox";
        let finding = findings.iter().find(code).unwrap_or_else(|| panic!("{report}"));
        assert!(finding["what"].as_str().unwrap().contains(why), "{finding}");
        assert!(finding["mend"].as_str().unwrap().contains("--no-sandbox"), "{finding}");
        let sandbox = &report["sandbox"];
        let not_held_to = sandbox["not_held_to"].as_array().unwrap();
        assert!(not_held_to[0].as_str().unwrap().contains(why), "{sandbox}");
        let held = sandbox["held_to"].as_array().unwrap();
        assert!(
            held.iter().all(|line| !line.as_str().unwrap().contains("permissions.fs")),
            "{sandbox}"
        );
        assert_eq!(held.is_empty(), held_to.is_empty(), "{sandbox}");
        let outcome = without(&scene, missing, &["ext", "doctor"]);
        assert!(outcome.stdout.contains(why), "{outcome:?}");
        assert!(!scene.ran("clock"));
    }
}

/// No kernel knows names of machines: whoever installs it, looks at it or runs it is told so.
#[test]
fn a_list_of_machines_is_told_to_be_held_to_by_nothing() {
    const TOLD: &str = "permissions.net: it says api.example.com, x.org; nothing holds it to that";
    let scene = Scene::new();
    let source = scene.project().join("source");
    fs::create_dir(&source).unwrap();
    fs::write(source.join("ext.sh"), PROGRAM).unwrap();
    let net = json!(["api.example.com", "x.org"]);
    for exec in [json!(true), json!(false)] {
        let permissions = json!({"net": net, "exec": exec, "env": ["MARK_FOLDER"]});
        let manifest =
            json!({"name": "clock", "exec": "sh", "args": ["ext.sh"], "permissions": permissions});
        fs::write(source.join("extension.json"), manifest.to_string()).unwrap();
        let outcome = scene.run(&["ext", "install", "--replace", "source"]);
        assert!(outcome.stdout.contains(&format!("  limit {TOLD}\n")), "{outcome:?}");
        let json = scene.run(&["ext", "install", "--replace", "--json", "source"]).json();
        assert!(json["limits"].as_array().unwrap().contains(&json!(TOLD)), "{json}");
        for words in [&["ext", "status"][..], &["ext", "doctor"]] {
            let outcome = scene.run(words);
            assert!(
                outcome.stdout.contains(&format!("  warn    {TOLD}\n")),
                "{words:?}: {outcome:?}"
            );
        }
        let outcome = scene.run(&["run", "--start-all"]);
        outcome.assert_code(0);
        assert_eq!(outcome.stderr.matches(TOLD).count(), 1, "{outcome:?}");
        assert!(scene.ran("clock"));
        // Who wants no sandbox is told nothing of what it would not do.
        let outcome = scene.run(&["run", "--start-all", "--no-sandbox"]);
        assert!(scene.ran("clock") && !outcome.stderr.contains(TOLD), "{outcome:?}");
    }
}
