//! The native half of `extline/testing`: the host's end of a connection, and scenarios.
//!
//! It is a module of its own so that an extension in use loads none of it. Frames and values cross
//! as JSON text, serials and times as numbers.

#![expect(
    clippy::needless_pass_by_value,
    reason = "napi hands over owned strings as they are in JavaScript"
)]

mod cases;
mod host;
mod playing;
