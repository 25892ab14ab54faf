//! What a program is kept from by the system, and how it is started so; `sandbox/` has one.

#![cfg_attr(not(unix), allow(dead_code, reason = "nothing is kept from anything there yet"))]

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use extline_protocol::frame::Tier;
use thiserror::Error;
use tokio::process::Child;

use super::launch::Launch;

/// Starts a program, from the thread that calls it.
pub(crate) type Start<'a> = Box<dyn FnOnce() -> io::Result<Child> + Send + 'a>;

/// What a program is kept from.
pub(crate) trait Confinement: fmt::Debug + Send + Sync {
    /// A program as it is started here: where no other may be started after it, without those before it.
    fn program<'l>(&self, launch: &'l Launch) -> Cow<'l, Launch>;

    /// Starts a program that may do no more. What the system cannot hold to is an error, and nothing is started.
    fn spawn(self: Arc<Self>, program: &Path, start: Start<'_>) -> io::Result<Child>;

    /// What it is not held to, though its manifest says it.
    fn notices(&self) -> Vec<String>;

    /// `tell` is called with each thing that is refused from now on, and with those that were. It must not wait.
    fn tell_refusals(&self, tell: Box<dyn Fn(&str) + Send + Sync>);

    /// What it has to do with a failure of the extension: what it refused since then, or what its rules are where the
    /// text of the failure speaks of missing rights.
    fn explain(&self, extension: &str, failure: &str, since: Option<Instant>) -> Option<String>;

    /// The most that a call of a tool can do.
    fn most(&self) -> Tier;
}

/// The system cannot hold to what the manifest limits.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub(crate) struct Unavailable(pub(crate) String);
