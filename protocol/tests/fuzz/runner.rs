//! Runs a fuzz target on its corpus, and on mutations of it that are the same every time.

#[path = "mutate.rs"]
mod mutate;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use mutate::{Random, mutate};

const SEED: u64 = 20_260_501;

/// # Panics
/// When the target does, or the corpus is empty.
pub(crate) fn fuzz(target: fn(&[u8]), corpus: &Path, mutations: u64) {
    let corpus = files(corpus);
    for (path, input) in &corpus {
        check(target, input, &path.display().to_string());
    }
    for number in 0..mutations {
        let mut random = Random::new(SEED + number);
        let (path, input) = random.pick(&corpus);
        let (_, other) = random.pick(&corpus);
        let mutated = mutate(input, other, &mut random);
        let what = format!("mutation {number} of {} (seed {SEED})", path.display());
        check(target, &mutated, &what);
    }
}

/// Of what fails it shows the input, ready to become a file of the corpus.
fn check(target: fn(&[u8]), input: &[u8], what: &str) {
    let passed = catch_unwind(|| target(input)).is_ok();
    assert!(passed, "the panic above came of {what}:\n{}", input.escape_ascii());
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}
