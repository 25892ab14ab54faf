//! What drives the session of an extension, below the SDKs for Rust, Python, Node and C.
//!
//! `extline-protocol` says what is to be said and done, and moves no byte; `extline-stdio` moves bytes,
//! and knows nothing of frames. Between them stands what every SDK needs alike: how far is read ahead
//! while the host does not read, when answers are gathered for one write, what the thread does that owns
//! the session ([`owner`]), who stands in for an event loop that a handler keeps ([`StandIn`]), what is done
//! with an event that needs no handler ([`settle`]), what the host was asked ([`questions`]), where a secret is
//! under a host that keeps none ([`secrets`]), how often a value is changed anew that others change too ([`modify`]),
//! how an extension is an MCP server ([`mcp`]), what a person is told who starts one ([`by_hand`]), when stdin and
//! stdout are taken over ([`claim`]), with what an extension registers ([`Registry`]), and which handlers keep a
//! process from its end.
//!
//! An SDK decides which thread does it, and calls its author's handlers.

pub mod by_hand;
mod channel;
pub mod claim;
mod fork;
mod inlet;
pub mod mcp;
pub mod modify;
pub mod owner;
pub mod questions;
mod registry;
pub mod running;
pub mod secrets;
mod settle;
mod stand_in;

pub use channel::{BATCH, Channel, Read, Wants};
pub use fork::end_child;
pub use inlet::{Came, Inlet};
pub use questions::{Question, Questions};
pub use registry::{Registry, validator_of};
pub use settle::{Settling, settle};
pub use stand_in::{LoopServed, StandIn};
