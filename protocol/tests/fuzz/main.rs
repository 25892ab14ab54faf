//! The fuzz targets on the committed corpus, and on mutations of it that are the same every time.
//!
//! `make fuzz` runs the same targets under cargo-fuzz. What it finds becomes a file in corpus/.

mod mutate;
mod targets;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use mutate::{Random, mutate};
use targets::{TARGETS, Target, target};

const SEED: u64 = 20_260_501;
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
        assert!(!corpus(name).is_empty());
        let program = root().join(format!("fuzz/fuzz_targets/{name}.rs"));
        assert!(program.is_file(), "{} is missing", program.display());
    }
    let folders = fs::read_dir(root().join("tests/fuzz/corpus")).unwrap();
    assert_eq!(folders.count(), names.len(), "a corpus without a target");
}

fn fuzz(name: &str) {
    let target = target(name);
    let corpus = corpus(name);
    for (path, input) in &corpus {
        check(target, input, &path.display().to_string());
    }
    for number in 0..MUTATIONS {
        let mut random = Random::new(SEED + number);
        let (path, input) = random.pick(&corpus);
        let (_, other) = random.pick(&corpus);
        let mutated = mutate(input, other, &mut random);
        let what = format!("mutation {number} of {} (seed {SEED})", path.display());
        check(target, &mutated, &what);
    }
}

/// Runs a target. Of what fails it shows the input, ready to become a file of the corpus.
fn check(target: Target, input: &[u8], what: &str) {
    let passed = catch_unwind(|| target(input)).is_ok();
    assert!(passed, "the panic above came of {what}:\n{}", input.escape_ascii());
}

fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = root().join("tests/fuzz/corpus").join(name);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
