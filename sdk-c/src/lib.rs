//! The C SDK: `libextline`, and the header `extline.h` that is made from this crate.
//!
//! It decides nothing about the protocol (extline-protocol does); it lends its session to C: opaque
//! handles, result codes, callbacks. Every entry catches panics, checks its pointers, and never calls
//! back while a lock is held.

#![expect(unsafe_code, reason = "this crate is the border to C; extline-protocol has none")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the conditions are those of C: pointers from this library or to what the type says"
)]

pub mod answer;
pub mod args;
pub mod ask;
mod blocking;
pub mod blocks;
pub mod call;
pub mod call_lifetime;
pub mod callback;
mod claim;
pub mod code;
pub mod command;
pub mod decide;
pub mod detached;
mod dispatch;
mod drive_mode;
pub mod error;
pub mod events;
pub mod extension;
pub mod failure;
pub mod ffi;
mod fork;
pub mod host;
mod intercept_chain;
mod job;
pub mod json;
mod lifecycle;
pub mod messages;
pub mod next;
pub mod panel;
pub mod polled;
pub mod respond;
pub mod run;
mod running;
pub mod secret;
pub mod stage;
mod state;
pub mod text;
pub mod tool;
pub mod ui;
pub mod value;
pub mod version;
