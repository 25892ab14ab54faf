//! Calls on their way and in flight: of tools, by whomever they are made, of commands, of methods.

mod aftermath;
mod agent_call;
mod approval;
mod asked;
mod attempt;
mod builtin;
mod call;
mod command;
mod pending;
mod program;
mod proposal;
mod read_args;
mod reconcile;
mod request;
mod review;
mod telling;
mod tool_call_path;
mod watched;

pub(crate) use self::asked::run as run_asked_tool;
pub use self::call::{Call, CallOptions};
pub use self::command::CommandOutcome;
pub(crate) use self::command::run as run_command;
pub(crate) use self::pending::{method as push_pending, resolve_tool};
pub(crate) use self::program::method as run_program;
pub use self::read_args::ReadArgs;
pub use self::reconcile::Reconciled;
pub use self::request::Request;
