//! The fuzz targets of tests/fuzz, schema/tests/fuzz and mcp/tests/fuzz, for cargo-fuzz.

#[path = "../../mcp/tests/fuzz/target.rs"]
mod mcp;
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
