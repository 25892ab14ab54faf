//! Panels: small views of text lines that get the keys while they are open.

use std::fmt;
use std::rc::Rc;

use extline_protocol::frame::{self, PanelRender};
use extline_protocol::{RawJson, RegistrationError};
use extline_services::view::View;

use crate::handler::{Handlers, PanelHandler};
use crate::{Context, Extension, HandlerOutcome};

/// Panels.
impl Extension {
    /// Handles what happens in a panel: keys, a new size, its close.
    ///
    /// A panel is opened by a command that answers [`Response::open_panel`](crate::Response), or at
    /// any time by [`ctx.panel(id).open()`](Context::panel); it is drawn anew by
    /// [`render`](Panel::render). Its inputs are handled one at a time in the order in which they
    /// came (`order.panels`), those of other panels meanwhile. An error or a panic is one line on
    /// stderr, and the panel stays open.
    ///
    /// What it shows lives in the program, shared between the handlers that need it.
    ///
    /// Two handlers of one panel are a registration mistake.
    ///
    /// ```
    /// use std::cell::Cell;
    /// use std::rc::Rc;
    /// use extline::prelude::*;
    ///
    /// let count = Rc::new(Cell::new(0));
    /// let shown = Rc::clone(&count);
    /// let extension = Extension::new("counter", "1.0.0")
    ///     .command("count", "opens the counter", async move |_: &str, _| {
    ///         let shown = count.get().to_string();
    ///         Response::open_panel(Panel::new("count").title("Counter").line(shown).footer("+ -"))
    ///     })
    ///     .panel("count", async move |input, ctx| {
    ///         let panel = ctx.panel("count");
    ///         match input {
    ///             PanelInput::Key(Key::Char('+') | Key::Up) => shown.set(shown.get() + 1),
    ///             PanelInput::Key(Key::Char('-') | Key::Down) => shown.set(shown.get() - 1),
    ///             PanelInput::Key(Key::Esc) => return panel.close(),
    ///             _ => return,
    ///         }
    ///         panel.line(shown.get().to_string()).render();
    ///     });
    /// ```
    #[track_caller]
    pub fn panel<R, F>(mut self, id: impl Into<String>, handler: F) -> Self
    where
        R: HandlerOutcome + 'static,
        F: AsyncFn(PanelInput, Context) -> R + 'static,
    {
        if let Err(mistake) = self.handlers.panel(id.into(), handler) {
            self.note(mistake);
        }
        self
    }
}

impl Handlers {
    pub(crate) fn panel<R, F>(&mut self, id: String, handler: F) -> Result<(), RegistrationError>
    where
        R: HandlerOutcome + 'static,
        F: AsyncFn(PanelInput, Context) -> R + 'static,
    {
        if self.panels.contains_key(&id) {
            return Err(RegistrationError::Duplicate { kind: "panel", name: id });
        }
        // The future borrows the handler, so it brings it along.
        let shared = Rc::new(handler);
        let handler: PanelHandler = Rc::new(move |input, context| {
            let handler = Rc::clone(&shared);
            Box::pin(async move { handler(input, context).await.outcome() })
        });
        self.panels.insert(id, handler);
        Ok(())
    }
}

/// Panels.
impl Context {
    /// A panel of this extension, to be opened, drawn or closed: `ctx.panel("todos").lines(..)
    /// .render()`. Works in every handler.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.panel("todos").title("Todos").lines(["[ ] ship", "[x] test"]).footer("enter").open();
    /// # }
    /// ```
    pub fn panel(&self, id: impl Into<String>) -> Panel<&Self> {
        Panel { to: self, frame: frame::Panel { id: id.into(), ..frame::Panel::default() } }
    }
}

/// What a panel shows: a title, lines, and a line below them. Colours are ANSI escapes.
///
/// [`Panel::new`] makes one for [`Response::open_panel`](crate::Response::open_panel);
/// [`Context::panel`] one that can be opened, drawn and closed.
///
/// ```
/// use extline::{Context, Panel, Response};
///
/// async fn todos(_: &str, ctx: Context) -> Response {
///     Response::open_panel(Panel::new("todos").title("Todos").lines(["[ ] ship", "[x] test"]))
/// }
///
/// fn shipped(ctx: &Context) {
///     ctx.panel("todos").lines(["[x] ship", "[x] test"]).footer("all done").render();
/// }
/// ```
#[derive(Clone, PartialEq)]
#[must_use = "nothing is shown until it is given to `Response::open_panel`, or `.open()` or `.render()`"]
pub struct Panel<To = ()> {
    to: To,
    frame: frame::Panel,
}

impl Panel {
    /// A panel with an id of the extension's own choice.
    ///
    /// ```
    /// use extline::{Panel, Response};
    ///
    /// let response = Response::open_panel(Panel::new("todos").line("nothing to do"));
    /// ```
    pub fn new(id: impl Into<String>) -> Self {
        Self { to: (), frame: frame::Panel { id: id.into(), ..frame::Panel::default() } }
    }

    pub(crate) fn into_frame(self) -> frame::Panel {
        self.frame
    }
}

/// What it shows.
impl<To> Panel<To> {
    /// Its title; the extension's name where it never had one.
    ///
    /// ```
    /// let panel = extline::Panel::new("todos").title("Todos");
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.frame.title = Some(title.into());
        self
    }

    /// Adds lines.
    ///
    /// ```
    /// let panel = extline::Panel::new("todos").lines(["[ ] ship", "[x] test"]);
    /// ```
    pub fn lines<L: Into<String>>(mut self, lines: impl IntoIterator<Item = L>) -> Self {
        let lines = lines.into_iter().map(L::into);
        self.frame.lines.get_or_insert_default().extend(lines);
        self
    }

    /// Adds a line.
    ///
    /// ```
    /// let panel = extline::Panel::new("todos").line("\x1b[32m[x] test\x1b[0m");
    /// ```
    pub fn line(self, line: impl Into<String>) -> Self {
        self.lines([line])
    }

    /// What is shown in place of the lines, by a host that shows views.
    ///
    /// ```
    /// use extline::view;
    ///
    /// let panel = extline::Panel::new("disk").line("3 of 10 GB").view(&view::meter(3.0, 10.0, Some("GB")));
    /// ```
    pub fn view(mut self, view: &View) -> Self {
        self.frame.view = RawJson::of(view).ok();
        self
    }

    /// The line below.
    ///
    /// ```
    /// let panel = extline::Panel::new("todos").footer("enter toggles, esc closes");
    /// ```
    pub fn footer(mut self, footer: impl Into<String>) -> Self {
        self.frame.footer = Some(footer.into());
        self
    }
}

/// What becomes of it.
impl Panel<&Context> {
    /// Opens it, or puts it in the place of the one that is open under this id. Hosts before
    /// mid-2026 may not know this outside a command; one line on stderr says so then
    /// (`cap.upstream-warning`).
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.panel("log").line("waiting").open();
    /// # }
    /// ```
    pub fn open(self) {
        self.to.connection().tell(|session| session.open_panel(self.frame));
    }

    /// Draws it anew. What was not said, title, lines or footer, stays as it was (`panel.resend`).
    /// Nothing happens when it is not open, or the user has closed it (`panel.closed`).
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context, lines: &[String]) {
    /// ctx.panel("log").lines(lines).render();
    /// # }
    /// ```
    pub fn render(self) {
        let frame::Panel { id: panel_id, title, lines, footer, view } = self.frame;
        let render = PanelRender { panel_id, title, lines, footer, view };
        self.to.connection().tell(|session| session.render_panel(render));
    }

    /// Closes it. Keys that wait for its handler are dropped; the handler hears no more of it.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.panel("log").close();
    /// # }
    /// ```
    pub fn close(self) {
        self.to.connection().tell(|session| session.close_panel(&self.frame.id));
    }

    /// Whether it is open, for a handler that draws now and then.
    ///
    /// ```
    /// # async fn handler(ctx: extline::Context) {
    /// while ctx.panel("clock").is_open() {
    ///     ctx.panel("clock").line(format!("{:?}", std::time::SystemTime::now())).render();
    ///     extline::tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    /// }
    /// # }
    /// ```
    pub fn is_open(&self) -> bool {
        self.to.connection().session().panel_is_open(&self.frame.id)
    }
}

impl<To> fmt::Debug for Panel<To> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.frame.fmt(formatter)
    }
}

/// Something that happened in a panel.
///
/// ```
/// use extline::{Context, Key, PanelInput};
///
/// async fn log(input: PanelInput, ctx: Context) {
///     match input {
///         PanelInput::Key(Key::Char('q')) => ctx.panel("log").close(),
///         PanelInput::Resize { width, .. } => ctx.panel("log").title(width.to_string()).render(),
///         PanelInput::Close => ctx.notify_info("closed"),
///         _ => {}
///     }
/// }
///
/// let extension = extline::Extension::new("log", "1.0.0").panel("log", log);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PanelInput {
    /// A key was pressed.
    Key(Key),
    /// It has a new size. A zot never says so: draw narrow lines.
    Resize {
        /// Columns.
        width: u64,
        /// Lines.
        height: u64,
    },
    /// The user closed it; it cannot be drawn any more. A zot closes a panel itself at Esc and
    /// Ctrl-C, so take it for "cancel".
    Close,
}

/// A key pressed in a panel.
///
/// ```
/// use extline::Key;
///
/// fn step(key: &Key) -> i32 {
///     match key {
///         Key::Down | Key::Char('j') => 1,
///         Key::Up | Key::Char('k') => -1,
///         Key::PageDown => 10,
///         _ => 0,
///     }
/// }
///
/// assert_eq!(step(&Key::Char('j')), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "most are what they are called")]
pub enum Key {
    Up,
    Down,
    Left,
    Right,
    Enter,
    Tab,
    Backspace,
    Delete,
    Home,
    End,
    PageUp,
    PageDown,
    /// Never from a zot, which closes the panel.
    Esc,
    /// A character.
    Char(char),
    /// Several characters at once, as a composed one.
    Text(String),
    /// Another, by the host's name for it; `unknown` where the host has none.
    Other(String),
}

impl From<extline_protocol::PanelInput> for PanelInput {
    fn from(input: extline_protocol::PanelInput) -> Self {
        use extline_protocol::PanelInput as Wire;

        match input {
            Wire::Key(key) => Self::Key(key.into()),
            Wire::Resize(size) => Self::Resize { width: size.width, height: size.height },
            Wire::Close { .. } => Self::Close,
        }
    }
}

impl From<frame::PanelKey> for Key {
    fn from(key: frame::PanelKey) -> Self {
        match key.key.as_str() {
            "up" => Self::Up,
            "down" => Self::Down,
            "left" => Self::Left,
            "right" => Self::Right,
            "enter" => Self::Enter,
            "tab" => Self::Tab,
            "backspace" => Self::Backspace,
            "delete" => Self::Delete,
            "home" => Self::Home,
            "end" => Self::End,
            "pageup" => Self::PageUp,
            "pagedown" => Self::PageDown,
            "esc" => Self::Esc,
            "rune" => {
                let text = key.text.unwrap_or_default();
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(char), None) => Self::Char(char),
                    _ => Self::Text(text),
                }
            }
            _ => Self::Other(key.key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_handlers_of_one_panel_are_a_mistake() {
        let extension = Extension::new("a", "1").panel("same", async |_, _| {});
        let line = line!() + 1;
        let extension = extension.panel("same", async |_, _| {});
        let mistake = extension.mistake.expect("there is a mistake").to_string();
        assert!(mistake.contains(&format!("panel.rs:{line}:")), "{mistake}");
        assert!(mistake.contains("two panels named \"same\""), "{mistake}");
    }

    #[test]
    fn keys_have_names() {
        let key = |key: &str, text: Option<&str>| {
            let text = text.map(str::to_owned);
            Key::from(frame::PanelKey { panel_id: String::new(), key: key.to_owned(), text })
        };
        assert_eq!(key("pageup", None), Key::PageUp);
        assert_eq!(key("rune", Some("é")), Key::Char('é'));
        assert_eq!(key("rune", Some("e\u{301}")), Key::Text("e\u{301}".to_owned()));
        assert_eq!(key("rune", None), Key::Text(String::new()));
        assert_eq!(key("f13", None), Key::Other("f13".to_owned()));
    }
}
