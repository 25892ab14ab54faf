//! The panels that one extension has open.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use extline_protocol::frame::{
    Action, CommandResponse, Panel as PanelFrame, PanelKey, PanelRender, PanelResize,
};
use tokio::sync::watch;

use super::Connection;
use super::news::News;
use super::panel::{Panel, PanelView};
use super::state::State;
use crate::memory::Memory;
use crate::report::Notice;

/// Panels that one extension may have open (`panel.many`).
const OPEN: usize = 64;

/// Ids of closed panels that are remembered, so that a render that crossed with the close is not
/// taken for a mistake.
const CLOSED: usize = 64;

/// What is still shown of a closed panel, in bytes: news of it may wait long for a slow listener.
const SHOWN_LAST: usize = 64 * 1024;

/// The panels of one extension.
#[derive(Default)]
pub(crate) struct Panels {
    /// By id.
    open: BTreeMap<String, OpenPanel>,
    /// The last ones.
    closed: VecDeque<String>,
    /// Opened so far.
    opened: u64,
}

struct OpenPanel {
    serial: u64,
    view: watch::Sender<PanelView>,
}

impl OpenPanel {
    /// Not announced as a change: there is nothing new to draw.
    fn shrink(&self) {
        self.view.send_if_modified(|view| {
            if view.memory() > SHOWN_LAST {
                *view = PanelView::default();
            }
            false
        });
    }
}

impl Panels {
    fn is_open(&self, serial: u64, id: &str) -> bool {
        self.open.get(id).is_some_and(|panel| panel.serial == serial)
    }

    /// What is kept no longer, in bytes, if it was open; its id is.
    fn close(&mut self, id: &str) -> Option<usize> {
        let panel = self.open.remove(id)?;
        let view = panel.view.borrow().memory();
        panel.shrink();
        self.closed.push_back(id.to_owned());
        let forgotten = (self.closed.len() > CLOSED).then(|| self.closed.pop_front()).flatten();
        Some(view + forgotten.memory())
    }
}

/// What the extension does.
impl Connection {
    /// The panel that the answer to a command opens.
    pub(super) fn panel_of(&self, state: &mut State, response: &CommandResponse) -> Option<Panel> {
        let has_failed = response.error.as_ref().is_some_and(|error| !error.is_empty());
        let opens = response.action == Action::OpenPanel && !has_failed;
        let panel = response.open_panel.clone().filter(|_| opens)?;
        self.open_panel(state, panel)
    }

    /// Opens a panel; one that is open already shows the new content instead.
    pub(super) fn open_panel(&self, state: &mut State, frame: PanelFrame) -> Option<Panel> {
        let PanelFrame { id, title, lines, footer, view: mut shown } = frame;
        self.check_view(state, &format!("the panel {id}"), &mut shown);
        let view = PanelView {
            title: title.unwrap_or_else(|| self.name.clone()),
            lines: lines.unwrap_or_default(),
            footer: footer.unwrap_or_default(),
            view: shown,
        };
        let panels = &mut state.panels;
        let is_new = !panels.open.contains_key(&id);
        if is_new && panels.open.len() >= OPEN {
            let text = format!("closed the panel {id:?} at once: {OPEN} others are open");
            self.notice(state, Notice::new(text));
            state.session.panel_close(&id);
            return None;
        }
        if is_new {
            panels.opened += 1;
            let (serial, view) = (panels.opened, watch::Sender::new(view));
            state.kept_panels += id.memory() + view.borrow().memory();
            panels.open.insert(id.clone(), OpenPanel { serial, view });
        } else if let Some(open) = panels.open.get(&id) {
            state.kept_panels += view.memory();
            let before = open.view.send_replace(view);
            state.kept_panels -= before.memory();
        }
        let panel = self.panel(state, &id)?;
        if is_new {
            self.tell(News::PanelOpened { panel: panel.clone() });
        }
        Some(panel)
    }

    /// Lines, footer and view that are absent are cleared, an absent title stays (`panel.absent`).
    pub(super) fn render_panel(&self, state: &mut State, render: PanelRender) {
        let PanelRender { panel_id, title, lines, footer, view: mut shown } = render;
        self.check_view(state, &format!("the panel {panel_id}"), &mut shown);
        let Some(panel) = state.panels.open.get(&panel_id) else {
            self.panel_is_unknown(state, "panel_render", &panel_id);
            return;
        };
        let kept = &mut state.kept_panels;
        panel.view.send_modify(|view| {
            *kept -= view.memory();
            if let Some(title) = title {
                view.title = title;
            }
            view.lines = lines.unwrap_or_default();
            view.footer = footer.unwrap_or_default();
            view.view = shown;
            *kept += view.memory();
        });
    }

    pub(super) fn close_panel(&self, state: &mut State, id: &str) {
        if let Some(memory) = state.panels.close(id) {
            state.kept_panels -= memory;
            self.tell(News::PanelClosed { extension: self.name.clone(), id: id.to_owned() });
        } else {
            self.panel_is_unknown(state, "panel_close", id);
        }
    }

    /// The extension draws nothing any more.
    pub(super) fn close_panels(&self, state: &mut State) {
        state.kept_panels = 0;
        state.panels.closed.clear();
        for (id, panel) in std::mem::take(&mut state.panels.open) {
            panel.shrink();
            self.tell(News::PanelClosed { extension: self.name.clone(), id });
        }
    }

    /// The panels that are open, by id.
    pub(crate) fn panels(&self) -> Vec<Panel> {
        let state = self.lock();
        state.panels.open.keys().filter_map(|id| self.panel(&state, id)).collect()
    }

    fn panel(&self, state: &State, id: &str) -> Option<Panel> {
        let OpenPanel { serial, view } = state.panels.open.get(id)?;
        Some(Panel {
            extension: self.name.clone(),
            id: id.to_owned(),
            serial: *serial,
            connection: self.this.clone(),
            view: view.subscribe(),
        })
    }

    /// It is ignored (`panel.owner`), and reported unless it only crossed with a close.
    fn panel_is_unknown(&self, state: &mut State, frame_type: &str, id: &str) {
        if !state.panels.closed.iter().any(|closed| closed == id) {
            let text = format!("ignored {frame_type}: it has no panel {id:?} open");
            self.notice(state, Notice::new(text));
        }
    }
}

/// What the agent does; each says whether the panel is open.
impl Connection {
    pub(crate) fn panel_key(&self, serial: u64, key: &PanelKey) -> bool {
        // What a key does nobody declares.
        self.shared.model_side.memo.changed();
        self.tell_panel(serial, &key.panel_id, |state| state.session.panel_key(key))
    }

    pub(crate) fn panel_resize(&self, serial: u64, resize: &PanelResize) -> bool {
        self.tell_panel(serial, &resize.panel_id, |state| state.session.panel_resize(resize))
    }

    pub(crate) fn panel_close(&self, serial: u64, id: &str) -> bool {
        self.tell_panel(serial, id, |state| {
            state.session.panel_close(id);
            self.close_panel(state, id);
        })
    }

    fn tell_panel(&self, serial: u64, id: &str, frame: impl FnOnce(&mut State)) -> bool {
        let mut state = self.lock();
        let is_open = state.panels.is_open(serial, id);
        if is_open {
            frame(&mut state);
            self.carry_out(&mut state, Instant::now());
        }
        is_open
    }
}
