//! Commands.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

use extline_protocol::Requirement;
use extline_protocol::frame::RegisterCommand;

use crate::callback::{CallCallback, Callback, DropCallback};
use crate::code::{EXTLINE_NULL_POINTER, ResultCode};
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter};
use crate::ffi::{Options, maybe_text, options, text};
use crate::tool::{CallFunction, refused};

/// What a command is. Begin it with `EXTLINE_COMMAND_OPTIONS_INIT`; what is not set is left out. The
/// texts are copied.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CommandOptions {
    /// `sizeof(extline_command_options)`, which the INIT macro sets.
    pub struct_size: usize,
    /// 1 to 64 letters, digits, `_` and `-`, without the slash; case does not count (`reg.names`).
    pub name: *const c_char,
    /// What it does, in a line.
    pub description: *const c_char,
    /// What it takes, as `CITY [UNITS]`.
    pub usage: *const c_char,
    /// Handles an invocation; its text is what the user typed behind the name.
    pub run: CallCallback,
    /// Given to `run` and `drop`.
    pub user: *mut c_void,
    /// Gives `user` back; NULL when there is nothing to do.
    pub drop: DropCallback,
    /// The extension is of no use where the host does not take it (`report.required`).
    pub required: bool,
}

// SAFETY: NULL pointers, no functions, `false` and numbers are all zero bytes.
unsafe impl Options for CommandOptions {}

/// By name in its registered spelling.
pub(crate) type Commands = BTreeMap<String, Arc<Callback<CallFunction>>>;

/// Offers a slash command, at any time. `EXTLINE_CLOSED` when the session is over.
///
/// `EXTLINE_NULL_POINTER` without a name or `run`, `EXTLINE_ARGUMENT` for a name that is not allowed,
/// `EXTLINE_DUPLICATE` for a second one of that name. `user` is the library's when this succeeds, and
/// stays the caller's when it fails. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_command(
    ext: *mut Extension,
    command: *const CommandOptions,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        // SAFETY: options of the caller's.
        ext.noting(|| add(&ext, &unsafe { options(command, "command") }?))
    })
}

fn add(ext: &Extension, given: &CommandOptions) -> Result<(), Failure> {
    let run =
        given.run.ok_or_else(|| Failure::new(EXTLINE_NULL_POINTER, "command->run is NULL"))?;
    // SAFETY: the texts of the options.
    let (name, description, usage) = unsafe {
        (
            text(given.name, "command->name")?.to_owned(),
            maybe_text(given.description, "command->description")?.map(str::to_owned),
            maybe_text(given.usage, "command->usage")?.map(str::to_owned),
        )
    };
    let frame = RegisterCommand { name: name.clone(), description, usage };
    let mut state = ext.lock();
    state.must_not_be_over(&name)?;
    state.registry().command(&frame).map_err(refused)?;
    let handler = Arc::new(Callback::new(run, given.user, given.drop));
    state.commands.insert(name.clone(), handler);
    if given.required {
        state.registry().require(Requirement::Registration { kind: "command".to_owned(), name });
    }
    drop(state);
    // Registered while it runs, it is told at once.
    ext.flush();
    Ok(())
}
