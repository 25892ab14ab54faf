//! Panels, as the user sees and uses them.

use std::panic::Location;

use extline_protocol::frame::{Panel, PanelKey, PanelResize};
use extline_testing::demands::not_open;

use super::failure::Failure;
use super::host::Host;

/// Panels.
impl Host {
    /// A panel that is open, as the user sees it.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::{Panel, PanelInput};
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1")
    ///         .command("open", "", async |_: &str, _| Response::open_panel(Panel::new("p")))
    ///         .panel("p", async |input: PanelInput, ctx| {
    ///             ctx.panel("p").line(format!("{input:?}")).render();
    ///         })
    /// });
    /// host.command("open", "")?;
    /// assert_eq!(host.panel("p").unwrap().lines, None);
    /// assert!(host.panel("q").is_none());
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn panel(&self, id: &str) -> Option<&Panel> {
        self.conversation.seen.panels.iter().find(|panel| panel.id == id)
    }

    /// The panels that are open, in the order of their opening.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::{Panel, PanelInput};
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1")
    ///         .command("open", "", async |_: &str, _| Response::open_panel(Panel::new("p")))
    ///         .panel("p", async |input: PanelInput, ctx| {
    ///             ctx.panel("p").line(format!("{input:?}")).render();
    ///         })
    /// });
    /// host.command("open", "")?;
    /// assert_eq!(host.panels().len(), 1);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn panels(&self) -> &[Panel] {
        &self.conversation.seen.panels
    }

    /// Presses a key in an open panel, as `up` or `enter`, and waits until the extension has handled
    /// it. A key of one character is typed: it goes as `rune` with that text.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::{Panel, PanelInput};
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1")
    ///         .command("open", "", async |_: &str, _| Response::open_panel(Panel::new("p")))
    ///         .panel("p", async |input: PanelInput, ctx| {
    ///             ctx.panel("p").line(format!("{input:?}")).render();
    ///         })
    /// });
    /// host.command("open", "")?;
    /// host.key("p", "up")?;
    /// assert_eq!(host.panel("p").unwrap().lines.as_ref().unwrap()[0], "Key(Up)");
    /// host.key("p", "x")?;
    /// assert_eq!(host.panel("p").unwrap().lines.as_ref().unwrap()[0], "Key(Char('x'))");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Failure::Misuse`] when no such panel is open; [`Failure::HandlerFailed`] when its handler
    /// fails; [`Failure::TimedOut`], [`Failure::Ended`].
    #[track_caller]
    pub fn key(&mut self, panel: &str, key: &str) -> Result<(), Failure> {
        self.conversation.place = Location::caller();
        self.check_open(panel)?;
        let is_rune = key.chars().count() == 1;
        let (key, text) = if is_rune { ("rune", Some(key.to_owned())) } else { (key, None) };
        let key = PanelKey { panel_id: panel.to_owned(), key: key.to_owned(), text };
        self.conversation.session.panel_key(&key);
        self.settle_panel(panel)
    }

    /// Gives an open panel another size, in columns and lines, and waits until the extension has
    /// handled it. A zot never does that.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::{Panel, PanelInput};
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1")
    ///         .command("open", "", async |_: &str, _| Response::open_panel(Panel::new("p")))
    ///         .panel("p", async |input: PanelInput, ctx| {
    ///             ctx.panel("p").line(format!("{input:?}")).render();
    ///         })
    /// });
    /// host.command("open", "")?;
    /// host.resize_panel("p", 80, 24)?;
    /// let lines = host.panel("p").unwrap().lines.as_ref().unwrap();
    /// assert_eq!(lines[0], "Resize { width: 80, height: 24 }");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`key`](Host::key).
    #[track_caller]
    pub fn resize_panel(&mut self, panel: &str, width: u64, height: u64) -> Result<(), Failure> {
        self.conversation.place = Location::caller();
        self.check_open(panel)?;
        let resize = PanelResize { panel_id: panel.to_owned(), width, height };
        self.conversation.session.panel_resize(&resize);
        self.settle_panel(panel)
    }

    /// Closes an open panel, as the user does with `esc`, and waits until the extension has handled it.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::{Panel, PanelInput};
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1")
    ///         .command("open", "", async |_: &str, _| Response::open_panel(Panel::new("p")))
    ///         .panel("p", async |input: PanelInput, ctx| {
    ///             ctx.panel("p").line(format!("{input:?}")).render();
    ///         })
    /// });
    /// host.command("open", "")?;
    /// host.close_panel("p")?;
    /// assert!(host.panel("p").is_none());
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`key`](Host::key).
    #[track_caller]
    pub fn close_panel(&mut self, panel: &str) -> Result<(), Failure> {
        self.conversation.place = Location::caller();
        self.check_open(panel)?;
        self.conversation.session.panel_close(panel);
        self.conversation.seen.close_panel(panel);
        self.settle_panel(panel)
    }

    fn check_open(&self, panel: &str) -> Result<(), Failure> {
        if self.panel(panel).is_some() {
            return Ok(());
        }
        let open: Vec<_> = self.panels().iter().map(|panel| panel.id.clone()).collect();
        Err(self.misuse(not_open(panel, &open)))
    }

    fn settle_panel(&mut self, panel: &str) -> Result<(), Failure> {
        self.conversation.settle(&format!("the panel {panel} did not handle its input"))
    }
}
