//! The baselines of a real zot and of the profile that imitates it.

use std::fs;

use crate::repository;

/// Each difference between a real zot and the profile that imitates it has its reason.
#[test]
fn what_a_real_zot_does_and_its_profile_does_not_is_not_imitated_on_purpose() {
    let entries = |name: &str| -> Vec<toml::Table> {
        let file = repository(&format!("conformance/baselines/{name}.toml"));
        let mut baseline: toml::Table = toml::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        baseline.remove("expected").unwrap().try_into().unwrap()
    };
    let word = |entry: &toml::Table, key: &str| entry[key].as_str().unwrap().to_owned();
    let profile = entries("host-zot-0.1.62");
    for real in entries("host-real-zot-0.1.62") {
        let (case, reason) = (word(&real, "case"), word(&real, "reason"));
        let same = profile.iter().find(|entry| word(entry, "case") == case);
        let is_by_chance = word(&real, "kind") == "known-flaky";
        match same {
            Some(same) => assert_eq!(word(same, "outcome"), word(&real, "outcome"), "{case}"),
            None => assert!(reason.starts_with("not imitated: ") || is_by_chance, "{case}"),
        }
    }
}
