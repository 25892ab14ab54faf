//! The native half of the Node package `extline`: the session, stdin and stdout.
//!
//! It decides nothing about the protocol (extline-protocol does) and nothing about an author's
//! functions (the TypeScript half does). Node's own event loop says when there is something to read;
//! each frame crosses into JavaScript once, its arguments as one string for `JSON.parse`, and each
//! answer crosses back as one string.

#![expect(
    clippy::needless_pass_by_value,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "napi hands over owned strings and whole numbers as they are in JavaScript"
)]

mod calls;
pub mod claim;
mod core;
mod deliver;
mod driver;
mod frames;
mod intercept_chain;
mod js;
mod replies;
mod session;
pub mod tools;
mod uv;
mod watch;
