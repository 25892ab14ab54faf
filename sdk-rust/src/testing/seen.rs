//! What a user, a log and a registry would have seen of the extension so far.

use std::collections::HashMap;

use extline_protocol::frame::{
    CommandResponse, ErrorInfo, EventInterceptResponse, Level, Log, Panel, PanelRender, RpcError,
    ToolResult, ToolUpdate,
};
use extline_protocol::{CallKey, Notice, RawJson};
use extline_testing::Offered;

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
    pub(super) offered: Offered,
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
        seen.open_panel(Panel {
            id: id(),
            title: title.clone(),
            lines: lines(),
            footer,
            view: None,
        });
        seen.render_panel(PanelRender { panel_id: id(), ..PanelRender::default() });
        assert_eq!(seen.panels, [Panel { id: id(), title, ..Panel::default() }]);
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
