//! The fuzz targets of tests/fuzz, for cargo-fuzz.

#[path = "../../tests/fuzz/targets/mod.rs"]
mod targets;

/// Runs the target of that name.
///
/// # Panics
/// When the target finds a broken promise, or does not exist.
pub fn run(name: &str, data: &[u8]) {
    targets::target(name)(data);
}
