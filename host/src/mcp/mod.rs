//! Servers of MCP as sources of tools, beside extensions.
//!
//! The host starts a server as it starts an extension, and an [`Adapter`] stands between the two: to
//! the host it is an extension ([`extline_protocol::ExtensionSession`]), to the server a client (rmcp).
//! So all that holds for extensions holds for servers: interceptors, guards, approvals, deadlines, dialogs, the
//! log, restarts and the end. What a server says is data of others: results are marked and framed so.
//!
//! Which server, and whether it is trusted, says `source`; `adapter` and `task` run it, `offers` reads what it has
//! and refuses what is too much, `calls` and `content` are the way of a call and of its answer, `questions` what
//! the server asks the person.

mod adapter;
mod calls;
mod client;
mod content;
mod era;
mod http;
mod offers;
mod questions;
mod start_failure;
mod task;
mod wire;

pub(crate) use self::adapter::ServerAdapter;
pub(crate) use self::era::Eras;
