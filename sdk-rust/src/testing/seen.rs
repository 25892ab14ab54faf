//! What a user, a log and a registry would have seen of the extension so far.

use std::collections::HashMap;

use extline_protocol::frame::{
    CommandResponse, ErrorInfo, EventInterceptResponse, Level, Log, Panel, PanelRender,
    RegisterCommand, RegisterTool, Registered, Rejection, RpcError, Subscribe, ToolResult,
    ToolUpdate,
};
use extline_protocol::{CallKey, ErrorKind, Notice, RawJson};

use crate::Requirement;

/// A note that the user was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// How much it matters.
    pub level: Level,
    /// The note.
    pub message: String,
}

#[derive(Default)]
pub(super) struct Seen {
    pub(super) has_greeted: bool,
    pub(super) is_ready: bool,
    pub(super) tools: Vec<RegisterTool>,
    pub(super) commands: Vec<RegisterCommand>,
    pub(super) subscribe: Subscribe,
    pub(super) rejected: Vec<Rejection>,
    /// What the test has the host not take.
    pub(super) unwanted: Vec<Requirement>,
    /// The registrations have changed since the last report.
    pub(super) is_news: bool,
    pub(super) notes: Vec<Note>,
    pub(super) logs: Vec<Log>,
    pub(super) submitted: Vec<String>,
    pub(super) panels: Vec<Panel>,
    pub(super) notices: Vec<Notice>,
    pub(super) outcomes: HashMap<CallKey, Outcome>,
    pub(super) updates: HashMap<CallKey, Vec<ToolUpdate>>,
    pub(super) parts: HashMap<CallKey, Vec<RawJson>>,
    /// Calls of the extension's own tools that it made itself: which `call_tool` waits for them, and the tool.
    pub(super) nested: HashMap<CallKey, (CallKey, String)>,
}

/// What became of a call.
pub(super) enum Outcome {
    Tool(ToolResult),
    Command(CommandResponse),
    Intercept(EventInterceptResponse),
    Method(Result<RawJson, RpcError>),
    Failed(ErrorInfo),
}

impl Seen {
    pub(super) fn add_tool(&mut self, tool: RegisterTool) {
        if self.rejects("tool", &tool.name) {
            return;
        }
        self.tools.retain(|known| known.name != tool.name);
        self.tools.push(tool);
        self.is_news = true;
    }

    pub(super) fn remove_tool(&mut self, name: &str) {
        self.tools.retain(|known| known.name != name);
        self.is_news = true;
    }

    pub(super) fn add_command(&mut self, command: RegisterCommand) {
        if self.rejects("command", &command.name) {
            return;
        }
        self.commands.retain(|known| known.name != command.name);
        self.commands.push(command);
        self.is_news = true;
    }

    /// An empty one only says that a slow start goes on.
    pub(super) fn subscribe(&mut self, mut subscribe: Subscribe) {
        if subscribe == Subscribe::default() {
            return;
        }
        let lists = [
            ("event", &mut subscribe.events),
            ("intercept", &mut subscribe.intercept),
            ("guard", &mut subscribe.guards),
        ];
        for (kind, names) in lists {
            if let Some(names) = names {
                names.retain(|name| !self.rejects(kind, name));
            }
        }
        self.subscribe = subscribe;
        self.is_news = true;
    }

    /// Whether the host does not take it; then the report says so.
    fn rejects(&mut self, kind: &str, name: &str) -> bool {
        let rejection = Rejection {
            kind: kind.to_owned(),
            name: name.to_owned(),
            code: ErrorKind::Conflict,
            message: "the test has it rejected".to_owned(),
            winner: None,
        };
        let is_unwanted =
            self.unwanted.iter().any(|unwanted| unwanted.0.is_rejected_by(&rejection));
        if is_unwanted {
            self.rejected.push(rejection);
            self.is_news = true;
        }
        is_unwanted
    }

    pub(super) fn open_panel(&mut self, panel: Panel) {
        self.close_panel(&panel.id);
        self.panels.push(panel);
    }

    pub(super) fn render_panel(&mut self, render: PanelRender) {
        let shown = self.panels.iter_mut().find(|panel| panel.id == render.panel_id);
        if let Some(panel) = shown {
            panel.title = render.title.or(panel.title.take());
            panel.lines = render.lines;
            panel.footer = render.footer;
        }
    }

    pub(super) fn close_panel(&mut self, id: &str) {
        self.panels.retain(|panel| panel.id != id);
    }

    /// What a host reports of the registrations.
    pub(super) fn report(&self) -> Registered {
        let list = |names: &Option<Vec<String>>| names.clone().unwrap_or_default();
        Registered {
            tools: self.tools.iter().map(|tool| tool.name.clone()).collect(),
            commands: self.commands.iter().map(|command| command.name.clone()).collect(),
            events: list(&self.subscribe.events),
            intercept: list(&self.subscribe.intercept),
            guards: list(&self.subscribe.guards),
            rejected: self.rejected.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_keeps_its_title_and_loses_what_is_not_drawn_again() {
        let mut seen = Seen::default();
        let id = || "p".to_owned();
        let lines = || Some(vec!["a".to_owned()]);
        let (title, footer) = (Some("Title".to_owned()), Some("below".to_owned()));
        seen.open_panel(Panel { id: id(), title: title.clone(), lines: lines(), footer });
        seen.render_panel(PanelRender { panel_id: id(), ..PanelRender::default() });
        assert_eq!(seen.panels, [Panel { id: id(), title, lines: None, footer: None }]);
    }

    #[test]
    fn a_panel_that_is_opened_again_takes_its_own_place() {
        let mut seen = Seen::default();
        for id in ["a", "b", "a"] {
            seen.open_panel(Panel { id: id.to_owned(), ..Panel::default() });
        }
        let ids: Vec<_> = seen.panels.iter().map(|panel| panel.id.as_str()).collect();
        assert_eq!(ids, ["b", "a"]);
    }
}
