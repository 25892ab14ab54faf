//! Panels: what is open, and what each shows (`panel.*`).

use std::collections::HashMap;

use super::{ExtensionSession, PanelInput};
use crate::frame::{OpenPanel, Panel, PanelClose, PanelRender};

/// The open panels, with what the extension last drew in each.
#[derive(Debug, Default)]
pub(super) struct Panels(HashMap<String, Panel>);

impl Panels {
    pub(super) fn open(&mut self, panel: &Panel) {
        self.0.insert(panel.id.clone(), panel.clone());
    }
}

/// Panels.
impl ExtensionSession {
    /// Opens a panel outside a command (upstream's addition).
    pub fn open_panel(&mut self, mut panel: Panel) {
        self.warn_old_host("open_panel");
        panel.view = self.view_for_host(panel.view);
        self.panels.open(&panel);
        self.send(&OpenPanel { panel });
    }

    /// Draws a panel anew. What is absent stays as it was and is sent again (`panel.resend`).
    /// Nothing is sent for a panel that is not open, or not any more (`panel.closed`); whether it
    /// is.
    pub fn render_panel(&mut self, render: PanelRender) -> bool {
        let PanelRender { panel_id, title, lines, footer, view } = render;
        let view = self.view_for_host(view);
        let Some(panel) = self.panels.0.get_mut(&panel_id) else { return false };
        let has_lines = lines.is_some();
        panel.title = title.or(panel.title.take());
        panel.lines = lines.or(panel.lines.take());
        panel.footer = footer.or(panel.footer.take());
        // New lines are what is shown from now on, unless a new view comes with them.
        panel.view = if has_lines { view } else { view.or(panel.view.take()) };
        let Panel { title, lines, footer, view, .. } = panel.clone();
        self.send(&PanelRender { panel_id, title, lines, footer, view });
        true
    }

    /// Closes a panel; the inputs that wait for it are dropped. Nothing happens when it is not
    /// open.
    pub fn close_panel(&mut self, panel_id: &str) {
        if self.panels.0.remove(panel_id).is_some() {
            self.lanes.forget_panel(panel_id);
            self.send(&PanelClose { panel_id: panel_id.to_owned() });
        }
    }

    /// Whether the panel is open, as far as is known here.
    pub fn panel_is_open(&self, panel_id: &str) -> bool {
        self.panels.0.contains_key(panel_id)
    }

    /// What comes for a panel that is not open crossed with its close (`panel.unknown`).
    pub(super) fn handle_panel(&mut self, input: PanelInput) {
        let is_open = match &input {
            PanelInput::Close { panel_id } => self.panels.0.remove(panel_id).is_some(),
            input => self.panel_is_open(input.panel_id()),
        };
        if is_open && !self.stage.is_ending() {
            self.lanes.panel(input);
        }
    }
}
