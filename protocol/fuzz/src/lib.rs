//! The fuzz targets of tests/fuzz, schema/tests/fuzz, mcp/tests/fuzz and ../model/tests/fuzz, for cargo-fuzz.

#[path = "../../mcp/tests/fuzz/target.rs"]
mod mcp;
#[path = "../../../model/tests/fuzz/target.rs"]
mod model;
#[path = "../../schema/tests/fuzz/target.rs"]
mod schema;
#[path = "../../tests/fuzz/targets/mod.rs"]
mod targets;

/// Runs the target of that name.
///
/// # Panics
/// When the target finds a broken promise, or does not exist.
pub fn run(name: &str, data: &[u8]) {
    targets::target(name)(data);
}

/// Compiles a schema and checks arguments against it.
///
/// # Panics
/// When the target finds a broken promise.
pub fn schema(data: &[u8]) {
    schema::run(data);
}

/// Stands between a client of MCP and an extension.
///
/// # Panics
/// When the target finds a broken promise.
pub fn mcp(data: &[u8]) {
    mcp::run(data);
}

/// Repairs a text, and looks for calls in it.
///
/// # Panics
/// When the target finds a broken promise.
pub fn model(data: &[u8]) {
    model::run(data);
}
