//! Panels: small interactive views that an extension draws as lines.

use super::object::object;
use crate::json::RawJson;

object! {
    /// A panel as it is opened.
    #[derive(Default)]
    pub struct Panel {
        /// Names the panel among the extension's own.
        required id: String,
        /// Its title; the extension's name when absent.
        optional title: String,
        /// Its lines; ANSI colours are allowed.
        optional lines: Vec<String>,
        /// The line below.
        optional footer: String,
        /// What is shown in place of the lines (capability `view`).
        optional view: RawJson,
    }
}

object! {
    /// The new content of a panel. An absent footer clears it on a zot, so it is sent again.
    #[derive(Default)]
    pub struct PanelRender = "panel_render" {
        /// Which panel.
        required panel_id: String,
        /// Its title; unchanged when absent.
        optional title: String,
        /// Its lines; none when absent.
        optional lines: Vec<String>,
        /// The line below; none when absent.
        optional footer: String,
        /// What is shown in place of the lines; none when absent (capability `view`).
        optional view: RawJson,
    }
}

object! {
    /// A panel is closed: by the extension, or by the user.
    #[derive(Default)]
    pub struct PanelClose = "panel_close" {
        /// Which panel.
        required panel_id: String,
    }
}

object! {
    /// A panel opened outside a command (upstream's addition).
    #[derive(Default)]
    pub struct OpenPanel = "open_panel" {
        /// The panel.
        required panel: Panel,
    }
}

object! {
    /// A key pressed in a panel. `esc` never comes from a zot: it closes the panel.
    #[derive(Default)]
    pub struct PanelKey = "panel_key" {
        /// Which panel.
        required panel_id: String,
        /// The key: `up`, `enter`, `rune`, ..., `unknown`.
        required key: String,
        /// The text of a `rune`.
        optional text: String,
    }
}

object! {
    /// A panel has a new size. A zot never sends it.
    #[derive(Default)]
    pub struct PanelResize = "panel_resize" {
        /// Which panel.
        required panel_id: String,
        /// Columns.
        required width: u64,
        /// Lines.
        required height: u64,
    }
}
