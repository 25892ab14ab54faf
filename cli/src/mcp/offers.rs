//! What a server offers of a host, at first and as it changes.

use std::sync::Arc;
use std::time::Instant;

use extline_host::{Command, Host, Tool};
use extline_mcp::{LeftOut, Server, ServerConfig};

use super::say;

/// What a server was given of a host, by name, to see what has changed since.
#[derive(Clone, Default)]
pub(super) struct Offered {
    /// Also those that no client can be offered: they are told of once.
    tools: Vec<Arc<Tool>>,
    commands: Vec<Arc<Command>>,
}

/// A server that offers what a host has, and tells a person what it cannot offer.
pub(super) fn server_of(host: &Host) -> (Server, Offered) {
    let (mut server, mut offered) = (Server::new(), Offered::default());
    introduce(host, &mut server);
    let mut secret = [0; 32];
    // Without one no client of the modern era is asked anything.
    if getrandom::fill(&mut secret).is_ok() {
        server.sign_with(secret, Instant::now());
    }
    offered.compare(host, &mut server).iter().for_each(tell);
    server.ready(Instant::now());
    (server, offered)
}

/// Says who the server is: the only extension, or the program.
pub(super) fn introduce(host: &Host, server: &mut Server) {
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
}

impl Offered {
    /// Offers what is new or has changed, and takes back what is gone. What no client can be offered comes back.
    pub(super) fn compare(&mut self, host: &Host, server: &mut Server) -> Vec<LeftOut> {
        let before =
            std::mem::replace(self, Self { tools: host.tools(), commands: host.commands() });
        for gone in before.commands.iter().filter(|it| self.command(it.name()).is_none()) {
            server.remove_command(gone.name());
        }
        for command in &self.commands {
            let known = before.command(command.name());
            if known.is_none_or(|known| known.definition != command.definition) {
                server.add_command(&command.definition);
            }
        }
        for gone in before.tools.iter().filter(|it| self.tool(it.name()).is_none()) {
            server.remove_tool(gone.name());
        }
        let changed = self.tools.iter().filter(|tool| {
            // Most are the same, and schemas may be long.
            let is_same =
                |known: &Arc<Tool>| Arc::ptr_eq(known, tool) || known.definition == tool.definition;
            !before.tool(tool.name()).is_some_and(is_same)
        });
        changed.filter_map(|tool| server.add_tool(&tool.definition).err()).collect()
    }

    fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        let found = self.tools.binary_search_by(|tool| tool.name().cmp(name));
        found.ok().map(|place| &self.tools[place])
    }

    /// There are few, and their order is that of their names in lower case.
    fn command(&self, name: &str) -> Option<&Arc<Command>> {
        self.commands.iter().find(|it| it.name().eq_ignore_ascii_case(name))
    }
}

/// Tells a person what was left out, and why.
pub(super) fn tell(LeftOut { tool, why }: &LeftOut) {
    say(&format!("the tool {tool} is left out: {why}"));
}
