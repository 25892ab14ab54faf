//! What is said of the extensions of an index.

use std::fs;

use serde_json::{Value, json};

use crate::scene::Scene;
use crate::support::Outcome;

fn manifest(name: &str, version: &str, audit: &Value) -> Value {
    json!({"name": name, "version": version, "exec": "sh", "audit": audit})
}

fn audit(scene: &Scene, index: &str, json: bool) -> Outcome {
    fs::write(scene.project().join("index.json"), index).unwrap();
    let words = ["ext", "audit", "index.json", "--json"];
    scene.run(&words[..if json { 4 } else { 3 }])
}

#[test]
fn each_of_an_index_is_told_what_its_audit_allows() {
    let scene = Scene::new();
    scene.of_project("clock");
    let archive = |digest: &Value| {
        let mut manifest = manifest("packed", "1.0.0", &json!("passed"));
        manifest["distribution"] =
            json!({"source": "archive", "url": "x.tar.gz", "sha256": digest});
        manifest
    };
    let extensions = [
        (manifest("clock", "1.1.0", &json!("passed")), "installable", true),
        (manifest("clock", "0.9.0", &json!("passed")), "installable", false),
        (manifest("clock", "newest", &json!("passed")), "installable", false),
        (manifest("clock", "2.0.0", &json!("pending")), "blocked", false),
        (manifest("clock", "1.2.0", &json!({"status": "warn"})), "flagged", true),
        (manifest("a", "1.0.0", &json!("blocked")), "blocked", false),
        (manifest("b", "1.0.0", &json!("unknown")), "blocked", false),
        (json!({"name": "c", "version": "1.0.0", "exec": "sh"}), "blocked", false),
        (archive(&json!("0".repeat(64))), "installable", false),
    ];
    let entries: Vec<_> = extensions.iter().map(|(manifest, ..)| manifest).collect();
    let index = json!({"schema_version": 1, "extensions": entries}).to_string();
    let outcome = audit(&scene, &index, true);
    outcome.assert_code(0);
    let told = outcome.json()["extensions"].clone();
    for ((manifest, verdict, is_update), told) in extensions.iter().zip(told.as_array().unwrap()) {
        assert_eq!(told["verdict"], *verdict, "{manifest}: {told}");
        assert_eq!(told["is_update"], *is_update, "{manifest}: {told}");
    }
    assert_eq!(told.as_array().unwrap().len(), extensions.len());
    let outcome = audit(&scene, &index, false);
    assert!(outcome.stdout.contains("newer than 1.0.0, which is installed"), "{outcome:?}");
    assert!(outcome.stdout.contains("its audit is pending"), "{outcome:?}");
    assert!(!scene.ran("clock"));

    let mut entry = archive(&Value::Null);
    entry["audit"] = json!("warn");
    let index = json!({"schema_version": 1, "extensions": [entry]}).to_string();
    let outcome = audit(&scene, &index, true);
    assert_eq!(outcome.json()["extensions"][0]["verdict"], "flagged", "{outcome:?}");
    // All that there is to know.
    assert_eq!(outcome.json()["extensions"][0]["reasons"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_nobody_could_install_is_told_with_its_place() {
    let scene = Scene::new();
    let twin = manifest("twin", "1.0.0", &json!("passed"));
    let broken = json!({"name": "broken", "exec": 7, "audit": "passed"});
    let index = json!({"schema_version": 1, "extensions": [twin, broken, twin, "text"]});
    let outcome = audit(&scene, &index.to_string(), true);
    outcome.assert_code(1);
    let told = outcome.json()["extensions"].clone();
    assert!(told.as_array().unwrap().iter().all(|it| it["verdict"] == "invalid"), "{told}");
    let reason = |at: usize| told[at]["reasons"][0].as_str().unwrap().to_owned();
    assert!(reason(0).contains("twin 1.0.0 stands in the index more than once"), "{told}");
    assert!(reason(1).starts_with("/extensions/1: /exec: "), "{told}");
    assert_eq!((&told[1]["name"], &told[3]["name"]), (&json!("broken"), &json!("/extensions/3")));

    for (index, why) in [
        ("{", "EOF while parsing"),
        ("[]", "an index is {\"schema_version\": 1"),
        (
            r#"{"schema_version":2,"extensions":[]}"#,
            "/schema_version: 2 is a format that is not known",
        ),
    ] {
        let outcome = audit(&scene, index, false);
        outcome.assert_code(1);
        outcome.assert_says(&["index.json: ", why]);
    }
    let outcome = scene.run(&["ext", "audit", "nowhere.json"]);
    outcome.assert_code(1);
    outcome.assert_says(&["nowhere.json: "]);
}
