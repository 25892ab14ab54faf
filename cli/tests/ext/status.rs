//! `extline ext status` and `extline ext doctor`.

use std::fs;

use serde_json::{Value, json};

use crate::scene::Scene;

/// The findings of one, as level, what and what mends it.
fn findings(report: &Value, name: &str) -> Vec<(String, String, String)> {
    let all = report["extensions"].as_array().unwrap();
    let one = all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{report}"));
    let text =
        |finding: &Value, member: &str| finding[member].as_str().unwrap_or_default().to_owned();
    let findings = one["findings"].as_array().unwrap().iter();
    findings.map(|it| (text(it, "level"), text(it, "what"), text(it, "mend"))).collect()
}

/// One that starts, and one for each thing that keeps one from it.
fn scene() -> Scene {
    let scene = Scene::new();
    let install = |name: &str, change: &dyn Fn(&std::path::Path)| {
        let folder = scene.project().join(name);
        Scene::extension(&folder, name, "1.0.0");
        change(&folder);
        scene.run(&["ext", "install", name]).assert_code(0);
    };
    install("good", &|_| {});
    install("off", &|_| {});
    scene.run(&["ext", "disable", "off"]).assert_code(0);
    install("dies", &|folder| {
        fs::write(folder.join("ext.sh"), "echo 'no such luck' >&2\nexit 3\n").unwrap();
    });
    install("bare", &|folder| {
        let manifest = json!({"name": "bare", "exec": "./.venv/bin/python", "args": ["a.py"]});
        fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
        fs::write(folder.join("requirements.txt"), "").unwrap();
    });
    install("broken", &|_| {});
    fs::write(scene.installed("broken").join("extension.json"), "{").unwrap();
    scene.of_project("stranger");
    scene
}

#[test]
fn status_says_how_each_stands_and_runs_nothing() {
    let scene = scene();
    let outcome = scene.run(&["ext", "status", "--json"]);
    outcome.assert_code(0);
    let report = outcome.json();
    assert_eq!(findings(&report, "good"), []);
    let good = report["extensions"].as_array().unwrap().iter().find(|it| it["name"] == "good");
    let source = &good.unwrap()["source"];
    assert_eq!(source["path"], json!(scene.project().join("good")));
    let level = |name: &str| findings(&report, name)[0].0.clone();
    let levels = ["off", "broken", "stranger", "bare"].map(level);
    assert_eq!(levels, ["skip", "fail", "warn", "warn"]);
    assert!(!scene.ran("good") && !scene.ran("stranger"));

    let outcome = scene.run(&["ext", "status", "good"]);
    outcome.assert_code(0);
    assert!(outcome.stdout.starts_with("good 1.0.0  runs, user\n  path    "), "{outcome:?}");
    assert!(!outcome.stdout.contains("stranger"), "{outcome:?}");
    let outcome = scene.run(&["ext", "status", "goud"]);
    outcome.assert_code(2);
    outcome.assert_says(&["did you mean good?"]);
}

#[test]
fn doctor_says_of_each_what_mends_it_and_the_command_does() {
    let scene = scene();
    let outcome = scene.run(&["ext", "doctor", "--json"]);
    outcome.assert_code(1);
    let report = outcome.json();
    let last = |name: &str| findings(&report, name).pop().unwrap();
    let (level, what, _) = last("good");
    assert!(level == "pass" && what.starts_with("it starts, in "), "{what}");
    let (level, what, _) = last("dies");
    assert!(level == "fail" && what.starts_with("waiting for its hello: "), "{what}");
    let (level, _, mend) = last("bare");
    assert!(level == "fail" && mend.contains(" venv .venv && "), "{mend}");
    assert_eq!(last("off").2, "extline ext enable off");
    assert_eq!(last("stranger").2, "extline ext trust stranger");
    let broken = scene.installed("broken").canonicalize().unwrap();
    assert_eq!(last("broken").2, format!("extline ext validate {}", broken.display()));
    // What nobody trusts, or is disabled, was not started.
    assert!(scene.ran("good") && !scene.ran("stranger") && !scene.ran("off"));
    let dies = report["extensions"].as_array().unwrap().iter().find(|it| it["name"] == "dies");
    let log = fs::read_to_string(dies.unwrap()["log"].as_str().unwrap()).unwrap();
    assert!(log.contains("no such luck"), "{log}");

    for name in ["dies", "bare", "broken"] {
        fs::remove_dir_all(scene.installed(name)).unwrap();
    }
    scene.run(&["ext", "trust", "--yes", "stranger"]).assert_code(0);
    let outcome = scene.run(&["ext", "doctor"]);
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("  pass    it starts, in "), "{outcome:?}");
    assert!(outcome.stdout.contains("          try extline ext enable off\n"), "{outcome:?}");
    assert!(scene.ran("stranger"));
    // Nothing of what is trusted was changed by starting it.
    assert_eq!(scene.verdict("stranger").0, "runs");
}

#[test]
fn secrets_that_are_not_set_and_names_that_are_taken_are_told() {
    let scene = Scene::new();
    let script = r#"echo '{"type":"hello","name":"'"$0"'","version":"1.0.0"}'
echo '{"type":"register_tool","name":"same","description":"d","schema":{"type":"object"}}'
echo '{"type":"ready"}'
while read -r frame; do case $frame in *'"shutdown"'*) exit 0;; esac; done"#;
    for name in ["first", "second"] {
        let folder = scene.project().join(name);
        fs::create_dir(&folder).unwrap();
        let manifest = json!({"name": name, "version": "1.0.0", "exec": "sh", "args": ["-c", script, name],
                              "permissions": {"secrets": ["KEY_OF_A_TEST"]}});
        fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
        scene.run(&["ext", "install", name]).assert_code(0);
    }
    let report = scene.run(&["ext", "doctor", "--json"]).json();
    let (level, what, mend) = findings(&report, "first").remove(0);
    assert_eq!((&*level, &*what), ("warn", "the secret KEY_OF_A_TEST is not set"));
    assert_eq!(mend, "extline secret set first KEY_OF_A_TEST");
    let found = findings(&report, "second");
    assert!(
        found.iter().any(|(_, what, _)| what.starts_with("the tool same is not used: ")),
        "{found:?}"
    );
}

#[test]
fn a_bundle_for_support_holds_nothing_private_unless_it_is_wanted() {
    let scene = scene();
    let bundle = scene.project().join("support.json");
    let bundle = bundle.to_str().unwrap();
    let outcome = scene.run(&["ext", "doctor", "--bundle", bundle]);
    outcome.assert_code(1);
    outcome.assert_says(&["wrote ", "(no names): look at it before you send it"]);
    let text = fs::read_to_string(bundle).unwrap();
    let names = ["good", "dies", "stranger", "no such luck", scene.project().to_str().unwrap()]
        .map(str::to_owned);
    for private in &names {
        assert!(!text.contains(private.as_str()), "{private}: {text}");
    }
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["redacted"], true);
    let told = report["extensions"].as_array().unwrap().len();
    assert_eq!(report["counts"]["extensions"], told);
    assert_eq!(report["counts"]["verdicts"]["untrusted"], 1);
    for code in [
        "start.ready",
        "start.failed.exited_before_hello",
        "verdict.disabled",
        "environment.missing",
    ] {
        assert!(text.contains(&format!("\"code\": \"{code}\"")), "{code}: {text}");
    }
    scene.run(&["ext", "status", "--bundle", bundle]).assert_code(2);
    fs::remove_file(bundle).unwrap();
    scene.run(&["ext", "status", "--bundle", bundle, "--with-names"]).assert_code(0);
    let text = fs::read_to_string(bundle).unwrap();
    for told in ["\"good\"", "\"dies\"", "no such luck"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    scene.run(&["ext", "status", "--with-names"]).assert_code(2);
}
