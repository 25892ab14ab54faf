//! MCP on one side, the extline wire on the other: what makes an extension an MCP server.
//!
//! As the rest of `protocol`, this crate does no I/O and has no threads and no clock. Bytes go in, bytes and
//! events come out; time is an argument.
//!
//! - [`Server`] is the server's end of an MCP connection over stdio: what a client asks for comes out as a
//!   [`ServerEvent`], what is answered goes out as lines.
//! - [`Bridge`] joins a [`Server`] with a host's end of the extline wire. It stands between the lines of an MCP
//!   client and the lines of one extension.
//! - `lint` (with the feature of that name) says what clients drop or change of an extension's tools.
//!
//! Both eras are spoken on one stream, and each request decides for itself: one whose `_meta` names a protocol
//! version is of the modern era ([`Revision::MODERN`]), any other belongs to the session that `initialize`
//! began.

#![forbid(unsafe_code)]

mod bridge;
mod catalogue;
mod elicits;
mod entry;
mod failure;
mod keyed;
mod level;
#[cfg(feature = "lint")]
pub mod lint;
mod message;
mod progress;
mod prompt;
mod question;
mod references;
mod result;
mod revision;
mod schema;
mod server;

pub use bridge::{Bridge, BridgeConfig, BridgeEvent};
pub use entry::LeftOut;
pub use failure::Code;
pub use question::{ApprovalQuestion, DIALOGS, DISPLAYS, Question, Verdict};
pub use revision::Revision;
pub use server::{QuestionKey, RequestKey, Server, ServerConfig, ServerEvent};
