//! What the testing hosts of SDKs are made of.
//!
//! [`Case`]s of a scenario file are played by [`play`] against any [`Extension`] that bytes can be sent
//! to. [`Host`], for other languages than Rust, is a whole testing host without input and output: what
//! a test does are its steps, whose arguments, results and failures are text, so that a binding adds
//! nothing but its language's types and the waiting.

#![forbid(unsafe_code)]

mod asked;
mod calls;
mod failure;
mod frames;
mod host;
mod in_process;
mod moment;
mod offered;
mod options;
mod output;
mod play;
mod requests;
mod shown;
mod steps;
mod transcript;

pub use asked::Asked;
pub use extline_scenario::{Case, CaseError, parse_own};
pub use failure::{Failure, FailureKind};
pub use host::{Host, Mistake};
pub use in_process::{Arrival, Extension};
pub use play::{Run, Surface, Trouble, play};
pub use shown::Told;
pub use steps::{Look, Progress};
pub use transcript::{Line, Side, Transcript};
