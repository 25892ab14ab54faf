//! What is said of a manifest before anything runs.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::scene::Scene;
use crate::support::repository;

#[test]
fn a_misspelt_member_is_told_before_anything_else() {
    let scene = Scene::new();
    let folder = scene.project().join("clock");
    Scene::extension(&folder, "clock", "1.0.0");
    let text = fs::read_to_string(folder.join("extension.json")).unwrap();
    fs::write(folder.join("extension.json"), text.replace("\"args\"", "\"arg\"")).unwrap();
    for words in [&["inspect", "clock"][..], &["run", "clock"]] {
        let outcome = scene.run(words);
        let told = "extension.json: /arg is not read";
        assert_eq!(outcome.stderr.matches(told).count(), 1, "{outcome:?}");
        let error = outcome.stderr.find("error:").unwrap();
        assert!(outcome.stderr.find(told).unwrap() < error, "{outcome:?}");
        outcome.assert_says(&["did you mean \"args\"?"]);
    }
    let outcome = scene.run(&["ext", "validate", "clock"]);
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("did you mean \"args\"?"), "{outcome:?}");
    assert!(outcome.stdout.contains("[manifest.member.misspelt]"), "{outcome:?}");
}

#[test]
fn validate_says_all_at_once_and_runs_nothing() {
    let scene = Scene::new();
    for name in ["good", "bad"] {
        Scene::extension(&scene.project().join(name), name, "1.0.0");
    }
    fs::write(scene.project().join("bad/extension.json"), "{\n \"name\": \"\",\n \"args\": 1\n}")
        .unwrap();
    let outcome = scene.run(&["ext", "validate", "--json", ".", "nowhere"]);
    outcome.assert_code(1);
    let manifests = outcome.json()["manifests"].clone();
    assert_eq!(manifests.as_array().unwrap().len(), 3);
    assert_eq!((&manifests[0]["valid"], &manifests[1]["name"]), (&json!(false), &json!("good")));
    let fault = &manifests[0]["faults"][1];
    assert_eq!(
        (&fault["code"], &fault["pointer"], &fault["line"], &fault["column"]),
        (&json!("manifest.args.type"), &json!("/args"), &json!(3), &json!(10))
    );
    assert_eq!(manifests[2]["faults"][0]["code"], "manifest.unreadable");
    let outcome = scene.run(&["ext", "validate", "."]);
    outcome.assert_code(1);
    assert!(outcome.stdout.contains("fail") && outcome.stdout.contains("3:10"), "{outcome:?}");
    assert!(!scene.ran("good"));
    // All that we wrote ourselves are right.
    let examples = repository().join("examples");
    let outcome = scene.run(&["ext", "validate", examples.to_str().unwrap()]);
    outcome.assert_code(0);
    assert!(!outcome.stdout.contains("manifest.member"), "{outcome:?}");
}

#[test]
fn editors_have_a_schema_of_the_manifest() {
    let schema = extline_host::manifest_schema();
    let text = format!("{schema:#}\n");
    let file = repository().join("docs/host/extension.schema.json");
    if std::env::var_os("EXTLINE_GENERATE").is_some() {
        fs::write(&file, &text).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == text, "docs/host/extension.schema.json has drifted: run `make generate`");
    let validator = jsonschema::validator_for(&schema).unwrap();
    for wrong in [
        json!({}),
        json!({"name": "a/b"}),
        json!({"name": "w", "arg": []}),
        json!({"name": "w", "args": ["a", 5]}),
        json!({"name": "w", "permissions": {"env": ["A=1"]}}),
        json!({"name": "w", "host": {"type": "beam"}}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
    // The page has a row for each member, and its sample is right.
    let page = fs::read_to_string(repository().join("docs/host/manifest.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    assert_eq!(rows.collect::<Vec<_>>(), extline_host::manifest_members().collect::<Vec<_>>());
    let sample = page.split("```json extension.json").nth(1).unwrap();
    let sample = sample.split("```").next().unwrap();
    assert!(validator.is_valid(&serde_json::from_str(sample).unwrap()));
    let manifest = extline_host::Manifest::parse(sample, Path::new("extension.json")).unwrap();
    assert_eq!(manifest.permissions.env, ["OPENWEATHER_KEY"]);
}
