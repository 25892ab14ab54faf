//! Why a call or a command has no answer from the extension.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use extline_model::RepairError;
use extline_protocol::frame::{ErrorInfo, RpcError};
use extline_protocol::{ErrorKind, ModelArgsError};
use extline_schema::Violation;
use thiserror::Error;

use super::blocked::Blocked;
use super::diagnosis::Diagnosis;
use crate::config_fault::ConfigError;
use crate::tool::Tool;

/// Why a call has no result of the tool's own. A tool that answers with an error is no
/// `CallError`: that is a result with `is_error`.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum CallError {
    /// No extension has a tool or command of that name, or there is no such extension.
    #[error("unknown {what} {name}")]
    Unknown {
        /// `tool`, `command` or `extension`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The user has switched the tool off. The extension has not seen the call.
    #[error("{tool} is disabled by its user, in {}", .file.display())]
    SwitchedOff {
        /// The tool.
        tool: String,
        /// The extension that has it.
        extension: String,
        /// Where it is switched off.
        file: PathBuf,
    },
    /// An extension has deactivated the tool by `tools.deactivate`, or the host its extension
    /// ([`Host::deactivate`](crate::Host::deactivate)). Whoever has it has not seen the call.
    #[error("{tool} is not active: {by} has deactivated it")]
    Inactive {
        /// The tool, or the command.
        tool: String,
        /// The extension that has deactivated it, or `the host`.
        by: String,
    },
    /// The configuration of an extension cannot be used; it keeps the one that it has.
    #[error("{extension}: its configuration cannot be used: {error}")]
    Config {
        /// The extension.
        extension: String,
        /// All that is wrong with it.
        error: ConfigError,
    },
    /// The arguments are not an object that an extension should get.
    #[error("{tool}: {error}")]
    BadArgs {
        /// The tool.
        tool: String,
        /// What is wrong with them.
        error: ModelArgsError,
    },
    /// The arguments are no JSON, and more than one thing could be meant by them
    /// ([`HostBuilder::repair`](crate::HostBuilder::repair)). The extension has not seen them.
    #[error("{tool}: the arguments are not one JSON object: {error}")]
    Unrepairable {
        /// The tool.
        tool: String,
        /// What to mend, and where.
        error: RepairError,
    },
    /// The arguments end before they are complete, and the tool may change something. The extension has
    /// not seen them.
    #[error(
        "{tool}: the arguments end at line {line}, column {column} before they are complete, so \
         nothing was done; write the whole call again, in several smaller ones where it is long"
    )]
    Truncated {
        /// The tool.
        tool: String,
        /// The line in which they end, from 1.
        line: usize,
        /// The column behind their last character, from 1.
        column: usize,
    },
    /// The arguments do not fit the tool's schema. The extension has not seen them.
    #[error("{}: {violation}", .tool.name())]
    Invalid {
        /// The tool, with its schema.
        tool: Arc<Tool>,
        /// What does not fit, and where.
        violation: Violation,
    },
    /// An interceptor or a guard blocked the call. The tool's extension has not seen it.
    #[error("blocked by {by}: {reason}")]
    Blocked {
        /// The extension that blocked it.
        by: String,
        /// Why: its own words, or how it failed to answer.
        reason: String,
    },
    /// The call needs an approval and has none. The tool's extension has not seen it.
    #[error("{tool} was not approved: {reason}")]
    Denied {
        /// The tool.
        tool: String,
        /// Why: the words of the user, or what kept it from being asked.
        reason: String,
    },
    /// The same call was answered before in the same task, and nothing has changed since
    /// ([`MemoPolicy::AnswerOnce`](crate::MemoPolicy::AnswerOnce)). The tool was not called.
    #[error(
        "{tool}: duplicate call: the same call was answered before, and nothing has changed since; \
         use that result, or call with other arguments"
    )]
    Duplicate {
        /// The tool.
        tool: String,
    },
    /// The call has failed for the third time in its task
    /// ([`HostBuilder::loop_guard`](crate::HostBuilder::loop_guard)).
    #[error("{error}\nhint: {advice}")]
    Repeated {
        /// Why it failed.
        error: Box<Self>,
        /// What to do in place of calling it again.
        advice: String,
    },
    /// The call has failed three times in its task, and was not made again.
    #[error(
        "{tool} was not called: this same call has failed 3 times; change the arguments, use another \
         tool, or tell the user what is in the way"
    )]
    TooOften {
        /// The tool.
        tool: String,
    },
    /// There was no answer in time; the extension goes on, and
    /// [`Host::diagnose`](crate::Host::diagnose) says what it is doing instead.
    #[error("{name} did not answer within {} ms", .after.as_millis())]
    Timeout {
        /// The tool, command or method.
        name: String,
        /// How long it was waited for.
        after: Duration,
        /// The extension that was asked. Absent for a tool of the agent's own, and where the time
        /// was up before the tool was called, in an interceptor or a guard or while it waited for
        /// its turn.
        extension: Option<String>,
    },
    /// The call was cancelled and the extension had nothing to say to that.
    #[error("{name} was cancelled")]
    Cancelled {
        /// The tool or command.
        name: String,
    },
    /// The extension ended, or was given up, before it answered.
    #[error("{name} was not answered: {}", .diagnosis.summary())]
    Died {
        /// The tool or command.
        name: String,
        /// Why.
        diagnosis: Arc<Diagnosis>,
    },
    /// The extension failed and is being started again: try again in a moment
    /// (`end.restart-names`). It has not seen the call.
    #[error("{name} was not called: its extension {extension} failed and is being restarted")]
    Restarting {
        /// The tool or command.
        name: String,
        /// The extension.
        extension: String,
    },
    /// Somebody has disabled the extension. It has not seen the call.
    #[error("{name} was not called: its extension {extension} is disabled")]
    Disabled {
        /// The tool, command or method.
        name: String,
        /// The extension.
        extension: String,
    },
    /// The call or its answer breaks a limit, the answer cannot be read, or the extension does not
    /// offer what is asked for; the extension goes on.
    #[error("{name}: {message}")]
    Unusable {
        /// The tool or command.
        name: String,
        /// `too_large`, `protocol`, `unsupported`, `budget` or `stale`.
        kind: ErrorKind,
        /// What is wrong.
        message: String,
    },
    /// A request was answered with an error, or not in time.
    #[error("{method}: {}", .error.message)]
    Request {
        /// The method.
        method: String,
        /// Why it failed.
        error: RpcError,
    },
    /// A command answered with an error.
    #[error("{message}")]
    Refused {
        /// The extension's own words.
        message: String,
    },
}

impl From<Blocked> for CallError {
    fn from(Blocked { by, reason }: Blocked) -> Self {
        Self::Blocked { by, reason }
    }
}

impl CallError {
    /// Nobody has it; `disabled` is the extension that had it until somebody disabled that.
    pub(crate) fn missing(
        what: &'static str,
        name: String,
        disabled: Option<&str>,
        failed: Option<Arc<Diagnosis>>,
    ) -> Self {
        match (disabled, failed) {
            (Some(extension), _) => Self::Disabled { name, extension: extension.to_owned() },
            (None, Some(diagnosis)) => Self::Died { name, diagnosis },
            (None, None) => Self::Unknown { what, name },
        }
    }

    /// The error code.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unknown { .. } => ErrorKind::NotFound,
            Self::BadArgs { .. }
            | Self::Unrepairable { .. }
            | Self::Truncated { .. }
            | Self::Invalid { .. }
            | Self::Config { .. } => ErrorKind::Validation,
            Self::Blocked { .. }
            | Self::Denied { .. }
            | Self::SwitchedOff { .. }
            | Self::Inactive { .. } => ErrorKind::Permission,
            Self::Duplicate { .. } => ErrorKind::Conflict,
            Self::Repeated { error, .. } => error.kind(),
            Self::TooOften { .. } => ErrorKind::Budget,
            Self::Timeout { .. } => ErrorKind::Timeout,
            Self::Cancelled { .. } => ErrorKind::Cancelled,
            Self::Died { .. } | Self::Restarting { .. } => ErrorKind::Transient,
            Self::Disabled { .. } => ErrorKind::Unsupported,
            Self::Unusable { kind, .. } => kind.clone(),
            Self::Request { error, .. } => error.code.clone(),
            Self::Refused { .. } => ErrorKind::Internal,
        }
    }

    /// JSON pointer of the offending member of the arguments.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Invalid { violation, .. } => Some(&violation.pointer),
            Self::Repeated { error, .. } => error.field(),
            _ => None,
        }
    }

    /// Whether its words say what to do next.
    pub(crate) fn advises(&self) -> bool {
        matches!(
            self,
            Self::Unrepairable { .. }
                | Self::Truncated { .. }
                | Self::Duplicate { .. }
                | Self::Repeated { .. }
                | Self::TooOften { .. }
        )
    }

    /// The same as the wire's error object, as a model would get it.
    pub fn to_error_info(&self) -> ErrorInfo {
        if let Self::Repeated { error, advice } = self {
            return ErrorInfo { hint: Some(advice.clone()), ..error.to_error_info() };
        }
        let mut info = ErrorInfo::new(self.kind(), self.to_string());
        info.field = self.field().map(str::to_owned);
        info
    }
}
