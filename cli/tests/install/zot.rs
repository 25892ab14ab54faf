//! zot, into whose folder extensions are copied.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::machine::{Machine, clock, copy_clock, files, read};
use crate::support::outcome;

#[test]
fn an_extension_is_copied_where_zot_looks_and_taken_out() {
    let machine = Machine::new();
    let clock = clock();
    let in_home = machine.home.path().join(".local/state/zot/extensions");
    for (words, root) in [
        (&["--scope", "project"][..], machine.project.path().join(".zot/extensions")),
        (&[], in_home),
    ] {
        let words = [&["--for", "zot", &clock], words].concat();
        let run = |action: &str, more: &[&str]| machine.ok(&[&[action], &*words, more].concat());
        let told = run("install", &["--dry-run"]);
        assert!(told.stdout.contains("zot: clock-shell would be added\n"), "{told:?}");
        assert!(!root.exists());
        let told = run("install", &[]);
        let folder = root.join("clock-shell");
        for part in ["zot: clock-shell added\n", &format!("a copy of {clock}\n"), "/reload-ext"] {
            assert!(told.stdout.contains(part), "{told:?}");
        }
        for name in ["extension.json", "clock.sh"] {
            assert_eq!(read(&folder.join(name)), read(&Path::new(&clock).join(name)));
        }
        let told = run("install", &[]);
        assert!(told.stdout.contains("zot: clock-shell is there already\n"), "{told:?}");
        let found = machine.ok(&["discover", "--json", "--for", "zot"]).json();
        let one = json!({ "name": "clock-shell", "ours": true, "from": clock });
        assert_eq!(found["files"][0]["extensions"], json!([one]));
        let told = machine.ok(&["discover"]);
        let shown = format!("    clock-shell  a copy of {clock}\n");
        assert!(told.stdout.contains(&shown), "{told:?}");
        run("uninstall", &["--dry-run"]);
        assert!(folder.exists());
        let told = run("uninstall", &["--json"]).json();
        assert_eq!((&told["action"], &told["folder"]), (&json!("removed"), &json!(folder)));
        // Only the lock is left, as beside what `extline ext install` puts there.
        assert_eq!(files(&root), [root.join(".lock")]);
        assert!(!folder.exists());
    }
    let elsewhere = machine.home.path().join("elsewhere");
    let mut command = machine.command(&["install", "--for", "zot", &clock]);
    outcome(command.env("ZOT_HOME", &elsewhere).spawn().unwrap()).assert_code(0);
    assert!(elsewhere.join("extensions/clock-shell/clock.sh").exists());
}

#[test]
fn what_is_there_is_not_taken_away_unasked() {
    let machine = Machine::new();
    let root = machine.project.path().join(".zot/extensions");
    let source = machine.home.path().join("source");
    copy_clock(&source);
    let dir = source.to_str().unwrap();
    let words = ["install", "--for", "zot", "--scope", "project", dir];
    let force = [&words[..], &["--force"]].concat();
    machine.ok(&words);
    fs::write(source.join("clock.sh"), "# other\n").unwrap();
    let told = machine.run(&words);
    told.assert_code(1);
    told.assert_says(&[
        "clock-shell is there already",
        "has changed since; --force",
        "nothing was",
    ]);
    let told = machine.ok(&["discover", "--for", "zot"]);
    assert!(told.stdout.contains("which has changed since"), "{told:?}");
    machine.ok(&force);
    assert_eq!(read(&root.join("clock-shell/clock.sh")), "# other\n");
    // That of another folder, and nothing is written for another agent either.
    let clock = clock();
    let both = ["install", "--for", "cursor", "--for", "zot", "--scope", "project", &clock];
    let told = machine.run(&both);
    told.assert_code(1);
    told.assert_says(&["was not copied from this folder; --force"]);
    assert!(!machine.project.path().join(".cursor").exists());
    let told = machine.run(&[&both[..], &["--name", "second"]].concat());
    told.assert_says(&["is an extension of that name too, and zot would start both"]);
    machine.ok(&[&both[..], &["--force"]].concat());
    assert!(machine.project.path().join(".cursor/mcp.json").exists());
    // One that somebody else put there.
    copy_clock(&root.join("mine"));
    let manifest = root.join("mine/extension.json");
    fs::write(&manifest, read(&manifest).replace("clock-shell", "mine")).unwrap();
    let uninstall = ["uninstall", "--for", "zot", "--scope", "project"];
    let told = machine.run(&[&uninstall[..], &["mine"]].concat());
    told.assert_code(1);
    told.assert_says(&["was not copied there by this program; `zot ext remove`"]);
    let told = machine.run(&[&uninstall[..], &["other"]].concat());
    told.assert_code(2);
    told.assert_says(&["other is not in ", "installed there: clock-shell"]);
    machine.ok(&[&uninstall[..], &["clock-shell"]].concat());
    assert!(root.join("mine").exists() && !root.join("clock-shell").exists());
}

#[test]
fn what_zot_cannot_run_is_not_copied() {
    let machine = Machine::new();
    let zot = ["install", "--for", "zot", "--scope", "project"];
    let told = machine.run(&[&zot[..], &["--name", "x", "--", "sh", "-c", "exit"]].concat());
    told.assert_code(2);
    told.assert_says(&["zot runs the folder of an extension"]);
    // A link out of it would lead elsewhere from there.
    let source = machine.home.path().join("source");
    copy_clock(&source);
    std::os::unix::fs::symlink("/etc/hosts", source.join("hosts")).unwrap();
    let words = ["--for", "cursor", source.to_str().unwrap()];
    let told = machine.run(&[&zot[..], &words].concat());
    told.assert_code(1);
    told.assert_says(&["outside of the extension", "nothing was written"]);
    assert_eq!(machine.project_files(), [machine.project.path().join(".zot/extensions/.lock")]);
}
