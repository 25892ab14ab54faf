//! The core does no I/O, and every artefact of every language carries it: what it depends on is
//! decided here, not in passing.

use std::process::Command;

use serde_json::Value;

#[test]
fn the_core_depends_on_five_crates_and_no_more() {
    // wide: vector instructions where a library is built for size, without unsafe code of ours.
    assert_eq!(used_by("extline-json"), ["memchr", "serde", "serde_json", "thiserror", "wide"]);
    assert_eq!(
        used_by("extline-protocol"),
        ["extline-json", "memchr", "serde", "serde_json", "thiserror"]
    );
}

#[test]
fn what_mends_the_text_of_a_model_needs_no_host() {
    assert_eq!(used_by("extline-model"), ["extline-json", "thiserror"]);
}

/// What a package of the core uses, but for its tests.
fn used_by(name: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");

    let packages = metadata["packages"].as_array().expect("a list of packages");
    let package = packages.iter().find(|package| package["name"] == name);
    let dependencies = package.expect("this package")["dependencies"].as_array().expect("a list");
    // "dev" and "build" are the other kinds; a dependency of one platform only is null too.
    assert!(dependencies.iter().all(|dependency| dependency["kind"] != "build"));
    let mut normal: Vec<_> = dependencies
        .iter()
        .filter(|dependency| dependency["kind"].is_null())
        .filter_map(|dependency| dependency["name"].as_str())
        .map(str::to_owned)
        .collect();
    normal.sort_unstable();
    normal
}
