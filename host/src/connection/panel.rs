//! Panels: small views that extensions draw and the agent shows.

use std::fmt;
use std::sync::Weak;

use extline_protocol::RawJson;
use extline_protocol::frame::{PanelKey, PanelResize};
use tokio::sync::watch;

use super::Connection;
use crate::memory::{EACH, Memory};

/// What a panel shows. An absent title is the extension's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PanelView {
    /// Its title.
    pub title: String,
    /// Its lines; colours by ANSI escapes.
    pub lines: Vec<String>,
    /// The line below; empty when there is none.
    pub footer: String,
    /// What is shown in place of the lines, where the extension says it; [`view::of`](crate::view::of) reads it.
    pub view: Option<RawJson>,
}

impl Memory for PanelView {
    fn memory(&self) -> usize {
        EACH + self.title.memory() + self.lines.memory() + self.footer.memory() + self.view.memory()
    }
}

/// A panel that an extension has opened. A clone is another handle on the same panel; ids are each
/// extension's own, so two panels of one id are two panels.
///
/// It comes with [`News::PanelOpened`](crate::News::PanelOpened), and with the command that opened
/// it. The agent shows [`Panel::view`], waits for [`Panel::changed`], and passes on keys and the
/// size. It ends when the extension or the agent closes it, or the extension dies.
#[derive(Clone)]
pub struct Panel {
    pub(crate) extension: String,
    pub(crate) id: String,
    /// Tells it from another one that was opened later under the same id.
    pub(crate) serial: u64,
    /// News must not keep a connection alive.
    pub(crate) connection: Weak<Connection>,
    pub(crate) view: watch::Receiver<PanelView>,
}

impl Panel {
    /// The extension that draws it.
    pub fn extension(&self) -> &str {
        &self.extension
    }

    /// Its id among the extension's own.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it shows now, or showed last: nothing once it is closed, if that was more than 64 KiB.
    pub fn view(&self) -> PanelView {
        self.view.borrow().clone()
    }

    /// What it shows, once that is new to this handle: always the newest. `None` when it is closed.
    /// May be dropped and called again.
    pub async fn changed(&mut self) -> Option<PanelView> {
        self.view.changed().await.ok()?;
        Some(self.view.borrow_and_update().clone())
    }

    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.view.has_changed().is_ok()
    }

    /// Passes a key on: `up`, `down`, `left`, `right`, `enter`, `tab`, `backspace`, `delete`,
    /// `home`, `end`, `pageup`, `pagedown`, `esc` or `unknown`; for a character see
    /// [`Panel::text`]. Keys arrive in the order in which they are passed on. `false` when the
    /// panel is closed.
    pub fn key(&self, key: &str) -> bool {
        self.press(key, None)
    }

    /// Passes a typed character on. `false` when the panel is closed.
    pub fn text(&self, character: &str) -> bool {
        self.press("rune", Some(character.to_owned()))
    }

    /// Tells its size. `false` when it is closed.
    pub fn resize(&self, columns: u32, lines: u32) -> bool {
        self.tell(|connection| {
            let panel_id = self.id.clone();
            let resize =
                PanelResize { panel_id, width: u64::from(columns), height: u64::from(lines) };
            connection.panel_resize(self.serial, &resize)
        })
    }

    /// Closes it, as the user did. `false` when it is closed already.
    pub fn close(&self) -> bool {
        self.tell(|connection| connection.panel_close(self.serial, &self.id))
    }

    fn press(&self, key: &str, text: Option<String>) -> bool {
        let key = PanelKey { panel_id: self.id.clone(), key: key.to_owned(), text };
        self.tell(|connection| connection.panel_key(self.serial, &key))
    }

    fn tell(&self, frame: impl FnOnce(&Connection) -> bool) -> bool {
        self.connection.upgrade().is_some_and(|connection| frame(&connection))
    }
}

impl PartialEq for Panel {
    fn eq(&self, other: &Self) -> bool {
        self.serial == other.serial
            && self.id == other.id
            && self.extension == other.extension
            && Weak::ptr_eq(&self.connection, &other.connection)
    }
}

impl fmt::Debug for Panel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Panel")
            .field("extension", &self.extension)
            .field("id", &self.id)
            .field("view", &*self.view.borrow())
            .finish_non_exhaustive()
    }
}
