//! The format of conformance cases and test scenarios: what is done to an extension and what must
//! come of it, as data.
//!
//! [`parse`] turns a TOML file into [`Case`]s, whose [`Step`]s have one [`Verb`] each, and [`play`]
//! plays a case against a [`Stage`], so that a step means the same everywhere. docs/tester/cases.md
//! documents the format. Nothing here knows a process, an SDK or a clock: the conformance tester is
//! a stage with processes, an SDK's testing host one with an extension in its own process.

mod afterwards;
mod case;
mod difference;
mod failure;
mod members;
mod parse;
mod pattern;
mod player;
mod step;
mod template;
mod whole;

pub use case::{Case, Cases, Level, Need, Process};
pub use difference::differences;
pub use failure::{Failure, Outcome, excerpt, seconds};
pub use members::{Members, Word, flag, read};
pub use parse::{CaseError, InFile, parse, parse_all, parse_own};
pub use pattern::is_like_by;
pub use player::{Aside, Stage, play, play_on, play_until_aside};
pub use step::{Amount, Each, Exits, Handshake, Pipe, Signal, Step, Text, Verb};
pub use template::{Values, expand, replace, unhex};
