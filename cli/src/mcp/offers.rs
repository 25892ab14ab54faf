//! What a server offers of a host, at first and as it changes.

use std::time::Instant;

use extline_host::Host;
use extline_mcp::{LeftOut, Server, ServerConfig};

use super::say;

/// A server that offers what a host has, and tells a person what it cannot offer.
pub(super) fn server_of(host: &Host) -> Server {
    let mut server = Server::new();
    offer(host, &mut server).iter().for_each(tell);
    server.ready(Instant::now());
    server
}

/// Offers what a host has. What no client can be offered comes back.
pub(super) fn offer(host: &Host, server: &mut Server) -> Vec<LeftOut> {
    let extensions = host.extensions();
    let hello = match extensions.as_slice() {
        [only] => only.hello.as_ref(),
        _ => None,
    };
    let (name, version) = match hello {
        Some(hello) => (hello.name.clone(), hello.version.clone()),
        None => ("extline".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
    };
    server.introduce(ServerConfig { name, version, ..ServerConfig::default() });
    for command in host.commands() {
        server.add_command(&command.definition);
    }
    let tools = host.tools();
    tools.iter().filter_map(|tool| server.add_tool(&tool.definition).err()).collect()
}

/// Offers what is new, and takes back what is gone. What no client can be offered comes back.
pub(super) fn compare(host: &Host, server: &mut Server) -> Vec<LeftOut> {
    let tools = host.tools();
    let known: Vec<String> = server.tool_names().map(str::to_owned).collect();
    for gone in known.iter().filter(|known| !tools.iter().any(|it| it.name() == *known)) {
        server.remove_tool(gone);
    }
    let new = tools.iter().filter(|tool| !known.iter().any(|known| known == tool.name()));
    new.filter_map(|tool| server.add_tool(&tool.definition).err()).collect()
}

/// Tells a person what was left out, and why.
pub(super) fn tell(LeftOut { tool, why }: &LeftOut) {
    say(&format!("the tool {tool} is left out: {why}"));
}
