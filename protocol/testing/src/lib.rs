//! What the testing hosts of SDKs are made of.
//!
//! [`demands`] is what each of them demands of an extension, in its words, and [`Offered`] what it has
//! registered. With the feature `scenario`,
//! cases of a scenario file are played by `play` against any `Extension` that bytes can be sent to.
//! With the feature `host`, for other languages than Rust, `Host` is a whole testing host without
//! input and output: what a test does are its steps, whose arguments, results and failures are text,
//! so that a binding adds nothing but its language's types and the waiting.

#![forbid(unsafe_code)]

#[cfg(feature = "host")]
mod asked;
#[cfg(feature = "host")]
mod calls;
pub mod demands;
#[cfg(feature = "host")]
mod failure;
#[cfg(feature = "host")]
mod frames;
#[cfg(feature = "host")]
mod host;
#[cfg(feature = "scenario")]
mod in_process;
#[cfg(feature = "host")]
mod kept;
#[cfg(feature = "host")]
mod moment;
mod offered;
#[cfg(feature = "host")]
mod options;
#[cfg(feature = "host")]
mod output;
#[cfg(feature = "host")]
mod pending;
#[cfg(feature = "scenario")]
mod play;
#[cfg(feature = "host")]
mod requests;
#[cfg(feature = "host")]
mod shown;
#[cfg(feature = "host")]
mod steps;
#[cfg(feature = "host")]
mod transcript;

#[cfg(feature = "host")]
pub use asked::Asked;
#[cfg(feature = "scenario")]
pub use extline_scenario::{Case, CaseError, parse_own};
#[cfg(feature = "host")]
pub use failure::{Failure, FailureKind};
#[cfg(feature = "host")]
pub use host::{Host, Mistake};
#[cfg(feature = "scenario")]
pub use in_process::{Arrival, Extension};
pub use offered::{Named, Offered};
#[cfg(feature = "scenario")]
pub use play::{Run, Surface, Trouble, play};
#[cfg(feature = "host")]
pub use shown::Told;
#[cfg(feature = "host")]
pub use steps::{Look, Progress};
#[cfg(feature = "host")]
pub use transcript::{Line, Side, Transcript};
