//! Views: how what is said is shown to a person (`view.*`). The session only passes them on.

use super::ExtensionSession;
use crate::capability::Capability;
use crate::frame::RegisterTool;
use crate::json::{RawJson, depth};
use crate::limits::{VIEW_BYTES, VIEW_DEPTH};
use crate::session::Notice;

impl ExtensionSession {
    /// The view where the host shows views (`view.capability`). One over a limit is left out with a notice: the text
    /// that goes with it must not be lost.
    pub(super) fn view_for_host(&mut self, view: Option<RawJson>) -> Option<RawJson> {
        let view = view.filter(|_| self.supports(Capability::View))?;
        if view.get().len() <= VIEW_BYTES && depth(view.get()) <= VIEW_DEPTH {
            return Some(view);
        }
        let why = "it is over a limit, which docs/views.md has".to_owned();
        self.notice(Notice::NotSent { frame_type: "view", why });
        None
    }

    /// The tool as the host is told of it.
    pub(super) fn send_tool(&mut self, tool: &RegisterTool) {
        let mut tool = tool.clone();
        tool.call_view = self.view_for_host(tool.call_view);
        self.send(&tool);
    }
}
