//! The cases that are built in, for extensions, hosts, MCP servers and their clients, where it does not matter for whom.

use super::{Case, Cases, builtin, client_cases, host_cases, mcp_cases};

fn each() -> [&'static Cases; 4] {
    [builtin(), host_cases(), mcp_cases(), client_cases()]
}

/// Every case that is built in: those for extensions, for hosts, for MCP servers and for their clients, each by name.
pub fn all_cases() -> impl Iterator<Item = &'static Case> {
    each().into_iter().flat_map(|cases| cases.values())
}

/// The case of that name, whomever it is for.
pub fn case_named(id: &str) -> Option<&'static Case> {
    each().into_iter().find_map(|cases| cases.get(id))
}
