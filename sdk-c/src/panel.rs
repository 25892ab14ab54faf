//! Panels: small views of text lines that get the keys while they are open.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

use extline_protocol::frame::{Panel, PanelRender};
use extline_protocol::{PanelInput, RegistrationError};

use crate::callback::{
    Callback, DropCallback, PanelCloseCallback, PanelKeyCallback, PanelResizeCallback,
};
use crate::code::{EXTLINE_NOT_FOUND, ResultCode};
use crate::dispatch::inside;
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter, enter_or};
use crate::ffi::{Options, Str, maybe_text, options, text, texts, with_nul};
use crate::tool::{json_of, mistake};

/// What handles a panel's inputs. Begin it with `EXTLINE_PANEL_OPTIONS_INIT`; what is not set is not
/// called.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PanelOptions {
    /// `sizeof(extline_panel_options)`, which the INIT macro sets.
    pub struct_size: usize,
    /// Which panel, by an id of the extension's own choice.
    pub id: *const c_char,
    /// A key was pressed.
    pub on_key: PanelKeyCallback,
    /// It has a new size. A zot never says so: draw narrow lines.
    pub on_resize: PanelResizeCallback,
    /// The user closed it; it cannot be drawn any more. A zot closes a panel itself at Esc and Ctrl-C, so
    /// take it for "cancel".
    pub on_close: PanelCloseCallback,
    /// Given to all of these, and to `drop`.
    pub user: *mut c_void,
    /// Gives `user` back; NULL when there is nothing to do.
    pub drop: DropCallback,
}

// SAFETY: NULL pointers and no functions are all zero bytes.
unsafe impl Options for PanelOptions {}

/// What a panel shows. Begin it with `EXTLINE_PANEL_CONTENT_INIT`. The texts are copied; colours are ANSI
/// escapes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PanelContent {
    /// `sizeof(extline_panel_content)`, which the INIT macro sets.
    pub struct_size: usize,
    /// Which panel.
    pub id: *const c_char,
    /// Its title; NULL is the extension's name, or where it is drawn anew the title that it has.
    pub title: *const c_char,
    /// Its lines, `line_count` texts; NULL where it is drawn anew leaves them as they are.
    pub lines: *const *const c_char,
    /// How many there are.
    pub line_count: usize,
    /// The line below; NULL is none, or where it is drawn anew the one that it has.
    pub footer: *const c_char,
    /// What is shown in place of the lines, by a host that shows views: a view as JSON (docs/views.md);
    /// NULL is none.
    pub view: *const c_char,
}

// SAFETY: NULL pointers and numbers are all zero bytes.
unsafe impl Options for PanelContent {}

/// What is called for a panel.
pub(crate) struct Inputs {
    key: PanelKeyCallback,
    resize: PanelResizeCallback,
    close: PanelCloseCallback,
}

/// By the panel's id.
pub(crate) type Panels = BTreeMap<String, Arc<Callback<Inputs>>>;

/// Handles what happens in a panel. Its inputs come one at a time in their order, those of other panels
/// meanwhile (`order.panels`). Until setup has returned, later `EXTLINE_STATE`; `EXTLINE_DUPLICATE` for a
/// second handler of one panel. `user` is the library's when this succeeds. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_panel(
    ext: *mut Extension,
    panel: *const PanelOptions,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.noting(|| {
            // SAFETY: options and a text of the caller's.
            let given = unsafe { options(panel, "panel") }?;
            let id = unsafe { text(given.id, "panel->id") }?.to_owned();
            let mut state = ext.lock();
            state.must_register()?;
            if state.panels.contains_key(&id) {
                return Err(mistake(RegistrationError::Duplicate { kind: "panel", name: id }));
            }
            let inputs =
                Inputs { key: given.on_key, resize: given.on_resize, close: given.on_close };
            let handler = Arc::new(Callback::new(inputs, given.user, given.drop));
            state.panels.insert(id, handler);
            Ok(())
        })
    })
}

/// Opens a panel, or puts it in the place of the one that is open under this id. Hosts before mid-2026
/// may not know this outside a command; one line on stderr says so then (`cap.upstream-warning`).
/// `EXTLINE_JSON` for a view that is no JSON,
/// `EXTLINE_STATE` before the start, `EXTLINE_CLOSED` when the session is over. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_panel_open(
    ext: *mut Extension,
    panel: *const PanelContent,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and options of the caller's.
        let (ext, panel) = unsafe { (extension(ext)?, panel_of(panel)?) };
        ext.say(|session| session.open_panel(panel))
    })
}

/// Draws a panel anew; what is NULL stays as it was (`panel.resend`). `EXTLINE_NOT_FOUND` when it is not
/// open, or the user has closed it (`panel.closed`). Else as `extline_panel_open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_panel_render(
    ext: *mut Extension,
    panel: *const PanelContent,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and options of the caller's.
        let (ext, panel) = unsafe { (extension(ext)?, panel_of(panel)?) };
        let Panel { id: panel_id, title, lines, footer, view } = panel;
        let failure =
            Failure::new(EXTLINE_NOT_FOUND, format!("the panel {panel_id:?} is not open"));
        let render = PanelRender { panel_id, title, lines, footer, view };
        if ext.say(|session| session.render_panel(render))? { Ok(()) } else { Err(failure) }
    })
}

/// Closes a panel. Keys that wait for its handler are dropped. Nothing happens when it is not open. Else
/// as `extline_panel_open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_panel_close(ext: *mut Extension, id: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (ext, id) = unsafe { (extension(ext)?, text(id, "id")?) };
        ext.say(|session| session.close_panel(id))
    })
}

/// Whether a panel is open, as far as is known here. False for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_panel_is_open(ext: *const Extension, id: *const c_char) -> bool {
    enter_or(false, || {
        // SAFETY: a handle and a text of the caller's.
        let (ext, id) = unsafe { (extension(ext)?, text(id, "id")?) };
        let mut state = ext.lock();
        Ok(state.channel()?.session.panel_is_open(id))
    })
}

/// The panel of the caller's options.
pub(crate) unsafe fn panel_of(panel: *const PanelContent) -> Result<Panel, Failure> {
    // SAFETY: options and texts of the caller's.
    unsafe {
        let given = options(panel, "panel")?;
        Ok(Panel {
            id: text(given.id, "panel->id")?.to_owned(),
            title: maybe_text(given.title, "panel->title")?.map(str::to_owned),
            lines: texts(given.lines, given.line_count, "panel->lines")?,
            footer: maybe_text(given.footer, "panel->footer")?.map(str::to_owned),
            view: maybe_text(given.view, "panel->view")?
                .map(|view| json_of(view, "panel->view"))
                .transpose()?,
        })
    }
}

impl Extension {
    /// One without a handler only shows something.
    pub(crate) fn run_panel(self: &Arc<Self>, input: &PanelInput) {
        let id = input.panel_id();
        let handler = { self.lock().panels.get(id).cloned() };
        if let Some(handler) = handler {
            let user = handler.user;
            let ext = Arc::as_ptr(self).cast_mut();
            let Inputs { key: on_key, resize, close } = handler.run;
            inside(|| match input {
                PanelInput::Key(pressed) => {
                    let key = with_nul(pressed.key.clone());
                    let text = with_nul(pressed.text.clone().unwrap_or_default());
                    if let Some(run) = on_key {
                        // SAFETY: the author's function, with what it was registered with.
                        unsafe {
                            run(user, ext, Str::lend(key.as_bytes()), Str::lend(text.as_bytes()));
                        }
                    }
                }
                PanelInput::Resize(size) => {
                    if let Some(run) = resize {
                        // SAFETY: as above.
                        unsafe { run(user, ext, size.width, size.height) };
                    }
                }
                PanelInput::Close { .. } => {
                    if let Some(run) = close {
                        // SAFETY: as above.
                        unsafe { run(user, ext) };
                    }
                }
            });
        }
        self.tell(|session| session.panel_done(id));
    }
}
