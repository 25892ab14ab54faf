//! What a user and a log would have seen of the extension.

use std::collections::VecDeque;

use extline_protocol::frame::{Panel, PanelRender};

use crate::frames::{json, object};

/// Something new of what a user, a log or the host's developer would see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Which list it belongs to: `notes`, `logs`, `submitted`, `notices` or `panels`.
    pub list: &'static str,
    /// The new entry. Of notes, `null` when they are cleared. Of panels, one as it is shown now, or the
    /// id of one that is closed.
    pub json: String,
}

#[derive(Debug, Default)]
pub(crate) struct Shown {
    panels: Vec<Panel>,
    told: VecDeque<Told>,
}

impl Shown {
    pub(crate) fn tell(&mut self, list: &'static str, json: String) {
        self.told.push_back(Told { list, json });
    }

    pub(crate) fn poll(&mut self) -> Option<Told> {
        self.told.pop_front()
    }

    pub(crate) fn has_panel(&self, id: &str) -> bool {
        self.panels.iter().any(|panel| panel.id == id)
    }

    pub(crate) fn open_panels(&self) -> Vec<String> {
        self.panels.iter().map(|panel| panel.id.clone()).collect()
    }

    /// One that is opened again is the newest again.
    pub(crate) fn open_panel(&mut self, panel: Panel) {
        self.close_panel(&panel.id);
        self.tell("panels", object(&panel).into_string());
        self.panels.push(panel);
    }

    pub(crate) fn render_panel(&mut self, render: PanelRender) {
        let shown = self.panels.iter_mut().find(|panel| panel.id == render.panel_id);
        if let Some(panel) = shown {
            // A title stays, what else is not drawn again does not.
            panel.title = render.title.or(panel.title.take());
            panel.lines = render.lines;
            panel.footer = render.footer;
            let json = object(panel).into_string();
            self.tell("panels", json);
        }
    }

    pub(crate) fn close_panel(&mut self, id: &str) {
        if self.has_panel(id) {
            self.panels.retain(|panel| panel.id != id);
            self.tell("panels", json(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(id: &str, title: Option<&str>) -> Panel {
        let lines = Some(vec!["a".to_owned()]);
        Panel { id: id.to_owned(), title: title.map(str::to_owned), lines, ..Panel::default() }
    }

    fn told(shown: &mut Shown) -> Vec<String> {
        std::iter::from_fn(|| shown.poll()).map(|told| told.json).collect()
    }

    #[test]
    fn a_panel_keeps_its_title_and_loses_what_is_not_drawn_again() {
        let mut shown = Shown::default();
        shown.open_panel(panel("p", Some("T")));
        shown.render_panel(PanelRender { panel_id: "p".to_owned(), ..PanelRender::default() });
        shown.render_panel(PanelRender { panel_id: "q".to_owned(), ..PanelRender::default() });
        assert_eq!(
            told(&mut shown),
            [r#"{"id":"p","title":"T","lines":["a"]}"#, r#"{"id":"p","title":"T"}"#]
        );
    }

    #[test]
    fn a_panel_that_is_opened_again_is_the_newest() {
        let mut shown = Shown::default();
        shown.open_panel(panel("a", None));
        shown.open_panel(panel("a", None));
        shown.close_panel("a");
        shown.close_panel("a");
        let open = r#"{"id":"a","lines":["a"]}"#;
        assert_eq!(told(&mut shown), [open, r#""a""#, open, r#""a""#]);
        assert!(!shown.has_panel("a"));
    }
}
