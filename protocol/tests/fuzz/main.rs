//! The fuzz targets on the committed corpus, and on mutations of it that are the same every time.
//!
//! `make fuzz` runs the same targets under cargo-fuzz. What it finds becomes a file in corpus/.

mod runner;
mod targets;

use std::fs;
use std::path::Path;

use targets::{TARGETS, target};

const MUTATIONS: u64 = 20_000;

#[test]
fn decoder() {
    fuzz("decoder");
}

#[test]
fn frame() {
    fuzz("frame");
}

#[test]
fn extension_session() {
    fuzz("extension_session");
}

#[test]
fn host_session() {
    fuzz("host_session");
}

#[test]
fn args() {
    fuzz("args");
}

#[test]
fn each_target_has_a_test_a_corpus_and_a_program_for_cargo_fuzz() {
    let names = TARGETS.map(|(name, _)| name);
    assert_eq!(names, ["decoder", "frame", "extension_session", "host_session", "args"]);
    for name in names {
        let program = root().join(format!("fuzz/fuzz_targets/{name}.rs"));
        assert!(program.is_file(), "{} is missing", program.display());
    }
    let folders = fs::read_dir(root().join("tests/fuzz/corpus")).unwrap();
    assert_eq!(folders.count(), names.len(), "a corpus without a target");
}

fn fuzz(name: &str) {
    runner::fuzz(target(name), &root().join("tests/fuzz/corpus").join(name), MUTATIONS);
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
