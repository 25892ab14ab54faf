//! A question to an interceptor or a guard that had no usable answer.

use std::fmt;

use extline_protocol::frame::Phase;
use serde::Serialize;

use crate::redact::Redactor;

/// An interceptor or a guard that was asked and did not decide. `Display` gives one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InterceptFailure {
    /// Who failed.
    pub role: Role,
    /// At which point, as `tool_call`.
    pub point: String,
    /// The tool that was about to be called, at `tool_call`.
    pub tool: Option<String>,
    /// How it failed.
    pub cause: FailureCause,
    /// How it failed, in words that follow who was asked: `did not answer within 5000 ms`.
    pub reason: String,
    /// What it was asked about was blocked; else it went on (`intercept.failure-host`).
    pub blocked: bool,
}

/// Who is asked before something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// May rewrite what is about to happen.
    Interceptor,
    /// Sees what will happen, and may only block it.
    Guard,
}

/// How an interceptor or a guard fails to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureCause {
    /// It took too long: for the host, or for its own SDK, which answers shortly before the host
    /// gives up (`guard.margin`).
    TimedOut,
    /// Its extension has ended, or ended while it was asked.
    Gone,
    /// Its extension declared it and cannot be asked yet: it starts, or is ready without it, or its
    /// `subscribe` cannot be read (`guard.declared`).
    NotReady,
    /// Its answer breaks the protocol, or the question could not be sent.
    Unusable,
}

/// A question without a usable answer.
#[derive(Debug)]
pub(crate) struct NoAnswer {
    pub(crate) cause: FailureCause,
    /// In words that follow who was asked.
    pub(crate) reason: String,
}

impl InterceptFailure {
    pub(crate) fn redact(&mut self, redactor: &Redactor) {
        self.reason = redactor.text(&self.reason).into_owned();
    }
}

impl Role {
    pub(crate) fn of(phase: &Phase) -> Self {
        if *phase == Phase::Guard { Self::Guard } else { Self::Interceptor }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Interceptor => "interceptor",
            Self::Guard => "guard",
        })
    }
}

impl fmt::Display for InterceptFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, point, reason, blocked, .. } = self;
        let outcome = if *blocked { "blocked" } else { "allowed" };
        write!(formatter, "the {role} at {point} {reason}: {outcome}")
    }
}

impl NoAnswer {
    pub(crate) fn unusable(reason: String) -> Self {
        Self { cause: FailureCause::Unusable, reason }
    }
}
