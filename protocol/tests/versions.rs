//! All packages carry one version: what `scripts/bump.py` changes.

use std::fs;
use std::path::Path;

use serde_json::Value;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_crates_ask_for_each_other_in_this_version() {
    let manifest = read("Cargo.toml");
    let of_ours =
        manifest.lines().filter(|line| line.starts_with("extline") && line.contains("path"));
    let asked: Vec<_> = of_ours.collect();
    assert!(asked.len() >= 9, "{asked:?}");
    for line in asked {
        assert!(line.contains(&format!("version = \"{VERSION}\"")), "Cargo.toml: {line}");
    }
}

#[test]
fn the_packages_for_python_and_node_have_this_version() {
    let python = read("sdk-python/python/extline/__init__.py");
    assert!(python.contains(&format!("__version__ = \"{VERSION}\"\n")), "extline/__init__.py");
    let package: Value = serde_json::from_str(&read("sdk-node/package.json")).unwrap();
    assert_eq!(package["version"], VERSION, "sdk-node/package.json");
    let lock: Value = serde_json::from_str(&read("sdk-node/package-lock.json")).unwrap();
    assert_eq!(lock["version"], VERSION, "sdk-node/package-lock.json");
}

#[test]
fn the_header_and_the_lock_file_of_the_fuzz_targets_have_this_version() {
    let header = read("sdk-c/include/extline.h");
    assert!(header.contains(&format!("#define EXTLINE_VERSION \"{VERSION}\"\n")), "extline.h");
    let lock = read("protocol/fuzz/Cargo.lock");
    let ours = format!("name = \"extline-protocol\"\nversion = \"{VERSION}\"\n");
    assert!(lock.contains(&ours), "protocol/fuzz/Cargo.lock");
}
