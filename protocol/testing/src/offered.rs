//! What the extension has registered, and what the host takes of it.

use extline_protocol::ErrorKind;
use extline_protocol::frame::{RegisterCommand, RegisterTool, Registered, Rejection, Subscribe};

/// What is called by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Tool,
    Command,
}

impl Named {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Command => "command",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Offered {
    pub(crate) is_ready: bool,
    pub(crate) tools: Vec<RegisterTool>,
    pub(crate) commands: Vec<RegisterCommand>,
    pub(crate) subscribe: Subscribe,
    rejected: Vec<Rejection>,
    /// What the test has the host not take: kinds and names.
    unwanted: Vec<(String, String)>,
    /// It has changed since the extension was last told what was taken.
    is_news: bool,
}

impl Offered {
    pub(crate) fn new(unwanted: Vec<(String, String)>) -> Self {
        Self { unwanted, ..Self::default() }
    }

    pub(crate) fn ready(&mut self) {
        self.is_ready = true;
        self.is_news = true;
    }

    pub(crate) fn add_tool(&mut self, tool: RegisterTool) {
        if self.rejects("tool", &tool.name) {
            return;
        }
        self.is_news = true;
        match self.tools.iter_mut().find(|known| known.name == tool.name) {
            Some(known) => *known = tool,
            None => self.tools.push(tool),
        }
    }

    pub(crate) fn remove_tool(&mut self, name: &str) {
        self.tools.retain(|known| known.name != name);
        self.is_news = true;
    }

    pub(crate) fn add_command(&mut self, command: RegisterCommand) {
        if self.rejects("command", &command.name) {
            return;
        }
        self.is_news = true;
        match self.commands.iter_mut().find(|known| known.name == command.name) {
            Some(known) => *known = command,
            None => self.commands.push(command),
        }
    }

    /// One that names nothing only says that a slow start goes on.
    pub(crate) fn subscribe(&mut self, mut subscribe: Subscribe) {
        let lists = [
            ("event", &mut subscribe.events),
            ("intercept", &mut subscribe.intercept),
            ("guard", &mut subscribe.guards),
        ];
        if lists.iter().all(|(_, names)| names.is_none()) {
            return;
        }
        for (kind, names) in lists {
            if let Some(names) = names {
                names.retain(|name| !self.rejects(kind, name));
            }
        }
        // Nobody asks what silence means.
        subscribe.on_failure = None;
        self.subscribe = subscribe;
        self.is_news = true;
    }

    pub(crate) fn reject(&mut self, rejection: Rejection) {
        self.rejected.push(rejection);
        self.is_news = true;
    }

    /// What to report of the registrations, when that is due.
    pub(crate) fn take_report(&mut self) -> Option<Registered> {
        if !self.is_ready || !std::mem::take(&mut self.is_news) {
            return None;
        }
        let list = |names: &Option<Vec<String>>| names.clone().unwrap_or_default();
        Some(Registered {
            tools: self.names(Named::Tool),
            commands: self.names(Named::Command),
            events: list(&self.subscribe.events),
            intercept: list(&self.subscribe.intercept),
            guards: list(&self.subscribe.guards),
            rejected: self.rejected.clone(),
        })
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&RegisterTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    pub(crate) fn names(&self, kind: Named) -> Vec<String> {
        match kind {
            Named::Tool => self.tools.iter().map(|tool| tool.name.clone()).collect(),
            Named::Command => self.commands.iter().map(|command| command.name.clone()).collect(),
        }
    }

    /// Whether a host may ask for it. Commands go by their names in any case.
    pub(crate) fn has(&self, kind: Named, name: &str) -> bool {
        match kind {
            Named::Tool => self.tool(name).is_some(),
            Named::Command => {
                let name = name.to_lowercase();
                self.commands.iter().any(|known| known.name.to_lowercase() == name)
            }
        }
    }

    pub(crate) fn is_unwanted(&self, kind: &str, name: &str) -> bool {
        self.unwanted.iter().any(|(unwanted, named)| unwanted == kind && named == name)
    }

    /// Whether the host does not take it; then the report says so.
    fn rejects(&mut self, kind: &str, name: &str) -> bool {
        let is_unwanted = self.is_unwanted(kind, name);
        if is_unwanted {
            self.reject(Rejection {
                kind: kind.to_owned(),
                name: name.to_owned(),
                code: ErrorKind::Conflict,
                message: "the test has it rejected".to_owned(),
                winner: None,
            });
        }
        is_unwanted
    }
}
