//! What the extension has registered, and what the host takes of it.

use extline_protocol::ErrorKind;
use extline_protocol::frame::{RegisterCommand, RegisterTool, Registered, Rejection, Subscribe};

/// What is called by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A tool.
    Tool,
    /// A command.
    Command,
}

impl Named {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Command => "command",
        }
    }
}

/// What the host knows of the extension's registrations.
#[derive(Debug, Default)]
pub struct Offered {
    /// All initial registrations have come.
    pub is_ready: bool,
    /// The tools.
    pub tools: Vec<RegisterTool>,
    /// The commands.
    pub commands: Vec<RegisterCommand>,
    /// What it is told and asked.
    pub subscribe: Subscribe,
    rejected: Vec<Rejection>,
    /// What the test has the host not take: kinds and names.
    unwanted: Vec<(String, String)>,
    /// It has changed since the extension was last told what was taken.
    is_news: bool,
}

impl Offered {
    /// For a host that does not take these, by kind and name.
    pub fn new(unwanted: Vec<(String, String)>) -> Self {
        Self { unwanted, ..Self::default() }
    }

    /// All initial registrations have come.
    pub fn ready(&mut self) {
        self.is_ready = true;
        self.is_news = true;
    }

    /// A tool is offered, or takes the place of one of its name.
    pub fn add_tool(&mut self, tool: RegisterTool) {
        if self.rejects("tool", &tool.name) {
            return;
        }
        self.is_news = true;
        match self.tools.iter_mut().find(|known| known.name == tool.name) {
            Some(known) => *known = tool,
            None => self.tools.push(tool),
        }
    }

    /// A tool is taken away.
    pub fn remove_tool(&mut self, name: &str) {
        self.tools.retain(|known| known.name != name);
        self.is_news = true;
    }

    /// A command is offered, or takes the place of one of its name.
    pub fn add_command(&mut self, command: RegisterCommand) {
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
    pub fn subscribe(&mut self, mut subscribe: Subscribe) {
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
        self.subscribe = subscribe;
        self.is_news = true;
    }

    /// The session does not take something.
    pub fn reject(&mut self, rejection: Rejection) {
        self.rejected.push(rejection);
        self.is_news = true;
    }

    /// What to report of the registrations, when that is due.
    pub fn take_report(&mut self) -> Option<Registered> {
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

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<&RegisterTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The names of all, in their order.
    pub fn names(&self, kind: Named) -> Vec<String> {
        match kind {
            Named::Tool => self.tools.iter().map(|tool| tool.name.clone()).collect(),
            Named::Command => self.commands.iter().map(|command| command.name.clone()).collect(),
        }
    }

    /// Whether a host may ask for it. Commands go by their names in any case.
    pub fn has(&self, kind: Named, name: &str) -> bool {
        match kind {
            Named::Tool => self.tool(name).is_some(),
            Named::Command => {
                let name = name.to_lowercase();
                self.commands.iter().any(|known| known.name.to_lowercase() == name)
            }
        }
    }

    /// What there is, for a case.
    #[cfg(feature = "scenario")]
    pub fn surface(&self) -> crate::Surface {
        crate::Surface {
            tools: self.names(Named::Tool),
            commands: self.names(Named::Command),
            events: self.subscribe.events.clone().unwrap_or_default(),
            points: self.subscribe.intercept.clone().unwrap_or_default(),
        }
    }

    /// Whether the test has the host not take it.
    pub fn is_unwanted(&self, kind: &str, name: &str) -> bool {
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
