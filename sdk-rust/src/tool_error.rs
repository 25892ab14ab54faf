//! Why a tool call failed.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use extline_protocol::ErrorKind;
use extline_protocol::frame::ErrorInfo;

/// Why a tool call failed: a kind, a text for the model, and what helps to do better.
///
/// The constructors are named after the kinds. `validation`, `not_found`, `permission` and `stale`
/// are the model's fault, and their text should tell it how to correct the call; `transient`,
/// `timeout` and `budget` are the world's fault. A bare [`ToolError::new`] is the model's fault too.
///
/// `?` turns any [`std::error::Error`] into one of kind `internal`, with its sources as causes. For
/// that to be possible the type itself does not implement [`std::error::Error`].
///
/// ```
/// use extline::ToolError;
///
/// fn read(path: &str) -> Result<String, ToolError> {
///     if path.is_empty() {
///         return Err(ToolError::validation("the path is empty").field("/path"));
///     }
///     Ok(std::fs::read_to_string(path)?)
/// }
///
/// assert_eq!(read("").unwrap_err().kind().as_str(), "validation");
/// assert_eq!(read("/nowhere").unwrap_err().kind().as_str(), "internal");
/// ```
#[derive(Clone, PartialEq)]
pub struct ToolError(Box<ErrorInfo>);

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $kind:ident = $variant:ident,)*) => {
        $(
            $(#[doc = $doc])*
            pub fn $kind(message: impl Into<String>) -> Self {
                Self::of_kind(ErrorKind::$variant, message)
            }
        )*
    };
}

/// One constructor for each kind.
impl ToolError {
    kinds! {
        /// The arguments are wrong. Say with [`ToolError::field`] which one.
        validation = Validation,
        /// What the call names does not exist.
        not_found = NotFound,
        /// The call is not allowed.
        permission = Permission,
        /// It may work when tried again; see [`ToolError::retry_after`].
        transient = Transient,
        /// It took longer than allowed.
        timeout = Timeout,
        /// The caller gave up; [`Context::check_cancelled`](crate::Context::check_cancelled) makes
        /// this one.
        cancelled = Cancelled,
        /// It contradicts the present state.
        conflict = Conflict,
        /// What the call refers to has changed since the model looked at it.
        stale = Stale,
        /// A quota or allowance is used up.
        budget = Budget,
        /// The tool cannot do that here.
        unsupported = Unsupported,
        /// Something is over a size limit.
        too_large = TooLarge,
        /// A peer broke its protocol.
        protocol = Protocol,
        /// The tool failed for a reason that the caller can do nothing about.
        internal = Internal,
        /// It will never work; the extension cannot go on.
        fatal = Fatal,
    }

    /// The call is wrong, and the text tells the model how to correct it. On the wire it is a
    /// `validation` error without a field: the kind for a fault of the caller's that has no
    /// narrower name.
    ///
    /// ```
    /// use extline::{ErrorKind, ToolError};
    ///
    /// assert_eq!(ToolError::new("give a city").kind(), &ErrorKind::Validation);
    /// ```
    pub fn new(message: impl Into<String>) -> Self {
        Self::validation(message)
    }

    /// An error of any kind.
    ///
    /// ```
    /// use extline::{ErrorKind, ToolError};
    ///
    /// let error = ToolError::of_kind(ErrorKind::Timeout, "the server is slow");
    /// assert_eq!(error.message(), "the server is slow");
    /// ```
    pub fn of_kind(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::of(Box::new(ErrorInfo::new(kind, message)))
    }

    pub(crate) fn of(info: Box<ErrorInfo>) -> Self {
        Self(info)
    }
}

/// What goes with it.
impl ToolError {
    /// JSON pointer of the offending member of the args itself: a missing city is `/city`.
    ///
    /// ```
    /// let error = extline::ToolError::not_found("no such city").field("/city");
    /// assert_eq!(error.info().field.as_deref(), Some("/city"));
    /// ```
    #[must_use]
    pub fn field(mut self, pointer: impl Into<String>) -> Self {
        self.0.field = Some(pointer.into());
        self
    }

    /// What to do about it.
    ///
    /// ```
    /// let error = extline::ToolError::not_found("no such city").hint("try Berlin");
    /// assert_eq!(error.to_string(), "no such city\nhint: try Berlin");
    /// ```
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// What led to it. Several are given outermost first.
    ///
    /// ```
    /// let error = extline::ToolError::internal("cannot load the map").cause("the disk is full");
    /// assert_eq!(error.to_string(), "cannot load the map\ncaused by: the disk is full");
    /// ```
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.0.causes.get_or_insert_default().push(cause.into());
        self
    }

    /// How long to wait before trying again.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let error = extline::ToolError::transient("busy").retry_after(Duration::from_secs(2));
    /// assert_eq!(error.info().retry_after_ms, Some(2_000));
    /// ```
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What happened.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// All of it, as it stands on the wire.
    pub fn info(&self) -> &ErrorInfo {
        &self.0
    }

    pub(crate) fn into_info(self) -> ErrorInfo {
        *self.0
    }
}

impl<E: Error + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut converted = Self::internal(error.to_string());
        let mut source = error.source();
        while let Some(cause) = source {
            converted = converted.cause(cause.to_string());
            source = cause.source();
        }
        converted
    }
}

/// The text that the model reads: the message, then the hint and the causes, a line each.
impl fmt::Display for ToolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot load the map")]
    struct Outer(#[source] std::num::ParseIntError);

    #[test]
    fn a_converted_error_keeps_its_sources_in_order() {
        let parse = "x".parse::<u8>().unwrap_err();
        let error = ToolError::from(Outer(parse));
        assert_eq!(error.kind(), &ErrorKind::Internal);
        assert_eq!(
            error.to_string(),
            "cannot load the map\ncaused by: invalid digit found in string"
        );
    }

    #[test]
    fn the_text_for_the_model_has_the_hint() {
        let error = ToolError::not_found("no such city").field("/city").hint("try Berlin");
        assert_eq!(error.to_string(), "no such city\nhint: try Berlin");
        assert_eq!(error.info().field.as_deref(), Some("/city"));
    }

    #[test]
    fn a_bare_error_is_the_model_s_fault() {
        assert_eq!(ToolError::new("no").kind(), &ErrorKind::Validation);
    }
}
