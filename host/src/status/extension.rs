//! How an extension stands.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use extline_protocol::frame::{Hello, Registered, Subscribe};

use crate::report::{Diagnosis, Ending, InterceptFailure, Notice};
use crate::source::Manifest;

/// How one extension stands, at the moment it was asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExtensionStatus {
    /// Its name.
    pub name: String,
    /// Its folder, or the working directory of a program without one.
    pub dir: Option<PathBuf>,
    /// Its manifest, where it has one that can be read.
    pub manifest: Option<Manifest>,
    /// Where it is in its life.
    pub state: ExtensionState,
    /// Its process, also of its process group.
    pub pid: Option<u32>,
    /// What it said of itself.
    pub hello: Option<Hello>,
    /// From the start of its process until it was ready.
    pub start_took: Option<Duration>,
    /// What the host took of its registrations, and what not.
    pub report: Registered,
    /// The events, intercepts and guards it asked for.
    pub subscribed: Subscribe,
    /// The points at which nothing passes, because it guards there and cannot be asked: it starts,
    /// has failed or died, or has not registered what it declared (`guard.declared`,
    /// `guard.gone`).
    pub closed_points: Vec<String>,
    /// Interceptors and guards of it that were asked and did not decide, oldest first; the last 50.
    pub intercept_failures: Vec<InterceptFailure>,
    /// What its author should know of, oldest first; the first 50.
    pub notices: Vec<Notice>,
    /// Notices beyond those.
    pub further_notices: u64,
    /// The file that holds all it wrote to stderr, and the host's remarks.
    pub log: Option<PathBuf>,
}

impl ExtensionStatus {
    /// Of one that has no process, and never had one.
    pub(crate) fn without_process(name: &str, state: ExtensionState) -> Self {
        Self {
            name: name.to_owned(),
            dir: None,
            manifest: None,
            state,
            pid: None,
            hello: None,
            start_took: None,
            report: Registered::default(),
            subscribed: Subscribe::default(),
            closed_points: Vec::new(),
            intercept_failures: Vec::new(),
            notices: Vec::new(),
            further_notices: 0,
            log: None,
        }
    }
}

/// Where an extension is in its life.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ExtensionState {
    /// It is listed, and started when one of its tools or commands is first used
    /// ([`HostBuilder::lazy_start`](crate::HostBuilder::lazy_start)).
    NotStarted,
    /// Its process runs, and is not ready yet.
    Starting,
    /// It is in use.
    Ready,
    /// Its process runs, and nothing of it is called until somebody [activates](crate::Host::activate) it.
    Inactive,
    /// It was asked to end.
    Ending,
    /// It has ended, as it was asked to.
    Ended(Ending),
    /// It does not run until somebody [enables](crate::Host::enable) it.
    Disabled,
    /// It cannot be used.
    Failed(Arc<Diagnosis>),
}

impl ExtensionState {
    /// In a word: `not_started`, `starting`, `ready`, `inactive`, `ending`, `ended`, `disabled` or `failed`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::NotStarted => "not_started",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Inactive => "inactive",
            Self::Ending => "ending",
            Self::Ended(_) => "ended",
            Self::Disabled => "disabled",
            Self::Failed(_) => "failed",
        }
    }
}
