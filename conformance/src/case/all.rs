//! The cases that are built in, for extensions, hosts and MCP servers, where it does not matter for whom.

use super::{Case, Cases, builtin, host_cases, mcp_cases};

fn each() -> [&'static Cases; 3] {
    [builtin(), host_cases(), mcp_cases()]
}

/// Every case that is built in: those for extensions, then those for hosts, then those for MCP servers, each by name.
pub fn all_cases() -> impl Iterator<Item = &'static Case> {
    each().into_iter().flat_map(|cases| cases.values())
}

/// The case of that name, whomever it is for.
pub fn case_named(id: &str) -> Option<&'static Case> {
    each().into_iter().find_map(|cases| cases.get(id))
}
