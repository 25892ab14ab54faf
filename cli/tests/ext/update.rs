//! `extline ext update`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::scene::Scene;
use crate::support::in_terminal;

fn run(folder: &Path, program: &str, words: &[&str]) {
    let output = Command::new(program).args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn commit(folder: &Path, version: &str) {
    Scene::extension(folder, "clock", version);
    let words = ["-c", "user.name=n", "-c", "user.email=e@example.com"];
    run(folder, "git", &["add", "."]);
    run(folder, "git", &[&words[..], &["commit", "--quiet", "-m", version]].concat());
}

fn version(scene: &Scene) -> String {
    let text = fs::read_to_string(scene.installed("clock").join("extension.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["version"].as_str().unwrap().to_owned()
}

#[test]
fn a_branch_is_followed_and_a_tag_is_not() {
    let scene = Scene::new();
    let source = scene.project().join("clock.git");
    fs::create_dir(&source).unwrap();
    run(&source, "git", &["init", "--quiet", "--initial-branch", "main"]);
    commit(&source, "1.0.0");
    run(&source, "git", &["tag", "v1"]);
    let url = format!("file://{}", source.display());
    scene.run(&["ext", "install", &format!("{url}@main")]).assert_code(0);
    let same = scene.run(&["ext", "update", "--check"]);
    same.assert_code(0);
    assert_eq!(same.stdout, "clock is as it is there\n");

    commit(&source, "2.0.0");
    let told = scene.run(&["ext", "update", "--check", "--json"]).json()["extensions"][0].clone();
    assert_eq!((&told["outcome"], &told["new_version"]), (&json!("available"), &json!("2.0.0")));
    assert_eq!(told["changes"], json!([{"change": "changed", "file": "extension.json"}]));
    assert_eq!(version(&scene), "1.0.0");
    // Nobody is there to ask.
    let outcome = scene.run(&["ext", "update"]);
    outcome.assert_code(2);
    outcome.assert_says(&["--yes updates"]);
    let outcome = scene.run(&["ext", "update", "--yes", "clock"]);
    outcome.assert_code(0);
    assert!(outcome.stdout.starts_with("updated clock 1.0.0 -> 2.0.0 1 file, from"), "{outcome:?}");
    assert_eq!(version(&scene), "2.0.0");
    assert!(!scene.ran("clock"));

    scene.run(&["ext", "install", "--replace", &format!("{url}@v1")]).assert_code(0);
    scene.run(&["ext", "update", "--yes"]).assert_code(0);
    assert_eq!(version(&scene), "1.0.0");
}

#[test]
fn what_cannot_be_updated_stays_and_the_others_are_updated() {
    let scene = Scene::new();
    let [clock, other] = ["clock", "other"].map(|name| scene.project().join(name));
    Scene::extension(&clock, "clock", "1.0.0");
    Scene::extension(&other, "other", "1.0.0");
    for name in ["clock", "other"] {
        scene.run(&["ext", "install", name]).assert_code(0);
    }
    Scene::extension(&other, "other", "2.0.0");
    let refused = |what: &str, why: &str| {
        let outcome = scene.run(&["ext", "update", "--yes", "clock"]);
        outcome.assert_code(1);
        outcome.assert_says(&["clock was not updated: ", why]);
        assert_eq!(version(&scene), "1.0.0", "{what}");
        scene.run(&["run", "--start-all"]).assert_code(0);
        assert!(scene.ran("clock"), "{what}");
    };
    fs::write(clock.join("requirements.txt"), "./nothing-1.0-py3-none-any.whl\n").unwrap();
    refused("packages that are not there", "nothing-1.0");
    fs::remove_file(clock.join("requirements.txt")).unwrap();
    Scene::extension(&clock, "cuckoo", "2.0.0");
    refused("another name", "is called cuckoo");
    fs::write(clock.join("extension.json"), "{").unwrap();
    refused("a broken manifest", "extension.json");
    fs::remove_dir_all(&clock).unwrap();
    refused("no source", "clock: there is no such folder");

    let outcome = scene.run(&["ext", "update", "--yes", "--json"]);
    outcome.assert_code(1);
    let told = outcome.json()["extensions"].clone();
    assert_eq!((&told[0]["outcome"], &told[1]["outcome"]), (&json!("failed"), &json!("updated")));
    let outcome = scene.run(&["ext", "update", "--yes", "clok"]);
    outcome.assert_code(2);
    outcome.assert_says(&["did you mean clock?"]);
    let folder = scene.extline.home().join("extensions");
    assert_eq!(folder.read_dir().unwrap().count(), 3);
}

#[test]
fn a_person_sees_what_changes_and_is_asked() {
    let scene = Scene::new();
    let source = scene.project().join("source");
    Scene::extension(&source, "clock", "1.0.0");
    scene.run(&["ext", "install", "source"]).assert_code(0);
    Scene::extension(&source, "clock", "2.0.0");
    fs::write(source.join("more.sh"), "").unwrap();
    let answer = |answer: &str, shown: &str| {
        let steps = [json!({"expect": "Update it? [y/N]"}), json!({"send": answer})];
        let screen = in_terminal(&scene.extline, true, &steps, &["ext", "update"]);
        assert_eq!(screen.code, 0, "{screen:?}");
        for part in ["clock 1.0.0 -> 2.0.0", "  changed extension.json", "  new more.sh", shown] {
            assert!(screen.output.contains(part), "{part}: {screen:?}");
        }
    };
    answer("\n", "available clock");
    assert_eq!(version(&scene), "1.0.0");
    answer("y\n", "updated clock");
    assert_eq!(version(&scene), "2.0.0");
}

#[test]
fn packages_are_installed_anew() {
    let scene = Scene::new();
    let source = scene.project().join("source");
    Scene::extension(&source, "clock", "1.0.0");
    let package = json!({"dependencies": {"extra": "file:./extra"}});
    fs::write(source.join("package.json"), package.to_string()).unwrap();
    fs::create_dir(source.join("extra")).unwrap();
    fs::write(source.join("extra/package.json"), r#"{"name": "extra", "version": "1.0.0"}"#)
        .unwrap();
    scene.run(&["ext", "install", "--yes", "source"]).assert_code(0);
    // What npm wrote is no change.
    let same = scene.run(&["ext", "update", "--yes"]);
    same.assert_code(0);
    assert_eq!(same.stdout, "clock is as it is there\n");
    Scene::extension(&source, "clock", "2.0.0");
    scene.run(&["ext", "update", "--yes"]).assert_code(0);
    assert_eq!(version(&scene), "2.0.0");
    assert!(scene.installed("clock").join("node_modules/extra").exists());
}

#[test]
fn one_of_a_project_stays_trusted_only_where_it_was() {
    let scene = Scene::new();
    let source = scene.project().join("source");
    Scene::extension(&source, "clock", "1.0.0");
    scene.run(&["ext", "install", "--project", "source"]).assert_code(0);
    Scene::extension(&source, "clock", "2.0.0");
    scene.run(&["ext", "update", "--project", "--yes"]).assert_code(0);
    assert_eq!(scene.verdict("clock").0, "runs");
    scene.run(&["ext", "untrust", "clock"]).assert_code(0);
    Scene::extension(&source, "clock", "3.0.0");
    scene.run(&["ext", "update", "--project", "--yes"]).assert_code(0);
    assert_eq!(scene.verdict("clock").0, "untrusted");
    scene.run(&["run", "--start-all"]);
    assert!(!scene.ran("clock"));
}
