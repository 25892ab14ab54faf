//! What is made of the tables of events in docs/protocol/specification.md: those of the pages of each
//! language, and the types of Python and TypeScript.
//!
//! `EXTLINE_GENERATE=1 cargo test -p extline-protocol --test events` writes them; without the variable the
//! tests fail when a file differs.

mod pages;
mod specification;
mod types;

use std::path::{Path, PathBuf};

/// Holds a file to what was made, or writes it.
fn hold(path: &str, made: &str) {
    if std::env::var_os("EXTLINE_GENERATE").is_some() {
        std::fs::write(root().join(path), made).unwrap();
    } else {
        let committed = std::fs::read_to_string(root().join(path)).unwrap_or_default();
        assert!(committed == made, "{path} has drifted: run `make generate`");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
