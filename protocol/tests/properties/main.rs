//! What holds for every input: properties of lines, raw JSON, frames and sessions.

mod decoder;
mod frames;
#[path = "../fuzz/targets/mod.rs"]
mod fuzz_targets;
mod intercept_chains;
mod json_text;
mod labeled;
mod meaning;
mod raw;
mod sessions;
mod strategies;
mod stream;

use extline_protocol::frame::AnyFrame;
use proptest::test_runner::Config;

/// So many cases. A failure prints its smallest input; no file remembers it.
fn cases(cases: u32) -> Config {
    Config { failure_persistence: None, ..Config::with_cases(cases) }
}

/// A frame's line, LF included.
fn line_of<F: AnyFrame>(frame: &F) -> String {
    let mut bytes = Vec::new();
    frame.write_line(&mut bytes);
    String::from_utf8(bytes).unwrap()
}
