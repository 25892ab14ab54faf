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
mod asked;
mod blocking;
pub mod blocks;
pub mod call;
pub mod callback;
mod claim;
pub mod code;
pub mod command;
mod course;
pub mod decide;
pub mod detached;
mod dispatch;
pub mod error;
pub mod events;
pub mod extension;
pub mod failure;
pub mod ffi;
mod fork;
mod form;
pub mod host;
mod job;
pub mod json;
pub mod keep;
mod lifecycle;
pub mod next;
pub mod panel;
pub mod polled;
mod refusal;
pub mod respond;
pub mod run;
mod running;
pub mod say;
pub mod stage;
mod state;
pub mod text;
pub mod tool;
pub mod value;
pub mod version;
mod wire;
