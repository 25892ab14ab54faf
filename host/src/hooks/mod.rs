//! Script hooks: programs that a person has asked before a tool runs and told of what came of it, without writing an
//! extension.

mod run;
mod settings;

pub(crate) use self::run::{AboutCall, Hooks};
pub use self::settings::{HookMode, HookPoint, HooksError, ScriptHook, ScriptHooks};
