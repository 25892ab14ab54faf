//! What a server offers: known at first, and as it changes.

use std::time::Instant;

use extline_protocol::frame::{RegisterCommand, RegisterTool};

use super::{Server, ServerConfig, ServerEvent};
use crate::entry::LeftOut;

/// Tools and prompts.
impl Server {
    /// Says who the server is.
    pub fn introduce(&mut self, config: ServerConfig) {
        self.config = config;
    }

    /// Offers a tool, or offers it anew. Clients are told when it comes behind [`Server::ready`].
    ///
    /// # Errors
    ///
    /// No client could call it. It is not offered, and an earlier one of its name no more.
    pub fn add_tool(&mut self, tool: &RegisterTool) -> Result<(), LeftOut> {
        let added = self.catalogue.add_tool(tool);
        self.tell_tools_changed();
        for remark in &added?.remarks {
            self.events.push_back(ServerEvent::Remark(remark.clone()));
        }
        Ok(())
    }

    /// Takes a tool back.
    pub fn remove_tool(&mut self, name: &str) {
        if self.catalogue.remove_tool(name) {
            self.tell_tools_changed();
        }
    }

    /// Offers a command, as a prompt.
    pub fn add_command(&mut self, command: &RegisterCommand) {
        self.catalogue.add_prompt(command);
        self.tell_prompts_changed();
    }

    /// Takes a command back.
    pub fn remove_command(&mut self, name: &str) {
        if self.catalogue.remove_prompt(name) {
            self.tell_prompts_changed();
        }
    }

    /// The tools that are offered, in the order of their list.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.catalogue.tool_names()
    }

    /// Everything that is offered at first is there: what clients have asked for is answered now.
    pub fn ready(&mut self, now: Instant) {
        self.is_ready = true;
        self.held_bytes = 0;
        for line in std::mem::take(&mut self.held) {
            self.handle_line(&extline_protocol::Line::Text(line.into()), now);
        }
        self.count_down(now);
    }
}
