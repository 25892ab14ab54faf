//! Which extensions run, and which need to be trusted.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::scene::{PROGRAM, Scene};

#[test]
fn what_came_with_a_project_runs_once_it_is_trusted_and_not_when_a_byte_changes() {
    let scene = Scene::new();
    let folder = scene.of_project("clock");
    assert_eq!(scene.verdict("clock").0, "untrusted");
    // No entry point runs it but those that name its folder.
    for words in [
        &["ext", "list"][..],
        &["ext", "validate", "."],
        &["ext", "disable", "clock"],
        &["ext", "enable", "clock"],
        &["config", "clock"],
        &["secret", "list", "clock"],
        &["state", "clock"],
        &["discover"],
        &["run"],
        &["run", "--no-ext"],
        &["ext", "trust", "clock"],
    ] {
        let outcome = scene.run(words);
        assert!(!scene.ran("clock"), "{words:?}: {outcome:?}");
    }
    let outcome = scene.run(&["run", "--start-all"]);
    outcome.assert_code(2);
    outcome.assert_says(&[
        "clock is not started: nobody has trusted it yet",
        "extline ext trust clock",
    ]);

    let outcome = scene.run(&["ext", "trust", "--yes", "clock"]);
    outcome.assert_code(0);
    outcome.assert_says(&["runs   sh ext.sh clock", "env    MARK_FOLDER", "sha256:"]);
    assert!(!scene.ran("clock"));
    let outcome = scene.run(&["run", "--start-all"]);
    outcome.assert_code(0);
    assert!(scene.ran("clock"), "{outcome:?}");
    // It runs again: nothing of the run has changed it.
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("clock"));

    fs::write(folder.join("ext.sh"), format!("{PROGRAM}#")).unwrap();
    let (verdict, why) = scene.verdict("clock");
    assert_eq!(verdict, "untrusted");
    assert!(why.contains("changed ext.sh"), "{why}");
    let outcome = scene.run(&["run", "--start-all"]);
    outcome.assert_code(2);
    outcome.assert_says(&["changed ext.sh"]);
    assert!(!scene.ran("clock"));
    // As it was, it is trusted still; and no more once that is taken back.
    fs::write(folder.join("ext.sh"), PROGRAM).unwrap();
    assert_eq!(scene.verdict("clock").0, "runs");
    scene.run(&["ext", "untrust", "clock"]).assert_code(0);
    assert_eq!(scene.verdict("clock").0, "untrusted");
    // A file that is named needs no trust.
    scene.run(&["inspect", folder.to_str().unwrap()]).assert_code(0);
    assert!(scene.ran("clock"));
}

#[test]
fn nothing_outside_of_its_folder_is_trusted() {
    let scene = Scene::new();
    let folder = scene.of_project("clock");
    fs::write(scene.project().join("evil.sh"), PROGRAM).unwrap();
    let manifest = json!({"name": "clock", "exec": "sh", "args": ["../../../evil.sh", "clock"]});
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    let (verdict, why) = scene.verdict("clock");
    assert!(verdict == "unfit" && why.contains("../../../evil.sh"), "{verdict}: {why}");
    scene.run(&["ext", "trust", "--yes", "clock"]).assert_code(1);
    scene.run(&["run", "--start-all"]).assert_code(2);
    assert!(!scene.ran("clock"));
}

#[test]
fn the_switch_holds_on_every_path() {
    let scene = Scene::new();
    let folder = scene.project().join("clock");
    Scene::extension(&folder, "clock", "1.0.0");
    scene.run(&["ext", "install", "clock"]).assert_code(0);
    for words in [
        &["run"][..],
        &["run", "clock"],
        &["run", "--ext", "clock"],
        &["run", "--", "sh", "clock/ext.sh", "clock"],
        &["call", "clock", "clock_tool"],
        &["command", "clock", "x"],
        &["inspect", "clock"],
        &["mcp", "--list", "clock"],
        &["lint", "clock"],
        &["tap", "clock"],
        &["conformance", "--only", "E-HSK-01", "clock"],
    ] {
        let outcome = scene.command(words, &[("EXTLINE_EXTENSIONS", "off")]);
        assert_ne!(outcome.code, 0, "{words:?}: {outcome:?}");
        assert!(!scene.ran("clock"), "{words:?}: {outcome:?}");
    }
    let outcome = scene.command(&["inspect", "clock"], &[("EXTLINE_EXTENSIONS", "off")]);
    outcome.assert_says(&["EXTLINE_EXTENSIONS switches all extensions off"]);
    // It waits for changes until it is ended; by then it has begun.
    let made = scene.project().join("built");
    let command = format!("touch '{}'", made.display());
    let mut dev = scene.extline.command(&["dev", "clock", "--build", &command]);
    dev.current_dir(scene.project()).env("MARK_FOLDER", scene.project());
    let mut dev = dev.env("EXTLINE_EXTENSIONS", "off").spawn().unwrap();
    let says = BufReader::new(dev.stderr.take().unwrap()).lines().map(Result::unwrap);
    let says: Vec<_> = says.take_while(|line| !line.starts_with("watching ")).collect();
    dev.kill().unwrap();
    dev.wait().unwrap();
    let said = says.iter().any(|line| line.contains("EXTLINE_EXTENSIONS switches all"));
    assert!(said && !scene.ran("clock") && !made.exists(), "{says:?}");
    // And is not there without it.
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("clock"));
}

#[test]
fn the_first_of_a_name_runs_and_the_others_are_listed_with_the_reason() {
    let scene = Scene::new();
    let user = scene.extline.home().join("extensions");
    let zot = scene.extline.home().join("zot/extensions");
    let more = scene.project().join("more");
    Scene::extension(&user.join("one"), "clock", "2.0.0");
    Scene::extension(&zot.join("clock"), "clock", "3.0.0");
    Scene::extension(&zot.join("zots"), "zots", "1.0.0");
    Scene::extension(&more.join("far"), "far", "1.0.0");
    symlink(more.join("far"), user.join("far")).unwrap();
    // What cannot be used, and what nobody trusts, takes no name from another.
    let project = scene.of_project("clock");
    fs::create_dir_all(user.join("broken")).unwrap();
    fs::write(user.join("broken/extension.json"), "{\"name\": 5}").unwrap();
    fs::create_dir_all(user.join("no-manifest")).unwrap();
    fs::create_dir_all(scene.project().join(".claude/tools")).unwrap();
    fs::write(scene.project().join(".claude/tools/theirs.ts"), "").unwrap();

    let list = scene.run(&["ext", "list", "--json"]).json();
    let told = |one: &Value| {
        let text = |member: &str| one[member].as_str().unwrap().to_owned();
        format!("{} {} {}", text("name"), text("layer"), text("verdict"))
    };
    let told: Vec<_> = list["extensions"].as_array().unwrap().iter().map(told).collect();
    let expected = [
        "clock project untrusted",
        "broken user broken",
        "far user runs",
        "clock user runs",
        "clock zot shadowed",
        "zots zot runs",
        "theirs.ts claude foreign",
    ];
    assert_eq!(told, expected);
    scene.run(&["ext", "trust", "--yes"]).assert_code(0);
    assert_eq!(scene.verdict("clock").0, "runs");
    let list = scene.run(&["ext", "list"]);
    list.assert_code(0);
    let shadowed = format!("{} has its name and runs", project.display());
    assert_eq!(list.stdout.matches(&shadowed).count(), 2, "{list:?}");

    // Configured, and by the environment over it.
    fs::write(
        scene.extline.home().join("config.toml"),
        "[extensions]\ndisabled = [\"zots\"]\npaths = [\"nowhere\"]\n",
    )
    .unwrap();
    assert_eq!(scene.verdict("zots").0, "disabled");
    let paths = [("EXTLINE_EXTENSION_PATHS", more.to_str().unwrap())];
    let list = scene.command(&["ext", "list", "--json"], &paths).json();
    assert_eq!(list["extensions"][1]["layer"], "path");
    scene.run(&["ext", "enable", "zots"]).assert_code(1);
    fs::write(scene.extline.home().join("config.toml"), "[extensions]\nenabled = false\n").unwrap();
    assert_eq!(scene.verdict("far").0, "off");
    fs::write(scene.extline.home().join("config.toml"), "[extensions]\nenable = false\n").unwrap();
    let outcome = scene.run(&["run", "--start-all"]);
    outcome.assert_code(1);
    outcome.assert_says(&["config.toml", "enable"]);
}

/// A person who enables an extension has not the last word: its author and the settings have.
#[test]
fn what_stays_off_though_it_is_enabled_is_told() {
    let scene = Scene::new();
    Scene::extension(&scene.installed("clock"), "clock", "1.0.0");
    let settings = scene.extline.home().join("config.toml");
    for (text, why) in [
        ("enabled_only = [\"other\"]", "has it not in enabled_only"),
        ("auto_load = false", "config.toml says auto_load = false"),
        ("enabled = false", "config.toml"),
    ] {
        fs::write(&settings, format!("[extensions]\n{text}\n")).unwrap();
        let outcome = scene.run(&["ext", "enable", "clock"]);
        outcome.assert_code(0);
        outcome.assert_says(&["clock does not run all the same: ", why]);
    }
    fs::write(&settings, "").unwrap();
    let outcome = scene.run(&["ext", "enable", "clock"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    let manifest = json!({"name": "clock", "exec": "sh", "enabled": false});
    fs::write(scene.installed("clock").join("extension.json"), manifest.to_string()).unwrap();
    let outcome = scene.run(&["ext", "enable", "clock"]);
    outcome.assert_says(&["clock does not run all the same: its manifest says \"enabled\": false"]);
}
