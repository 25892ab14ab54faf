//! Views that extensions send: one that cannot be shown is left out, and its author told (`view.bad`).

use extline_protocol::RawJson;
use extline_services::view::{check_call_view, read};

use super::Connection;
use super::state::State;
use crate::report::Notice;

impl Connection {
    /// Leaves the view of `what` out where it cannot be shown; the text stands in its place.
    pub(super) fn check_view(&self, state: &mut State, what: &str, view: &mut Option<RawJson>) {
        let fault = view.as_ref().and_then(|view| read(view.get()).err());
        self.leave_out(state, what, fault, view);
    }

    /// The same for how the calls of a tool are shown.
    pub(super) fn check_call_view(
        &self,
        state: &mut State,
        tool: &str,
        view: &mut Option<RawJson>,
    ) {
        let fault = view.as_ref().and_then(|view| check_call_view(view.get()).err());
        self.leave_out(state, &format!("calls of {tool}"), fault, view);
    }

    fn leave_out(
        &self,
        state: &mut State,
        what: &str,
        fault: Option<String>,
        view: &mut Option<RawJson>,
    ) {
        let Some(fault) = fault else { return };
        *view = None;
        let text = format!("the view of {what} is not shown: {fault}");
        let suggestion = "the text is shown in its place; what a view may hold is in docs/views.md";
        self.notice(state, Notice::with_suggestion(text, suggestion));
    }
}
