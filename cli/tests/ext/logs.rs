//! `extline ext logs`.

use std::fs;
use std::io::{BufRead, BufReader};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::scene::{PROGRAM, Scene};

fn scene() -> Scene {
    let scene = Scene::new();
    let folder = scene.project().join("clock");
    Scene::extension(&folder, "clock", "1.0.0");
    let said = "printf 'one\\nt\\033[2Jwo\\n' >&2; echo \"key $MARK_FOLDER\" >&2\n";
    fs::write(folder.join("ext.sh"), format!("{said}{PROGRAM}")).unwrap();
    scene.run(&["ext", "install", "clock"]).assert_code(0);
    scene
}

#[test]
fn the_newest_lines_are_shown() {
    let scene = scene();
    let outcome = scene.run(&["ext", "logs", "clock"]);
    outcome.assert_code(0);
    outcome.assert_says(&["clock has written nothing to stderr yet"]);
    scene.run(&["run", "--start-all"]).assert_code(0);
    let outcome = scene.run(&["ext", "logs", "clock"]);
    outcome.assert_code(0);
    let key = format!("key {}", scene.project().display());
    let lines: Vec<_> = outcome.stdout.lines().collect();
    let at = lines.iter().position(|line| line.ends_with("one")).unwrap();
    // Nothing in it does anything to the terminal.
    assert!(lines[at + 1].contains("[2Jwo") && !outcome.stdout.contains('\x1b'), "{outcome:?}");
    assert!(lines[at + 2].ends_with(&key), "{outcome:?}");
    let outcome = scene.run(&["ext", "logs", "clock", "-n", "1", "--json"]);
    assert_eq!(outcome.json_lines().len(), 1);
    // One that was removed has its log still.
    scene.run(&["ext", "remove", "--yes", "clock"]).assert_code(0);
    scene.run(&["ext", "logs", "clock"]).assert_code(0);
    let outcome = scene.run(&["ext", "logs", "cloc"]);
    outcome.assert_code(2);
    outcome.assert_says(&["there is no extension cloc"]);
}

#[test]
fn a_log_is_followed_until_ctrl_c() {
    let scene = scene();
    let mut command = scene.extline.command(&["ext", "logs", "clock", "--follow", "--json"]);
    let mut child = command.current_dir(scene.project()).spawn().unwrap();
    scene.run(&["run", "--start-all"]).assert_code(0);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines = lines.map(|line| {
        serde_json::from_str::<serde_json::Value>(&line.unwrap()).unwrap()["line"].clone()
    });
    let is_it = |line: &serde_json::Value| line.as_str().unwrap().ends_with("one");
    assert!(lines.any(|line| is_it(&line)));
    // It is followed into the next file too.
    let log = scene.extline.home().join("logs/clock.log");
    fs::rename(&log, log.with_extension("log.1")).unwrap();
    fs::write(&log, "of the next file\n").unwrap();
    assert!(lines.any(|line| line == json!("of the next file")));
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
