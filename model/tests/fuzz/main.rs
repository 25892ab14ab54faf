//! The fuzz target of this crate on the committed corpus, and on mutations of it that are the same every time.
//! `make fuzz` runs the same target under cargo-fuzz.

#[path = "../../../protocol/tests/fuzz/runner.rs"]
mod runner;
mod target;

use std::path::Path;

#[test]
fn model() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    runner::fuzz(target::run, &corpus, 5_000);
}
