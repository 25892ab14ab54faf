//! `extline run` with folders that are named: what of the others runs beside them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::scene::{PROGRAM, Scene};
use crate::support::Outcome;

/// All that could run; each leaves a mark of its own.
const ALL: [&str; 5] = ["installed", "trusted", "untrusted", "given", "other"];

/// One that is installed, two of the project, of which one is trusted, and two elsewhere.
fn scene() -> Scene {
    let scene = Scene::new();
    Scene::extension(&scene.installed("installed"), "installed", "1.0.0");
    scene.of_project("trusted");
    scene.run(&["ext", "trust", "--yes", "trusted"]).assert_code(0);
    scene.of_project("untrusted");
    for name in ["given", "other"] {
        Scene::extension(&scene.project().join(name), name, "1.0.0");
    }
    scene
}

/// What ran with these words, and what was said.
fn ran(scene: &Scene, words: &[&str]) -> (BTreeSet<&'static str>, Outcome) {
    let outcome = scene.run(&[&["run", "--start-all"], words].concat());
    (ALL.into_iter().filter(|name| scene.ran(name)).collect(), outcome)
}

#[test]
fn what_is_named_runs_beside_what_is_installed_or_alone() {
    let scene = scene();
    for (words, expected) in [
        (&[][..], &["installed", "trusted"][..]),
        (&["--ext", "given"], &["given", "installed", "trusted"]),
        (&["--ext", "given", "--ext", "other"], &["given", "installed", "other", "trusted"]),
        (&["--no-ext", "--ext", "given"], &["given"]),
        (&["--no-ext", "--ext", "given", "--ext", "other"], &["given", "other"]),
        // A folder without an option is that folder alone.
        (&["given"], &["given"]),
        (&["--no-ext", "given"], &["given"]),
        // Who names the folder of one that nobody trusts wants it.
        (&["--no-ext", "--ext", ".extline/extensions/untrusted"], &["untrusted"]),
        (&["--ext", ".extline/extensions/untrusted"], &["installed", "trusted", "untrusted"]),
    ] {
        let (found, outcome) = ran(&scene, words);
        assert_eq!(found, expected.iter().copied().collect(), "{words:?}: {outcome:?}");
        outcome.assert_code(0);
        let names_others =
            outcome.stderr.contains("untrusted is not started: nobody has trusted it yet");
        let is_asked = found.contains("installed") && !found.contains("untrusted");
        assert_eq!(names_others, is_asked, "{words:?}: {outcome:?}");
    }
    // It is trusted for that run alone.
    assert_eq!(scene.verdict("untrusted").0, "untrusted");
}

#[test]
fn what_cannot_run_is_said() {
    let scene = scene();
    let (found, outcome) = ran(&scene, &["--no-ext"]);
    assert!(found.is_empty(), "{outcome:?}");
    outcome.assert_code(2);
    outcome.assert_says(&["--no-ext leaves out what is installed", "--no-ext --ext DIR"]);
    let (found, outcome) = ran(&scene, &["--ext", "other", "given"]);
    assert!(found.is_empty(), "{outcome:?}");
    outcome.assert_code(2);

    fs::create_dir(scene.project().join("empty")).unwrap();
    for (path, why) in [("nowhere", "nowhere"), ("empty", "extension.json: there is no such file")]
    {
        let (found, outcome) = ran(&scene, &["--no-ext", "--ext", path]);
        assert!(found.is_empty() && outcome.code != 0, "{outcome:?}");
        outcome.assert_says(&[why]);
    }

    // Who names one that is disabled wants it; one whose author switched it off stays so, and the others run.
    scene.run(&["ext", "disable", "installed"]).assert_code(0);
    assert_eq!(ran(&scene, &["--ext", "given"]).0, BTreeSet::from(["given", "trusted"]));
    let installed = scene.installed("installed");
    let words = ["--ext", installed.to_str().unwrap(), "--ext", "given"];
    assert_eq!(ran(&scene, &words).0, BTreeSet::from(["given", "installed", "trusted"]));
    let manifest =
        json!({"name": "given", "exec": "sh", "args": ["ext.sh", "given"], "enabled": false});
    fs::write(scene.project().join("given/extension.json"), manifest.to_string()).unwrap();
    let (found, outcome) = ran(&scene, &words);
    assert_eq!(found, BTreeSet::from(["installed", "trusted"]), "{outcome:?}");
    outcome.assert_says(&["given is not started: ", "its manifest says \"enabled\": false"]);
}

#[test]
fn what_is_named_takes_the_place_of_what_is_installed_under_its_name() {
    let scene = scene();
    let manifest = |folder: &Path| {
        let manifest = json!({"name": "installed", "exec": "sh", "args": ["ext.sh", "given"],
                              "permissions": {"env": ["MARK_FOLDER"]}});
        fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
        let program =
            PROGRAM.replace(r#""name":"'"$1"'","version""#, r#""name":"installed","version""#);
        assert_ne!(program, PROGRAM);
        fs::write(folder.join("ext.sh"), program).unwrap();
    };
    manifest(&scene.project().join("given"));
    let (found, outcome) = ran(&scene, &["--ext", "given"]);
    assert_eq!(found, BTreeSet::from(["given", "trusted"]), "{outcome:?}");
    outcome.assert_code(0);
    outcome.assert_says(&["installed is not started: ", "has its name and runs"]);
}
