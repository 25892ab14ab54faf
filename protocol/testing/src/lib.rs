//! What the testing hosts of SDKs are made of.
//!
//! [`Case`]s of a scenario file are played by [`play`] against any [`Extension`] that bytes can be sent
//! to. [`Host`], for other languages than Rust, is a host's session whose frames and values are JSON
//! text and whose calls are named by numbers, so that a binding adds nothing but its language's types.

#![forbid(unsafe_code)]

mod events;
mod frames;
mod host;
mod in_process;
mod output;
mod play;

pub use events::Seen;
pub use extline_scenario::{Case, CaseError, parse_own};
pub use host::{Host, Mistake};
pub use in_process::{Arrival, Extension};
pub use output::output_problem;
pub use play::{Run, Surface, Trouble, play};
