//! The format of conformance cases and test scenarios: what is done to an extension and what must
//! come of it, as data.
//!
//! [`parse`] turns a TOML file into [`Case`]s, whose [`Step`]s have one [`Verb`] each; [`expand`]
//! fills in the placeholders of a text, and [`is_like`] compares a frame with what is wanted.
//! docs/cases.md documents the format. Nothing here knows a process or an SDK: the conformance
//! tester plays cases against processes, the SDKs' testing hosts against extensions in their own.

mod case;
mod parse;
mod pattern;
mod step;
mod template;

pub use case::{Case, Cases, Level, Need, Process};
pub use parse::{CaseError, parse, parse_own};
pub use pattern::{id_of, is_like};
pub use step::{Amount, Close, Exits, Handshake, Signal, Step, Text, Verb};
pub use template::{Values, expand, replace, unhex};
