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

mod blocking;
pub mod call;
pub mod callback;
mod claim;
pub mod code;
pub mod command;
pub mod detached;
mod dispatch;
pub mod extension;
pub mod failure;
pub mod ffi;
mod fork;
mod form;
pub mod json;
mod lifecycle;
pub mod run;
mod running;
pub mod stage;
pub mod text;
pub mod tool;
pub mod version;
mod wire;
