//! `extline run` starts what is installed when it is used.

use serde_json::{Value, json};

use crate::scene::Scene;

#[test]
fn what_is_installed_is_listed_and_not_started_until_it_is_used() {
    let scene = Scene::new();
    for name in ["one", "two"] {
        let folder = scene.project().join(name);
        std::fs::create_dir(&folder).unwrap();
        Scene::extension(&folder, name, "1.0.0");
        scene.run(&["ext", "install", name]).assert_code(0);
    }
    let lines = |words: &[&str]| -> Vec<Value> {
        let outcome = scene.run(words);
        outcome.assert_code(0);
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let first = lines(&["run", "--json"]);
    assert_eq!(first[..2], [json!({"started": "one"}), json!({"started": "two"})]);
    assert!(scene.ran("one") && scene.ran("two"));
    let second = lines(&["run", "--json"]);
    assert_eq!(second[..2], [json!({"deferred": "one"}), json!({"deferred": "two"})]);
    assert!(!scene.ran("one") && !scene.ran("two"));
    let outcome = scene.run(&["run"]);
    assert!(
        outcome.stdout.contains("one is started when it is first used: 1 tool, 0 commands\n"),
        "{outcome:?}"
    );
    assert_eq!(lines(&["run", "--json", "--start-all"])[..2], first[..2]);
    assert!(scene.ran("one"));

    let kept = scene.extline.home().join("offers");
    assert_eq!(kept.read_dir().unwrap().count(), 2);
    scene.run(&["ext", "remove", "--yes", "one"]).assert_code(0);
    assert_eq!(kept.read_dir().unwrap().count(), 1);
}
